"""`ssmsim cost` and `ssmsim energy`: what they print and write, and what they refuse in one line."""

import json
from pathlib import Path

import pytest

from ssmsim.cli import run
from ssmsim.cost.exact import exact_counters
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.measured import read_measured
from ssmsim.results import Result, Sampled

ROOT = Path(__file__).parents[2]
TRACES = ROOT / "traces/h100/mamba2-2.7b"


def written(path: Path, **changes: object) -> Path:
    """A result with some counters, as a simulation writes it."""
    counters: dict[str, float | None] = {
        "dram__bytes_read.sum": 1e6,
        "dram__bytes_write.sum": 0.0,
        "gpu__time_duration.sum": 1e4,
    }
    Result(launch="a", config="h100", engine="embedded", counters=counters).model_copy(update=changes).write(path)
    return path


def test_cost_prints_each_resource_and_what_is_not_known(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("h100",):
        (tmp_path / f"{name}.yaml").write_text((ROOT / f"simconfigs/{name}.yaml").read_text())
    mine = tmp_path / "mine.yaml"
    mine.write_text("base: h100\nsm: {fp32_lanes_per_subcore: 64}\nl1: {prefetch_lead_cycles: 300}\n")
    assert run(["cost", str(mine)]) == 0
    told = capsys.readouterr().out
    assert "mine beside h100, TSMC 4N" in told and "fp32_lanes  16,896 -> 33,792 lanes  19.43 (11.19 to 58.9)" in told
    assert "not in it: l1.prefetch_lead_cycles" in told and "54% of a die of 814 mm2" in told
    assert run(["cost", str(mine), "--json", str(tmp_path / "cost.json")]) == 0
    data = json.loads((tmp_path / "cost.json").read_text())
    assert data["unknown"] == ["l1.prefetch_lead_cycles"] and data["resources"]["fp32_lanes"]["after"] == 33792
    assert data["mm2"] == data["resources"]["fp32_lanes"]["mm2"]
    other = tmp_path / "other.json"
    other.write_text("{}")
    with pytest.raises(SsmsimError, match="exists and is not a cost"):
        run(["cost", str(mine), "--json", str(other)])
    with pytest.raises(SsmsimError, match="no such configuration"):
        run(["cost", str(tmp_path / "absent.yaml")])


def test_energy_of_a_result_says_what_it_lacks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = written(tmp_path / "result.json")
    assert run(["energy", str(file)]) == 0
    told = capsys.readouterr().out
    assert "dram_byte  31.4 (27.5 to 56)" in told and "static     1,380 (1,260 to 1,570)" in told
    assert "not in it: tensor_flop, the result lacks" in told and "together" not in told
    assert run(["energy", str(file), "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["joules"] is None and "instruction" in data["missing"]
    whole = written(tmp_path / "whole.json", counters=dict.fromkeys(COUNTERS, 0.0) | {"gpu__time_duration.sum": 1e4})
    assert run(["energy", str(whole)]) == 0
    assert "138 (126 to 157) W in the mean" in capsys.readouterr().out


def test_energy_of_a_measured_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["energy", str(TRACES / "measured.csv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 43 and lines[-1].startswith("13 of 20 microseconds and more: 287 to 424 W")


def test_energy_refuses_in_one_line(tmp_path: Path) -> None:
    file = written(tmp_path / "result.json")
    part = written(tmp_path / "part.json", sampled=Sampled(fraction=0.5))
    for arguments, words in (
        ([str(TRACES / "03-bmm_chunk_fwd_kernel")], "no configuration; give --config"),
        ([str(file), "--config", "x.yaml"], "--config and --sample do not go with a result"),
        ([str(TRACES / "measured.csv"), "--json", "-"], "do not go with a measured table"),
        ([str(part)], "counts some of the thread blocks"),
        ([str(tmp_path / "absent.json"), "--config", "x.yaml"], "absent.json"),
    ):
        with pytest.raises(SsmsimError) as error:
            run(["energy", *arguments])
        assert words in str(error.value)


def test_exact_counters_are_the_measured_ones() -> None:
    """Operations of tensor cores and sectors of local memory too."""
    launch = TRACES / "03-bmm_chunk_fwd_kernel"
    row, found = read_measured(TRACES / "measured.csv").rows[launch.name, "cold"], exact_counters(read_launch(launch))
    assert {name: value for name, value in found.items() if row[name] != value} == {}
    assert found["sm__ops_path_tensor_src_bf16_dst_fp32.sum"] == 2**30
