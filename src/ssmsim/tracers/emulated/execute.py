"""One static instruction to a function that carries it out for a group of warps: operands, semantics, write-back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import SUPPORTED, WARPGROUP_PRODUCTS
from ssmsim.sass.operands import URZ, Operand
from ssmsim.trace.types import SHARED_WINDOW, WINDOW_BYTES
from ssmsim.tracers.emulated.hardware import in_cluster, local_window, shared_window_end
from ssmsim.tracers.emulated.operand_values import Group, guard_lanes, reader, register_address, writer
from ssmsim.tracers.emulated.semantics import find
from ssmsim.tracers.emulated.state import State

# Opcodes without a function of their own in semantics/, which this module carries out.
OF_MACHINE = frozenset(
    ["P2R", "UP2UR", "R2P", "UR2UP", "LDC", "ULDC", "S2R", "S2UR", "CS2R", "LEPC", "B2R", "QSPC", "USETMAXREG"]
)
Execute = Callable[[State, Group], None]
U32, U64 = np.uint32, np.uint64


def runs(ins: Instruction) -> Callable[[State, Group], np.ndarray | None]:
    """Lanes in which results are kept; the uniform datapath runs for the warp, whatever its lanes."""
    if ins.base.startswith("U") and ins.guard is None:
        return lambda state, group: None
    if ins.base.startswith("U") and ins.guard is not None:
        holds = reader(ins.guard, ins)
        return lambda state, group: holds(state, group)
    return guard_lanes(ins.guard)


def compile_instruction(ins: Instruction) -> Execute:
    """The function for an instruction that is neither memory (but constants) nor control.

    Raises SsmsimError naming PC and text when it has no semantics.
    """
    if ins.base in ("P2R", "UP2UR"):
        return _predicates_to_register(ins)
    if ins.base in ("R2P", "UR2UP"):
        return _register_to_predicates(ins)
    if ins.base in ("LDC", "ULDC"):
        return _load_constant(ins)
    if ins.base in ("S2R", "S2UR", "CS2R"):
        return _special_register(ins)
    if ins.base == "LEPC":
        return _next_address(ins)
    if ins.base == "B2R":
        return _barrier_result(ins)
    if ins.base == "QSPC":
        return _query_space(ins)
    if ins.base == "USETMAXREG":
        return _register_pool(ins)
    if not ins.entry.semantics:
        if any(ins.wants):
            raise SsmsimError("no semantics for this opcode", ins.where, SUPPORTED)
        return lambda state, group: None
    try:
        function: Callable[..., Any] = find(ins.entry.semantics)
    except SsmsimError as error:
        raise SsmsimError(error.what, ins.where, error.todo) from None
    sources = _matrix_sources(ins) if ins.base in WARPGROUP_PRODUCTS else [reader(s, ins) for s in ins.sources]
    writers = [(writer(d), k) for k, d in enumerate(ins.destinations) if ins.wants[k]]
    lanes_of, active_of = runs(ins), guard_lanes(ins.guard)
    collects = ins.base == "R2UR" and ins.has("OR")
    needs_active, needs_machine = "active" in ins.entry.extras, "machine" in ins.entry.extras

    def execute(state: State, group: Group) -> None:
        extras: dict[str, Any] = {}
        lanes = lanes_of(state, group)
        if needs_active:
            active = active_of(state, group)
            extras["active"] = np.ones((len(group.numbers), 32), bool) if active is None else active
        if needs_machine:
            extras["machine"] = state.machine(group.index)
        result = function(ins, *[read(state, group) for read in sources], **extras)
        if not isinstance(result, tuple):
            result = (result,)
        for write, k in writers:
            kept = lanes
            if collects and k == 0:  # R2UR.OR: lanes whose predicate holds already keep it
                kept = result[0] & (group.lanes if lanes is None else lanes)
            write(state, group, result[k], kept)  # type: ignore[misc]

    return execute


def descriptors(register: int, state: State, group: Group) -> tuple[np.ndarray, np.ndarray]:
    """uint64[W] shared-memory descriptors of A (URn, URn+1) and of B (URn+2, URn+3)."""
    if register == URZ:
        return np.zeros(len(group.numbers), U64), np.zeros(len(group.numbers), U64)
    words = state.ur[register : register + 4][:, group.index, 0].astype(U64)
    return words[0] | words[1] << U64(32), words[2] | words[3] << U64(32)


def _matrix_sources(ins: Instruction) -> list[Callable[[State, Group], Any]]:
    """a, b, accumulator, predicates. A lies in the descriptor pair when not in registers; gsb0 is no value."""
    a, descriptor, accumulator, *rest = ins.sources
    assert descriptor is not None
    register = descriptor.index
    left = reader(a, ins) if a is not None else lambda state, group: descriptors(register, state, group)[0]
    predicates = [reader(s, ins) for s in rest if s is not None and s.kind in ("P", "UP")]
    return [left, lambda state, group: descriptors(register, state, group)[1], reader(accumulator, ins), *predicates]


def _load_constant(ins: Instruction) -> Execute:
    (source,), (destination,) = ins.sources, ins.destinations
    assert source is not None
    write, lanes_of = writer(destination), runs(ins)
    narrow = next((m for m in ins.mods if m in ("U8", "S8", "U16", "S16")), "")
    if write is None or destination is None:
        return lambda state, group: None
    from dataclasses import replace

    read = reader(replace(source, count=1 if narrow else destination.count), ins)
    address = register_address(source)

    def execute(state: State, group: Group) -> None:
        value = read(state, group)
        if narrow:
            place = np.int64(source.value) if address is None else address(state, group)
            shift = (8 * (place & 3)).astype(U32)
            bits = int(narrow[1:])
            value = value >> shift & U32((1 << bits) - 1)
            if narrow[0] == "S":
                value = (value ^ U32(1 << bits - 1)) - U32(1 << bits - 1)
        write(state, group, value, lanes_of(state, group))

    return execute


def _special_register(ins: Instruction) -> Execute:
    (source,), (destination,) = ins.sources, ins.destinations
    assert source is not None
    write, lanes_of, count = writer(destination), runs(ins), destination.count if destination else 1
    if write is None:
        return lambda state, group: None

    def execute(state: State, group: Group) -> None:
        value, high = state.special(ins, source.text, group.index), np.zeros((1, 1), U32)
        if count > 1 and source.text.endswith("LO") and source.text in state.now:
            high = state.special(ins, source.text.removesuffix("LO") + "HI", group.index)
        write(state, group, value if count == 1 else (value, high), lanes_of(state, group))

    return execute


def _next_address(ins: Instruction) -> Execute:
    (destination,) = ins.destinations
    write, lanes_of = writer(destination), runs(ins)
    address = ins.pc if ins.target < 0 else 16 * ins.target
    value = (np.array([[address]], U32), np.zeros((1, 1), U32))
    return lambda state, group: write(state, group, value, lanes_of(state, group)) if write else None


def _query_space(ins: Instruction) -> Execute:
    """QSPC: does a generic address lie in shared (.S), local (.L) or global memory (.G), or in the shared memory of
    a block of the cluster (.D; never in a launch without clusters)? A block's own shared memory is both.
    """
    (source,) = ins.sources
    assert source is not None
    address, write, lanes_of = register_address(source), writer(ins.destinations[0]), guard_lanes(ins.guard)
    if ins.wants[1] or not ins.mods & {"S", "L", "G", "D"} or address is None:
        raise SsmsimError("this QSPC is not supported", ins.where, SUPPORTED)

    def execute(state: State, group: Group) -> None:
        place = address(state, group)
        window, size = local_window(state.launch), state.cluster.size
        cluster = (place >= SHARED_WINDOW) & (place < shared_window_end(state.launch))
        local = (place >= window) & (place < window + WINDOW_BYTES)
        rank = state.block_of[group.index][:, None] % size
        own = cluster & ((place - SHARED_WINDOW) // WINDOW_BYTES == rank)
        distributed = cluster if in_cluster(state.launch) else np.zeros_like(cluster)
        inside = {"S": own, "L": local, "G": ~cluster & ~local, "D": distributed}
        if write:
            write(state, group, inside[next(m for m in inside if ins.has(m))], lanes_of(state, group))

    return execute


def _register_pool(ins: Instruction) -> Execute:
    """USETMAXREG.TRY_ALLOC gets its registers at once: how often a warp asks depends on the time alone."""
    write = writer(ins.destinations[0]) if ins.destinations else None
    lanes_of = runs(ins)
    granted = np.ones((1, 1), bool)
    return lambda state, group: write(state, group, granted, lanes_of(state, group)) if write else None


def _predicates_to_register(ins: Instruction) -> Execute:
    read, mask_of = reader(ins.sources[0], ins), reader(ins.sources[1], ins)
    (destination,) = ins.destinations
    write, lanes_of, uniform = writer(destination), runs(ins), ins.base.startswith("U")
    if ins.selectors[0] or (destination is not None and destination.suffix):
        raise SsmsimError("this P2R is not supported", ins.where, SUPPORTED)
    shift = U32(8 * next((k for k in range(4) if ins.has(f"B{k}")), 0))

    def execute(state: State, group: Group) -> None:
        file = state.up if uniform else state.p
        bits = np.zeros(file.shape[1:], U32)[group.index]
        for k in range(7):
            bits |= file[k][group.index].astype(U32) << U32(k)
        mask = mask_of(state, group)
        if write:
            kept = read(state, group) & ~(mask << shift)
            write(state, group, kept | (bits & mask) << shift, lanes_of(state, group))

    return execute


def _register_to_predicates(ins: Instruction) -> Execute:
    read, mask_of, lanes_of = reader(ins.sources[0], ins), reader(ins.sources[1], ins), runs(ins)
    kind, shift = ("UP" if ins.base.startswith("U") else "P"), U32(8 * int((ins.selectors[0] or "B0")[1:]))
    writers = [writer(Operand(kind, k)) for k in range(7)]
    every = ins.sources[1] is None

    def execute(state: State, group: Group) -> None:
        value, mask, lanes = (
            read(state, group) >> shift,
            0x7F if every else int(mask_of(state, group).flat[0]),
            lanes_of(state, group),
        )
        for k, write in enumerate(writers):
            if mask >> k & 1 and write:
                write(state, group, (value >> U32(k) & U32(1)).astype(bool), lanes)

    return execute


def _barrier_result(ins: Instruction) -> Execute:
    """B2R.RESULT: what BAR.RED found over the block: lanes whose predicate held, and whether all or any did."""
    register, predicate = (writer(d) for d in ins.destinations)
    lanes_of = guard_lanes(ins.guard)

    def execute(state: State, group: Group) -> None:
        total, held = state.verdict[group.index, 0][:, None], state.verdict[group.index, 1][:, None]
        lanes = lanes_of(state, group)
        if register:
            register(state, group, held.astype(U32), lanes)
        if predicate:
            predicate(state, group, np.where(state.red_all[group.index][:, None], held == total, held > 0), lanes)

    return execute
