"""Shared memory beside HGMMAs, to the cycle: pieces of 16 cycles, others in between, results at one wavefront in four cycles."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ssmsim.engines.embedded.sm import core, hgmma_operands, instruction
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS

ONE = 1 << r.FP


def beside(period=20, until=1000, spare=0.05):
    """(machine, SM) with an HGMMA from cycle 0 on whose pieces begin every `period` cycles."""
    m, sm, one = (r.records(kind, 1)[0] for kind in (PARAMETERS, core.SM, instruction.CODE))
    m.gmma_piece_fp, m.tensor.hgmma_load_cycles_fp, m.tensor.hgmma_spare_share_fp = 16 * ONE, 4 * ONE, int(spare * ONE)
    m.gmma_room_fp = 16 * ONE
    one.gmma_smem_fp = 64 * ONE
    sm.tensor_free_fp = -1
    hgmma_operands.work(m, sm, one, 0, 4 * period * ONE)
    sm.tensor_free_fp = until * ONE
    return m, sm


def time_of(sm, wavefronts, cycle):
    return hgmma_operands.between(sm, wavefronts * ONE, cycle) / ONE


def test_a_wavefront_waits_for_the_end_of_a_piece():
    _, sm = beside()
    assert [time_of(sm, 1, cycle) for cycle in (0, 15, 16, 19, 20)] == [17, 2, 1, 1, 17]


def test_what_does_not_fit_between_two_pieces_goes_on_behind_the_next():
    """Four cycles from 16 to 20, the next four from 36 on."""
    _, sm = beside()
    assert [time_of(sm, n, 16) for n in (3, 4, 5, 8, 9)] == [3, 4, 21, 24, 41]
    assert time_of(sm, 3, 18) == 19


def test_behind_the_last_hgmma_all_go_at_once():
    _, sm = beside(until=30)
    assert (time_of(sm, 6, 16), time_of(sm, 2, 25), time_of(sm, 2, 30), time_of(sm, 2, 99)) == (16, 7, 2, 2)


def test_operands_that_fill_the_memory_leave_a_little():
    """Pieces every 16 cycles: with a spare sixteenth one wavefront passes in each period."""
    _, sm = beside(period=16, spare=1 / 16)
    assert [time_of(sm, 1, cycle) for cycle in (0, 14, 15)] == [16, 2, 1]
    assert time_of(sm, 3, 0) == 48


def test_results_come_back_at_one_wavefront_in_four_cycles():
    """Loads that pass at 16, 17 and 18 have their results 0, 3 and 6 cycles late; stores have none."""
    m, sm = beside(period=64)
    assert [hgmma_operands.take(m, sm, ONE, 1, cycle)[1] // ONE for cycle in (16, 17, 18)] == [0, 3, 6]
    assert hgmma_operands.take(m, sm, ONE, 0, 19) == (1, 0)


def test_the_unit_is_held_when_too_many_results_wait():
    """Room for 16 cycles of results: the second LDS.128 waits until those of the first have gone."""
    m, sm = beside(period=640)
    assert [hgmma_operands.take(m, sm, 4 * ONE, 1, cycle)[0] for cycle in (16, 20, 32)] == [4, 12, 16]


def test_alone_nothing_is_late():
    m, sm = beside(until=0)
    assert hgmma_operands.take(m, sm, 4 * ONE, 1, 5) == (4, 0)


def test_what_no_lane_takes_part_in_waits_for_nothing():
    m, sm = beside()
    assert [hgmma_operands.take(m, sm, 0, 1, cycle) for cycle in (0, 3, 18)] == [(0, 0)] * 3


@settings(deadline=None)
@given(st.integers(17, 60), st.integers(0, 300), st.integers(0, 12), st.integers(1, 400))
def test_as_a_walk_through_all_cycles_says(period, cycle, wavefronts, until):
    """A wavefront passes in every cycle that no piece is read in."""
    _, sm = beside(period=period, until=until)
    at, left = cycle, wavefronts
    while left:
        left -= at >= until or at % period >= 16
        at += 1
    assert time_of(sm, wavefronts, cycle) == at - cycle
