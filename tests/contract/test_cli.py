"""The command line as users meet it: one line for what is wrong, nothing lost, nothing cut, no traceback."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.table import Table

from ssmsim import cli, errors
from ssmsim.counters import COUNTERS
from ssmsim.engines.summary import plain, show, table
from ssmsim.errors import SsmsimError, one_line, told
from ssmsim.results import Result, read_result

ROOT = Path(__file__).parents[2]
LAUNCH = ROOT / "traces/h200/mamba2-2.7b/37-vectorized_elementwise_kernel"
H200 = ROOT / "simconfigs/h200.yaml"
LONGEST = max(COUNTERS, key=len)


@pytest.fixture
def ssmsim(monkeypatch, capsys, tmp_path):
    """Run a command in an empty folder: (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("SSMSIM_DEBUG", raising=False)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["ssmsim", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out = capsys.readouterr()
        return ended.value.code, out.out, out.err

    return run


@pytest.mark.parametrize(("arguments", "told"), [
    (["simulate", LAUNCH, "--config", H200, "--sm-clock-mhz", "-5"], "'--sm-clock-mhz': -5 must be .*100 to 4000 MHz"),
    (["simulate", LAUNCH, "--config", H200, "--sm-clock-mhz", "100000000"], "100 to 4000 MHz"),
    (["simulate", LAUNCH, "--config", H200, "--sm-clock-mhz", "1.98e3"], "100 to 4000 MHz"),
    (["simulate", LAUNCH, "--config", H200, "--sm-clock-mhz", "1_980"], "100 to 4000 MHz"),
    (["simulate", LAUNCH, "--config", H200, "--sample-instructions", "-5"], "'--sample-instructions': -5 must be .* warp instr"),
    (["simulate", LAUNCH, "--config", H200, "--timeline", "t", "--timeline-sm", "²"], "--timeline-sm: '²' must be .*, or all"),
    (["simulate", LAUNCH, "--config", H200, "--timeline", "t", "--timeline-sm", "-1"], "--timeline-sm: -1 must be"),
    (["inspect", LAUNCH, "--blocks", "-1"], "'--blocks': -1 must be .* blocks"),
    (["inspect", LAUNCH, "--blocks", "9" * 50], "'--blocks': .* must be .* blocks"),
    (["trace", LAUNCH, "-o", "d", "--blocks", "-3"], "'--blocks': -3 must be .* blocks"),
    (["count", LAUNCH, "--most", "-1"], "'--most': -1 must be .* warp instructions"),
    (["measure", "-o", "d", "--captured", "c", "--repeat", "0"], "'--repeat': 0 must be .* times"),
    (["simulate", LAUNCH, "--confg", H200], "No such option"), (["simulat"], "No such command"),
    (["simulate", LAUNCH], "Missing option '--config'"), (["simulate", "--config", H200], "Missing argument"),
])  # fmt: skip
def test_a_wrong_argument_is_one_line(arguments, told, ssmsim, tmp_path):
    code, out, error = ssmsim(*arguments)
    assert code in (1, 2) and out == "" and error.count("\n") == 1
    assert re.search(told, error), error
    assert list(tmp_path.iterdir()) == []


def test_buffer_sizes(ssmsim):
    for size in ("-5", str(1 << 60)):
        code, _, error = ssmsim("reshape", LAUNCH, "-o", "d", "--buffer", f"x={size}")
        assert code == 1 and "bytes" in error and error.count("\n") == 1


@pytest.mark.parametrize(("option", "name", "told"), [
    ("--json", "d", "is a folder"), ("--json", "f/x.json", "f/x.json: cannot be written"),
    ("--json", "a" * 300, "cannot be written"), ("--json", "thesis.json", "exists and is not a result"),
    ("--stalls", "thesis.json", "exists and is not a table of stalls"),
    ("--warp-samples", "thesis.json", "exists and is not a table of warp samples"),
    ("--timeline", "thesis.json", "exists and is not a Perfetto trace"), ("--json", "link", "exists and is not a result"),
    ("--json", H200, "exists and is not a result"), ("--json", LAUNCH / "launch.json", "exists and is not a result"),
])  # fmt: skip
def test_outputs_are_checked_before_a_simulation(option, name, told, ssmsim, tmp_path, monkeypatch):
    monkeypatch.setattr("ssmsim.engines.run_launch.replay", None)  # not reached
    (tmp_path / "d").mkdir()
    (tmp_path / "f").touch()
    (tmp_path / "thesis.json").write_text('{"chapters": 7}')
    (tmp_path / "link").symlink_to("thesis.json")
    code, out, error = ssmsim("simulate", LAUNCH, "--config", H200, option, name)
    assert (code, out, error.count("\n")) == (1, "", 1) and told in error
    assert (tmp_path / "thesis.json").read_text() == '{"chapters": 7}' and (tmp_path / "link").is_symlink()


def test_two_outputs_are_two_files(ssmsim, monkeypatch):
    monkeypatch.setattr("ssmsim.engines.run_launch.replay", None)
    code, _, error = ssmsim("simulate", LAUNCH, "--config", H200, "--json", "same", "--stalls", "./same")
    assert code == 1 and "--json and --stalls name one file" in error


@pytest.fixture
def fake(monkeypatch):
    """A simulation that gives this result at once."""
    result = Result(launch="[red]x[/b]", config="h200", engine="embedded", counters=dict.fromkeys(COUNTERS, 1234.5),
                    notes=["[bold] note"])  # fmt: skip
    monkeypatch.setattr("ssmsim.engines.run_launch.replay", lambda *_, **__: result)
    return result


def test_json_to_standard_output(ssmsim, fake):
    for name in ("-",):
        code, out, error = ssmsim("simulate", LAUNCH, "--config", H200, "--json", name)
        assert code == 0 and json.loads(out)["launch"] == fake.launch
        assert LONGEST in error  # the table goes elsewhere


def test_json_through_a_link_and_again(ssmsim, fake, tmp_path):
    (tmp_path / "link.json").symlink_to("real.json")
    for _ in range(2):
        assert ssmsim("simulate", LAUNCH, "--config", H200, "--json", "link.json")[0] == 0
    assert (tmp_path / "link.json").is_symlink() and read_result(tmp_path / "real.json") == fake


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_still_shows_the_table(ssmsim, fake):
    code, out, error = ssmsim("simulate", LAUNCH, "--config", H200, "--json", "/dev/full")
    assert code == 1 and LONGEST in out and "/dev/full: cannot be written: no space left" in error


def test_nothing_is_cut_at_any_width_and_markup_is_text(ssmsim, fake, monkeypatch):
    for columns in ("20", "80", "300"):
        monkeypatch.setenv("COLUMNS", columns)
        _, out, _ = ssmsim("simulate", LAUNCH, "--config", H200)
        assert all(any(line.endswith(f" {name}") for line in out.splitlines()) for name in COUNTERS)
        assert "[red]x[/b] on h200" in out and "[bold] note" in out and "1,234.50" in out


@pytest.mark.parametrize(
    "command", [[], ["simulate"], ["trace"], ["reshape"], ["compare"], ["measure"], ["microbench-compare"]]
)
def test_help_is_not_cut(command, ssmsim, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = ssmsim(*command, "--help")
    assert code == 0 and "…" not in out and not re.search(r"[a-z)]\.\.\.$", out, re.M)
    assert max(map(len, out.splitlines())) <= 80
    for option in {"simulate": ["--sample-instructions", "--warp-samples"]}.get(" ".join(command), []):
        assert f"{option} " in out


def test_version(ssmsim):
    import ssmsim as package

    assert ssmsim("--version") == (0, f"ssmsim {package.__version__}\n", "")


@pytest.mark.parametrize("command", [("trace",), ("reshape", "--grid", "1,1,1"), ("ablate", "--off", "st=STG")])
def test_folders_of_the_user_stay(command, ssmsim, tmp_path):
    name, *options = command
    (tmp_path / "work").mkdir()
    (tmp_path / "work/thesis.tex").write_text("work")
    (tmp_path / "file").write_text("work")
    for output in ("work", "file", ".", "..", LAUNCH, LAUNCH.parent):
        code, out, error = ssmsim(name, LAUNCH, "-o", output, *options)
        assert (code, out, error.count("\n")) == (1, "", 1), error
    assert (tmp_path / "work/thesis.tex").read_text() == "work" == (tmp_path / "file").read_text()


def test_a_launch_may_not_replace_itself_and_a_new_one_may_be_written_again(ssmsim, tmp_path):
    for _ in range(2):
        assert ssmsim("reshape", LAUNCH, "-o", "a", "--grid", "1,1,1")[0] == 0
    code, _, error = ssmsim("reshape", "a", "-o", "a", "--grid", "3,1,1")
    assert code == 1 and "holds an input" in error
    assert ssmsim("trace", "a", "-o", "t")[0] == 0 == ssmsim("trace", "a", "-o", "t")[0]
    code, _, error = ssmsim("reshape", "a", "-o", "t", "--grid", "3,1,1")
    assert code == 1 and "another kind of output" in error
    (tmp_path / "a/notes").write_text("work")
    code, _, error = ssmsim("reshape", LAUNCH, "-o", "a", "--grid", "1,1,1")
    assert code == 1 and "notes" in error and (tmp_path / "a/notes").exists()


def test_the_unforeseen_is_one_line_and_a_log(ssmsim, monkeypatch, tmp_path):
    def fail(*_, **__):
        raise ZeroDivisionError("a fault\nof two lines")

    monkeypatch.setattr("ssmsim.engines.run_launch.replay", fail)
    monkeypatch.delenv("SSMSIM_CACHE", raising=False)
    code, out, error = ssmsim("simulate", LAUNCH, "--config", H200)
    assert (code, out, error.count("\n")) == (70, "", 1) and "Traceback" not in error
    log = Path(error.rsplit(" with ", 1)[1].strip())
    assert log.is_relative_to(tmp_path / "state") and "report" in error
    text = log.read_text()
    assert "Traceback" in text and "ZeroDivisionError: a fault" in text and str(LAUNCH) in text
    monkeypatch.setenv("SSMSIM_DEBUG", "1")
    assert "Traceback" in ssmsim("simulate", LAUNCH, "--config", H200)[2]


@pytest.mark.parametrize(("error", "code", "text"), [
    (SsmsimError("what", "where", "todo"), 1, "ssmsim: where: what; todo\n"),
    (KeyboardInterrupt(), 130, "ssmsim: interrupted\n"),
    (OSError(28, "No space left on device", "/x"), 1, "ssmsim: /x: no space left on device\n"),
    (MemoryError(), 1, "ssmsim: out of memory"),
])  # fmt: skip
def test_what_is_told(error, code, text, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def work():
        raise error

    assert told(work) == code
    assert capsys.readouterr().err.startswith(text)


def test_logs_are_kept_elsewhere_when_the_state_folder_cannot_be_written(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SSMSIM_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert Path(errors._keep(ValueError("x"))).parent == tmp_path


def test_a_line_is_a_line():
    assert one_line("a\nb\tc\x1b[31m\0é") == "a b c\\x1b[31m\\x00é"
    assert len(one_line("x" * 10**6)) < 2100


def test_a_reader_that_has_enough_is_no_error(tmp_path):
    done = subprocess.run(f"{sys.executable} -m ssmsim.cli --help | head -1; echo ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
                          env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True)  # fmt: skip
    assert "Traceback" not in done.stderr


def test_tables_of_rich_are_as_wide_as_they_are(capsys):
    out: Table = plain("title")
    out.add_column("a", no_wrap=True)
    out.add_row("x" * 500)
    show(out, sys.stdout)
    assert "x" * 500 in capsys.readouterr().out
    assert table(Result(launch="l", config="c", engine="e", counters={})).row_count == 0


@pytest.mark.parametrize("change", [
    '{"grid": ' + "9" * 5000 + "}", "[" * 100000, "\ufeff", '{"format": "launch/1", "format": "launch/1"}', "NaN",
])  # fmt: skip
def test_a_launch_json_of_any_text(change, ssmsim, tmp_path):
    (tmp_path / "l").mkdir()
    (tmp_path / "l/launch.json").write_text(change)
    code, out, error = ssmsim("inspect", "l")
    assert (code, out, error.count("\n")) == (1, "", 1) and "launch.json" in error and "unforeseen" not in error


@pytest.mark.parametrize(("field", "value"), [
    ("cubin", "a" * 5000), ("cubin", "/proc/self/mem"), ("cubin", "/dev/zero"), ("cubin", "a\0b"), ("cubin", ".."),
    ("address", 2**64), ("bytes", 2**64), ("address", 2**64 - 1), ("contents", "a" * 5000), ("contents", "/dev/zero"),
])  # fmt: skip
def test_fields_of_a_launch(field, value, ssmsim, tmp_path):
    launch = ROOT / "traces/h200/mamba2-780m-holdout/39-chunk_cumsum_bwd_kernel"
    data = json.loads((launch / "launch.json").read_text())
    data["cubin"] = str((launch / data["cubin"]).resolve())
    for buffer in data["buffers"]:
        if "contents" in buffer:
            buffer["contents"] = str((launch / buffer["contents"]).resolve())
    (data if field in data else data["buffers"][0])[field] = value
    (tmp_path / "l").mkdir()
    (tmp_path / "l/launch.json").write_text(json.dumps(data))
    code, out, error = ssmsim("inspect", "l", "--blocks", "1")
    assert (code, out, error.count("\n")) == (1, "", 1) and "unforeseen" not in error


def test_a_byte_order_mark_before_a_launch_is_left_out(ssmsim, tmp_path):
    data = json.loads((LAUNCH / "launch.json").read_text())
    data["cubin"] = str((LAUNCH / data["cubin"]).resolve())
    (tmp_path / "l").mkdir()
    (tmp_path / "l/launch.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(data).encode())
    assert ssmsim("inspect", "l", "--blocks", "1")[0] == 0


def test_what_nvdisasm_says_is_its_cause():
    from ssmsim.sass.decode import complaint

    text = "nvdisasm error   : Unrecognized operation at address 0x460\nnvdisasm error   : Illegal instruction found\n" \
           "nvdisasm warning : Dataflow analysis disabled due to previous warnings\n"  # fmt: skip
    assert complaint(text, 1) == "nvdisasm error   : Unrecognized operation at address 0x460"
    assert complaint("", -11).startswith("it crashed with SIGSEGV") and "exit code 1" in complaint("", 1)


@pytest.mark.parametrize(("text", "told"), [("", "is empty"), ("a,b\n1,2\n", "no column launch")])
def test_measured_tables_that_are_none(text, told, ssmsim, tmp_path):
    (tmp_path / "m.csv").write_text(text)
    RESULT = Result(launch="l", config="c", engine="e", counters={})
    RESULT.write(tmp_path / "r.json")
    code, out, error = ssmsim("compare", "r.json", "--measured", "m.csv")
    assert (code, out, error.count("\n")) == (1, "", 1) and told in error
    (tmp_path / "bad.json").write_bytes(os.urandom(1000))
    assert ssmsim("compare", "bad.json", "--measured", ROOT / "traces/h200/empty/measured.csv")[0] == 1
    (tmp_path / "q/39").mkdir(parents=True)
    (tmp_path / "q/measured.csv").write_text(text)
    code, out, error = ssmsim("count", "q/39")
    assert code == 1 and told in error


def test_compare_shows_names_as_they_are(ssmsim, tmp_path):
    (tmp_path / "m.csv").write_text("launch,cache,gpc__cycles_elapsed.max\n[red]a[/b],cold,100\n")
    Result(launch="[red]a[/b]", config="c", engine="e", counters={"gpc__cycles_elapsed.max": 110.0}).write(
        tmp_path / "r.json"
    )
    code, out, _ = ssmsim("compare", "r.json", "--measured", "m.csv")
    assert code == 0 and "[red]a[/b]" in out and "+10.0 %" in out
