"""The same launches and microbenchmarks on an H100: what must be equal is, and the configuration says what was measured."""

import json
from pathlib import Path

import pandas as pd
import pytest

from ssmsim.config.load import load
from ssmsim.counters import COUNTERS
from ssmsim.microbenchmarks.simulate import compare

ROOT = Path(__file__).parents[2]
H100, H200 = ROOT / "traces/h100", ROOT / "traces/h200"
MEASURED = sorted(file.parent for file in H200.glob("measured_on_h100/*/measured.csv"))
LOOPS = {  # name: bound on the relative error of cycles per round with simconfigs/h100.yaml
    "l2/latency_bandwidth.read_l2.132blocks": 0.05,
    "l2/latency_bandwidth.write_l2.132blocks": 0.04,
    "l2/atomic_throughput.red.8.1.4": 0.01,
    "l2/atomic_throughput.red.32.4.4": 0.01,
    "sm_memory/fence_latency.sc_load.1.1": 0.02,
    "sm_memory/fence_latency.sc_store.4.1": 0.03,
    "l2/partial_sector_store_throughput.16.16.all.4": 0.01,
    "l2/partial_sector_store_throughput.4.32.all.4": 0.04,  # one rate for all shapes
    "l1/load_latency_by_width.l2.w4.1.1": 0.04,  # two lines of each slice come one after the other here, on the GPU at once
    "l2/partial_sector_store_throughput.32.32.1.16": 0.01,
}


def table(folder: Path) -> pd.DataFrame:
    rows = pd.read_csv(folder / "measured.csv")
    return rows[rows.cache == "cold"].set_index("launch")


@pytest.mark.parametrize("folder", MEASURED, ids=lambda f: f.name)
def test_the_same_machine_code_did_the_same_work(folder: Path):
    here, there = table(folder), table(H200 / folder.name)
    assert here.index.tolist() == there.index.tolist()
    for name, counter in COUNTERS.items():
        if counter.exact and here[name].notna().any():
            assert here[name].equals(there[name]), name


@pytest.mark.parametrize("folder", MEASURED, ids=lambda f: f.name)
def test_the_device_was_an_h100(folder: Path):
    facts = json.loads((folder / "measured.schema.json").read_text())
    assert "H100" in facts["device"]["before"]["name"] and folder.name in facts["program"]


def test_configuration_and_device_agree():
    config = load(ROOT / "simconfigs/h100.yaml")
    device = json.loads((H100 / "microbenchmarks/l2/partition_hit_traffic.json").read_text())["device"]
    assert config.l2.bytes == device["l2_bytes"] and config.sm_count == device["sms"]
    assert config.gpu.sm_clock_mhz * 1000 == device["clock_khz"]
    peak = 2 * device["memory_clock_khz"] * device["bus_bits"] / 8 / 1e6
    assert config.dram.peak_gb_per_s == pytest.approx(peak, rel=1e-3)
    counted = json.loads((H100 / "microbenchmarks/l2/partition_hit_traffic.json").read_text())["counted"][0]
    assert config.l2.slices == counted["lts__cycles_elapsed.sum"] / counted["lts__cycles_elapsed.max"]


@pytest.mark.parametrize("name", LOOPS)
def test_simulated_cycles_per_round_are_those_of_an_h100(name: str):
    rows = compare(H200 / "microbenchmarks/launches", ROOT / "simconfigs/h100.yaml", [name],
                   results=H100 / "microbenchmarks")  # fmt: skip
    row = next(row for row in rows if row.name == name)
    assert row.failed == ""
    assert row.error == pytest.approx(0, abs=LOOPS[name]), f"{row.simulated:.1f} cycles, measured {row.measured:.1f}"


def test_a_loop_that_the_other_gpu_did_not_run_is_left_out():
    rows = compare(H200 / "microbenchmarks/launches", ROOT / "simconfigs/h100.yaml", ["sm/barrier_latency.sync"],
                   results=H100 / "microbenchmarks")  # fmt: skip
    assert list(rows) == []
