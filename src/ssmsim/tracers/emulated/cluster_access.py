"""What warps of a cluster do together: they reach each other's shared memory, and meet at the barrier of all of them.

A shared address holds the rank of its block in bits 24 and up. Plain accesses (LDS, STS, mbarriers but for remote
arrivals) stay in their own block, and name its rank or none; generic ones and bulk copies go where the rank says.
"""

from collections.abc import Callable

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.state import State

RANK_SHIFT, OFFSET = 24, 0xFF_FFFF
ALL_LANES = 0xFFFFFFFF


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
    state.cluster.since[coming] = state.cluster.phase[state.cluster.cluster_of(state.block_of[coming])]
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
    return np.asarray(cluster.phase[cluster.cluster_of(state.block_of[group.numbers])] > cluster.since[group.numbers])
