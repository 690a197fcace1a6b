"""`ssmsim coverage`: shares of launches, time and opcodes that can be replayed; what is missing; broken input."""

import json
import shutil
from pathlib import Path

import pytest
from test_cli import ssmsim  # noqa: F401  # the fixture

from ssmsim.coverage.check import Checked, check, general
from ssmsim.coverage.occurrences import Occurrence, occurrences
from ssmsim.coverage.summary import summarise
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch

ROOT = Path(__file__).parents[2]
CASES, H100 = ROOT / "tests/data/cases", ROOT / "simconfigs/h100.yaml"


def write_sequence(folder: Path, operations: object) -> None:
    (folder / "sequence.json").write_text(json.dumps({"format": "sequence/1", "operations": operations}))


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """Two launches, of which the second is one that no launch fixes, and one that the capture had to leave out."""
    folder = tmp_path / "capture"
    for name in ("pair-in-shared", "constant-symbol"):
        shutil.copytree(CASES / name, folder / name)
    write_sequence(folder, [
        {"launch": "pair-in-shared", "time_ns": 1000}, {"copy": {"to": 1, "from": 2, "bytes": 3}},
        {"launch": "constant-symbol", "count": 2, "time_ns": 2000}, {"launch": "pair-in-shared", "time_ns": 3000},
        {"refused": {"kernel": "gone", "reason": "its cubin could not be read", "time_ns": 2000}},
    ])  # fmt: skip
    return folder


def test_shares_of_a_capture(ssmsim, capture):  # noqa: F811
    code, out, error = ssmsim("coverage", capture, "--config", H100, "--json")
    assert (code, error) == (0, "")
    found = json.loads(out)
    assert found["format"] == "coverage/1"
    assert found["launches"] == {"replayed": 2, "whole": 5}
    assert found["time_ns"] == {"replayed": 4000, "whole": 10000}
    assert [(m["launches"], m["time_ns"], m["opcode"]) for m in found["missing"]] == [(2, 4000, "BRA"), (1, 2000, "")]
    assert "__constant__ variable taps" in found["missing"][0]["reason"]
    assert found["missing"][1]["reason"] == "not captured: its cubin could not be read"
    assert found["opcodes"]["replayed"] == found["opcodes"]["whole"] > 10
    assert found["executed"]["whole"] > 100 and found["untimed"] == 0


def test_processes_find_what_one_finds(ssmsim, capture):  # noqa: F811
    for i in range(7):
        shutil.copytree(CASES / "pair-in-shared", capture / f"again-{i}")
    (capture / "again-3/launch.json").write_text("{")
    (capture / "sequence.json").unlink()
    one = ssmsim("coverage", capture, "--config", H100, "--json", "--workers", 1)
    two = ssmsim("coverage", capture, "--config", H100, "--json", "--workers", 2)
    assert one == two and one[0] == 1 and "again-3" in one[2]
    assert json.loads(two[1])["launches"] == {"replayed": 7, "whole": 9}


def test_launches_that_differ_in_places_alone_are_checked_once(tmp_path, monkeypatch):
    from ssmsim.config.load import load
    from ssmsim.coverage import beside

    original = ROOT / "tests/data/captures/ssd-small/00-chunk_cumsum_fwd_kernel"
    launch = json.loads((original / "launch.json").read_text())
    folders = [tmp_path / name for name in ("a", "b", "c", "d", "e")]
    for folder in folders:
        shutil.copytree(original, folder)
        (folder / launch["cubin"]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(original / launch["cubin"], folder / launch["cubin"])

    for b in launch["buffers"]:
        b.pop("contents", None)

    def moved(folder, by, contents=None):
        params, there = launch["params"], []
        for b in launch["buffers"]:
            old, new = (at.to_bytes(8, "little").hex() for at in (b["address"], b["address"] + by))
            params = params.replace(old, new)
            there.append(b | {"address": b["address"] + by} | ({"contents": contents} if contents else {}))
        (folder / "launch.json").write_text(json.dumps(launch | {"params": params, "buffers": there}))

    moved(folders[0], 0)
    moved(folders[1], 1 << 30)
    (tmp_path / "bytes").write_bytes(bytes(8))
    moved(folders[2], 1 << 30, "../bytes")  # contents may hold pointers
    moved(folders[3], 2 << 30, "../bytes")
    (folders[4] / "launch.json").write_text(json.dumps(launch | {"grid": [1, 1, 1]}))
    asked = []
    monkeypatch.setattr(beside, "check", lambda folder, config, blocks: asked.append(folder) or folder.name)
    found = list(beside.each(folders, load(H100), 4, 1))
    assert found == ["a", "a", "c", "d", "e"] and len(asked) == 4


def test_tables(ssmsim, capture):  # noqa: F811
    code, out, error = ssmsim("coverage", capture, "--config", H100)
    assert (code, error) == (0, "")
    lines = out.splitlines()
    assert any(line.split() == ["launches", "2", "5", "40.0", "%"] for line in lines)
    assert any("40.0 %" in line and "constant-symbol" in line for line in lines)


def test_a_captured_kernel_of_the_study_is_replayed():
    from ssmsim.config.load import load

    found = check(ROOT / "traces/h200/mamba2-2.7b/37-vectorized_elementwise_kernel", load(H100), 2)
    assert found.reason == "" and not found.missing
    assert sum(found.executed.values()) > 0 and set(found.executed) <= set(found.static)


def test_times_come_from_the_measured_table_where_the_sequence_has_none(tmp_path):
    one = ROOT / "tests/data/captures/ssd-small"
    shutil.copytree(one / "00-chunk_cumsum_fwd_kernel", tmp_path / "00-chunk_cumsum_fwd_kernel")
    head = "launch,kernel,cache,repetitions,gpc__cycles_elapsed.max,gpu__time_duration.sum"
    row = "00-chunk_cumsum_fwd_kernel,k,cold,1,1980,1000"
    (tmp_path / "measured.csv").write_text(f"{head}\n{row}\n")
    assert [(o.name, o.count, o.time_ns) for o in occurrences(tmp_path)] == [("00-chunk_cumsum_fwd_kernel", 1, 1000.0)]


@pytest.mark.parametrize(("operations", "told"), [
    ("text", "list of operations"), ([7], "operation 0: expected an object"), ([{"launch": "a", "count": 0}], "count 0"),
    ([{"launch": "a", "count": True}], "count True"), ([{"launch": "a", "time_ns": -1}], "time_ns -1"),
    ([{"launch": "a", "time_ns": "long"}], "time_ns 'long'"), ([{"launch": "a"}], "holds no launch"),
])  # fmt: skip
def test_a_broken_sequence_is_one_line(operations, told, ssmsim, tmp_path):  # noqa: F811
    folder = tmp_path / "c"
    folder.mkdir()
    write_sequence(folder, operations)
    code, out, error = ssmsim("coverage", folder, "--config", H100)
    assert code == 1 and out == "" and told in error and error.count("\n") == 1


@pytest.mark.parametrize("name", ["nothing", "."])
def test_a_folder_without_launches_is_one_line(name, ssmsim, tmp_path):  # noqa: F811
    (tmp_path / "more").mkdir()
    code, out, error = ssmsim("coverage", tmp_path / name, "--config", H100)
    assert code == 1 and out == "" and error.count("\n") == 1


def test_broken_launches_are_a_line_each_and_the_others_are_told(ssmsim, capture):  # noqa: F811
    (capture / "constant-symbol/launch.json").write_text("{")
    other = capture / "empty"
    other.mkdir()
    (other / "launch.json").write_text('{"format": "launch/1"}')
    (capture / "sequence.json").unlink()
    code, out, error = ssmsim("coverage", capture, "--config", H100, "--json")
    assert code == 1 and error.count("\n") == 2
    found = json.loads(out)
    assert found["launches"] == {"replayed": 1, "whole": 3}
    assert found["missing"][0]["reason"] == "not a whole launch" and found["missing"][0]["launches"] == 2


def test_causes_are_counted_together_and_the_largest_comes_first():
    launch = read_launch(CASES / "constant-symbol")
    a, b = (
        general(SsmsimError(f"its mask depends on data that PC {pc} LDG.E R2, [R4.64] loads from {name}, which is not recorded",
                            f"k PC {pc} @!P0 STG.E [R4.64], R2"), launch)
        for pc, name in (("0x0150", "buffer 3"), ("0x0a10", "buffer 12"))
    )  # fmt: skip
    assert a == b == ("its mask depends on data that LDG loads from memory, which is not recorded", "STG")
    pairs = [
        (Occurrence("x", Path("x"), 3, 10.0), Checked("x", *a)), (Occurrence("y", Path("y"), 1, 5.0), Checked("y", *b)),
        (Occurrence("z", Path("z"), 9, 30.0), Checked("z", "too large")), (Occurrence("w", Path("w"), 2), Checked("w")),
    ]  # fmt: skip
    found = summarise(pairs)
    assert [(m.launches, m.kernels, m.time_ns, m.example) for m in found.missing] == [
        (9, 1, 30.0, "z"),
        (4, 2, 15.0, "x"),
    ]
    assert (found.launches.replayed, found.launches.whole, found.untimed) == (2, 15, 2)
