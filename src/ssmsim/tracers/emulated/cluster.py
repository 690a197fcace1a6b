"""Clusters: which blocks form one, how they reach each other's shared memory, and the barrier of all their warps.

A shared address holds the rank of its block in bits 24 and up. Plain accesses (LDS, STS, mbarriers but for remote
arrivals) stay in their own block, and name its rank or none; generic ones and bulk copies go where the rank says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.hardware import coordinates

if TYPE_CHECKING:
    from ssmsim.sass.instruction import Instruction
    from ssmsim.tracers.emulated.operand_values import Group
    from ssmsim.tracers.emulated.state import State

RANK_SHIFT, OFFSET = 24, 0xFF_FFFF
ALL_LANES = 0xFFFFFFFF


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
        trace.addresses[rows],
    )  # fmt: skip


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
    def of(cls, launch: Launch, blocks: int, warps: int) -> ClusterState:
        size = size_of(launch)
        return cls(size, np.zeros(warps, np.int64), np.zeros(-(-blocks // size), np.int64), np.zeros(warps, np.int64))

    def cluster_of(self, state: State, warps: np.ndarray) -> np.ndarray:
        return np.asarray(state.block_of[warps] // self.size)


def shared_place(
    state: State, block: np.ndarray, addresses: np.ndarray, lanes: np.ndarray, ins: Instruction, remote: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(offsets in a block's shared memory, that block's place in the batch) of shared addresses.

    block: places of the accessing blocks, broadcast to addresses. remote: the rank says where; else it must be the
    block's own, or 0. SsmsimError for a rank that the cluster does not have, or that a plain access must not name.
    """
    size, high = state.cluster.size, addresses >> RANK_SHIFT
    block = np.broadcast_to(block, addresses.shape)
    own = block % size
    fits = (high >= 0) & (high < size) if remote else (high == own) | (high == 0)
    wrong = lanes & ~fits
    if wrong.any():
        what = f"shared address {int(addresses[wrong][0]):#x} names block {int(high[wrong][0])} of a cluster of {size}"
        raise SsmsimError(what, ins.where, "a fault on a GPU" if remote else "plain accesses stay in their own block")
    return addresses & OFFSET, np.where(lanes & fits, block - own + high, block) if remote else block


def arrive(state: State, group: Group, lanes: np.ndarray | None) -> None:
    """UCGABAR_ARV: the group's running lanes have come to the barrier of their cluster."""
    mask = group.mask if lanes is None else np.where(lanes.any(axis=1), group.mask, 0)
    coming = group.numbers[mask != 0]
    state.cluster.since[coming] = state.cluster.phase[state.cluster.cluster_of(state, coming)]
    state.cluster.arrived[group.numbers] |= mask.astype(np.int64)
    complete(state)


def complete(state: State) -> None:
    """Complete the barriers of clusters where every lane that has not exited has arrived."""
    cluster = state.cluster
    if not cluster.arrived.any():
        return
    shape = (len(cluster.phase), -1)
    there = ((cluster.arrived | state.paths.exited) == ALL_LANES).reshape(shape).all(axis=1)
    done = there & cluster.arrived.reshape(shape).any(axis=1)
    if done.any():
        cluster.phase[done] += 1
        cluster.arrived.reshape(shape)[done] = 0
        state.waits.wake(state, np.repeat(done, cluster.size)[: len(state.blocks)])


def compile_arrival(ins: Instruction, lanes_of: Callable) -> Callable[[State, Group], None]:
    """The function that carries UCGABAR_ARV out."""
    return lambda state, group: arrive(state, group, lanes_of(state, group))


def has_completed(state: State, group: Group) -> np.ndarray:
    """bool[W]: has the phase completed that the warp arrived in (UCGABAR_WAIT)?"""
    cluster = state.cluster
    return np.asarray(cluster.phase[cluster.cluster_of(state, group.numbers)] > cluster.since[group.numbers])
