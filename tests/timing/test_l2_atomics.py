"""Atomics in a slice: port and unit by hand, against the rates that were measured, and hits beside them."""

import json
from pathlib import Path

import numpy as np
import pytest

from ssmsim.config.load import load as load_config
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.l2 import atomics, slice_cache
from ssmsim.engines.embedded.sm import core
from ssmsim.engines.embedded.sm.instruction import DOUBLE_ATOMIC, FLOAT_ATOMIC, INTEGER_ATOMIC, SWAP_ATOMIC
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS
from ssmsim.engines.embedded.state.records import FP

ROOT = Path(__file__).parents[2]
L2, NOC = (getattr(load_config(ROOT / "simconfigs/h200.yaml"), group) for group in ("l2", "noc"))


def machine(room: int = 1600):
    m = r.records(PARAMETERS, 1)[0]
    m.l2.partitions, m.l2.slices, m.noc.atomic_header_bytes = 2, 8, 32
    m.l2.slice_interval_cycles_fp = m.l2.atomic_interval_cycles_fp = m.slice_atomic_fp = (
        1 << FP
    )  # cycles are L2 clocks here
    m.l2.atomic_same_cycles_fp, m.adds_waiting_fp = 3 << FP, room << FP
    m.l2.atomic_integer_same_cycles_fp, m.l2.atomic_fp64_interval_cycles_fp = 1 << FP, 2 << FP
    return m


def atomic(slice_: int, sectors: int, line: int = 7, mask: int = 15, kind: int = FLOAT_ATOMIC, alone: int = 0):
    fill = r.records(noc.TRANSFER, 1)[0]
    fill.atomic, fill.alone = kind, alone
    fill.slice, fill.home, fill.payload, fill.line, fill.sectors, fill.sm = slice_, slice_, 32 * sectors, line, mask, 0
    return fill


@pytest.mark.parametrize(("slice_", "clocks"), [(1, 1), (5, 0)])
@pytest.mark.parametrize("sectors", [1, 2, 3, 4])
def test_the_port_takes_a_clock_per_sector_and_one_more_of_its_own_sms_atomics(slice_, clocks, sectors):
    """The SM is on the side of slices 0 to 3; what comes from the other side has passed a port there."""
    sms = r.records(core.SM, 1)
    assert atomics.arriving(machine(), sms, atomic(slice_, sectors)) == clocks * (sectors + 1) << FP


def test_the_unit_takes_one_after_the_other_and_the_same_sector_after_three_clocks():
    m, slice_ = machine(), r.records(slice_cache.SLICE, 1)[0]
    began = [int(atomics.begin(m, slice_, atomic(1, n, line, mask), n, 10)) for n, line, mask in (
        (4, 7, 15), (1, 8, 1), (1, 8, 1), (1, 8, 2), (2, 9, 3))]  # fmt: skip
    assert began == [10, 14, 17, 18, 19]
    assert slice_.free_fp == 0  # reads do not wait
    assert atomics.begin(m, slice_, atomic(1, 4, 11), 4, 100) == 100


def test_the_data_of_a_lone_lane_go_with_the_header():
    assert atomics.arriving(machine(), r.records(core.SM, 1), atomic(1, 1, alone=1)) == 1 << FP


@pytest.mark.parametrize(("kind", "alone", "clocks"), [
    (FLOAT_ATOMIC, 0, 3), (FLOAT_ATOMIC, 1, 3), (INTEGER_ATOMIC, 0, 1), (INTEGER_ATOMIC, 1, 1), (DOUBLE_ATOMIC, 0, 3),
    (DOUBLE_ATOMIC, 1, 3), (SWAP_ATOMIC, 0, 2), (SWAP_ATOMIC, 1, 1),
])  # fmt: skip
def test_the_unit_does_integers_to_one_sector_without_a_wait_and_wide_ones_in_two_clocks(kind, alone, clocks):
    m, slice_ = machine(), r.records(slice_cache.SLICE, 1)[0]
    began = [int(atomics.begin(m, slice_, atomic(1, 1, 8, 1, kind, alone), 1, 10)) for _ in range(3)]
    assert began == [10, 10 + clocks, 10 + 2 * clocks]


@pytest.mark.parametrize(("room", "until"), [(12, 0), (11, 1), (4, 8), (0, 12)])
def test_reads_wait_when_the_unit_has_no_room(room, until):
    m, slice_ = machine(room), r.records(slice_cache.SLICE, 1)[0]
    for line in range(3):
        atomics.begin(m, slice_, atomic(1, 4, line), 4, 0)
        atomics.hold(m, slice_, slice_, atomic(1, 4, line), 4, 1)
    assert slice_.free_fp == until << FP


def test_what_is_on_the_link_takes_room_of_the_owners_unit():
    """Of six additions of four sectors that are on their way two find no room: the other partition's port waits."""
    m, near, owner = machine(16), *r.records(slice_cache.SLICE, 2)
    for _ in range(6):
        atomics.hold(m, near, owner, atomic(1, 4), 4, 0)
    assert (near.free_fp, owner.coming_fp) == (8 << FP, 24 << FP)
    came = atomic(5, 4)
    came.passed = 1
    atomics.arrived(m, owner, 4)  # it is at its owner, whether or not it has to wait there
    assert owner.coming_fp == 20 << FP
    atomics.begin(m, owner, came, 4, 0)
    atomics.hold(m, owner, owner, came, 4, 1)
    assert (owner.free_fp, owner.coming_fp) == (8 << FP, 20 << FP)


def hot(part: str) -> dict:
    return json.loads((ROOT / "traces/h200/microbenchmarks/l2/single_slice_atomic_throughput.json").read_text())[
        "samples"
    ][part]


def port(sectors: int) -> float:
    """Cycles that an atomic takes the port of a slice."""
    return (32 * sectors + NOC.atomic_header_bytes) / L2.slice_atomic_bytes_per_cycle


@pytest.mark.parametrize("sectors", [1, 2, 3, 4])
@pytest.mark.parametrize("who", ["own", "other"])
def test_one_partition_adds_to_many_lines_of_a_slice_as_fast_as_measured(sectors, who):
    assert 1000 / hot("several")[f"{8 * sectors}.16.{who}"] == pytest.approx(port(sectors), rel=0.01)


def test_both_add_to_a_line_as_fast_as_measured():
    assert 1000 / hot("several")["32.1.both"] == pytest.approx(4 * L2.atomic_interval_cycles, rel=0.01)


def waits(per_1000_cycles: float, service: float, seed: int = 1) -> np.ndarray:
    """Quartiles and the 95th percentile of what hits wait behind additions that come at random and take `service` each."""
    rng, free, found = np.random.default_rng(seed), 0.0, []
    times = np.cumsum(rng.exponential(1000 / per_1000_cycles, 60_000))
    reads = iter(np.sort(rng.uniform(0, times[-1], 30_000)))
    read = next(reads)
    for time in times:
        while read is not None and read < time:
            found.append(max(0.0, free - read))
            read = next(reads, None)
        free = max(free, time) + service
    return np.percentile(found, (25, 50, 75, 95))


def waited(pace: str) -> tuple[float, np.ndarray]:
    """Additions per 1,000 cycles, and what hits waited beside them on the GPU, percentiles as above, mean of the lines."""
    rows = np.array(hot("beside")[pace])
    return rows[0, 0], (rows - hot("beside")["0"])[:, 1:].mean(0)


@pytest.mark.parametrize("pace", ["5000", "3000", "2300", "2000"])
def test_hits_wait_for_half_of_the_additions_at_the_port_as_measured(pace):
    """Those of the SMs on the slice's side pass it."""
    additions, measured = waited(pace)
    assert np.abs(measured - waits(additions / 2, port(4))).max() < 5


@pytest.mark.parametrize("pace", ["2300", "2000"])
def test_hits_behind_all_additions_would_wait_longer_than_measured(pace):
    additions, measured = waited(pace)
    assert (waits(additions, 4 * L2.atomic_interval_cycles) > measured + 2).all()
    assert waits(additions, 4 * L2.atomic_interval_cycles)[3] > measured[3] + 25
