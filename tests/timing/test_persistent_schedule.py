"""launch.schedule persistent: which tile runs where and when, to the cycle, on hand-made warps."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import EXIT, Run, Streams, assemble, launch, one_sm, op, prepare, run

from ssmsim.engines import open_engine
from ssmsim.engines.embedded import instructions, loop
from ssmsim.engines.embedded.feed import rasterization
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError

ADD = op("FADD R0, R1, R2", stall=4)
BARRIER = op("BAR.SYNC 0x0", barrier=0, barrier_threads=0)
OPS = [ADD] * 5 + [EXIT]
SHORT, LONG = [5], [0, 1, 2, 3, 4, 5]


def persistent(**changes):
    return one_sm(**{"launch__schedule": "persistent", "gpu__sms_per_gpc": (2, 1), "sm__blocks": 2} | changes)


def tiles(done: Run, count: int):
    """(id, SM, launched, finished) of each tile, by number."""
    of = done.state.loaded[done.state.loaded.turn[:count]]
    return list(zip(of.id.tolist(), of.sm.tolist(), of.launched.tolist(), of.finished.tolist(), strict=True))


def test_each_tile_runs_once_where_its_block_is():
    """Six places on three SMs: tiles k, k + 6 and k + 12 on one SM; 17 of them, each once."""
    done = run(OPS, [LONG, SHORT, LONG], persistent(), blocks=17)
    found = tiles(done, 17)
    assert sorted(id for id, *_ in found) == list(range(17))
    assert {(id % 6, sm) for id, sm, *_ in found} == {(k, k % 3) for k in range(6)}
    assert Counter(map(len, done.cycles.values())) == {len(LONG): 2 * 17, len(SHORT): 17}
    assert done.state.counts[0].launched_warps == 3 * 17


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 3), st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_tiles_are_conserved(blocks, places, starts):
    """Whatever the warps' lengths: every tile ends, those of a place in order, no more than two of them at once."""
    config, warps = persistent(sm__blocks=places, gpu__sms_per_gpc=(1,)), [list(range(start, 6)) for start in starts]
    program, state, pool = prepare(OPS, warps, config, blocks)
    while (status := loop.run(state.table(), 1 << 62)) == loop.NEED_BLOCKS:
        pool.refill()
    assert status == loop.FINISHED and program
    of = state.loaded[state.loaded.turn[:blocks]]
    for place in range(min(places, blocks)):
        began, ended = of.launched[place:blocks:places], of.finished[place:blocks:places]
        assert (np.diff(began) > 0).all() and (np.diff(ended) >= 0).all()
        assert (began[2:] >= ended[:-2]).all()


def test_a_warp_goes_on_as_behind_a_branch():
    """Its last instruction at 20, gone a cycle later, the next tile's first ten behind: no launch, no release."""
    config = persistent(gpu__sms_per_gpc=(1,), sm__blocks=1)
    cycles = run(OPS, [LONG], config, blocks=3).cycles
    step = cycles[0, 0][-1] + 1 + config.sm.branch_latency_cycles
    assert [cycles[tile, 0][0] for tile in range(3)] == [0, step, 2 * step]


@pytest.mark.parametrize(("shared", "overlap"), [(0, True), (16 << 10, True), (120 << 10, False)])
def test_tiles_overlap_where_shared_memory_has_room_for_two(shared, overlap):
    config = persistent(gpu__sms_per_gpc=(1,), sm__blocks=1)
    code = instructions.translate(assemble(OPS), config)
    m = machine.build(code, launch(2, shared_memory_bytes=shared), config, 2).machine[0]
    assert (bool(m.tiles_overlap), m.blocks_per_sm) == (overlap, 1)


def test_the_prologue_of_a_tile_runs_beside_the_epilogue_of_the_one_before():
    """Of two warps the first ends at once; it is in the second tile while the other is still in the first."""
    config = persistent(gpu__sms_per_gpc=(1,), sm__blocks=1)
    cycles = run(OPS, [SHORT, LONG], config, blocks=3).cycles
    assert cycles[1, 0][0] < cycles[0, 1][-1]
    assert cycles[2, 0][0] > cycles[0, 1][-1], "but no further ahead"


def test_barriers_of_two_tiles_are_two():
    """The first warp waits in its second tile's barrier for the other to come there, not for its first tile's."""
    ops = [ADD, BARRIER, ADD, EXIT]
    done = run(ops, [[0, 1, 2, 3], [0, 1, *[0] * 9, 2, 3]], persistent(gpu__sms_per_gpc=(1,), sm__blocks=1), blocks=4)
    for tile in range(4):
        assert done.cycles[tile, 0][2] > done.cycles[tile, 1][1]
    assert done.cycles[1, 0][2] > done.cycles[0, 1][-1]


@given(st.tuples(*[st.integers(1, 7)] * 3), st.integers(1, 9))
def test_rasterization_keeps_every_block(grid, width):
    ids = rasterization.order(grid, width)
    assert sorted(ids.tolist()) == list(range(grid[0] * grid[1] * grid[2]))
    if width >= grid[0]:
        assert (np.diff(ids) == 1).all()


def test_rasterization_goes_down_columns():
    assert rasterization.order((5, 2, 1), 2).tolist() == [0, 1, 5, 6, 2, 3, 7, 8, 4, 9]


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"launch__schedule": "persistent"}, "launch.schedule: persistent"), ({"launch__rasterization_width": 2}, "launch.rasterization_width: 2")],
)  # fmt: skip
def test_a_sample_of_a_placed_launch_is_refused(changes, named):
    request = Request(assemble(OPS), Streams(OPS, [LONG], 4), launch(1), one_sm(**changes), sample=True)
    with pytest.raises(SsmsimError, match=named):
        open_engine("embedded").simulate(request)


class Traced:
    """A tracer of these warps that notes the order it is asked for."""

    def blocks(self, launch, program, order=None):
        self.order = order
        return Streams(OPS, [LONG], len(order))


def test_blocks_come_in_the_order_of_the_rasterization():
    tracer, config = Traced(), one_sm(launch__rasterization_width=2)
    request = Request(assemble(OPS), Streams(OPS, [LONG], 10), launch(1, grid=(5, 2, 1)), config, tracer)
    open_engine("embedded").simulate(request)
    assert tracer.order == [0, 1, 5, 6, 2, 3, 7, 8, 4, 9]
    with pytest.raises(SsmsimError, match="give the request a tracer"):
        open_engine("embedded").simulate(dataclasses.replace(request, tracer=None))
