"""Units between mocks: a unit's functions on records of its own, compiled or not."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parameters_of import get, put
from streams import FULL, one_sm

from ssmsim.engines.embedded import event_queue, instructions
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.feed.block_pool import Arena
from ssmsim.engines.embedded.sm import core, instruction, pipes
from ssmsim.engines.embedded.sm.memory import ldgsts, lsu
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.parameters import GROUPS, PARAMETERS
from ssmsim.microbenchmarks.programs.sm_memory.wide_access_wavefronts import WIDTHS, strides

MICROBENCHMARKS = Path(__file__).parents[2] / "traces/h200/microbenchmarks"


def some_events(count=64):
    nodes = r.records(event_queue.EVENT, event_queue.WHEEL + count)
    event_queue.prepare(nodes)
    return nodes


def due(nodes, cycle):
    found = []
    while node := event_queue.take(nodes, cycle):
        found.append(int(nodes[node].a))
    return found


def test_events_come_in_order_of_sending_at_their_cycle():
    nodes = some_events()
    for a in range(3):
        event_queue.schedule(nodes, 7, event_queue.RELEASE, a, 0)
    assert due(nodes, 6) == []
    assert due(nodes, 7) == [0, 1, 2]
    assert due(nodes, 7) == []


def test_an_event_beyond_the_wheel_waits_its_turns():
    nodes = some_events()
    event_queue.schedule(nodes, 5 + 2 * event_queue.WHEEL, event_queue.RELEASE, 9, 0)
    event_queue.schedule(nodes, 5, event_queue.RELEASE, 1, 0)
    assert due(nodes, 5) == [1]
    assert due(nodes, 5 + event_queue.WHEEL) == []
    assert due(nodes, 5 + 2 * event_queue.WHEEL) == [9]


def test_next_due_is_the_first_cycle_with_an_event():
    nodes = some_events()
    event_queue.schedule(nodes, 40, event_queue.RELEASE, 0, 0)
    assert event_queue.next_due(nodes, 10, 100) == 40
    assert event_queue.next_due(nodes, 10, 30) == 30
    assert event_queue.next_due(nodes, 40, 100) == 100


def test_an_exhausted_wheel_says_so():
    nodes = some_events(3)
    for a in range(4):
        event_queue.schedule(nodes, 1, event_queue.RELEASE, a, 0)
    assert nodes[event_queue.WHEEL].a > 0


@given(st.lists(st.tuples(st.integers(0, 3 * event_queue.WHEEL), st.integers(0, 99)), max_size=40))
@settings(max_examples=50, deadline=None)
def test_every_event_comes_once_and_when_due(given_):
    nodes = some_events()
    for when, a in given_:
        event_queue.schedule(nodes, when + 1, event_queue.RELEASE, a, 0)
    for cycle in sorted({when + 1 for when, _ in given_}):
        assert due(nodes, cycle) == [a for when, a in given_ if when + 1 == cycle]
    assert nodes[event_queue.WHEEL].b == 0


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_arena_never_hands_out_a_place_twice(lengths, random):
    arena, held = Arena(), []
    for length in lengths:
        start = arena.take(length)
        assert all(start + length <= s or s + n <= start for s, n in held)
        assert start + length <= arena.size
        held.append((start, length))
        if random.random() < 0.5:
            arena.give(*held.pop(random.randrange(len(held))))
    for part in held:
        arena.give(*part)
    assert arena.holes == [(0, arena.size)]


def banks(row, mask, width, lanes=32, joins=False):
    scratch = np.zeros((32, 34), np.int64)
    return int(coalesce.bank_wavefronts(np.array(row, np.int64), mask, width, lanes, scratch, joins))


@pytest.mark.parametrize(("stride", "width", "passes"), [
    (4, 4, 1), (8, 4, 2), (128, 4, 32), (0, 4, 1), (8, 8, 2), (16, 8, 4), (16, 16, 4), (32, 16, 8), (144, 16, 4), (1, 1, 1),
])  # fmt: skip
def test_passes_over_the_banks(stride, width, passes):
    """As measured: LDS.32 at 4, 8, 128 bytes 1, 2, 32 cycles; LDS.128 at 16, 32, 144 bytes 4, 8, 4.

    Microbenchmark sm_memory/shared_memory_bank_conflicts.
    """
    assert banks([stride * lane for lane in range(32)], FULL, width) == passes


@pytest.mark.parametrize("kind", ["lds64", "lds128", "sts128", "ldsm4"])
def test_passes_when_lanes_share_addresses(kind):
    """By which bits of a lane's number tell its address, as measured with 16 warps.

    Microbenchmark sm_memory/wide_access_wavefronts, all cells.
    """
    loops = json.loads((MICROBENCHMARKS / "sm_memory/wide_access_wavefronts.json").read_text())["loops"]
    cells = [name for name in loops if name.startswith(kind)]
    assert len(cells) >= 12
    for name in cells:
        _, place, bits = name.split(".")
        told = [int(bit) for bit in bits] if bits != "none" else []
        moves = strides(WIDTHS[kind] if place == "near" else 128, tuple(told))
        row = [sum(moves[bit] for bit in range(5) if lane >> bit & 1) for lane in range(32)]
        passes = banks(row, FULL, WIDTHS[kind], joins=kind in ("lds64", "lds128"))
        cycles = loops[name]["cycles_per_round"] / loops[name]["operations"]
        assert cycles / 16 == pytest.approx(passes, rel=0.02), name


def reference_passes(row, mask, width, lanes=32):
    words, total = max(1, width // 4), 0
    group = min(32, 32 // words)
    for start in range(0, lanes, group):
        wanted = {row[i] // 4 + k for i in range(start, start + group) if mask >> i & 1 for k in range(words)}
        total += max([sum(word % 32 == bank for word in wanted) for bank in range(32)])
    return total


@given(st.lists(st.integers(0, 255), min_size=32, max_size=32), st.integers(0, FULL), st.sampled_from([4, 8, 16]))
@settings(max_examples=100, deadline=None)
def test_passes_agree_with_their_definition(cells, mask, width):
    row = [cell * width for cell in cells]
    assert banks(row, mask, width) == reference_passes(row, mask, width)


@given(st.lists(st.integers(0, 1 << 14), min_size=32, max_size=32), st.integers(0, FULL))
@settings(max_examples=100, deadline=None)
def test_lines_hold_exactly_the_sectors_touched(cells, mask):
    row = np.array([4 * cell for cell in cells], np.int64)
    lines = np.zeros(64, np.int64)
    count = int(coalesce.global_lines(row, mask, lines, 0))
    found = {(int(word) >> 8) * 4 + s for word in lines[:count] for s in range(4) if int(word) >> s & 1}
    assert found == {int(row[lane]) >> 5 for lane in range(32) if mask >> lane & 1}
    assert len({int(word) >> 8 for word in lines[:count]}) == count


def dispatching(**fields):
    """A sub-core around pipes.dispatch, one port per bank, no HGMMA: (machine, SM, sub-core, instruction, dispatch at)."""
    m, counts, sm, sub, warp, one = (
        r.records(kind, 1)[0] for kind in (PARAMETERS, COUNTS, core.SM, core.SUBCORE, core.WARP, instruction.CODE)
    )
    (
        m.sm.register_ports_per_bank,
        m.tensor.hgmma_result_cycles,
        m.gmma_port_fp,
        m.sm.wide_multiply_cycles,
        m.sm.wide_factor_latency_cycles,
    ) = 1, 4, 2 << r.FP, 2, 7
    m.interval_fp[: len(instruction.PIPES)], m.issue_fp = 2 << r.FP, 1 << r.FP
    sm.tensor_free_fp = sm.tensor_shadow_fp = -(1 << 40)
    one.first_bank, one.pipe, one.thirds = r.NONE, instruction.FREE, 3
    for name, value in fields.items():
        one[name] = value
    return m, sm, sub, one, lambda cycle: int(pipes.dispatch(m, counts, sm, sub, warp, one, cycle))


def test_a_busy_register_bank_holds_up_the_second_instruction_behind():
    """Three reads of one single-ported bank each: 100 to 103, 103 to 106; the third instruction waits for the stage."""
    _, _, sub, _, at = dispatching(even_reads=3)
    assert (at(100), sub.hold_fp >> r.FP) == (100, 101)
    assert (at(101), sub.hold_fp >> r.FP) == (103, 102), "another may enter the latch behind it"
    assert (at(102), sub.hold_fp >> r.FP) == (106, 105), "but goes on when the stage is free"


def test_operands_are_read_within_two_cycles():
    """Nine reads keep the bank until 109: one read more ends at 110, two cycles after its instruction has left."""
    _, _, _, one, at = dispatching(even_reads=9)
    assert at(100) == 100
    one.even_reads, one.odd_reads = 0, 1
    assert at(101) == 101
    one.even_reads, one.odd_reads = 1, 0
    assert at(102) == 108


def test_fp32_waits_for_its_pipe_in_the_latch():
    """Three for one half of fp32: at 100, 102 and 104, each when the one before leaves."""
    _, _, sub, _, at = dispatching(pipe=instruction.HEAVY)
    assert [(at(cycle), int(sub.hold_fp >> r.FP)) for cycle in (100, 101, 103)] == [(100, 101), (102, 103), (104, 105)]


def test_a_wide_multiplication_stays_and_waits_for_its_factor():
    """Two cycles in the stage, four in the pipe; what reads a result of cycle 100 comes at 107 + 2."""
    _, _, sub, one, at = dispatching(pipe=instruction.LITE, feeds=1)
    assert at(100) == 100
    one.feeds, one.fed, one.wide, one.thirds, one.pipe = 0, 1, 1, 6, instruction.HEAVY
    assert (at(104), sub.stage_free_fp >> r.FP) == (109, 110)
    assert sub.pipe_free_fp[instruction.HEAVY] >> r.FP == 111


@pytest.mark.parametrize(
    ("banks", "share", "cycles"),
    [
        ((0, 0, 0, 0), 1.0, [100, 104, 108, 112]),
        ((0, 1, 0, 1), 1.0, [100, 101, 104, 105]),
        ((r.NONE,) * 4, 1.0, [100, 101, 104, 105]),
        ((1, 1, 1, 1), 1.0, [101, 105, 109, 113]),
        ((0, 0, 0, 0), 0.0, [100, 101, 102, 103]),
    ],
)
def test_results_find_a_slot_beside_an_hgmma(banks, share, cycles):
    """One in four cycles per bank of the first operand, as microbenchmark sm/register_bank_conflicts: same_e 4, same_alternate and write_e 2."""
    _, sm, sub, one, at = dispatching(writes=1)
    sm.tensor_free_fp = sm.tensor_shadow_fp = 1000 << r.FP
    sm.port_share_fp = int(share * (1 << r.FP))
    found, now = [], 100
    for bank in banks:
        one.first_bank = bank
        now = max(now, int(sub.hold_fp >> r.FP))
        found.append(at(now))
        now += 1
    assert found == cycles


def test_reads_take_twice_as_long_beside_an_hgmma():
    """The HGMMA takes half of each bank's slots: three reads of a bank keep it for six cycles, not three."""
    _, sm, sub, _, at = dispatching(even_reads=3)
    sm.tensor_free_fp = sm.tensor_shadow_fp = 1000 << r.FP
    sm.port_share_fp = 1 << r.FP
    at(100)
    assert sub.even_free_fp >> r.FP == 106
    sm.tensor_free_fp = sm.tensor_shadow_fp = 0
    at(200)
    assert sub.even_free_fp >> r.FP == 203


def test_memory_operands_rest_while_an_hmma_is_read():
    """Five registers of each bank: the sub-core's next memory instruction leaves five cycles later."""
    _, _, sub, _, at = dispatching(even_reads=5, odd_reads=5, pipe=instruction.TENSOR, kind=instruction.FIXED)
    at(100)
    assert (sub.queue_last, sub.hold_fp >> r.FP) == (105, 101)


def copying(**fields):
    """(machine, counts, SM) whose lines of copies are written a sector per cycle and take no time else."""
    m, counts, sm = (r.records(kind, 1)[0] for kind in (PARAMETERS, COUNTS, core.SM))
    m.wavefront_fp, m.mio.copy_sector_cycles = 1 << r.FP, 1
    for name, value in fields.items():
        put(m, name, value)
    return m, counts, sm


def test_fractions_of_a_cycle_that_copies_take_are_kept():
    m, counts, sm = copying(mio__copy_fill_cycles_fp=1 << r.FP - 1)
    ldgsts.arrives(m, counts, sm, 4, 100)
    assert (sm.lsu_free, sm.copy_debt_fp) == (100, 1 << r.FP - 1)
    ldgsts.arrives(m, counts, sm, 4, 110)
    assert (sm.lsu_free, sm.copy_debt_fp) == (111, 0)


@pytest.mark.parametrize(("arrival", "sectors", "met"), [(96, 4, 0), (97, 4, 1), (99, 4, 3), (103, 4, 3), (105, 4, 1),
                                                         (106, 4, 0), (103, 1, 1), (98, 2, 0), (99, 2, 1)])  # fmt: skip
def test_sectors_of_copies_and_stores_that_meet_take_a_cycle_more_each(arrival, sectors, met):
    """A store of six wavefronts from cycle 100 on, whichever of the two comes first."""
    m, counts, sm = copying()
    if arrival < 100:
        ldgsts.arrives(m, counts, sm, sectors, arrival)
        assert ldgsts.meet(counts, sm, 100, 6) == met
    else:
        assert ldgsts.meet(counts, sm, 100, 6) == 0
        sm.lsu_free = 106
        ldgsts.arrives(m, counts, sm, sectors, arrival)
        assert sm.lsu_free == 106 + met
    assert counts.copy_conflicts == met


def test_each_of_several_lines_meets_a_store():
    m, counts, sm = copying()
    for cycle in (96, 97, 98, 99):
        ldgsts.arrives(m, counts, sm, 4, cycle)
    assert ldgsts.meet(counts, sm, 100, 6) == 0 + 1 + 2 + 3
    assert ldgsts.meet(counts, sm, 120, 6) == 0


def test_a_copy_takes_its_wavefronts_and_its_issue():
    """Four wavefronts of zeros and three quarters of a cycle: 19 cycles for four."""
    m, counts, sm = copying(mio__copy_issue_cycles_fp=3 << r.FP - 2)
    request, access, one = (r.records(kind, 1)[0] for kind in (lsu.REQUEST, coalesce.ACCESS, instruction.CODE))
    access.wavefronts, one.bypass = 4, 1
    times = [ldgsts.time_of(m, counts, sm, request, one, access, 4, 100 * i) for i in range(4)]
    assert times == [4, 5, 5, 5]
    request.off = 1
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 500) == 1


def test_copies_through_the_l1_that_miss_pass_twice():
    """To ask, a line per cycle and two at least, and when the data are there, in turn with those that only ask."""
    m, counts, sm = copying(mio__copy_miss_cycles_fp=3 << r.FP, mio__copy_l1_cycles_fp=2 << r.FP)
    request, access, one = (r.records(kind, 1)[0] for kind in (lsu.REQUEST, coalesce.ACCESS, instruction.CODE))
    access.wavefronts, access.lines, request.left = 1, 1, 1
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 100) == 2  # all that hit follow at once
    request.left = 2  # misses: so do those that ask
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 102) == 2
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 104) == 2
    ldgsts.comes_back(m, sm, access, 106)  # 2 + 3 in all, of which 2 have been
    ldgsts.comes_back(m, sm, access, 106)
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 106) == 3 + 2  # behind the first of the two
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 111) == 3 + 2  # behind the second
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 116) == 2
    access.wavefronts = access.lines = 4
    assert ldgsts.time_of(m, counts, sm, request, one, access, 4, 120) == 4
    one.bypass = 1
    ldgsts.comes_back(m, sm, access, 124)
    assert ldgsts.time_of(m, counts, sm, request, one, access, 4, 124) == 3 + 4  # past the L1: behind one as well
    one.bypass = 0
    assert ldgsts.time_of(m, counts, sm, request, one, access, 4, 140) == 4
    one.bypass = 1
    assert ldgsts.time_of(m, counts, sm, request, one, access, 4, 140) == 4  # not behind one that asks


@pytest.mark.parametrize(
    ("bypass", "written", "there"), [(0, 4 + 4 + 1, False), (1, 4 + 4 // 2, False), (0, 4 + 4 + 1, True)]
)
def test_a_commit_waits_for_the_wavefronts_of_copies_before_it(bypass, written, there):
    """A copy of four wavefronts at 100 holds the unit for four cycles; those through the L1 are written in four more, and one.

    Copies whose data are there do not go on behind it meanwhile.
    """
    m, counts, sm = copying()
    request, access, one = (r.records(kind, 1)[0] for kind in (lsu.REQUEST, coalesce.ACCESS, instruction.CODE))
    warp, nodes = r.records(core.WARP, 1)[0], some_events(16)
    access.wavefronts, access.lines, one.bypass, request.left = 4, 4, bypass, 1
    assert ldgsts.time_of(m, counts, sm, request, one, access, 4, 100) == 4
    sm.copy_back_fp = there * (120 << r.FP)
    waits = [
        ldgsts.closed(m, counts, sm, warp, request, nodes, cycle) for cycle in (104, 100 + written - 1, 100 + written)
    ]
    assert waits == [written - 4, 1, 0]
    assert sm.copy_back_fp >> r.FP == there * (120 + sum(waits) + 3)


def test_copies_through_the_l1_pass_between_operands_of_hgmmas():
    """Pieces of 16 cycles every 20 from 100 to 180: four wavefronts pass at 116, from 118 on two at once and two at 136."""
    m, counts, sm = copying()
    request, access, one = (r.records(kind, 1)[0] for kind in (lsu.REQUEST, coalesce.ACCESS, instruction.CODE))
    access.wavefronts, access.lines, request.left = 4, 1, 1
    sm.pieces_from_fp, sm.piece_period_fp, sm.piece_fp = 100 << r.FP, 20 << r.FP, 16 << r.FP
    sm.tensor_free_fp = 180 << r.FP
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 100) == 16 + 4
    sm.copy_free_fp = 0
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 118) == 2 + 16 + 2
    sm.copy_free_fp = 0
    assert ldgsts.time_of(m, counts, sm, request, one, access, 1, 180) == 4


@pytest.mark.parametrize(("row", "mask", "passes"), [
    ([4 * (lane // 4) for lane in range(32)], FULL, 4), ([4 * lane for lane in range(32)], FULL, 1), ([0] * 32, FULL, 32),
    ([4 * (lane % 8) for lane in range(32)], FULL, 4), ([4 * (lane % 8) for lane in range(32)], 0xFF00FF, 2),
    ([-1] * 32, FULL, 1), ([0] * 32, 0, 1), ([4 * (lane // 4) for lane in range(32)], 0x11111111, 1),
])  # fmt: skip
def test_lanes_that_copy_from_one_address_take_a_pass_each(row, mask, passes):
    """As measured: 1, 2, 4 and 32 lanes to a word 2.1, 3.2, 4.6 and 33 cycles (microbenchmark sm_memory/ldgsts_word_occupancy: hit_same)."""
    assert coalesce.alike(np.array(row, np.int64), mask) == passes


def test_every_field_of_the_machine_is_set_or_known_to_be_zero():
    """A field that machine.py forgets would silently be 0."""
    from streams import EXIT, assemble, launch

    config = one_sm(fetch__l1_latency_cycles=1, fetch__gpc_latency_cycles=1, fetch__l2_latency_cycles=1,
                    constant__miss_latency_cycles=1, launch__sm_interval_cycles=1, dram__refresh_interval_ns=1000,
                    l2__hit_latency_spread_cycles=(1,) * 7)  # fmt: skip
    state = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1)
    m = state.machine[0]
    names = [name for name in PARAMETERS.names if name not in GROUPS]
    names += [f"{group}__{name}" for group, fields in GROUPS.items() for name in fields]
    unset = {name for name in names if not np.any(get(m, name))}
    assert unset <= {"launch__skip_prologue", "dram__look_cycles"}, unset


def test_no_field_hides_behind_a_method_of_numpy():
    """Without the JIT `record.fill` would be NumPy's."""
    taken = {*dir(np.recarray), *dir(np.record)}
    fields = {name for dtype in vars(r).values() if isinstance(dtype, np.dtype) for name in dtype.names or ()}
    assert not fields & taken
