"""What LDGSTS takes of the SM's unit, on records made by hand: wavefronts, fills, commits, meetings with stores."""

import pytest
from parameters_of import put
from test_event_queue import some_events

from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.sm import core, instruction
from ssmsim.engines.embedded.sm.memory import ldgsts, lsu
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.parameters import PARAMETERS


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
