"""Clusters: which blocks form one, and what a batch of them keeps. What their warps do is in cluster_access.py."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ssmsim.launch import Launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.hardware import coordinates


def size_of(launch: Launch) -> int:
    """Blocks in a cluster."""
    return launch.cluster[0] * launch.cluster[1] * launch.cluster[2]


def ranks(launch: Launch, blocks: np.ndarray) -> np.ndarray:
    """int64: each block's rank in its cluster, from linear block ids (x fastest, as %cluster_ctarank)."""
    x, y, z = (at % n for at, n in zip(coordinates(blocks, launch.grid), launch.cluster, strict=True))
    return np.asarray(x + launch.cluster[0] * (y + launch.cluster[1] * z))


def clusters(launch: Launch, blocks: np.ndarray) -> np.ndarray:
    """int64: the number of each block's cluster, x fastest."""
    x, y, z = (at // n for at, n in zip(coordinates(blocks, launch.grid), launch.cluster, strict=True))
    wide, high = launch.grid[0] // launch.cluster[0], launch.grid[1] // launch.cluster[1]
    return np.asarray(x + wide * (y + high * z))


def members(launch: Launch, numbers: np.ndarray) -> np.ndarray:
    """int64[len(numbers) * size]: linear ids of the blocks of some clusters, cluster by cluster, by rank."""
    wide, high, deep = (g // c for g, c in zip(launch.grid, launch.cluster, strict=True))
    counts = (wide, high, deep)
    first = [at * n for at, n in zip(coordinates(np.asarray(numbers, np.int64), counts), launch.cluster, strict=True)]
    inside = coordinates(np.arange(size_of(launch)), launch.cluster)
    x, y, z = ((f[:, None] + i[None, :]).reshape(-1) for f, i in zip(first, inside, strict=True))
    return np.asarray(x + launch.grid[0] * (y + launch.grid[1] * z))


def whole_clusters(launch: Launch, blocks: np.ndarray) -> np.ndarray:
    """The blocks of all clusters that `blocks` lie in, cluster by cluster in the order in which they are named."""
    numbers = clusters(launch, blocks)
    _, first = np.unique(numbers, return_index=True)
    return members(launch, numbers[np.sort(first)])


def chosen(trace: BlockTrace, blocks: np.ndarray, warps_per_block: int) -> BlockTrace:
    """The streams of `blocks` alone, in that order, out of a trace that has them among others."""
    if len(trace.blocks) == len(blocks) and (trace.blocks == blocks).all():
        return trace
    order = np.argsort(trace.blocks)
    at = order[np.searchsorted(trace.blocks, blocks, sorter=order)]
    warps = (at[:, None] * warps_per_block + np.arange(warps_per_block)).reshape(-1)

    def places(first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        counts = np.diff(first)[warps]
        ends = np.concatenate([[0], np.cumsum(counts)])
        return ends, np.repeat(first[:-1][warps] - ends[:-1], counts) + np.arange(ends[-1])

    first, part = places(trace.first)
    first_access, rows = places(trace.first_access)
    return BlockTrace(
        np.asarray(blocks), first, trace.index[part], trace.mask[part], trace.active[part], first_access,
        trace.addresses[rows], trace.awaited[np.isin(trace.awaited[:, 3], blocks)],
    )  # fmt: skip


def members_of(launch: Launch, blocks: Sequence[int] | np.ndarray | None) -> np.ndarray:
    """Blocks that are asked for (None: all), with the others of their clusters."""
    return whole_clusters(launch, np.arange(launch.blocks) if blocks is None else np.asarray(blocks, np.int64))


@dataclass
class ClusterState:
    """Of a batch: `size` blocks per cluster, which stand side by side in it, by rank.

    arrived int64[warps]: lanes that came to the cluster's barrier. phase int64[clusters]: how often it has completed.
    since int64[warps]: the phase that a warp's arrival belongs to.
    """

    size: int
    arrived: np.ndarray
    phase: np.ndarray
    since: np.ndarray

    @classmethod
    def of(cls, launch: Launch, blocks: int, warps: int) -> "ClusterState":
        size = size_of(launch)
        return cls(size, np.zeros(warps, np.int64), np.zeros(-(-blocks // size), np.int64), np.zeros(warps, np.int64))

    def cluster_of(self, blocks: np.ndarray) -> np.ndarray:
        """Places of clusters in the batch, from those of blocks."""
        return np.asarray(blocks // self.size)
