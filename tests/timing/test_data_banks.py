"""Loads whose data are there: they take the data banks then, not as they are issued, and every second turn of the unit."""

import numpy as np
import pytest
from streams import EXIT, one_sm, op, run

from ssmsim.engines.embedded import event_queue
from ssmsim.engines.embedded.sm import core
from ssmsim.engines.embedded.sm import instruction as k
from ssmsim.engines.embedded.sm.memory import arbiter, lsu, writeback
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.parameters import PARAMETERS

CONFIG = one_sm(dram__peak_gb_per_s=5000.0)
LANES = np.arange(32)
BASE = 0x7F00_1000_0000 - 0x1000_0000


def far(number, width=16, lines=None):
    """A load of `width` bytes a lane from lines that nobody else asks for; lines: these many, a part of each."""
    rows = [BASE + 512 * number + width * LANES]
    if lines:
        rows = [BASE + 512 * number + 128 * (LANES * lines // 32) + 4 * (LANES % (32 // lines))]
    return op(f"LDG.E.{8 * width} R8, desc[UR4][R2.64]", write=0, rows=rows, width=4 if lines else width)


def near(**fields):
    """A load of four wavefronts from shared memory."""
    return op("LDS.128 R0, [R2]", rows=[16 * LANES], width=16, **fields)


USE = op("FADD R4, R0, R0", wait=[0])


def beside(loads, count=120):
    """(issue cycles of loads from shared memory of 12 warps, of `loads` of one more warp, the state at the end)."""
    ops = [*[near()] * count, EXIT, *loads, EXIT]
    result = run(ops, [*[list(range(count + 1))] * 12, list(range(count + 1, len(ops)))], CONFIG)
    times = np.concatenate([result.cycles[0, w][:count] for w in range(12)])
    return times, result.cycles[0, 12], result.state


def done(times, since, until):
    """How many were issued within these cycles."""
    return ((times > since) & (times <= until)).sum()


def test_a_load_takes_no_bank_until_its_data_are_there():
    """Loads from shared memory that fill the unit go on at one per four cycles while 64 lines are asked for."""
    times, own, _ = beside([*[far(number) for number in range(16)], USE])
    assert own[16] > own[15] + 300
    assert done(times, own[0] + 50, own[15] + 250) == pytest.approx((own[15] - own[0] + 200) / 4, rel=0.03)


@pytest.mark.parametrize(("space", "when", "last", "goes"), [
    (k.SHARED, 10, 0, True), (k.SHARED, 10, 1, False), (k.SHARED, 11, 1, True), (k.GLOBAL, 10, 1, True)])  # fmt: skip
def test_loads_whose_data_are_there_have_every_second_turn(space, when, last, goes):
    """At cycle 10, before an access that may be served at `when`; one that needs only the tags is not in the way."""
    sm, requests, code = r.records(core.SM, 1)[0], r.records(lsu.REQUEST, 2), r.records(k.CODE, 1)
    sm.back_last, requests[1].space = last, space
    assert writeback.has_turn(sm, requests, code, 1, when, 10) == goes


@pytest.mark.parametrize(
    ("width", "lines", "cycles"), [(16, None, 4), (8, None, 2), (4, None, 1), (4, 4, 4), (4, 2, 2)]
)
def test_each_line_that_comes_takes_a_cycle(width, lines, cycles):
    """Whatever of it the load wants: our microbenchmark sm_memory/load_data_bank_timing, ldg128, ldg64, ldg32 and rows32."""
    *_, state = beside([*[far(number, width, lines) for number in range(8)], USE], count=1)
    assert state.counts[0].lsu_cycles == 12 * 4 + 8 * cycles


def mock(**fields):
    """(machine, counts, SM, warps, requests, code, events) of loads of four lines, and a hit latency of 33 cycles."""
    m, counts, sm = (r.records(kind, 1)[0] for kind in (PARAMETERS, COUNTS, core.SM))
    m.l1_latency, sm.lsu_next = 33, r.INF
    for name, value in fields.items():
        sm[name] = value
    nodes = r.records(event_queue.EVENT, event_queue.WHEEL + 32)
    event_queue.prepare(nodes)
    requests = r.records(lsu.REQUEST, 8)
    requests.passes = 4
    return m, counts, sm, r.records(core.WARP, 2), requests, r.records(k.CODE, 1), nodes


def test_they_wait_in_the_order_in_which_their_data_came():
    m, counts, sm, warps, requests, code, nodes = mock()
    for index in (3, 1, 2):
        writeback.join(sm, requests, nodes, index, 10)
    served = [writeback.serve(m, counts, sm, warps, requests, code, nodes, cycle) for cycle in (10, 14, 18)]
    assert served == [3, 1, 2]
    assert (sm.back_head, sm.lsu_free, counts.lsu_cycles, counts.answers) == (0, 22, 12, 3)


@pytest.mark.parametrize(("free", "when"), [(0, 10), (25, 25)])
def test_the_unit_is_called_once_it_is_free(free, when):
    *_, sm, _, requests, _, nodes = mock(lsu_free=free)
    writeback.join(sm, requests, nodes, 1, 10)
    assert sm.lsu_next == when


def test_what_hits_waits_until_the_banks_have_it():
    """Registers at 33: its turn is at 16 at the earliest, and it is not in the queue before."""
    m, _, sm, _, requests, _, nodes = mock()
    writeback.expect(m, sm, requests, nodes, 1, 33, 0)
    assert sm.back_head == 0
    assert event_queue.take(nodes, 15) == 0
    due = event_queue.take(nodes, 33 - writeback.from_banks(m))
    assert (nodes[due].kind, nodes[due].b) == (event_queue.BACK, 1)
    writeback.expect(m, sm, requests, nodes, 2, 33, 20)
    assert sm.back_head == 2


@pytest.mark.parametrize(("space", "store", "atomic", "free"), [
    (k.SHARED, 0, 0, 30), (k.SHARED, 1, 0, 30), (k.EXCHANGE, 0, 0, 30), (k.GLOBAL, 0, 0, 20), (k.LOCAL, 0, 0, 20),
    (k.GLOBAL, 1, 0, 30), (k.GLOBAL, 0, 1, 30), (k.COPY, 0, 0, 30)])  # fmt: skip
@pytest.mark.parametrize("swapped", [False, True])
def test_who_waits_for_tags_and_who_for_banks(space, store, atomic, free, swapped):
    """Banks are free at 30 and tags at 20, or the other way round: stores, atomics and copies need both."""
    sm, request, one = (r.records(kind, 1)[0] for kind in (core.SM, lsu.REQUEST, k.CODE))
    sm.lsu_free, sm.tags_free = (20, 30) if swapped else (30, 20)
    request.space, one.is_store, one.is_atomic = space, store, atomic
    both = space == k.COPY or (space == k.GLOBAL and (store or atomic))
    assert arbiter.free_at(sm, request, one) == (30 if both else 50 - free if swapped else free)
