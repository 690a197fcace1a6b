"""Decoded instructions to the array of records that engines read (ssmsim.trace.types.INSTRUCTION)."""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Control, Space, Unit, memory_registers
from ssmsim.sass.operands import PT, RZ, URZ, Operand
from ssmsim.trace.types import INSTRUCTION, MAX_SOURCES, NO_REGISTER

SHARED_CODES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2}


def access_bytes(ins: Instruction) -> int:
    """Bytes per lane that a memory instruction moves; 0 for others. Of bulk copies: what their sizes are multiples of."""
    if ins.entry.access == Access.NONE:
        return 0
    if ins.base in ("LDSM", "STSM") or ins.entry.access == Access.BULK:
        return 16
    if ins.entry.access == Access.MBARRIER:
        return 8
    narrow = [SHARED_CODES[m] for m in ins.mods if m in SHARED_CODES]
    return narrow[0] if narrow else 4 * memory_registers(ins.mods)


def counted_pipe(ins: Instruction) -> Unit:
    """The pipe that Nsight Compute counts an instruction for, where it is not the one that executes it.

    Found by comparing executed opcodes with the per-pipe counts of 40 launches on an H200, exact in all of them.
    """
    if ins.base == "HFMA2" and ins.has("MMA"):
        return Unit.TENSOR
    if ins.base in ("UMOV", "ULDC", "VOTEU", "ERRBAR", "CCTL", "BRA"):
        return Unit.NONE
    if ins.base == "S2UR" or (ins.base == "S2R" and "CTAID" in ins.text.upper()):
        return Unit.ADU
    return ins.entry.unit


def registers(operand: Operand | None) -> tuple[int, int]:
    """(first, count) of an operand's general registers, address registers included; (NO_REGISTER, 0) when none."""
    if operand is None:
        return NO_REGISTER, 0
    if operand.kind == "R" and operand.index != RZ:
        return operand.index, operand.count
    if operand.kind in ("mem", "const") and operand.base >= 0:
        return operand.base, 2 if operand.wide else 1
    return NO_REGISTER, 0


def skipped_slots(ins: Instruction) -> int:
    """Bit set of the operand slots (fields of the machine word at bits 24, 32 and 64) that name no general register.

    Slots follow the text, immediates, constants and uniform registers included, but FADD adds its first and third, and what has
    one source takes it from the second: so the control words of all captured kernels mark what they keep for reuse.
    """
    operands = [o for o in ins.sources if o is not None and o.kind not in ("P", "UP")]
    slots = {"FADD": [0, 2]}.get(ins.base, [1] if len(operands) == 1 else list(range(len(operands))))
    named = sum(1 << slot for slot, operand in zip(slots, operands, strict=False) if registers(operand)[0] >= 0)
    return ~named & (1 << max(slots, default=0)) - 1


def uniforms(operand: Operand | None) -> Iterator[int]:
    """Uniform registers that an operand names."""
    if operand is None:
        return
    if operand.kind in ("UR", "policy") and operand.index != URZ:
        yield from range(operand.index, min(operand.index + operand.count, URZ))
    if operand.kind in ("mem", "const"):
        if operand.uniform >= 0:
            yield from range(operand.uniform, operand.uniform + 1 + operand.uniform_wide)
        if operand.descriptor >= 0:
            yield from range(operand.descriptor, operand.descriptor + 2)
    if operand.kind == "gdesc" and operand.index != URZ:
        yield from range(operand.index, operand.index + 4)


def predicate_number(operand: Operand | None) -> int:
    """0..6 for P, 8..14 for UP, -1 for PT and everything else."""
    if operand is None or operand.kind not in ("P", "UP") or operand.index == PT:
        return -1
    return operand.index + (8 if operand.kind == "UP" else 0)


def predicate_set(ins: Instruction, operands: Iterable[Operand | None], written: bool) -> int:
    """Bit set of predicates among operands, P2R and R2P included."""
    bits = 0
    for operand in operands:
        number = predicate_number(operand)
        if number >= 0:
            bits |= 1 << number
    whole = {"P2R": (False, 0), "R2P": (True, 0), "UP2UR": (False, 8), "UR2UP": (True, 8)}
    if ins.base in whole and whole[ins.base][0] == written:
        mask = ins.sources[1]
        chosen = mask.value if mask is not None and mask.kind == "imm" else 0x7F
        bits |= (chosen & 0x7F) << whole[ins.base][1]
    return bits


def _special(ins: Instruction) -> dict[str, int]:
    """Fields of barriers, group waits and warp-group matrix instructions."""
    fields = {"barrier": -1, "depth": -1}
    values = [s.value if s is not None and s.kind == "imm" else -1 for s in ins.sources]
    if ins.entry.control == Control.BARRIER:
        fields["barrier"] = values[0] if ins.sources[0] is not None else 0
        fields["barrier_arrives"] = int(ins.has("ARV"))
        fields["barrier_threads"] = values[1] if ins.sources[1] is not None else 0
    elif ins.base in ("DEPBAR", "WARPGROUP") and ins.has("LE"):
        fields["depth"] = values[1]
    elif ins.base in WARPGROUP_PRODUCTS:
        shape = re.match(r"64x(\d+)x(\d+)", next(m for m in ins.mods.order if m.startswith("64x")))
        assert shape is not None
        fields |= {"gmma_n": int(shape[1]), "gmma_k": int(shape[2])}
        fields["gmma_commits"] = int(any(s is not None and s.text.startswith("gsb") for s in ins.sources))
    return fields


def listed_barriers(ins: Instruction) -> int:
    """Bit set of the dependency barriers that DEPBAR lists: it waits until they are free."""
    if ins.base != "DEPBAR":
        return 0
    listed = [s.text for s in ins.sources if s is not None and s.text.startswith("{")]
    return sum(1 << int(number) for number in set(re.findall(r"[0-5]", "".join(listed))))


def access_rows(ins: Instruction) -> int:
    """Rows of BlockTrace.addresses that each execution of an instruction takes."""
    access, space = ins.entry.access, ins.entry.space
    if access in (Access.COPY, Access.REMOTE) or ins.base == "SYNCS":
        return 2
    return int(access != Access.NONE and space != Space.CONSTANT) + (
        ins.base in WARPGROUP_PRODUCTS or barrier_in_register(ins)
    )


def barrier_in_register(ins: Instruction) -> bool:
    """Whether a BAR names its barrier, or how many threads it waits for, by a register."""
    return ins.base == "BAR" and any(o is not None and o.kind in ("R", "UR") for o in ins.sources[:2])


def instruction_records(
    instructions: Sequence[Instruction], opcodes: Sequence[str], control: dict[str, np.ndarray]
) -> np.ndarray:
    """INSTRUCTION array, one record per static instruction. `control`: fields of ssmsim.sass.control."""
    records = np.zeros(len(instructions), INSTRUCTION)
    numbers = {name: i for i, name in enumerate(opcodes)}
    for name, values in control.items():
        records[name] = values
    for record, ins in zip(records, instructions, strict=True):
        entry, access = ins.entry, ins.entry.access
        record["pc"], record["opcode"], record["unit"] = ins.pc, numbers[ins.opcode], entry.unit
        record["pipe"] = counted_pipe(ins)
        record["space"], record["width"] = entry.space, access_bytes(ins)
        record["is_load"] = access in (Access.LOAD, Access.ATOMIC, Access.COPY) and entry.unit != Unit.NONE
        record["is_store"] = access in (Access.STORE, Access.ATOMIC, Access.COPY)
        record["accesses"] = access_rows(ins)
        record["control"], record["target"] = entry.control, ins.target
        for name, value in _special(ins).items():
            record[name] = value
        record["wait_mask"] |= listed_barriers(ins)
        guard = ins.guard
        record["predicate"] = predicate_number(guard)
        record["predicates_read"] = predicate_set(ins, (*ins.sources, guard), written=False)
        record["predicates_written"] = predicate_set(ins, ins.destinations, written=True)
        record["destination"] = record["uniform_destination"] = NO_REGISTER
        for operand in ins.destinations:
            first, count = registers(operand)
            if first >= 0 and record["destination"] == NO_REGISTER:
                record["destination"], record["destination_count"] = first, count
        written = [u for operand in ins.destinations for u in uniforms(operand)]
        read = [u for operand in ins.sources for u in uniforms(operand)]
        record["uniform_destination"] = written[0] if written else NO_REGISTER
        record["uniform_source"] = read[0] if read else NO_REGISTER
        record["uniform_written"] = sum(1 << u for u in set(written))
        record["uniform_read"] = sum(1 << u for u in set(read))
        record["skipped"] = skipped_slots(ins)
        found = [pair for pair in map(registers, ins.sources) if pair[0] >= 0]
        for i in range(MAX_SOURCES):
            record[f"source{i}"], record[f"source{i}_count"] = found[i] if i < len(found) else (NO_REGISTER, 0)
    return records
