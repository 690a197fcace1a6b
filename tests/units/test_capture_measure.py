"""The measured table: reading ncu's page, medians, and the refusal to measure something else than was captured."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.capture import again, measure, ncu
from ssmsim.capture.refused import GRAPH, Launches, Refused
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError

SMALL = Path(__file__).parents[1] / "data" / "captures"
PAGE = """==PROF== Connected to process 17 (/usr/bin/python3)
"ID","Process ID","Kernel Name","Block Size","Grid Size","smsp__inst_executed.sum","dram__bytes_read.sum"
"","","","","","inst","byte"
"0","17","_a","(128, 1, 1)","(8, 64, 80)","212,582,400","1,024"
"1","17","_b","(64, 1, 1)","(1, 1, 1)","12","n/a"
==PROF== Disconnected
"""


def test_page_of_ncu():
    units, rows = ncu.parse(PAGE)
    assert units["smsp__inst_executed.sum"] == "inst" and len(rows) == 2
    assert ncu.grid_of(rows[0]) == ((8, 64, 80), (128, 1, 1))
    assert ncu.number(rows[0]["smsp__inst_executed.sum"]) == 212582400
    assert ncu.number(rows[1]["dram__bytes_read.sum"]) is None


@pytest.mark.parametrize("text", ["", "==ERROR== LibraryNotLoaded\n", "==WARNING== No kernels were profiled.\n"])
def test_no_page(text: str):
    with pytest.raises(SsmsimError, match="ncu gave no table"):
        ncu.parse(text)


@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=9))
def test_spread_bounds_the_values(values: list[float]):
    spread = measure.spread(values)
    assert spread is not None and 0 <= spread <= 1
    assert max(values) * (1 - spread) == pytest.approx(min(values), abs=1e-9 * max(values))


def test_no_value_has_no_median_and_no_spread():
    assert measure.median([None, None]) is None and measure.spread([None]) is None
    assert measure.median([3.0, None, 1.0]) == 2.0


@pytest.fixture
def launches():
    return measure.captured(SMALL / "mamba1-small")


def told(launches, **changes: object) -> dict:
    launch = next(iter(launches.values()))
    same = {"kernel": launch.kernel, "grid": launch.grid, "block": launch.block}
    return same | {"code": launch.provenance["code_sha256"]} | changes


def test_the_same_launch_is_accepted(launches):
    name, launch = next(iter(launches.items()))
    measure.check(0, name, launch, told(launches), "run")


@pytest.mark.parametrize("change", [{"kernel": "_x"}, {"grid": (9, 9, 9)}, {"block": (1, 1, 1)}, {"code": "0" * 64}])
def test_another_launch_is_refused(launches, change: dict):
    name, launch = next(iter(launches.items()))
    with pytest.raises(SsmsimError, match="launch 0"):
        measure.check(0, name, launch, told(launches, **change), "run")


def test_another_tuning_is_refused_under_the_profiler():
    launches = measure.captured(SMALL / "ssd-small")
    run = [(x.kernel, x.provenance["code_sha256"]) for x in launches.values() if x.kernel.startswith("_chunk")]
    ran = [*run[:-1], (run[-1][0], "f" * 64)]
    measure._check_code([("_warm_up", "0" * 64), *run], launches)
    with pytest.raises(SsmsimError, match=r"tuning\.json, which pins"):
        measure._check_code(ran, launches)


def test_another_number_of_launches_is_refused(launches):
    assert measure.repeats([0] * 18, launches, "run") == 2
    for count in (0, 8, 10):
        with pytest.raises(SsmsimError, match="where the capture has 9"):
            measure.repeats([0] * count, launches, "run")


def test_no_capture(tmp_path: Path):
    with pytest.raises(SsmsimError, match="no captured launches"):
        measure.captured(tmp_path)


def test_table_and_schema(tmp_path: Path):
    row = measure.Measured("00-a", "_a", "cold", {name: [4.0, 5.0, 6.0] for name in COUNTERS})
    row.values["idc__request_hit_rate.pct"] = [None] * 3
    measure.write_table(tmp_path / "measured.csv", [row])
    measure.write_schema(tmp_path / "measured.schema.json", [row], {}.fromkeys(COUNTERS, ""), {})
    (read,) = csv.DictReader((tmp_path / "measured.csv").open())
    assert read["gpc__cycles_elapsed.max"] == "5" and read["gpc__cycles_elapsed.max:spread"] == "0.3333"
    assert read["repetitions"] == "3" and read["idc__request_hit_rate.pct"] == ""
    schema = json.loads((tmp_path / "measured.schema.json").read_text())
    assert "empty" in schema["columns"]["idc__request_hit_rate.pct"]


def test_counters_measured_again_take_the_cold_rows_alone():
    table = [{"launch": "00-a", "cache": cache, "dram__bytes_write.sum": "7", "dram__bytes_write.sum:spread": "0"}
             for cache in ("cold", "warm")]  # fmt: skip
    again.replace(table, {"00-a": {"dram__bytes_write.sum": [1.0, 2.0, 4.0]}})
    assert [row["dram__bytes_write.sum"] for row in table] == ["2", "7"]
    assert [row["dram__bytes_write.sum:spread"] for row in table] == ["0.7500", "0"]
    again.replace(table, {"00-a": {"dram__bytes_write.sum": [3.0]}}, "warm")
    assert [row["dram__bytes_write.sum"] for row in table] == ["2", "3"]
    with pytest.raises(SsmsimError, match="not in the capture"):
        again.replace(table, {"01-b": {}})


def test_nothing_measured_to_be_measured_again(tmp_path: Path):
    with pytest.raises(SsmsimError, match="no counter nonsense"):
        again.measure_again([], tmp_path, ["nonsense"])
    with pytest.raises(SsmsimError, match="nothing measured yet"):
        again.measure_again([], tmp_path, ["dram__bytes_write.sum"])


@pytest.fixture
def repeated(launches):
    """Two launches, of which the first ran twice."""
    (a, first), (b, second) = list(launches.items())[:2]
    return Launches({a: first, b: second}, [a, b, a])


def test_equal_launches_are_timed_each(repeated, monkeypatch: pytest.MonkeyPatch):
    a, b = repeated
    times = iter(range(100))

    def run(_command, wish):
        with (Path(wish["out"]) / "times.csv").open("w", newline="") as file:
            out = csv.DictWriter(file, ["kernel", "grid", "block", "code_sha256", "microseconds"])
            out.writeheader()
            for launch in (repeated[name] for name in repeated.order):
                size = {key: "x".join(map(str, getattr(launch, key))) for key in ("grid", "block")}
                code = launch.provenance["code_sha256"]
                out.writerow({"kernel": launch.kernel, "code_sha256": code, "microseconds": next(times)} | size)

    monkeypatch.setattr(measure, "run_inside", run)
    found = measure.event_times([], repeated)
    assert found == {a: [0, 2, 3, 5, 6, 8, 9, 11, 12, 14], b: [1, 4, 7, 10, 13]}


@pytest.mark.parametrize(("cache", "values"), [("cold", [0, 2, 3, 5]), ("warm", [0, 3])])
def test_warm_counters_are_those_of_the_first_of_equal_launches(
    repeated, monkeypatch: pytest.MonkeyPatch, cache: str, values: list[int]
):
    a, b = repeated

    def run(_command, wish, _prefix):
        (Path(wish["out"]) / "launched.json").write_text("[]")
        return ""

    def page(_text):
        ran = [repeated[name] for name in repeated.order * 2]
        return {}, [
            {"Kernel Name": one.kernel, "Grid Size": str(one.grid), "Block Size": str(one.block), "x": str(i)}
            for i, one in enumerate(ran)
        ]

    monkeypatch.setattr(measure, "run_inside", run)
    monkeypatch.setattr(ncu, "parse", page)
    monkeypatch.setattr(ncu, "prefix", lambda *_: [])
    rows, _ = measure.counters([], repeated, cache, ["x"], repetitions=2)
    assert {row.launch: row.values["x"] for row in rows} == {a: values, b: [1, 4]}


def test_triton_kernels_of_graphs_are_known_by_their_code_in_any_order():
    """A graph is recorded once and launched often: what Triton launched is not the order of the kernels."""
    launches = measure.captured(SMALL / "ssd-small")
    graphs = Launches(launches, [*launches, *launches], graphs=True)
    run = [(x.kernel, x.provenance["code_sha256"]) for x in launches.values() if x.kernel.startswith("_chunk")]
    measure._check_code(run[::-1], graphs)
    with pytest.raises(SsmsimError, match=r"tuning\.json, which pins"):
        measure._check_code([*run[:-1], (run[-1][0], "f" * 64)], graphs)


def test_a_refused_graph_is_not_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(measure, "captured", lambda _: {})
    monkeypatch.setattr(measure, "launched", lambda _: {"0": Refused(GRAPH, "because")})
    with pytest.raises(SsmsimError, match="without CUDA graphs"):
        measure.measure([], tmp_path)


def test_one_repetition_with_cold_caches_is_three_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    runs: list[tuple[str, int]] = []

    def times(_command, _launches, repetitions):
        runs.append(("times", repetitions))
        return {}

    def counters(_command, _launches, cache, wanted, _one_pass, repetitions):
        runs.append((cache, repetitions))
        return [], dict.fromkeys(wanted, "")

    for name, value in {
        "event_times": times,
        "counters": counters,
        "captured": lambda _: {},
        "launched": lambda _: {},
    }.items():
        monkeypatch.setattr(measure, name, value)
    monkeypatch.setattr(ncu, "prefix", lambda *_: [])
    monkeypatch.setattr(measure.device, "smi", dict)
    measure.measure([], tmp_path, 1, ("cold",))
    assert runs == [("times", 1), ("cold", 1), ("cold", 1)]
