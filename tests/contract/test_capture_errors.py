"""`ssmsim capture` and `ssmsim measure` say in one line what is wrong, and leave nothing behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ssmsim.capture.child import python_program, run_inside
from ssmsim.errors import SsmsimError

SMALL = Path(__file__).parents[1] / "data" / "captures" / "mamba1-small"


def ssmsim(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({} if path is None else {"PATH": path})
    code = (
        "import sys, typer; from ssmsim.capture.command import register; from ssmsim.errors import SsmsimError\n"
        "app = typer.Typer(pretty_exceptions_enable=False); register(app)\n"
        "try: app()\n"
        "except SsmsimError as error: print(f'ssmsim: {error}', file=sys.stderr); sys.exit(1)\n"
    )
    line = [sys.executable, "-c", code, *arguments]
    return subprocess.run(line, capture_output=True, text=True, env=environment, check=False)


def has_gpu() -> bool:
    return Path("/dev/nvidia0").exists()


@pytest.mark.skipif(has_gpu(), reason="shows what happens without a GPU")
def test_capture_without_a_gpu(tmp_path: Path):
    done = ssmsim("capture", "-o", str(tmp_path / "out"), "--", sys.executable, "-c", "print(1)")
    assert done.returncode == 1
    assert done.stderr.startswith("ssmsim: no GPU") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_measure_without_ncu(tmp_path: Path):
    done = ssmsim("measure", "-o", str(SMALL), "--", sys.executable, "-c", "print(1)", path=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("ssmsim: no ncu found") and done.stderr.count("\n") == 1


def test_measure_before_capture(tmp_path: Path):
    done = ssmsim("measure", "-o", str(tmp_path / "none"), "--", sys.executable, "-c", "print(1)")
    assert done.returncode == 1 and "no captured launches" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_measure_captured_says_what_is_wrong(tmp_path: Path):
    cases = {
        ("--captured", str(tmp_path / "none")): "no captured launches",
        ("--captured", str(SMALL), "--again", "x"): "--captured takes no program, --again or --warm",
        ("--captured", str(SMALL)): "no ncu found",
        (): "no program to run",
    }
    for arguments, needle in cases.items():
        done = ssmsim("measure", "-o", str(tmp_path / "out"), *arguments, path=str(tmp_path))
        assert done.returncode == 1 and needle in done.stderr and done.stderr.count("\n") == 1, done.stderr
    own = ssmsim("measure", "-o", str(SMALL), "--captured", str(SMALL))
    assert own.returncode == 1 and "would replace the capture's own measurements" in own.stderr
    assert list(tmp_path.iterdir()) == []


def test_only_python_programs():
    assert python_program(["python3", "a.py", "-x"]) == ("python3", ["a.py", "-x"])
    for command, needle in ((["./a.out"], "not Python"), ([], "no program")):
        with pytest.raises(SsmsimError, match=needle):
            python_program(command)


def wish(folder: Path) -> dict:
    return {"out": str(folder), "mode": "hash"}


def test_script_that_fails(tmp_path: Path):
    with pytest.raises(SsmsimError, match="failed with exit code 3"):
        run_inside([sys.executable, "-c", "import sys; sys.exit(3)"], wish(tmp_path))
    with pytest.raises(SsmsimError, match="ended by signal 9"):
        run_inside([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], wish(tmp_path))


def test_script_that_is_not_there(tmp_path: Path):
    with pytest.raises(SsmsimError, match="failed with exit code"):
        run_inside([sys.executable, str(tmp_path / "none.py")], wish(tmp_path))
    with pytest.raises(SsmsimError, match="no program"):
        run_inside([str(tmp_path / "python9"), "x.py"], wish(tmp_path))


def test_script_runs_as_python_would_run_it(tmp_path: Path):
    script = tmp_path / "s.py"
    script.write_text("import sys, pathlib\npathlib.Path(sys.argv[1]).write_text(__name__ + ' ' + sys.argv[2])\n")
    run_inside([sys.executable, str(script), str(tmp_path / "told"), "more"], wish(tmp_path))
    assert (tmp_path / "told").read_text() == "__main__ more"


@pytest.mark.parametrize(
    ("printed", "needle"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "no permission to read the GPU's counters"),
        ("==ERROR== Failed to find metric x", "Failed to find metric x"),
    ],
)
def test_profiler_that_fails(tmp_path: Path, printed: str, needle: str):
    profiler = [sys.executable, "-c", f"import sys; print({printed!r}); sys.exit(1)"]
    with pytest.raises(SsmsimError, match=needle):
        run_inside([sys.executable, "-c", "pass"], wish(tmp_path), profiler)


def test_warm_without_a_counter_to_measure_again(tmp_path: Path):
    done = ssmsim("measure", "-o", str(tmp_path), "--warm", "--", sys.executable, "-c", "print(1)")
    assert done.returncode != 0
    assert "--again" in done.stderr and "Traceback" not in done.stderr
