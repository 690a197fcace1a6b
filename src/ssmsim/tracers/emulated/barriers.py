"""Block barriers: BAR.SYNC, BAR.ARV and BAR.RED, counted in threads per block and barrier number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ssmsim.sass.instruction import Instruction
from ssmsim.tracers.emulated import divergence
from ssmsim.tracers.emulated.operand_values import Group, for_warp, reader
from ssmsim.tracers.emulated.state import NAMED_BARRIERS, State

ALL_LANES = 0xFFFFFFFF


def packs_both(ins: Instruction) -> bool:
    """BAR R, R: one register holds the barrier's number (low 4 bits) and its count of threads (from bit 16 on)."""
    first, second = ins.sources[:2]
    if first is None or second is None or first.kind not in ("R", "UR") or first.is_zero:
        return False
    return (first.kind, first.index) == (second.kind, second.index)


def value_of(value: np.ndarray | None, group: Group, default: int) -> np.ndarray:
    """int64[W] of an operand's value, the same in all lanes."""
    if value is None:
        return np.full(len(group.numbers), default)
    return np.broadcast_to(for_warp(value, group), (len(group.numbers), 1))[:, 0].astype(np.int64)


def compile_barrier_rows(ins: Instruction) -> Callable[[State, Group, np.ndarray | None], np.ndarray]:
    """The function (state, group, lanes) -> int64 [W, 1, 32] of a BAR whose barrier is named by a register, see BlockTrace."""
    number, threads, packed = reader(ins.sources[0], ins), reader(ins.sources[1], ins), packs_both(ins)

    def rows(state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        found = np.zeros((len(group.numbers), 1, 32), np.int64)
        at = value_of(number(state, group), group, 0)
        found[:, 0, 0] = at % NAMED_BARRIERS
        found[:, 0, 1] = at >> 16 if packed else value_of(threads(state, group), group, 0)
        return found

    return rows


def compile_barrier(ins: Instruction, lanes_of: Callable[[State, Group], np.ndarray]) -> Callable[[State, Group], None]:
    """BAR for a group: its warps wait (but for ARV) until as many threads have come as the barrier wants.

    A diverged warp first comes together: the barrier counts whole warps, as ptxas assumes for bar.sync.
    """
    number, threads = reader(ins.sources[0], ins), reader(ins.sources[1], ins)
    packed = packs_both(ins)
    predicate = ins.sources[2]
    held = reader(predicate, ins) if predicate is not None else None
    reduces, following = ins.has("RED"), ins.index + 1

    def steer(state: State, group: Group) -> None:
        paths, warps = state.paths, group.numbers
        comes = lanes_of(state, group) != 0
        if not comes.all():
            paths.pc[warps[~comes]] = following
            if not comes.any():
                return
            group = Group(warps[comes], group.mask[comes], False)
            warps = group.numbers
        whole = paths.mask[warps] | paths.exited[warps] == ALL_LANES
        if not whole.all():
            apart = warps[~whole]
            divergence.wait_for(paths.arrays, apart, np.full(len(apart), ALL_LANES), ins.index)
            if not whole.any():
                return
            group = Group(warps[whole], group.mask[whole], False)
            warps = group.numbers
        paths.pc[warps] = following
        at = value_of(number(state, group), group, 0)
        wanted = at >> 16 if packed else value_of(threads(state, group), group, 0)
        at = at % NAMED_BARRIERS
        if reduces and held is not None:
            lanes = np.broadcast_to(held(state, group), (len(warps), 32)) & group.lanes
            state.voted[warps, 0], state.voted[warps, 1] = group.lanes.sum(axis=1), lanes.sum(axis=1)
            state.red_all[warps] = ins.has("AND")
        np.add.at(state.barrier_count, (state.block_of[warps], at), 32)
        if not ins.has("ARV"):
            state.waiting_at[warps] = at
            paths.status[warps] = divergence.AT_BARRIER
        state.barrier_wanted[state.block_of[warps], at] = wanted
        release(state)

    return steer


def release(state: State) -> None:
    """Let the warps go whose barriers are complete."""
    paths = state.paths
    if not state.barrier_count.any():
        return
    shape = (len(state.blocks), state.warps_per_block)
    alive = (paths.status != divergence.DONE).reshape(shape).sum(axis=1)
    wanted = np.where(state.barrier_wanted > 0, state.barrier_wanted, 32 * alive[:, None])
    full = (state.barrier_count > 0) & (state.barrier_count >= wanted)
    if not full.any():
        return
    at = np.maximum(state.waiting_at, 0)
    going = (paths.status == divergence.AT_BARRIER) & full[state.block_of, at]
    if state.voted.any():
        total = np.zeros((*state.barrier_count.shape, 2), np.int64)
        np.add.at(total, (state.block_of[going], at[going]), state.voted[going])
        state.verdict[going] = total[state.block_of[going], at[going]]
        state.voted[going] = 0
    paths.status[going] = divergence.RUNNING
    state.waiting_at[going] = -1
    state.barrier_count[full] = 0
