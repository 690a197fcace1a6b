"""Runs a Python program with its kernel launches intercepted: `python -m ssmsim.capture.inside PROGRAM ARGUMENTS`.

Started by `ssmsim capture` and `ssmsim measure`, which say in SSMSIM_CAPTURE what to do:
{"out": folder, "mode": "capture" | "time" | "hash", "contents": "needed" | "all" | "none", "limit_mib": of a needed buffer,
"every": equal launches are each kept, "workers": processes that try launches, as many as there are cores but one when
absent, "tuning": a capture's tuning.json}.
"""

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from ssmsim.errors import SsmsimError

FAILED = 70  # exit code: the interception failed, error.json says why; the program's own codes pass through


def _run_program(arguments: list[str]) -> None:
    """What `python ARGUMENTS` would run: a script, `-m module` or `-c code`."""
    match arguments:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        case [script, *rest]:
            sys.argv = [script, *rest]
            sys.path[0] = str(Path(script).parent)
            runpy.run_path(script, run_name="__main__")
        case []:
            raise SsmsimError("no program to run", "", "give `-- python SCRIPT ...`")


def _run_hashed(arguments: list[str], wish: dict[str, Any]) -> None:
    """Without CUPTI, which a profiler has taken: only what Triton launches is noted."""
    from ssmsim.capture.frameworks import watch_triton

    launched: list[tuple[str, str]] = []
    watch_triton(launched)
    _pin(wish)
    try:
        _run_program(arguments)
    except SystemExit as stop:
        if stop.code not in (None, 0):
            raise
    (Path(wish["out"]) / "launched.json").write_text(json.dumps(launched))


def _pin(wish: dict[str, Any]) -> None:
    """Triton's autotuner chooses as it did in the capture that is measured; its choices are remembered."""
    from ssmsim.capture.tuning import pin_tuning

    pin_tuning(Path(wish["tuning"]) if "tuning" in wish else None)


def _inputs(wish: dict[str, Any]) -> Any:
    """What records contents. SsmsimError before the program runs when what says which are needed is not installed."""
    from ssmsim.capture.inputs import Inputs
    from ssmsim.capture.modes import LIMIT_MIB
    from ssmsim.capture.pool import cores
    from ssmsim.sass.decode import disassembler

    mode = wish.get("contents", "needed")
    if mode == "needed":
        disassembler()
    workers = cores() if wish.get("workers") is None else wish["workers"]
    return Inputs(Path(wish["out"]), mode, wish.get("limit_mib", LIMIT_MIB), workers)


def _run(arguments: list[str], wish: dict[str, Any]) -> None:
    from ssmsim.capture import device, timing, writer
    from ssmsim.capture.frameworks import watch_triton
    from ssmsim.capture.intercept import Interceptor
    from ssmsim.capture.tuning import TUNING, keep_tuning

    device.require()
    timed = wish["mode"] == "time"
    inputs = None if timed else _inputs(wish)
    interceptor = Interceptor(inputs, timed)
    watch_triton()
    _pin(wish)
    try:
        _run_program(arguments)
    except SystemExit as stop:
        if stop.code not in (None, 0):
            raise
    interceptor.close()
    failure = interceptor.failure
    if failure is not None and not isinstance(failure, SsmsimError):
        raise SsmsimError(f"the interception failed: {type(failure).__name__}: {failure}", "", "report this program")
    if failure is not None:
        raise failure
    if not interceptor.regions:
        raise SsmsimError("no captured region", "", "call cudaProfilerStart and cudaProfilerStop around what you want")
    if not interceptor.launches:
        raise SsmsimError("the region launches no kernel", "", "put the launches between cudaProfilerStart and Stop")
    if wish["mode"] == "time":
        timing.write(Path(wish["out"]), interceptor)
    else:
        if inputs is not None:
            inputs.finish(interceptor.progress)
        writer.write(Path(wish["out"]), interceptor, wish.get("every", False))
        keep_tuning(Path(wish["out"]) / TUNING)


def main() -> None:
    wish = json.loads(os.environ["SSMSIM_CAPTURE"])
    try:
        (_run_hashed if wish["mode"] == "hash" else _run)(sys.argv[1:], wish)
    except SsmsimError as error:
        told = {"what": error.what, "where": error.where, "todo": error.todo}
        (Path(wish["out"]) / "error.json").write_text(json.dumps(told))
        sys.stdout.flush()
        os._exit(FAILED)


if __name__ == "__main__":
    main()
