"""The second wave of a sampled run: given away while the oldest blocks run, or at once where the first ends together."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_gpu import CAPTURES, simulate, small_gpu

from ssmsim.engines.embedded import block_scheduler
from ssmsim.engines.embedded.sampling import sampled_pool
from ssmsim.engines.embedded.sampling.estimate import Meter
from ssmsim.engines.embedded.sampling.stagger import IN_STEP, NEVER, Stagger, left
from ssmsim.engines.embedded.sm import core
from ssmsim.engines.embedded.state import records as r

WAVE, START, FIRST_END, OWN = 100, 1000, 21_000, 2 << r.FP
LENGTH = 80  # instructions of a block, in two warps


def state(issued=0.8):
    """A GPU on which so much of the first wave's work has been issued; block i is in place i."""
    gpu = SimpleNamespace(cycle=START, next_launch=0, blocks_done=0, launch_free_fp=0)
    loaded, blocks, warps = (
        r.records(block_scheduler.LOADED, 4 * WAVE),
        r.records(block_scheduler.BLOCK, 4 * WAVE),
        r.records(core.WARP, 8 * WAVE),
    )
    loaded.turn = loaded.slot = blocks.loaded = np.arange(4 * WAVE)
    loaded.first[:, :3] = LENGTH * np.arange(4 * WAVE)[:, None] + [0, LENGTH // 2, LENGTH]
    blocks.live, blocks.warps = 2, r.NONE
    blocks.warps[:, :2] = 2 * np.arange(4 * WAVE)[:, None] + [0, 1]
    warps.position = loaded.first[:, :2].reshape(-1)
    machine = SimpleNamespace(
        launch=SimpleNamespace(start_cycles=START), successor_fp=OWN, warps_per_block=2, blocks_per_sm=1, block_places=1
    )
    counts = SimpleNamespace(issued=int(issued * WAVE * LENGTH))
    return SimpleNamespace(gpu=[gpu], machine=[machine], counts=[counts], loaded=loaded, blocks=blocks, warps=warps)


def look(stagger, at, cycle, launched, done):
    gpu = at.gpu[0]
    gpu.cycle, gpu.next_launch, gpu.blocks_done = cycle, launched, done
    stagger.look(at)
    return at.machine[0].successor_fp / (1 << r.FP)


def test_slots_are_spread_over_what_is_left_of_the_oldest_blocks():
    stagger, at = Stagger(Meter(2 * WAVE), WAVE), state()
    assert look(stagger, at, 20_000, WAVE, 0) == 2 and stagger.began == 0
    # 20,000 cycles for 0.8 of the work: 25,000 for all of it, and 99 slots are left.
    assert look(stagger, at, FIRST_END, WAVE + 1, 1) == pytest.approx(25_000 / 99, rel=0.01)
    assert stagger.began == FIRST_END
    at.warps.position[2 * WAVE : 2 * (WAVE + 6)] += LENGTH // 4  # half of the six oldest
    assert look(stagger, at, FIRST_END + 9000, WAVE + 20, 50) == pytest.approx(12_500 / 80, rel=0.01)
    at.blocks.live[WAVE : WAVE + 3] = 0  # three of six have ended
    assert look(stagger, at, FIRST_END + 12_000, 2 * WAVE - 10, 85) == pytest.approx(6250 / 10, rel=0.01)
    assert stagger.until(at) < NEVER
    assert look(stagger, at, FIRST_END + 15_000, 2 * WAVE, 100) == 2
    assert stagger.until(at) == NEVER and stagger.meter.full_from == 2 * WAVE


def test_what_is_left_of_blocks_counts_warps_that_run():
    at = state()
    blocks, two = np.array([3, 4, 5]), 2 * LENGTH
    assert left(at, blocks, two) == 1
    at.warps.position[6:10] += [10, 20, 30, 40]  # of 40 each
    assert left(at, blocks, two) == pytest.approx(1 - 100 / 160)
    at.blocks.warps[4, 0] = r.NONE  # has exited
    assert left(at, blocks, two) == pytest.approx(1 - 110 / 160)
    assert left(at, blocks[:1], two) == pytest.approx(1 - 30 / 160)  # the second has yet to be launched
    at.blocks.loaded[3] = 9  # another block has its place
    assert left(at, blocks, two) == 0
    assert left(at, blocks, 2 * LENGTH + 1) == pytest.approx(80 / 240)


def test_a_block_that_ends_at_once_does_not_stand_for_the_others():
    at = state()
    at.loaded.first[3:, :3] -= LENGTH - 2
    at.loaded.first[3, :2] += LENGTH - 2
    at.blocks.live[3] = 0
    at.warps.position = at.loaded.first[:, :2].reshape(-1)
    assert left(at, np.array([3]), LENGTH) == pytest.approx(78 / 80)
    assert left(at, np.array([3, 4]), LENGTH) == pytest.approx(80 / 82)


@pytest.mark.parametrize(("late", "together"), [(-1, True), (1, False)])
def test_a_wave_that_ends_together_stays_together(late, together):
    """Nine tenths of its blocks have ended a cycle before or after the time allowed."""
    stagger, at = Stagger(Meter(2 * WAVE), WAVE), state()
    look(stagger, at, FIRST_END, WAVE + 1, 1)
    at.gpu[0].launch_free_fp = 10**9
    interval = look(stagger, at, FIRST_END + int(IN_STEP * (FIRST_END - START)) + late, WAVE + 20, 90)
    assert (interval == 2) == together
    assert stagger.meter.full_from == (WAVE + 3 * WAVE // 4 if together else 2 * WAVE)
    assert (at.gpu[0].launch_free_fp < 10**9) == together


def starts(monkeypatch, apart):
    """Launch cycles of the blocks that a sampled run times, and its stagger; apart: whether that does anything."""
    kept = []

    class Watched(sampled_pool.SampledPool):
        def extrapolate(self):
            result = super().extrapolate()
            kept.append((self.launched[: self.loaded], self.stagger))
            return result

        def _plan(self):
            super()._plan()
            self.stagger.done |= not apart

    monkeypatch.setattr("ssmsim.engines.embedded.simulate.SampledPool", Watched)
    monkeypatch.setattr(sampled_pool, "MIN_WAVES", 4.0)  # so that some are skipped
    gpu = small_gpu(gpu__sms_per_gpc=(1,), sm__blocks=4)
    simulate(CAPTURES / "ssd-ragged/04-chunk_scan_fwd_kernel", gpu, sample=1000)
    return kept[0]


def test_the_second_wave_starts_out_of_step(monkeypatch):
    launched, stagger = starts(monkeypatch, apart=True)
    together, _ = starts(monkeypatch, apart=False)
    assert stagger.done and stagger.began > 0
    wave = stagger.wave
    # From its first launch to its last, as a part of what lies between two waves.
    second = [
        (each[2 * wave - 1] - each[wave]) / (np.median(each[2 * wave : 3 * wave]) - np.median(each[wave : 2 * wave]))
        for each in (launched, together)
    ]
    assert second[1] < 0.4 and 0.8 < second[0] < 1.1
