"""Control instructions for a group of warps: branches, calls, convergence barriers, block barriers, exit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import external_at
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import SUPPORTED, Control
from ssmsim.sass.operands import Operand
from ssmsim.tracers.emulated import barriers, cluster_access, divergence
from ssmsim.tracers.emulated.operand_values import Group, guard_lanes, reader, writer
from ssmsim.tracers.emulated.state import State, pack, unpack

DRIVER_CALLS = {
    "vprintf": "device printf", "malloc": "allocation by the kernel", "free": "allocation by the kernel",
    "__assertfail": "a failed assert",
}  # fmt: skip
Steer = Callable[[State, Group], None]
LanesOf = Callable[[State, Group], np.ndarray]


def _lanes_of(ins: Instruction) -> LanesOf:
    """int64[W]: lanes in which the guard holds and, where it decides, the predicate operand (BAR.RED's is data)."""
    guard = guard_lanes(ins.guard)
    decides = ins.entry.control != Control.BARRIER
    predicate = next((s for s in ins.sources if decides and s is not None and s.kind in ("P", "UP")), None)
    also = reader(predicate, ins) if predicate is not None else None

    def read(state: State, group: Group) -> np.ndarray:
        lanes = guard(state, group)
        if also is not None:
            holds = also(state, group)
            lanes = holds & group.lanes if lanes is None else lanes & holds
        if lanes is None:
            return group.mask.astype(np.int64)
        shape = (len(group.numbers), 32)
        return pack(np.ascontiguousarray(np.broadcast_to(lanes, shape))).astype(np.int64)

    return read


def compile_control(ins: Instruction) -> Steer:
    """The function that moves the group's warps on. SsmsimError naming PC and text when it is not understood."""
    following = ins.index + 1
    lanes_of, control = _lanes_of(ins), ins.entry.control
    if control in (Control.BRANCH, Control.CALL) and ins.target >= 0:
        return _branch(ins, lanes_of)
    if control in (Control.INDIRECT, Control.RETURN, Control.CALL):
        return _indirect(ins, lanes_of)
    if control == Control.EXIT:
        return lambda state, group: _exit(state, group, lanes_of(state, group), following)
    if control == Control.BARRIER:
        return barriers.compile_barrier(ins, lanes_of)
    if control == Control.WARPSYNC:
        return _end_collective(ins) if ins.base == "ENDCOLLECTIVE" else _warpsync(ins)
    if control == Control.BMOV:
        return _move_barrier(ins)
    if control in (Control.BSSY, Control.BSYNC, Control.BREAK):
        return _convergence(ins, lanes_of)
    if control == Control.TRAP:
        return _trap(ins, lanes_of)
    raise SsmsimError("this control instruction is not supported", ins.where, SUPPORTED)


def _trap(ins: Instruction, lanes_of: LanesOf) -> Steer:
    """BPT.TRAP, BPT.INT: lanes that reach it end the kernel with a fault, or stop in a debugger."""

    def steer(state: State, group: Group) -> None:
        taken = np.flatnonzero(lanes_of(state, group))
        if taken.size:
            warp = int(group.numbers[taken[0]])
            block, number = int(state.blocks[state.block_of[warp]]), int(state.warp_of[warp])
            what = f"warp {number} of block {block} traps, a fault on a GPU (__trap, a failed check, grid.sync()"
            raise SsmsimError(f"{what} without a cooperative launch)", ins.where, "give what the kernel expects")
        state.paths.pc[group.numbers] = ins.index + 1

    return steer


def _exit(state: State, group: Group, lanes: np.ndarray, following: int) -> None:
    divergence.leave(state.paths.arrays, group.numbers, lanes, following)
    barriers.release(state)
    cluster_access.complete(state)


def _branch(ins: Instruction, lanes_of: LanesOf) -> Steer:
    target, following = ins.target, ins.index + 1
    register = ins.sources[1] if ins.base == "BRA" else None
    if register is not None:
        return _branch_on_register(ins, register, lanes_of)
    if ins.has("U"):
        return _unanimous(ins, lanes_of)
    if ins.guard is None and not any(s is not None and s.kind in ("P", "UP") for s in ins.sources):

        def jump(state: State, group: Group) -> None:
            state.paths.pc[group.numbers] = target

        return jump
    return lambda state, group: divergence.branch(
        state.paths.arrays, group.numbers, lanes_of(state, group), target, following
    )


def _unanimous(ins: Instruction, lanes_of: LanesOf) -> Steer:
    """BRA.U, target: the warp goes there when all of its running lanes want to, else none does; BRA.U.ANY: when one does.

    ncu counts it so on an H200, in causal_conv1d's backward kernel: where 31 lanes want to, 32 execute what follows.
    """
    one = ins.has("ANY")

    def steer(state: State, group: Group) -> None:
        wanted = lanes_of(state, group)
        goes = wanted != 0 if one else wanted == group.mask
        lanes = np.where(goes, group.mask, 0).astype(np.int64)
        divergence.branch(state.paths.arrays, group.numbers, lanes, ins.target, ins.index + 1)

    return steer


def _branch_on_register(ins: Instruction, register: Operand, lanes_of: LanesOf) -> Steer:
    """BRA.DIV UR, target: the warp goes there when its running lanes, of those the ones where the guard holds, are not
    those of the register: it is diverged, or (guarded by R2UR's predicate) its lanes name different sets.
    """
    if not ins.has("DIV"):
        raise SsmsimError("this branch is not supported", ins.where, SUPPORTED)
    read = reader(register, ins)

    def steer(state: State, group: Group) -> None:
        expected = np.broadcast_to(read(state, group), (len(group.numbers), 1))[:, 0]
        held = lanes_of(state, group)
        apart = ~expected != 0 if register.invert else expected != held
        lanes = np.where(apart & (held != 0), group.mask, 0).astype(np.int64)
        divergence.branch(state.paths.arrays, group.numbers, lanes, ins.target, ins.index + 1)

    return steer


def _indirect(ins: Instruction, lanes_of: LanesOf) -> Steer:
    """Jumps to an address in registers, and calls of functions that only the driver has, at an address in the code."""
    operand = next((s for s in ins.sources if s is not None and s.type == "reg64"), None)
    fixed = next((s.value for s in ins.sources if s is not None and s.type == "label" and s.kind == "imm"), 0)
    read, offset = reader(operand, ins) if operand else None, 0 if ins.has("ABS") else ins.offset
    if operand is not None and operand.is_zero:
        offset = fixed

    def steer(state: State, group: Group) -> None:
        shape = (len(group.numbers), 32)
        place = np.full(shape, fixed)
        if read is not None:
            place = (np.broadcast_to(read(state, group)[0], shape).astype(np.int64) + offset) & 0xFFFFFFFF
        _refuse_strays(ins, state, group, place, lanes_of(state, group))
        divergence.scatter(state.paths.arrays, group.numbers, lanes_of(state, group), place // 16, ins.index + 1)

    return steer


def _refuse_strays(ins: Instruction, state: State, group: Group, place: np.ndarray, taken: np.ndarray) -> None:
    """SsmsimError when a lane jumps out of the code: to a function of the driver (printf, malloc, assert), or nowhere."""
    there = unpack(taken.astype(np.uint32) & group.mask) & ((place >= 16 * state.code_length) | (place < 0))
    if not there.any():
        return
    target = int(place[there][0])
    name = external_at(state.kernel, target)
    if not name:
        raise SsmsimError(f"it jumps to {target:#x}, outside of the kernel's code", ins.where, "a fault on a GPU")
    what = f"it calls {name}, which the driver provides ({DRIVER_CALLS.get(name, 'no code in the cubin')})"
    raise SsmsimError(what, ins.where, "launch it so that it does not, or compile it without")


def _convergence(ins: Instruction, lanes_of: LanesOf) -> Steer:
    number = next(s.index for s in ins.sources if s is not None and s.kind == "bar")
    following, control = ins.index + 1, ins.entry.control

    def steer(state: State, group: Group) -> None:
        paths, warps = state.paths, group.numbers
        barrier = paths.barrier[number]
        if control == Control.BSSY:
            divergence.open_barrier(paths.arrays, barrier, warps, lanes_of(state, group), following)
        elif control == Control.BREAK:
            divergence.leave_barrier(paths.arrays, barrier, warps, lanes_of(state, group), following)
        else:
            awaited = np.empty(len(warps), np.int64)
            divergence.participants(paths.arrays, barrier, warps, awaited)
            held = lanes_of(state, group)
            divergence.wait_for(paths.arrays, warps, np.where(held != 0, awaited, 0), following)

    return steer


def _warpsync(ins: Instruction) -> Steer:
    """WARPSYNC mask: the lanes of the mask converge. .ALL: all that have not exited. .EXCLUSIVE: they alone.
    .COLLECTIVE: they carry out what follows together, up to ENDCOLLECTIVE, and part again.
    """
    mask = next((s for s in ins.sources if s is not None and s.type == "b32"), None)
    read, collective, following = reader(mask, ins) if mask is not None else None, ins.has("COLLECTIVE"), ins.index + 1
    apart = collective or ins.has("EXCLUSIVE")

    def steer(state: State, group: Group) -> None:
        shape, paths = (len(group.numbers), 32), state.paths
        if collective:
            paths.origin[group.numbers] = np.where(
                group.lanes, group.mask[:, None].astype(np.int64), paths.origin[group.numbers]
            )
        if read is None:
            divergence.wait_for(paths.arrays, group.numbers, np.full(shape[0], 0xFFFFFFFF), following)
            return
        awaited = np.broadcast_to(read(state, group), shape).astype(np.int64)
        divergence.wait_each(paths.arrays, group.numbers, awaited, not apart, following)

    return steer


def _end_collective(ins: Instruction) -> Steer:
    def steer(state: State, group: Group) -> None:
        divergence.part_again(state.paths.arrays, group.numbers, state.paths.origin, ins.index + 1)

    return steer


def _move_barrier(ins: Instruction) -> Steer:
    """BMOV between a convergence barrier and a register (calls save them)."""
    (destination,), (source,) = ins.destinations, ins.sources
    assert destination is not None and source is not None
    guard = guard_lanes(ins.guard)
    if ins.mods - {"32", "CLEAR"}:
        raise SsmsimError("this BMOV is not supported", ins.where, SUPPORTED)
    if source.kind == "bar" and destination.kind == "R":
        write = writer(destination)

        def save(state: State, group: Group) -> None:
            file, lanes = state.paths.barrier[source.index], guard(state, group)
            if write:
                write(state, group, file[group.index].astype(np.uint32), lanes)
            if ins.has("CLEAR"):
                file[group.numbers] = np.where(group.lanes if lanes is None else lanes, 0, file[group.numbers])
            state.paths.pc[group.numbers] = ins.index + 1

        return save
    if destination.kind == "bar" and source.kind in ("R", "imm"):
        read = reader(source, ins)

        def restore(state: State, group: Group) -> None:
            file, lanes = state.paths.barrier[destination.index], guard(state, group)
            value = read(state, group).astype(np.int64)
            file[group.numbers] = np.where(group.lanes if lanes is None else lanes, value, file[group.numbers])
            state.paths.pc[group.numbers] = ins.index + 1

        return restore
    raise SsmsimError("this BMOV is not supported", ins.where, SUPPORTED)
