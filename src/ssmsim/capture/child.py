"""Starts the program under study in a process of its own and turns its failures into one line."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import ssmsim
from ssmsim.capture.inside import FAILED
from ssmsim.errors import SsmsimError


def python_program(command: list[str]) -> tuple[str, list[str]]:
    """(interpreter, arguments) of `python SCRIPT ...`."""
    if not command:
        raise SsmsimError("no program to run", "", "give `-- python SCRIPT ...`")
    if not Path(command[0]).name.startswith("python"):
        raise SsmsimError(f"{command[0]!r} is not Python", "", "give `-- python SCRIPT ...`")
    return command[0], command[1:]


def run_inside(command: list[str], wish: dict[str, Any], prefix: list[str] | None = None) -> str:
    """Run `python SCRIPT ...` under ssmsim.capture.inside, `prefix` (a profiler) before it; its standard output.

    wish: see ssmsim.capture.inside; `out` is its folder. Raises SsmsimError for every way in which it can fail.
    """
    interpreter, arguments = python_program(command)
    source = str(Path(ssmsim.__file__).parents[1])
    environment = os.environ | {
        "SSMSIM_CAPTURE": json.dumps(wish),
        "PYTHONPATH": os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH", "")))),
    }
    line = [*(prefix or []), interpreter, "-m", "ssmsim.capture.inside", *arguments]
    with tempfile.TemporaryFile("w+") as output:
        try:
            done = subprocess.run(line, env=environment, stdout=output if prefix else None, check=False)
        except FileNotFoundError:
            raise SsmsimError(f"no program {line[0]!r}", "", "name one that is on the PATH") from None
        output.seek(0)
        text = output.read()
    told = Path(wish["out"]) / "error.json"
    if told.is_file():
        raise SsmsimError(**json.loads(told.read_text()))
    if done.returncode:
        _explain(done.returncode, text, " ".join(command), prefix)
    return text


def _explain(code: int, text: str, program: str, prefix: list[str] | None) -> None:
    if "ERR_NVGPUCTRPERM" in text:
        todo = "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
        raise SsmsimError("no permission to read the GPU's counters", "", todo)
    told = [line for line in text.splitlines() if line.startswith("==ERROR==")]
    if told:
        raise SsmsimError(f"{(prefix or ['?'])[0]}: {told[0].removeprefix('==ERROR==').strip()}", program, "")
    if code == FAILED:
        raise SsmsimError(
            "the interception failed without a word", program, "run the program alone to see whether it works"
        )
    what = f"ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    raise SsmsimError(f"the program {what}", program, "its own output above says why; run it alone first")
