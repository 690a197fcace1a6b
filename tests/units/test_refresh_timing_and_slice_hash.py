"""The sums behind two microbenchmarks, on made-up reads: the period of refreshes, their phases, slices of the L2."""

import numpy as np
import pytest

from ssmsim.microbenchmarks.programs.dram import refresh_timing
from ssmsim.microbenchmarks.programs.l2 import slice_hash


def reads(period: float, length: float, phase: np.ndarray, tries: int, gap: int, seed: int = 1):
    """(cycles, ends, waits) [tries, lines] of reads that wait for the end of a refresh; each turn begins at a random line."""
    rng = np.random.default_rng(seed)
    cycles, ends, waits = np.zeros((3, tries, len(phase)), np.int64)
    now = 12_345.0
    for t in range(tries):
        for line in np.roll(np.arange(len(phase)), -int(rng.integers(len(phase)))):
            now += gap + int(rng.integers(2048))
            to_end = (phase[line] * period - now) % period
            wait = to_end if to_end < length else 0
            taken = 600 + int(rng.integers(20)) + wait
            now += taken
            cycles[t, line], ends[t, line], waits[t, line] = int(taken), int(now), int(wait)
    return cycles, ends, waits


@pytest.mark.parametrize("period", [3813.3335, 2500.25, 6001.5])
def test_the_period_of_refreshes_is_found_from_one_line_and_then_to_a_millionth(period):
    cycles, ends, waits = reads(period, 520, np.array([0.3]), 3000, 1000)
    _, slow = refresh_timing.slow_reads(cycles)
    assert slow[waits > 100].all() and not slow[waits < 50].any()
    coarse = refresh_timing.coarse_period(ends[:, 0], slow[:, 0])
    assert coarse == pytest.approx(period, abs=1)

    phase = np.random.default_rng(2).random(48)
    cycles, ends, _ = reads(period, 520, phase, 150, 1000)
    _, slow = refresh_timing.slow_reads(cycles)
    found = refresh_timing.fine_period(ends, slow, coarse)
    assert found == pytest.approx(period, abs=0.01)
    at, agreement = refresh_timing.phases(ends, slow, found)
    from_first = (at - at[0] - (phase - phase[0]) + 0.5) % 1 - 0.5
    assert np.abs(from_first).max() < 0.03 and agreement.min() > 0.9


def test_a_line_without_slow_reads_has_no_phase():
    slow = np.array([[True, False], [False, False]])
    phase, agreement = refresh_timing.phases(np.array([[500, 1], [900, 2]]), slow, 1000.0)
    assert phase[0] == pytest.approx(0.5) and np.isnan(phase[1]) and agreement[0] == pytest.approx(1)


def test_the_phase_of_a_page_is_that_of_most_of_its_lines_also_around_zero():
    page = np.array([[0.99, 0.0, 0.01, 0.5, 0.98, 0.02, 0.25, 0.0], [0.7] * 6 + [0.2, 0.95]])
    usual = refresh_timing.page_phases(page)
    assert (usual[0] + 0.5) % 1 - 0.5 == pytest.approx(0, abs=1e-9) and usual[1] == pytest.approx(0.7)
    said = refresh_timing.by_page(np.repeat(page[1:], 32, axis=0))
    assert said["share_of_lines_at_it"] == 0.75 and said["of_64KB"] == [0.7, 0.7]
    assert said["pages_from_their_64KB"] == [0, 0, 0]


def test_banks_that_take_turns_show_as_ticks_with_a_gap():
    rng = np.random.default_rng(4)
    at = 3 * rng.integers(16, size=2000) + rng.integers(3, size=2000)
    said = refresh_timing.ticks((at + 7.3 + rng.normal(0, 0.1, 2000)) / 52 % 1)
    assert said["number"] == 52 and said["gap"] == 4 and said["fit"] > 0.5
    assert said["lines"] == [int((at == k).sum()) for k in range(52)]


def latencies(of_piece: np.ndarray, sms: int = 40, noise: float = 1.0) -> np.ndarray:
    """[SMs, lines] for the slices of consecutive pieces of four lines, two pieces to a chunk, as a a b b a a b b."""
    rng = np.random.default_rng(3)
    distances = rng.integers(250, 450, (of_piece.max() + 1, sms))
    of_line = of_piece.reshape(-1, 2)[:, [0, 0, 1, 1, 0, 0, 1, 1]].reshape(-1)
    return (distances[of_line] + rng.normal(0, noise, (len(of_line), sms))).T


def test_slices_are_told_apart_by_their_latencies():
    of_piece = np.concatenate([np.random.default_rng(page).permutation(12)[:8] for page in range(24)])
    said = slice_hash.spread(latencies(of_piece))
    assert said["two_slices_aabbaabb"] == 1.0 and said["slices"] == 12 and said["slices_in_page"] == {"8": 24}
    assert said["pieces_of_512_by_slice"] == sorted(np.bincount(of_piece).tolist())


def test_another_order_of_lines_in_a_chunk_is_noticed():
    lines = latencies(np.tile(np.arange(8), 4))
    swapped = lines.reshape(len(lines), -1, 8)[:, :, [0, 2, 1, 3, 4, 5, 6, 7]]
    assert slice_hash.alternating(swapped.transpose(1, 2, 0)) == 0.0
