"""Turns at the SM's unit: who is served next, what a warp's own wavefronts cost it, and whose a free place is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import EXIT, issued, one_sm, op, run

from ssmsim.engines.embedded.sm import core, instruction
from ssmsim.engines.embedded.sm.memory import arbiter, lsu
from ssmsim.engines.embedded.sm.stalls import MIO
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS

CONFIG = one_sm()
OWN = CONFIG.shared.warp_wavefront_cycles
MANY = [[128 * lane for lane in range(32)]]  # 32 wavefronts
PLAIN = [[4 * lane for lane in range(32)]]


def queues(*entries, handed=5):
    """Sub-cores, requests, warps and code of queued (sub-core, warp, space, arrival), in order; requests from 1 on."""
    subs, requests = r.records(core.SUBCORE, 4), r.records(lsu.REQUEST, 1 + len(entries))
    for index, (i, warp, space, arrival) in enumerate(entries, 1):
        request, sub = requests[index], subs[i]
        request.warp, request.space, request.arrival = warp, space, arrival
        if sub.queue_count:
            requests[sub.queue_tail].next = index
        else:
            sub.queue_head = index
        sub.queue_tail = index
        sub.queue_count += 1
        sub.handed = min(handed, sub.queue_count)
    return subs, requests, r.records(core.WARP, 8), r.records(instruction.CODE, 1)


def served(state, cycle):
    """The request whose turn it is at `cycle`, and the cycle from which it may be served."""
    subs, requests, warps, code = state
    i, ahead, when = arbiter.following(r.records(core.SM, 1)[0], subs, requests, warps, code, 0, cycle)
    if i == r.NONE:
        return None
    return int(subs[i].queue_head if ahead == r.NONE else requests[ahead].next), int(when)


def test_the_oldest_goes_first():
    state = queues((0, 0, instruction.SHARED, 12), (1, 1, instruction.SHARED, 10), (2, 2, instruction.GLOBAL, 11))
    assert served(state, 9) == (2, 10)
    assert served(state, 20) == (2, 20)
    assert served(queues(), 20) is None


def test_what_arrived_last_does_not_overtake_at_the_same_cycle():
    """Both may go at 20: the warp whose wavefronts have just passed has waited longer."""
    state = queues((0, 0, instruction.SHARED, 10), (1, 1, instruction.SHARED, 15))
    state[2][0].paced = 20
    assert served(state, 15) == (2, 15)
    assert served(state, 19) == (2, 19)
    assert served(state, 20) == (1, 20)


@pytest.mark.parametrize("space", [instruction.SHARED, instruction.COPY])
def test_another_warp_of_the_subcore_overtakes_one_whose_wavefronts_pass(space):
    state = queues((0, 0, space, 10), (0, 0, space, 11), (0, 4, space, 12))
    state[2][0].paced = 30
    assert served(state, 11) == (3, 12)
    assert served(state, 12) == (3, 12)
    assert served(state, 30) == (1, 30)


def test_accesses_elsewhere_do_not_wait_for_the_warps_wavefronts():
    state = queues((0, 0, instruction.GLOBAL, 10), (1, 1, instruction.EXCHANGE, 11))
    state[2].paced = 30
    assert served(state, 10) == (1, 10)
    state[3][0].closes = 1  # LDGDEPBAR does
    assert served(queues((0, 0, instruction.EXCHANGE, 10))[:2] + state[2:], 10) == (1, 30)


def test_those_of_one_warp_stay_in_order():
    """A fence needs no bank, and yet follows the store; what has not been handed on is not seen."""
    state = queues((0, 0, instruction.SHARED, 10), (0, 0, instruction.EXCHANGE, 11), (0, 4, instruction.EXCHANGE, 12))
    state[2][0].paced = 30
    assert served(state, 12) == (3, 12)
    assert served(
        queues((0, 0, instruction.SHARED, 10), (0, 4, instruction.SHARED, 11), handed=1)[:2] + state[2:], 11
    ) == (1, 30)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7)), max_size=12), st.randoms())
@settings(max_examples=50, deadline=None)
def test_every_instruction_leaves_once_wherever_it_stands(entries, random):
    subs, requests, *_ = queues(*((i, w, instruction.SHARED, 0) for i, w in entries))
    left = {i: [n for n, (sub, _) in enumerate(entries, 1) if sub == i] for i in range(4)}
    while any(left.values()):
        i = random.choice([i for i in left if left[i]])
        place = random.randrange(len(left[i]))
        arbiter.leave(subs[i], requests, left[i][place - 1] if place else r.NONE, left[i][place])
        del left[i][place]
        assert subs[i].queue_count == len(left[i])
        if left[i]:
            assert (subs[i].queue_head, subs[i].queue_tail) == (left[i][0], left[i][-1])


def load(rows, width=1, **fields):
    name = {1: "LDS", 2: "LDS.64", 4: "LDS.128"}[width]
    return op(f"{name} R0, [R2]", rows=rows, width=4 * width, **fields)


def last_load(rows, count, *warps):
    """Cycle at which all of `count` loads of each of these warps have come back, from the first issue."""
    ops = [*[load(rows, write=0)] * count, op("FADD R0, R1, R2", wait=[0]), EXIT]
    of = run(ops, [list(range(count + 2)) if w in warps else [count + 1] for w in range(max(warps) + 1)]).cycles
    return max(of[0, w][count] for w in warps) - min(of[0, w][0] for w in warps)


@pytest.mark.parametrize("others", [(1,), (4,)])
def test_a_warp_alone_has_half_of_the_unit(others):
    """Loads of 32 wavefronts: one warp takes 64 cycles each, as do two together, of two sub-cores or of one."""
    alone = last_load(MANY, 2, 0)
    assert alone == 32 * OWN + CONFIG.shared.load_latency_cycles + 31 * OWN
    assert alone < last_load(MANY, 2, 0, *others) <= alone + 32 + 2 * CONFIG.mio.subcore_interval_cycles


def test_four_warps_fill_the_unit():
    assert last_load(MANY, 2, 0, 1, 2, 3) == (4 * 2 - 1) * 32 + CONFIG.shared.load_latency_cycles + 31 * OWN


@pytest.mark.parametrize(("width", "more"), [(2, 1), (4, 3)])
def test_each_wavefront_of_a_wide_load_comes_later(width, more):
    rows = [[4 * width * lane for lane in range(32)]]
    cycles = issued([load(rows, width, write=0), op("FADD R0, R1, R2", wait=[0]), EXIT])
    assert cycles[1] == CONFIG.shared.load_latency_cycles + more * CONFIG.shared.wide_wavefront_cycles


def test_ldgdepbar_says_late_that_its_copies_are_there():
    """Also without copies; the second follows the first by what a sub-core takes for one."""
    close = op("LDGDEPBAR", write=0)
    one, two = (issued([*[close] * n, op("DEPBAR.LE SB0, 0x0", depth=0, stall=4), EXIT]) for n in (1, 2))
    assert one[-2] - one[0] == 1 + CONFIG.mio.commit_latency_cycles
    assert two[-2] - one[-2] == CONFIG.mio.subcore_interval_cycles


@pytest.mark.parametrize("width", [2, 4])
def test_registers_of_stores_pass_one_by_one(width):
    """Four warps store four times and then fence: the last fence goes on when the data of all have passed, and three fences."""
    store = op("STS [R0], R4", sources=[(0, 1), (4, width)], rows=PLAIN, is_store=1, width=4 * width)
    fence, after = op("MEMBAR.ALL.CTA", stall=6, read=1), op("ERRBAR", wait=[1])
    ops = [*[store] * 4, fence, after, EXIT]
    cycles = run(ops, [list(range(len(ops)))] * 4).cycles
    read = CONFIG.mio.read_release_cycles + CONFIG.mio.subcore_interval_cycles
    assert max(of[5] for of in cycles.values()) == 16 * width + 3 + read


def test_a_place_that_is_given_is_full_for_others():
    """Three entries, two taken: the third is the woken warp's, whoever issues first."""
    m, sub, one = (r.records(kind, 1)[0] for kind in (PARAMETERS, core.SUBCORE, instruction.CODE))
    woken, other = r.records(core.WARP, 2)
    m.mio.queue_entries_per_subcore, sub.queue_count, one.space = 3, 2, instruction.SHARED
    assert lsu.full(m, sub, other, one) == 0
    sub.given = woken.given = 1
    assert lsu.full(m, sub, other, one) == MIO
    assert lsu.full(m, sub, woken, one) == 0


def test_two_warps_use_each_place_as_soon_as_it_is_free():
    """One entry, conflicts of 32: it is taken again after 32 cycles by the other warp, or after 64 by the same."""
    ops = [*[load(MANY)] * 6, EXIT]
    warps = [list(range(7)), *[[6]] * 3, list(range(7))]
    cycles = run(ops, warps, one_sm(mio__queue_entries_per_subcore=1)).cycles
    both = sorted(cycles[0, 0][:6] + cycles[0, 4][:6])
    assert both[:3] == [0, 1, 65]
    assert set(np.diff(both[2:])) == {32, 64}
