"""Units between mocks: a unit's functions on records of its own, compiled or not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import FULL, one_sm

from ssmsim.engines.embedded import coalesce, events, machine, pipes
from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded.pool import Arena


def some_events(count=64):
    nodes = r.records(r.EVENT, events.WHEEL + count)
    events.prepare(nodes)
    return nodes


def due(nodes, cycle):
    found = []
    while node := events.take(nodes, cycle):
        found.append(int(nodes[node].a))
    return found


def test_events_come_in_order_of_sending_at_their_cycle():
    nodes = some_events()
    for a in range(3):
        events.schedule(nodes, 7, events.RELEASE, a, 0)
    assert due(nodes, 6) == []
    assert due(nodes, 7) == [0, 1, 2]
    assert due(nodes, 7) == []


def test_an_event_beyond_the_wheel_waits_its_turns():
    nodes = some_events()
    events.schedule(nodes, 5 + 2 * events.WHEEL, events.RELEASE, 9, 0)
    events.schedule(nodes, 5, events.RELEASE, 1, 0)
    assert due(nodes, 5) == [1]
    assert due(nodes, 5 + events.WHEEL) == []
    assert due(nodes, 5 + 2 * events.WHEEL) == [9]


def test_next_due_is_the_first_cycle_with_an_event():
    nodes = some_events()
    events.schedule(nodes, 40, events.RELEASE, 0, 0)
    assert events.next_due(nodes, 10, 100) == 40
    assert events.next_due(nodes, 10, 30) == 30
    assert events.next_due(nodes, 40, 100) == 100


def test_an_exhausted_wheel_says_so():
    nodes = some_events(3)
    for a in range(4):
        events.schedule(nodes, 1, events.RELEASE, a, 0)
    assert nodes[events.WHEEL].a > 0


@given(st.lists(st.tuples(st.integers(0, 3 * events.WHEEL), st.integers(0, 99)), max_size=40))
@settings(max_examples=50, deadline=None)
def test_every_event_comes_once_and_when_due(given_):
    nodes = some_events()
    for when, a in given_:
        events.schedule(nodes, when + 1, events.RELEASE, a, 0)
    for cycle in sorted({when + 1 for when, _ in given_}):
        assert due(nodes, cycle) == [a for when, a in given_ if when + 1 == cycle]
    assert nodes[events.WHEEL].b == 0


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


def banks(row, mask, width, lanes=32):
    return int(coalesce.bank_wavefronts(np.array(row, np.int64), mask, width, lanes, np.zeros((32, 34), np.int64)))


@pytest.mark.parametrize(("stride", "width", "passes"), [
    (4, 4, 1), (8, 4, 2), (128, 4, 32), (0, 4, 1), (8, 8, 2), (16, 8, 4), (16, 16, 4), (32, 16, 8), (144, 16, 4), (1, 1, 1),
])  # fmt: skip
def test_passes_over_the_banks(stride, width, passes):
    """As measured: LDS.32 at 4, 8, 128 bytes 1, 2, 32 cycles; LDS.128 at 16, 32, 144 bytes 4, 8, 4 (microbenchmark shared)."""
    assert banks([stride * lane for lane in range(32)], FULL, width) == passes


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


def test_a_busy_register_bank_holds_up_issue_beyond_its_window():
    """Nine reads of one single-ported bank keep it until 109; issue waits until two of them are left."""
    sub, one = r.records(r.SUBCORE, 1)[0], r.records(r.CODE, 1)[0]
    m = r.records(r.MACHINE, 1)[0]
    m.ports, one.even_reads = 1, 9
    pipes.read_operands(m, sub, one, 100)
    assert pipes.operands_at(sub, one) == 107
    one.even_reads, one.odd_reads = 0, 1
    assert pipes.operands_at(sub, one) <= 100


def test_every_field_of_the_machine_is_set_or_known_to_be_zero():
    """A field that machine.py forgets would silently be 0."""
    from streams import EXIT, assemble, launch

    from ssmsim.engines.embedded import code

    config = one_sm(fetch__l1_latency_cycles=1, fetch__gpc_latency_cycles=1, fetch__l2_latency_cycles=1,
                    constant__miss_latency_cycles=1, launch__sm_interval_cycles=1, dram__refresh_interval_ns=1000)  # fmt: skip
    state = machine.build(code.translate(assemble([EXIT]), config), launch(1), config, 1)
    m = state.machine[0]
    unset = {name for name in r.MACHINE.names if not np.any(m[name])}
    assert unset <= {"skip_prologue"}, unset


def test_no_field_hides_behind_a_method_of_numpy():
    """Without the JIT `record.fill` would be NumPy's."""
    taken = {*dir(np.recarray), *dir(np.record)}
    fields = {name for dtype in vars(r).values() if isinstance(dtype, np.dtype) for name in dtype.names or ()}
    assert not fields & taken
