"""Blocks known from others: the rule gives what tracing gives, to the bit, and is not used where it does not hold."""

import numpy as np
import pytest
from small_gpu import CAPTURES, ROOT, simulate, small_gpu

from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.sampling import block_replicas
from ssmsim.engines.embedded.sampling.block_replicas import Coalesced, Replicas, shifted
from ssmsim.engines.embedded.sampling.sampled_pool import SampledPool
from ssmsim.engines.embedded.state import machine
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

MANY_WAVES = CAPTURES / "ssd-ragged/25-chunk_scan_bwd_dcb_kernel"
HELD_OUT = ROOT / "traces/h200/mamba2-780m-holdout"


def pool(folder):
    launch = read_launch(folder)
    program, config = decode_launch(launch).program, small_gpu()
    source = open_tracer("emulated").blocks(launch, program)
    return SampledPool(
        program, source, machine.build(instructions.translate(program, config), launch, config, launch.blocks), 1
    )


@pytest.mark.parametrize(
    "name", ["10-state_passing_bwd_kernel", "04-chunk_scan_fwd_kernel", "25-chunk_scan_bwd_dcb_kernel"]
)
def test_replicas_are_what_tracing_gives(name):
    """On blocks that did not take part in finding the rule."""
    sampled = pool(HELD_OUT / name)
    rule = Replicas.of(sampled._apart, sampled.source.grid)
    assert rule is not None
    numbers = np.random.default_rng(7).choice(sampled.source.block_count, 24, replace=False)
    for number, traced in zip(numbers.tolist(), sampled._apart(numbers), strict=True):
        assert rule.blocks(number, number + 1).same(traced)


def test_several_blocks_are_one_after_the_other():
    sampled = pool(HELD_OUT / "10-state_passing_bwd_kernel")
    rule = Replicas.of(sampled._apart, sampled.source.grid)
    trace = sampled.ready(sampled.source.apart(np.arange(50, 60)))
    assert rule.blocks(50, 60).same(sampled.skipped.coalesce(trace, sampled.source.warps_per_block))


def test_a_block_that_differs_from_the_rule_is_noticed():
    """One sector of one drawn block elsewhere: no rule, so every block is traced."""
    sampled = pool(HELD_OUT / "10-state_passing_bwd_kernel")
    grid = sampled.source.grid
    odd = block_replicas.scramble(5) % int(np.prod(grid))

    def tracer(numbers):
        for number, one in zip(numbers.tolist(), sampled._apart(numbers), strict=True):
            if number == odd:
                one.lines[3] ^= 1 << 20
            yield one

    assert Replicas.of(tracer, grid) is None


def test_a_sampled_run_is_the_same_with_and_without_replicas(monkeypatch):
    launch, config = read_launch(HELD_OUT / "10-state_passing_bwd_kernel"), small_gpu(gpu__sms_per_gpc=(1, 1))
    given = [simulate(launch, config, sample=20_000)]
    monkeypatch.setattr(Replicas, "of", staticmethod(lambda *_: None))
    given.append(simulate(launch, config, sample=20_000))
    assert given[0].counters == given[1].counters
    assert given[0].sampled.fraction < 0.5


def test_a_word_moves_by_lines_and_a_lone_sector_by_sectors():
    assert shifted(100 << 8 | 15, 8) == 102 << 8 | 15
    assert shifted(100 << 8 | 0b11 << 4 | 0b11, -4) == 99 << 8 | 0b11 << 4 | 0b11
    assert shifted(100 << 8 | 0b0100, 1) == 100 << 8 | 0b1000
    assert shifted(100 << 8 | 0b1000 << 4 | 0b1000, 2) == 101 << 8 | 0b0010 << 4 | 0b0010
    assert shifted(100 << 8 | 0b0110, 1) == -1  # two sectors would not stay in one line's word: not a rule


def test_a_grid_too_small_to_save_anything_has_no_rule():
    def never(_):
        raise AssertionError("traced")

    assert Replicas.of(never, (4, 2, 1)) is None


def test_what_blocks_add_up_to_differs_is_not_the_same():
    one = Coalesced(
        np.recarray(0, [("lines", int)]), np.zeros(0), np.zeros(0), np.zeros(2, int), np.zeros(3), np.zeros(4)
    )
    other = Coalesced(one.accesses, one.statics, one.lines, one.starts, one.sums + 1, one.executed)
    assert one.same(one) and not one.same(other)


def test_skipped_blocks_are_never_seen_and_blocks_apart_change_nothing():
    launch = read_launch(MANY_WAVES)
    source = open_tracer("emulated").blocks(launch, decode_launch(launch).program)
    last = int(source.next_blocks(3).blocks[-1])
    source.skip(4)
    assert source.apart(np.array([1, 5])).blocks.tolist() == [1, 5]
    assert source.next_blocks(1).blocks.tolist() == [last + 1 + 4]
