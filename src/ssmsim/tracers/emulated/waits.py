"""Waits on barriers that a warp polls: mbarriers (SYNCS.PHASECHK) and the barrier of a cluster (UCGABAR_WAIT).

A warp that comes to such an instruction too early is set aside and comes back when a phase completes in its block, so its
first try succeeds. On a GPU a try also ends when its time is up and the code tries again: how often hangs on the timing,
and such repetitions are not counted. Where nothing else can go on, tries do end (the code may have other things to do),
one warp's at a time; when that leads nowhere either, the launch is in a deadlock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ssmsim.sass.instruction import Instruction
from ssmsim.tracers.emulated import cluster_access, divergence
from ssmsim.tracers.emulated.mbarrier import compile_check, describe, mbarrier_address
from ssmsim.tracers.emulated.operand_values import Group, guard_lanes
from ssmsim.tracers.emulated.state import State

TRIES = 3  # that end without success and without anything happening in between, per warp, before it is a deadlock
Ready = Callable[[State, Group], np.ndarray]
Wait = Callable[[State, Group], Group | None]


def is_wait(ins: Instruction) -> bool:
    """Does a warp wait at this instruction until a barrier's phase has completed?"""
    return ins.base == "UCGABAR_WAIT" or (ins.base == "SYNCS" and ins.has("PHASECHK"))


def compile_wait(ins: Instruction) -> Wait:
    """The function that sets those warps of a group aside which have to wait, and gives the others (None: nobody)."""
    ready: Ready = _cluster_ready(ins) if ins.base == "UCGABAR_WAIT" else compile_check(ins)
    polls = ins.base != "UCGABAR_WAIT"

    def wait(state: State, group: Group) -> Group | None:
        held, warps = state.waits, group.numbers
        goes = ready(state, group)
        if polls:
            goes = goes | held.expired[warps]
        if goes.all():
            held.expired[warps] = False
            held.waited[warps] = 0
            return group
        divergence.set_aside(state.paths.arrays, warps[~goes], held.waited)
        held.expired[warps[goes]] = False
        held.waited[warps[goes]] = 0
        return Group(warps[goes], group.mask[goes], False) if goes.any() else None

    return wait


def _cluster_ready(ins: Instruction) -> Ready:
    lanes_of = guard_lanes(ins.guard)

    def ready(state: State, group: Group) -> np.ndarray:
        lanes = lanes_of(state, group)
        done = cluster_access.has_completed(state, group)
        return done if lanes is None else done | ~lanes.any(axis=1)

    return ready


def expire(state: State, polls: Callable[[int], bool]) -> bool:
    """End one warp's try where all warps wait, False when that has led nowhere. polls: whether a PC's wait can end."""
    held = state.waits
    if held.version != state.version:
        held.version = state.version
        held.tries[:] = 0
    waiting = np.flatnonzero(state.paths.status == divergence.AT_MBARRIER)
    waiting = waiting[[polls(int(pc)) for pc in state.paths.pc[waiting]]] if waiting.size else waiting
    if not waiting.size or held.tries[waiting].min() >= TRIES:
        return False
    w = int(waiting[held.tries[waiting].argmin()])
    held.tries[w] += 1
    held.expired[w] = True
    held.waited[w] = 0
    state.paths.status[w] = divergence.RUNNING
    return True


def awaited(state: State, warp: int, instructions: Sequence[Instruction]) -> str:
    """What a warp that is set aside waits for, for messages."""
    ins = instructions[int(state.paths.pc[warp])]
    if ins.base == "UCGABAR_WAIT":
        return "the barrier of its cluster"
    operand = ins.sources[0]
    assert operand is not None
    group = Group(np.array([warp]), state.paths.mask[[warp]].astype(np.uint32), False)
    lane = int(group.lanes[0].argmax())
    return describe(state, int(state.block_of[warp]), int(mbarrier_address(operand)(state, group)[0, lane]))
