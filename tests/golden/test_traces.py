"""The committed captures and measurements: complete, consistent, small, and free of the machine they were made on."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from ssmsim.counters import COUNTERS, SASS_FLOP, TENSOR_FLOP
from ssmsim.launch import read_launch

ROOT = Path(__file__).parents[2]
TRACES = ROOT / "traces" / "h200"
GPUS = (ROOT / "traces" / "h100", TRACES)
MEASURED = sorted(file.parent for gpu in GPUS for file in gpu.glob("*/measured.csv"))
MAIN = ("mamba2-2.7b", "mamba2-8b", "mamba1-2.8b")
CYCLES = "gpc__cycles_elapsed.max"


def table(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "measured.csv")


def caches(folder: Path) -> tuple[str, ...]:
    """What a workload was measured with: from its cubins alone (ssmsim.capture.elsewhere) with cold caches only."""
    facts = json.loads((folder / "measured.schema.json").read_text())
    return ("cold",) if "ssmsim.capture.relaunch" in facts.get("program", "") else ("cold", "warm")


def named(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


@pytest.mark.parametrize("gpu", GPUS, ids=lambda f: f.name)
def test_every_captured_workload_is_measured(gpu: Path):
    captured = {file.parents[1] for file in gpu.glob("*/*/launch.json")}
    measured = {folder for folder in MEASURED if folder.parent == gpu}
    assert captured == measured and {f.name for f in measured} >= set(MAIN)


@pytest.mark.parametrize("gpu", GPUS, ids=lambda f: f.name)
def test_launches_name_the_gpu_whose_folder_holds_them(gpu: Path):
    for file in gpu.glob("*/*/launch.json"):
        assert gpu.name.upper() in json.loads(file.read_text())["device"]["name"], file


@pytest.mark.parametrize("folder", MEASURED, ids=named)
def test_one_row_per_launch_and_cache_state(folder: Path):
    rows = table(folder)
    launches = sorted(file.parent.name for file in folder.glob("*/launch.json"))
    for cache in caches(folder):
        assert rows[rows.cache == cache].launch.tolist() == launches
    assert (rows.repetitions == 5).all()
    if caches(folder) == ("cold",):
        return  # no program ran whose launches could be timed
    times = pd.read_csv(folder / "event_times.csv")
    assert times.launch.tolist() == launches and (times.repetitions >= 5).all() and (times.microseconds > 0).all()


@pytest.mark.parametrize("folder", MEASURED, ids=named)
def test_no_cell_is_empty_without_a_reason(folder: Path):
    rows = table(folder)
    columns = json.loads((folder / "measured.schema.json").read_text())["columns"]
    assert set(columns) == set(COUNTERS)
    for name in COUNTERS:
        assert "empty" in columns[name] or rows[name].notna().all(), name
        assert rows[f"{name}:spread"].notna().all() or "empty" in columns[name]


@pytest.mark.parametrize("folder", MEASURED, ids=named)
def test_exact_counters_are_the_same_in_every_run(folder: Path):
    rows = table(folder)
    parts = [rows[rows.cache == cache].reset_index(drop=True) for cache in caches(folder)]
    for name, counter in COUNTERS.items():
        if counter.exact and name in rows.columns:
            assert (rows[f"{name}:spread"] == 0).all(), name
            assert all(part[name].equals(parts[0][name]) for part in parts), name


@pytest.mark.parametrize("folder", [gpu / name for gpu in GPUS for name in MAIN], ids=named)
def test_repetitions_agree_within_three_percent(folder: Path):
    rows = table(folder)
    long = rows[(rows["gpu__time_duration.sum"] >= 20_000)]
    assert len(long) > 2 and (long[f"{CYCLES}:spread"] / 2 <= 0.03).all(), "each within 3 % of the middle of the five"
    short = rows[rows["gpu__time_duration.sum"] < 20_000]
    assert (short[f"{CYCLES}:spread"] * short[CYCLES] < 3000).all(), "a launch's start and end vary by about a us"


def test_measured_instructions_agree_with_the_launch():
    """Independent of each other: warps launched by the geometry, and by the hardware's own count."""
    for folder in MEASURED:
        rows = table(folder)
        for row in rows[rows.cache == "cold"].to_dict("records"):
            launch = read_launch(folder / row["launch"])
            assert row["sm__warps_launched.sum"] == launch.blocks * launch.warps_per_block
            assert row["smsp__thread_inst_executed.sum"] <= 32 * row["smsp__inst_executed.sum"]


def test_tensor_flop_of_a_known_product():
    """chunk_state multiplies, for each of 64 chunks and 80 heads, 64 x 256 by 256 x 128 in bfloat16."""
    row = table(TRACES / "mamba2-2.7b").set_index(["launch", "cache"]).loc[("01-chunk_state_fwd_kernel", "cold")]
    assert row[TENSOR_FLOP[0]] == 2 * 64 * 80 * 64 * 256 * 128
    assert sum(row[name] for name in SASS_FLOP) > 0


def test_times_of_both_kinds_agree():
    """Event times in the running sequence against ncu's durations there: the two events add 2 us, no more."""
    for folder in (gpu / name for gpu in GPUS for name in MAIN):
        times = pd.read_csv(folder / "event_times.csv").set_index("launch").microseconds
        warm = table(folder).query("cache == 'warm'").set_index("launch")["gpu__time_duration.sum"] / 1e3
        assert ((times - 2 - warm).abs() <= 1.0 + 0.02 * warm).all()


def test_an_empty_kernel_shows_start_and_end():
    rows = table(TRACES / "empty").query("cache == 'cold'")
    assert (rows[CYCLES] - rows["sm__cycles_active.max"]).between(1500, 6000).all()


def test_the_whole_is_small_and_names_no_machine():
    files = [file for root in (ROOT / "traces", ROOT / "tests" / "data" / "captures") for file in root.rglob("*")]
    assert sum(file.stat().st_size for file in files if file.is_file()) < 24e6
    for file in files:
        if file.suffix in (".cubin", ".json", ".csv"):
            assert not re.search(rb"/(?:work|tmp|home|root|usr/src|opt)/", file.read_bytes()), file
