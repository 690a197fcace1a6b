"""`ssmsim simulate`: one line and exit code 1 for what it cannot replay, nothing left behind; else a whole result."""

from pathlib import Path

import pytest

from ssmsim import cli
from ssmsim.engines.compile_cache import FIRST_USE
from ssmsim.results import read_result

ROOT = Path(__file__).parents[2]
LAUNCH = ROOT / "traces/h200/mamba2-2.7b/37-vectorized_elementwise_kernel"
H200 = ROOT / "simconfigs/h200.yaml"


def told(monkeypatch, capsys, *arguments):
    """(exit code, standard output, standard error) of the command."""
    monkeypatch.setattr("sys.argv", ["ssmsim", "simulate", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    out = capsys.readouterr()
    return ended.value.code, out.out, out.err


@pytest.mark.parametrize(("text", "cause"), [
    ("sm: {blocks: -1}", "mine.yaml:2: field sm.blocks"),
    ("sm: {warps: 64}", "mine.yaml:2: field sm.warps: unknown"),
    ("gpu: {compute_capability: '8.0'}", "captured on compute capability 9.0, mine has 8.0"),
    ("sm: {registers: 1024}", "does not fit on an SM of mine: too much of its registers"),
    ("shared: {max_bytes_per_sm: 65536, max_bytes_per_block: 1024, carveouts_kib: [64]}", ""),
])  # fmt: skip
def test_a_wrong_configuration(text, cause, tmp_path, monkeypatch, capsys):
    for name in ("h100", "h200"):
        (tmp_path / f"{name}.yaml").write_text(H200.with_name(f"{name}.yaml").read_text())
    (tmp_path / "mine.yaml").write_text(f"base: h200\n{text}\n")
    launch = LAUNCH if cause else ROOT / "traces/h200/mamba2-2.7b/04-chunk_scan_fwd_kernel"
    out = tmp_path / "out"
    code, printed, error = told(monkeypatch, capsys, launch, "--config", tmp_path / "mine.yaml", "--json",
                                out / "r.json", "--stalls", out / "s.csv", "--warp-samples", out / "w.csv")  # fmt: skip
    assert (code, printed) == (1, "")
    assert error.startswith("ssmsim: ") and error.count("\n") == 1
    assert (cause or "too much of its shared memory") in error
    assert not out.exists()


@pytest.mark.parametrize(("arguments", "cause"), [
    (["nowhere", "--config", H200], "nowhere: no launch.json"),
    ([LAUNCH, "--config", "nowhere.yaml"], "nowhere.yaml: no such configuration"),
    ([LAUNCH, "--config", H200.with_name("h100.yaml")], "captured on NVIDIA H200, h100.yaml describes the H100"),
    ([LAUNCH, "--config", H200, "--engine", "verilog"], "no engine 'verilog'"),
    ([LAUNCH, "--config", H200, "--tracer", "oracle"], "no tracer 'oracle'"),
    ([LAUNCH, "--config", H200, "--warm", "nowhere"], "nowhere: no launch.json"),
    ([LAUNCH, "--config", H200, "--warm", LAUNCH, "--warm", "nowhere"], "nowhere: no launch.json"),
    ([LAUNCH, "--config", H200, "--timeline", "t.json", "--timeline-sm", "500"], "SM 500"),
])  # fmt: skip
def test_wrong_arguments(arguments, cause, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, printed, error = told(monkeypatch, capsys, *arguments, "--json", "r.json")
    assert (code, printed) == (1, "")
    assert cause in error and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_result_is_whole(tmp_path, monkeypatch, capsys):
    code, printed, error = told(monkeypatch, capsys, LAUNCH, "--config", H200, "--json", tmp_path / "r.json")
    assert code == 0 and error in ("", f"{FIRST_USE}\n")  # where nothing had been compiled before
    result = read_result(tmp_path / "r.json")
    assert (result.engine, result.config, result.cache, result.sampled) == ("embedded", "h200", "cold", None)
    assert result.counters["smsp__inst_executed.sum"] == result.warp_instructions == 120
    assert "gpc__cycles_elapsed.max" in printed
