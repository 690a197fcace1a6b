"""Pieces of a launch on a part of the GPU: which blocks they are, and what they say of the whole."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_gpu import CAPTURES, CYCLES, simulate, small_gpu

from ssmsim.engines import Engine, open_engine
from ssmsim.engines.embedded.sampling.window import FEW, Window, groups
from ssmsim.engines.request import WindowRequest
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.study.part import Parts, part_of
from ssmsim.tracers import open_tracer

MANY = CAPTURES / "ssd-ragged/25-chunk_scan_bwd_dcb_kernel"
FEW_WAVES = CAPTURES / "ssd-ragged/04-chunk_scan_fwd_kernel"


def parts(folder: Path) -> tuple[Parts, Engine]:
    launch = read_launch(folder)
    return Parts(launch, decode_launch(launch).program, open_tracer("emulated"), small_gpu()), open_engine("embedded")


def window(folder: Path, waves: float, like: Window | None = None, **changes) -> Window:
    launch = read_launch(folder)
    program, config = decode_launch(launch).program, part_of(small_gpu(**changes), 2)
    return Window(WindowRequest(program, launch, config, open_tracer("emulated"), waves, 0.5, like))


@given(st.integers(1, 8), st.integers(1, 400), st.integers(1, 5000))
def test_groups_are_whole_rows_from_all_over_the_grid(row, rows, count):
    launch = SimpleNamespace(grid=(row, rows, 1), blocks=row * rows)
    chosen = groups(launch, min(count, launch.blocks))
    assert chosen == sorted(set(chosen)) and chosen[0] >= 0 and chosen[-1] < launch.blocks
    if row <= count // 4:
        assert all(number // row * row in chosen and len(chosen) % row == 0 for number in chosen)
    if len(chosen) > row:
        assert chosen[0] == 0 and chosen[-1] == launch.blocks - 1


def test_a_launch_of_few_waves_is_taken_from_all_over():
    one = window(FEW_WAVES, 2.5)
    assert one.spread and one.stands_for <= FEW * 20
    assert one.numbers[0] == 0 and one.numbers[-1] == one.launch.blocks - 1


def test_a_piece_of_many_waves_is_consecutive_and_the_same_for_configurations_with_more_slots():
    one = window(MANY, 2.5)
    more = window(MANY, 2.5, like=one, sm__blocks=4)
    assert not one.spread and not more.spread
    assert one.numbers == list(range(one.first, one.first + one.count))
    assert more.count < one.count
    assert abs(more.middle - one.middle) <= 1


def test_the_place_is_the_same_every_time():
    assert window(MANY, 2.5).first == window(MANY, 2.5).first


@pytest.mark.parametrize("folder", [MANY, FEW_WAVES], ids=lambda folder: folder.name)
def test_a_piece_tells_of_the_whole(folder):
    pieces, engine = parts(folder)
    part, whole = pieces.simulate(engine, small_gpu(), 2, 2.5), simulate(folder, small_gpu())
    assert part.sampled is not None and part.sampled.fraction < 0.6
    assert part.counters["smsp__inst_executed.sum"] == pytest.approx(
        whole.counters["smsp__inst_executed.sum"], rel=0.05
    )
    assert part.counters[CYCLES] == pytest.approx(whole.counters[CYCLES], rel=0.25)
