"""What the skipped blocks would have taken: windows, rates and the slope over DRAM sectors."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.engines.embedded.sampling import estimate
from ssmsim.engines.embedded.sm.stalls import SELECTED

WORK = np.linspace(0.0, 1600.0, 161)  # 16 pieces of 100
EVEN = np.zeros(161)  # as many blocks begin as end


def test_a_steady_rate_has_no_spread():
    one = estimate.rate(WORK, 3 * WORK)
    assert one.value == pytest.approx(3) and one.spread == pytest.approx(0, abs=1e-9)


def test_the_interval_of_a_rate_grows_with_the_variation():
    pieces = np.where(np.arange(16) % 2, 1.0, 3.0)
    amounts = np.interp(WORK, np.arange(17) * 100, np.append(0, np.cumsum(100 * pieces)))
    one = estimate.rate(WORK, amounts)
    assert one.value == pytest.approx(2)
    assert one.spread == pytest.approx(2.131 * pieces.std(ddof=1) / 4 / 2)  # t of 15 degrees of freedom


def regressed(amounts, sectors, begun, wanted, most):
    """Whole waves that are the pieces: their means."""
    means = tuple(float(estimate.cut(WORK, sums).mean()) for sums in (amounts, sectors))
    return estimate.regressed(WORK, amounts, sectors, begun, means, wanted, most)


def of_pieces(values):
    return np.interp(WORK, np.arange(17) * 100, np.append(0, np.cumsum(100 * np.asarray(values, float))))


def test_what_pieces_agree_on_is_taken_for_the_cost_of_a_sector():
    sectors = np.linspace(1, 2, 16)
    one = regressed(of_pieces(5 + 3 * sectors), of_pieces(sectors), EVEN, 4.0, most=10.0)
    assert one.value == pytest.approx(5 + 3 * 4)
    assert one.spread == pytest.approx(0, abs=1e-4)


def test_pieces_alike_leave_the_middle_of_what_a_sector_can_cost():
    one = regressed(of_pieces([16.0] * 16), of_pieces([2.0] * 16), EVEN, 3.0, most=4.0)
    assert one.value == pytest.approx(16 + 4 / 2)
    assert one.spread * one.value == pytest.approx(2.160 * 4 / 2)  # t of 13 degrees of freedom, half of the range


@pytest.mark.parametrize(
    ("busy", "share", "doubt"),
    [(0.5, 0.5, 0.5), (0.75, 0.5, 0.5), (0.825, 0.75, 0.25), (0.9, 1.0, 0.05), (1.0, 1.0, 0.05)],
)
def test_sectors_cost_what_they_take_where_the_dram_is_always_busy(busy, share, doubt):
    """Pieces alike say nothing; `share` and `doubt` of what a sector takes, by the part of the time that they take."""
    one = regressed(of_pieces([4.0 / busy] * 16), of_pieces([1.0] * 16), EVEN, 2.0, most=4.0)
    assert one.value == pytest.approx(4.0 / busy + 4 * share)
    assert one.spread * one.value == pytest.approx(2.160 * 4 * doubt)


def test_pieces_that_say_nothing_of_a_pressed_dram_are_overruled():
    """Time that does not go with a piece's sectors, as where what is written goes to DRAM later than its work."""
    sectors = 1 + 0.1 * np.tile([1.0, -1.0, -1.0, 1.0], 4)
    amounts = of_pieces(4 + 0.1 * np.tile([1.0, 1.0, -1.0, -1.0], 4))
    busy = regressed(amounts, of_pieces(sectors), EVEN, 0.9, most=4.0)
    assert 4 - 0.1 * 4 <= busy.value < 4 - 0.1 * 2
    idle = regressed(amounts, of_pieces(sectors), EVEN, 0.9, most=2.0)
    assert idle.value > 4 - 0.1 * 1


def test_pieces_tell_the_slope_about_the_mean_of_whole_waves():
    sectors = np.linspace(1, 2, 16)
    one = estimate.regressed(WORK, of_pieces(5 + 3 * sectors), of_pieces(sectors), EVEN, (9.0, 1.2), 1.4, most=10.0)
    assert one.value == pytest.approx(9 + 3 * (1.4 - 1.2))


def test_time_that_goes_with_beginnings_is_not_taken_for_what_sectors_cost():
    pace = np.tile([-2.0, -1.0, 1.0, 2.0], 4)  # as many begin as end over each wave of four pieces
    sectors = 3 + pace + np.linspace(-0.5, 0.5, 16)
    one = regressed(of_pieces(9 + 4 * pace), of_pieces(sectors), of_pieces(pace), 2.0, most=10.0)
    assert one.value == pytest.approx(9, abs=1e-3)
    blind = regressed(of_pieces(9 + 4 * pace), of_pieces(sectors), EVEN, 2.0, most=10.0)
    assert blind.value < 6
    two = regressed(of_pieces(9 + 4 * pace + sectors), of_pieces(sectors), of_pieces(pace), 2.0, most=10.0)
    assert two.value == pytest.approx(9 + 2, abs=1e-3)


def test_without_leaves_what_the_cause_does_not_explain():
    cause = np.array([0.0, 1.0, 2.0, 5.0])
    other = np.array([1.0, -1.0, -1.0, 1.0])
    left = estimate.without(3 + 2 * cause + other, cause)
    assert left.sum() == pytest.approx(0) and left @ (cause - cause.mean()) == pytest.approx(0)
    assert estimate.without(cause, np.ones(4)) == pytest.approx(cause - 2)


def test_work_under_way_is_what_was_launched_and_not_issued():
    looks = [SimpleNamespace(cycle=cycle, issued=issued) for cycle, issued in ((0, 0), (10, 50), (20, 150))]
    assert estimate.under_way(looks, np.array([0, 5, 15]), np.array([100, 40, 60])).tolist() == [100, 90, 50]


def test_a_sector_costs_no_less_than_nothing():
    sectors = np.linspace(1, 2, 16)
    one = regressed(of_pieces(5 - 3 * sectors), of_pieces(sectors), EVEN, 1.0, most=10.0)
    assert one.value == pytest.approx(5 - 3 * 1.5)


def test_a_sector_costs_no_more_than_its_time_at_the_dram():
    sectors = np.linspace(0.5, 1.5, 16)
    one = regressed(of_pieces(5 + 12 * sectors), of_pieces(sectors), EVEN, 0.5, most=10.0)
    assert one.value == pytest.approx(17 - 10 * 0.5)


@given(st.integers(0, 1000), st.floats(0.1, 5), st.floats(0.5, 2))
def test_noise_that_sectors_do_not_explain_moves_the_estimate_within_its_interval(seed, cost, wanted):
    draw = np.random.default_rng(seed)
    sectors, noise = draw.uniform(0.5, 1.5, 16), draw.normal(0, 0.05, 16)
    one = regressed(of_pieces(10 + cost * sectors + noise), of_pieces(sectors), EVEN, wanted, most=5.0)
    assert abs(one.value - (10 + cost * wanted)) <= 3 * one.spread * one.value  # a normal draw leaves it once in 10^8


def test_the_window_begins_where_as_much_is_under_way_as_at_its_end():
    # Bursts: work under way rises to 100 at the start of every wave of 10 samples and falls to 0; the last sample is
    # in a burst, at 60.
    wave = np.array([20, 60, 100, 90, 75, 60, 45, 30, 15, 0])
    under_way = np.concatenate([wave[3:], wave, wave, wave[:2]])
    assert estimate.same_phase(under_way) == 7 + 1  # where it rises through 60, not where it falls
    falling = np.array([5, 4, 3, 2, 2, 1, 3.4])
    assert estimate.same_phase(falling) == 2  # the nearest of the half


def test_a_mean_of_whole_waves_holds_a_burst_wherever_the_window_ends():
    # Waves of 4 launches, 40 cycles long; a fast half (3 a cycle) and a slow one (1 a cycle), so 2 a cycle on average.
    cycles = np.arange(0.0, 201, 20)
    sums = np.cumsum(np.append(0, [60, 20] * 5)).astype(float)
    for last in (16, 17, 18, 19):
        launches = 10.0 * np.arange(last)
        assert estimate.of_waves(cycles, sums, launches, 4) == pytest.approx(2 * 40)
        assert estimate.of_waves(cycles, cycles, launches, 4) == pytest.approx(40)
    assert (sums[7] - sums[0]) / (cycles[7] - cycles[0]) > 2.1  # a window of three waves and a half


def test_of_waves_follows_the_launches():
    """Six launches, waves of two: windows from 0 to 10, 1 to 11, 10 to 40, 11 to 41 cycles."""
    cycles = np.array([0.0, 50.0])
    assert estimate.of_waves(cycles, 3 * cycles, np.array([0, 1, 10, 11, 40, 41]), 2) == pytest.approx(
        3 * (10 + 10 + 30 + 30) / 4
    )


def state(cycle, issued, launched):
    stalls = np.zeros((2, SELECTED + 1), np.int64)
    stalls[0] = issued
    counts = SimpleNamespace(issued=issued, dram_reads=issued // 2, dram_writes=1)
    return SimpleNamespace(gpu=[SimpleNamespace(cycle=cycle, next_launch=launched)], counts=[counts], stalls=stalls,
                           machine=[SimpleNamespace(block_total=90)])  # fmt: skip


def test_looks_are_few_however_long_the_run_is():
    meter = estimate.Meter(20)
    cycle = 0
    while cycle < 4_000_000:
        meter.look(state(cycle, 2 * cycle, cycle // 40_000))
        cycle = meter.until(state(cycle, 0, 0))
    assert estimate.LOOKS // 2 <= len(meter.looks) <= estimate.LOOKS
    assert [look.issued == 2 * look.cycle for look in meter.looks].count(False) == 0
    (first, _), (last, _) = meter.window
    assert 20 * 40_000 <= first <= 20 * 40_000 + meter.stride
    assert 90 * 40_000 <= last <= 90 * 40_000 + meter.stride
    each = meter.per_execution(state(0, 1, 0).stalls)
    assert each[0].sum() == pytest.approx(SELECTED + 1) and each[1].sum() == 0


def test_a_run_without_a_full_gpu_is_taken_as_it_is():
    meter = estimate.Meter(2)
    for cycle in (0, 300):
        meter.look(state(cycle, cycle, 90))
    assert meter.full() == meter.looks
    assert meter.steady(np.array([0, 10]), np.array([100, 200])) == meter.looks
