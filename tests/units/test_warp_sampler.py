"""What ncu's warp sampler would see: as many samples as SMs are active, shared by the warps that live."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from small_gpu import CAPTURES, ROOT, simulate, small_gpu, whole_gpu

from ssmsim.counters import STALL_REASONS
from ssmsim.engines.embedded.state.records import INF, NONE
from ssmsim.engines.embedded.views.warp_sampler import PERIOD, STRIDE, Sampler
from ssmsim.engines.request import Views

LAUNCH = CAPTURES / "ssd-ragged/17-reduce_kernel"
WARP = [(name, "i8") for name in ("block", "ready", "mark", "held", "state", "current", "issued", "position", "line")]
LONG, WAIT, NOT_SELECTED, SELECTED = map(STALL_REASONS.index, ("long_scoreboard", "wait", "not_selected", "selected"))


@pytest.mark.parametrize("workload", ["mamba2-2.7b", "mamba1-2.8b"])
def test_the_gpu_takes_a_sample_per_2048_active_cycles_of_an_sm(workload):
    """However many warps live: 1.8 to 14 per sub-core."""
    folder = ROOT / "traces/h200" / workload
    taken = pd.read_csv(folder / "stall_samples.csv.xz").groupby("launch").samples.sum()
    measured = pd.read_csv(folder / "measured.csv").query("cache == 'cold'").set_index("launch")
    for launch, samples in taken.items():
        active = 132 * float(measured["sm__cycles_active.avg"][launch])
        assert active / samples == pytest.approx(PERIOD, rel=0.02)


def test_a_run_has_a_sample_per_2048_active_cycles_of_an_sm(tmp_path):
    result = simulate(LAUNCH, small_gpu(), views=Views(warp_samples=tmp_path / "samples.csv"))
    table = pd.read_csv(tmp_path / "samples.csv")
    assert table.samples.sum() * PERIOD == pytest.approx(4 * result.counters["sm__cycles_active.avg"], rel=0.02)
    assert set(table.reason) <= set(STALL_REASONS)
    assert result.counters == simulate(LAUNCH, small_gpu()).counters


def watched(*warps: tuple[int, ...], slots: int = 1) -> np.ndarray:
    """Samples after one look at cycle STRIDE at warps in so many slots per sub-core; in units of that time."""
    state = SimpleNamespace(
        warps=np.array(list(warps), WARP).view(np.recarray),
        gpu=[SimpleNamespace(cycle=0)],
        stream=np.array([2, 1, 0]),
        machine=[SimpleNamespace(sm=SimpleNamespace(warp_slots_per_subcore=slots))],
    )
    sampler = Sampler(SimpleNamespace(instructions=np.zeros(3)), state)  # type: ignore[arg-type]
    state.gpu[0].cycle = STRIDE - 1
    sampler.look(state)  # type: ignore[arg-type]
    assert not sampler.samples.any()
    state.gpu[0].cycle = STRIDE
    sampler.look(state)  # type: ignore[arg-type]
    return sampler.samples * PERIOD / STRIDE


EMPTY = (NONE, INF, 0, 0, 0, 0, 0, 0, 0)
ASLEEP = (0, INF, 0, 0, LONG, 1, 0, 0, 0)
READY = (0, STRIDE - 1, STRIDE - 1, 0, WAIT, 2, 0, 0, 0)
ISSUED = (0, STRIDE, STRIDE, 0, WAIT, 1, STRIDE - 1, 1, 0)  # its first instruction, 2


def test_warps_of_an_sm_share_its_samples():
    found = watched(ASLEEP, ISSUED, EMPTY, EMPTY, ASLEEP, EMPTY, EMPTY, EMPTY)
    assert found[1, LONG] == pytest.approx(1.5)
    assert found[2, SELECTED] == pytest.approx(0.5)
    assert found.sum() == pytest.approx(2)


def test_a_warp_whose_stall_count_runs_waits():
    assert watched((0, STRIDE + 2, STRIDE + 2, 0, LONG, 0, 0, 0, 0), *[EMPTY] * 7)[0, WAIT] == pytest.approx(1)


def test_of_two_ready_warps_of_a_sub_core_one_is_selected():
    found = watched(READY, ISSUED, *[EMPTY] * 6, slots=2)
    assert found[2, SELECTED] == pytest.approx(0.5)
    assert found[2, NOT_SELECTED] == pytest.approx(0.5)


def test_what_wakes_this_cycle_has_slept_till_now():
    """The loop leaves out cycles in which no warp can issue: they are the wait's."""
    assert watched((0, STRIDE, 0, 0, LONG, 1, 0, 0, 0), *[EMPTY] * 7)[1, LONG] == pytest.approx(1)


def test_a_warp_that_was_just_launched_has_not_issued():
    assert watched((0, STRIDE + 79, 0, 0, LONG, 0, STRIDE - 1, 0, NONE), *[EMPTY] * 7)[0, LONG] == pytest.approx(1)


def test_empty_kernels_wait_for_their_code(tmp_path):
    """All SMs at once: but for two cycles a warp is neither selected nor passed over."""
    simulate(
        ROOT / "traces/h200/empty/01-empty_kernel", whole_gpu(), views=Views(warp_samples=tmp_path / "samples.csv")
    )
    got = pd.read_csv(tmp_path / "samples.csv").groupby("reason").samples.sum()
    assert got["no_instruction"] / got.sum() > 0.8
