"""Live registers: against a search of all paths on small random graphs, and what captured kernels hold."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass import liveness
from ssmsim.sass.decode import Code, decode_launch
from ssmsim.sass.liveness import Registers, live, most_reachable, pressure, registers_of, successors
from ssmsim.sass.opcodes import Control, lookup

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "tests/data/captures"
MAMBA = ROOT / "traces/h100/mamba2-2.7b"
REGISTERS = 3
INSTRUCTION = st.tuples(*[st.integers(0, (1 << REGISTERS) - 1)] * 3).map(
    lambda bits: Registers(bits[0], bits[1], bits[1] & bits[2])
)


@st.composite
def graphs(draw):
    """(registers of each instruction, where it may go)."""
    count = draw(st.integers(1, 8))
    own = draw(st.lists(INSTRUCTION, min_size=count, max_size=count))
    following = [draw(st.lists(st.integers(0, count - 1), max_size=2, unique=True)) for _ in range(count)]
    return own, following


def may_be_read(own, following, start, register) -> bool:
    """Whether some path from `start` reads a register before it is written for certain: depth first."""
    seen, waiting = set(), [start]
    while waiting:
        i = waiting.pop()
        if i in seen:
            continue
        seen.add(i)
        if own[i].read >> register & 1:
            return True
        if not own[i].ends >> register & 1:
            waiting += following[i]
    return False


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_a_register_is_live_where_some_path_reads_it_first(graph):
    own, following = graph
    found = live(own, following)
    for i in range(len(own)):
        wanted = [may_be_read(own, following, i, register) for register in range(REGISTERS)]
        assert [bool(found[i] >> register & 1) for register in range(REGISTERS)] == wanted


@settings(max_examples=300, deadline=None)
@given(graphs(), st.data())
def test_the_most_is_that_of_all_that_can_be_reached(graph, data):
    _, following = graph
    count = len(following)
    values = data.draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
    reached = [{i} for i in range(count)]
    for _ in range(count):
        reached = [one.union(*(reached[j] for j in following[i])) for i, one in enumerate(reached)]
    assert most_reachable(values, following) == [max(values[j] for j in one) for one in reached]


@pytest.mark.parametrize(
    "folder", sorted(CAPTURES.glob("*-small/*_kernel")), ids=lambda f: f"{f.parent.name}-{f.name[:12]}"
)
def test_no_kernel_needs_more_than_the_assembler_gave_it(folder):
    launch = read_launch(folder)
    try:
        found = pressure(decode_launch(launch))
    except SsmsimError as error:
        assert "CALL.ABS" in str(error.where) or "CALL.REL" in str(error.where), error
        return
    assert max(found.needs) <= launch.registers_per_thread
    assert all(hold >= need for hold, need in zip(found.holds, found.needs, strict=True))


def test_a_kernel_holds_less_behind_its_loop():
    """chunk_scan_bwd_ddAcs_stable: 111 registers in its products, 10 in the sums behind them, 1 at its end."""
    code = decode_launch(read_launch(MAMBA / "33-chunk_scan_bwd_ddAcs_stable_kernel"))
    found = pressure(code)
    assert [found.holds[i] for i in (0, 931, 932, 992)] == [111, 111, 10, 3]
    leaves = next(i.index for i in code.instructions if i.entry.control == Control.EXIT and i.guard is None)
    assert found.holds[leaves] == 0


def changed(base: str, **fields) -> Code:
    """A kernel whose fifth instruction is another one, which the assembler did not write there."""
    code = decode_launch(read_launch(CAPTURES / "ssd-small/04-chunk_scan_fwd_kernel"))
    other = dataclasses.replace(code.instructions[4], base=base, entry=lookup(base), **fields)
    return dataclasses.replace(code, instructions=(*code.instructions[:4], other, *code.instructions[5:]))


@pytest.mark.parametrize(("base", "why"), [
    ("BRX", "where it goes is not known"),
    ("CALL", "where it goes is not known"),
    ("RET", "where it goes is not known"),
    ("USETMAXREG", "registers move between the warps of a block"),
])  # fmt: skip
def test_what_cannot_be_analysed_is_refused_by_name(base, why):
    with pytest.raises(SsmsimError, match=why) as refused:
        pressure(changed(base, target=-1))
    assert "0x0040" in str(refused.value), "the place of the instruction"


def test_a_return_goes_behind_every_call():
    code = changed("CALL", target=20, guard=None, sources=())
    others = list(code.instructions)
    others[30] = dataclasses.replace(others[30], base="RET", entry=lookup("RET"), guard=None, sources=())
    assert successors(others)[4] == [20] and successors(others)[30] == [5]


def test_a_guarded_write_ends_no_life():
    code = decode_launch(read_launch(CAPTURES / "ssd-small/04-chunk_scan_fwd_kernel"))
    guarded = next(i for i in code.instructions if i.guard is not None and registers_of(i).written)
    assert registers_of(guarded).ends == 0
    assert registers_of(dataclasses.replace(guarded, guard=None)).ends == registers_of(guarded).written


def test_a_product_in_flight_still_reads_its_registers():
    """HGMMA with A in registers: WARPGROUP.DEPBAR waits for what reads them."""
    code = decode_launch(read_launch(MAMBA / "09-chunk_scan_bwd_dstates_kernel"))
    own = [registers_of(i) for i in code.instructions]
    late = liveness._late_reads(code.instructions, own)
    products = [i.index for i in code.instructions if i.base == "HGMMA"]
    waits = [i.index for i in code.instructions if i.base == "WARPGROUP" and i.has("DEPBAR")]
    assert products and waits
    assert all(late[w].read & own[p].read == own[p].read for w in waits for p in products)
