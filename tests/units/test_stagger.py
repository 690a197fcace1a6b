"""The second wave of a sampled run: given away at even intervals, or at once where the first ends together."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_gpu import CAPTURES, simulate, small_gpu

from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded import sample
from ssmsim.engines.embedded.estimate import Meter
from ssmsim.engines.embedded.stagger import IN_STEP, NEVER, SPREAD, Stagger

WAVE, START, FIRST_END, OWN = 100, 1000, 21_000, 2 << r.FP


def state():
    gpu = SimpleNamespace(cycle=START, next_launch=0, blocks_done=0, launch_free_fp=0)
    return SimpleNamespace(gpu=[gpu], machine=[SimpleNamespace(start=START, successor_fp=OWN)])


def look(stagger, at, cycle, launched, done):
    gpu = at.gpu[0]
    gpu.cycle, gpu.next_launch, gpu.blocks_done = cycle, launched, done
    stagger.look(at)
    return at.machine[0].successor_fp


def test_slots_are_given_away_within_three_quarters_of_a_block():
    stagger, at = Stagger(Meter(2 * WAVE), WAVE), state()
    assert look(stagger, at, 20_000, WAVE, 0) == OWN and stagger.began == 0
    interval = look(stagger, at, FIRST_END, WAVE + 1, 1)
    assert interval * WAVE == pytest.approx(SPREAD * (FIRST_END - START) * (1 << r.FP), rel=0.01)
    assert stagger.began == FIRST_END
    assert look(stagger, at, FIRST_END + 9000, 2 * WAVE - 1, 95) == interval
    assert stagger.until(at) < NEVER
    assert look(stagger, at, FIRST_END + 15_000, 2 * WAVE, 100) == OWN
    assert stagger.until(at) == NEVER and stagger.meter.full_from == 2 * WAVE


@pytest.mark.parametrize(("late", "together"), [(-1, True), (1, False)])
def test_a_wave_that_ends_together_stays_together(late, together):
    """Nine tenths of its blocks have ended a cycle before or after the time allowed."""
    stagger, at = Stagger(Meter(2 * WAVE), WAVE), state()
    look(stagger, at, FIRST_END, WAVE + 1, 1)
    at.gpu[0].launch_free_fp = 10**9
    interval = look(stagger, at, FIRST_END + int(IN_STEP * (FIRST_END - START)) + late, WAVE + 20, 90)
    assert (interval == OWN) == together
    assert stagger.meter.full_from == (WAVE + 3 * WAVE // 4 if together else 2 * WAVE)
    assert (at.gpu[0].launch_free_fp < 10**9) == together


def starts(monkeypatch, apart):
    """Launch cycles of the blocks that a sampled run times, and its stagger; apart: whether that does anything."""
    kept = []

    class Watched(sample.SampledPool):
        def extrapolate(self):
            result = super().extrapolate()
            kept.append((self.launched[: self.loaded], self.stagger))
            return result

        def _plan(self):
            super()._plan()
            self.stagger.done |= not apart

    monkeypatch.setattr("ssmsim.engines.embedded.simulate.SampledPool", Watched)
    gpu = small_gpu(gpu__sms_per_gpc=(1, 1), sm__blocks=4)
    simulate(CAPTURES / "ssd-ragged/25-chunk_scan_bwd_dcb_kernel", gpu, sample=1000)
    return kept[0]


def test_the_second_wave_starts_out_of_step(monkeypatch):
    launched, stagger = starts(monkeypatch, apart=True)
    together, _ = starts(monkeypatch, apart=False)
    assert stagger.done and stagger.began > 0
    wave = stagger.wave
    gaps = [np.diff(each[wave : 2 * wave]) for each in (launched, together)]
    second = [gap.max() / (each[2 * wave] - each[wave]) for gap, each in zip(gaps, (launched, together), strict=True)]
    assert second[0] < second[1]
    assert gaps[0].min() > 2 * gaps[1].min()  # none at once
