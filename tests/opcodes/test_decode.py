"""Decoding: raw words against the disassembly, register ranges, parameter layout, and every opcode of the table."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from ssmsim.launch import read_launch
from ssmsim.sass.control import branch_offset
from ssmsim.sass.decode import Code, decode, decode_launch
from ssmsim.sass.opcodes import OPCODES, Control, Space, Unit
from ssmsim.sass.operands import Operand
from ssmsim.sass.records import instruction_records
from ssmsim.trace.types import NO_REGISTER

DATA = Path(__file__).parents[1] / "data"
ORACLE = sorted((DATA / "oracle").iterdir())
KERNELS = ["calls", "jumps", "exchange", "copies", "atomics", "divisions"]


def codes() -> list[Code]:
    found = [decode_launch(read_launch(folder)) for folder in ORACLE[:5]]
    return found + [decode(DATA / "kernels" / "control.cubin", name) for name in KERNELS]


CODES = codes()


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.program.kernel)
def test_reuse_bits_are_those_of_the_disassembly(code: Code) -> None:
    written = [text.count(".reuse") for text in code.program.text]
    assert [int(r).bit_count() for r in code.program.instructions["reuse"]] == written


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.program.kernel)
def test_branch_offsets_of_the_words_lead_where_the_disassembly_says(code: Code) -> None:
    branches = [i for i in code.instructions if i.base == "BRA"]
    assert branches
    for ins in branches:
        low, high = (int(w) for w in code.kernel.words[ins.index])
        assert ins.pc + 16 + branch_offset(low, high) == 16 * ins.target


def field(code: Code, opcode: str, *names: str) -> list[int]:
    index = next(i for i, ins in enumerate(code.instructions) if ins.opcode.startswith(opcode))
    return [int(code.program.instructions[index][name]) for name in names]


def test_register_ranges() -> None:
    scan = next(c for c in CODES if c.program.kernel == "_chunk_scan_fwd_kernel")
    assert field(scan, "LDG.E.128", "destination_count", "source0_count", "width", "accesses") == [4, 2, 16, 1]
    assert field(scan, "LDGSTS.E.BYPASS.128", "accesses", "space", "width") == [2, Space.GLOBAL_TO_SHARED, 16]
    assert field(scan, "HGMMA.64x128", "destination_count", "gmma_n", "gmma_k", "uniform_read") == [
        64,
        128,
        16,
        15 << 12,
    ]
    assert field(scan, "STG.E.128", "destination", "source1_count") == [NO_REGISTER, 4]
    assert field(scan, "ULDC.64", "uniform_written", "unit") == [3 << 16, Unit.UNIFORM]
    assert field(scan, "IMAD.WIDE", "destination_count") == [2]
    mma = next(c for c in CODES if any(i.base == "HMMA" for i in c.instructions))
    counts = field(mma, "HMMA.16816.F32", "destination_count", "source0_count", "source1_count")
    assert counts == [4, 4, 2]


def test_control_fields_hold_barriers_and_waits() -> None:
    records = CODES[0].program.instructions
    loads = records[(records["space"] == Space.GLOBAL) & (records["is_load"] == 1)]
    assert (loads["write_barrier"] >= 0).all()
    used = np.bitwise_or.reduce(records["wait_mask"])
    assert all(used >> int(b) & 1 for b in loads["write_barrier"])
    assert (records["stall"][records["control"] == Control.EXIT] >= 1).all()


def test_a_barrier_named_or_counted_by_a_register_says_so() -> None:
    """-1: the engine refuses it. 0, the whole block, would be a silent wrong answer."""
    index, ins = next((i, ins) for i, ins in enumerate(CODES[0].instructions) if ins.base == "BAR")
    kept = {name: CODES[0].program.instructions[[index]][name] for name in ("stall", "wait_mask")}
    register, two = Operand("R", index=4), Operand("imm", value=64)
    for sources, told in (((two, register), (64, -1)), ((register, two), (-1, 64)), ((two, None), (64, 0))):
        changed = dataclasses.replace(ins, sources=(*sources, None))
        record = instruction_records([changed], [ins.opcode], kept)[0]
        assert (record["barrier"], record["barrier_threads"]) == told


def test_parameters_and_resources() -> None:
    code = decode(DATA / "kernels" / "control.cubin", "copies")
    assert code.kernel.parameters == ((0, 8), (8, 8), (16, 4))
    assert (code.kernel.parameter_base, code.kernel.parameter_bytes) == (0x210, 20)
    assert decode(DATA / "kernels" / "control.cubin", "anywhere").kernel.local_bytes == 32


@pytest.mark.parametrize("name", OPCODES)
def test_every_entry_names_semantics_that_exist(name: str) -> None:
    from ssmsim.tracers.emulated.semantics import find

    entry = OPCODES[name]
    if entry.semantics:
        assert callable(find(entry.semantics))


WORDS = {  # no PTX makes them
    "USETSHMSZ 0x1000": (0x1000_0000_79C9, 0xFE200_0800_0000),
    "USETSHMSZ.FLUSH": (0x79C9, 0xFE200_0800_0100),
    "CLMAD.LO R6, R6, R8, R10": (0x8_0606_722C, 0x4FD200_0000_000A),  # of ptxas 13.5, clmad.lo.u64
    "BSSY B1, P0, 0x100": (0xF0_0001_7945, 0xFE200_0000_0000),
    "@!P4 P2R R2, RZ, 0xf": (0xF_FF02_C803, 0xFE200_0000_0000),
    "@!P4 P2R.B1 R2, R2, 0xf": (0xF_0202_C803, 0xFE200_0000_1000),
}


@pytest.mark.parametrize(("text", "word"), WORDS.items())
def test_words_that_no_compiler_at_hand_makes(text: str, word: tuple[int, int], tmp_path: Path) -> None:
    """Put in the place of an instruction of a compiled kernel."""
    given = read_launch(ORACLE[0])
    code, image = decode_launch(given), given.cubin_path.read_bytes()
    raw = code.kernel.words.tobytes()
    assert image.count(raw) == 1
    changed = np.array(word, "<u8").tobytes() + raw[16:]
    (tmp_path / "k.cubin").write_bytes(image.replace(raw, changed))
    found = decode(tmp_path / "k.cubin", given.kernel)
    first = found.instructions[0]
    assert first.text == text
    assert (first.guard is not None) == text.startswith("@")
    assert found.program.instructions["predicates_read"][0] == {"P2R": 0x1F, "BSSY": 1}.get(first.base, 0)
