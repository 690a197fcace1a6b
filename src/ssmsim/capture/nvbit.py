"""A capture's launches traced on the GPU by Accel-Sim's NVBit tracer, each trace put beside its launch.

The program runs a second time, under the tracer, which follows cudaProfilerStart and Stop. Its raw files are grouped
by thread block here, as Accel-Sim's own post-processing does (tests hold the two to the same bytes). Addresses are
those of this second run.
"""

import hashlib
import json
import lzma
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.launch import Launch, read_launch
from ssmsim.trace.accelsim_format import Header, read_kernelslist
from ssmsim.trace.accelsim_reader import AccelSimTrace, read_trace
from ssmsim.trace.accelsim_writer import regroup

TRACE, MANIFEST = "nvbit.traceg.xz", "nvbit.json"
# Names of the tracer's own environment (tracer_tool.cu).
TRACER_ENVIRONMENT = {
    "ACTIVE_FROM_START": "0",
    "TRACE_FILE_COMPRESS": "1",
    "USER_DEFINED_FOLDERS": "1",
    "TOOL_COMPRESS": "1",
}
HOW_TO_GET_IT = "build util/tracer_nvbit of github.com/accel-sim/accel-sim-framework and name its tracer_tool.so"
NOT_SEEN = (
    "was the region between cudaProfilerStart and Stop entered, and does this tracer know cuLaunchKernelEx, through "
    "which Triton launches"
)


def trace_capture(command: Sequence[str], capture: Path, tool: Path) -> dict[str, Any]:
    """Run `command` under the tracer: nvbit.traceg.xz into each launch folder of `capture`, nvbit.json beside them.

    Returns what nvbit.json holds: which launches were traced, which were not. Raises SsmsimError, with nothing written,
    when the tracer is absent, the program fails, no kernel was traced, or a trace matches no launch of the capture.
    """
    launches = [read_launch(file.parent) for file in sorted(capture.glob("*/launch.json"))]
    if not launches:
        raise SsmsimError("no launches", capture, "capture the program first")
    if not tool.is_file():
        raise SsmsimError("no tracer", tool, HOW_TO_GET_IT)
    with tempfile.TemporaryDirectory(prefix="ssmsim-nvbit-") as name:
        folder = Path(name)
        _run(command, folder, tool)
        traces = [read_trace(file) for file in _raw_files(folder)]
        found = match([trace.header for trace in traces], launches)
        written = {launch.folder.name: _put(trace, launch) for trace, launch in zip(traces, found, strict=True)}
    manifest = {
        "format": "nvbit/1",
        "tool_sha256": hashlib.sha256(tool.read_bytes()).hexdigest(),
        "nvbit_version": traces[0].header.nvbit_version,
        "tracer_version": traces[0].header.version,
        "traces": written,
        "untraced": [launch.folder.name for launch in launches if launch.folder.name not in written],
    }
    with whole_file(capture / MANIFEST) as temporary:
        temporary.write_text(json.dumps(manifest, indent=1) + "\n")
    return manifest


def _run(command: Sequence[str], folder: Path, tool: Path) -> None:
    environment = os.environ | TRACER_ENVIRONMENT | {"LD_PRELOAD": str(tool.resolve()), "TRACES_FOLDER": str(folder)}
    try:
        done = subprocess.run(list(command), env=environment, check=False)
    except OSError as error:
        raise SsmsimError(f"cannot run it: {error.strerror}", command[0], "name a program on the PATH") from None
    if done.returncode:
        how = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"exited with {done.returncode}"
        raise SsmsimError(f"under the tracer the program {how}", " ".join(command), "run it without the tracer first")


def _raw_files(folder: Path) -> list[Path]:
    """Traces that the tracer listed, of every context, in order. SsmsimError when there are none."""
    lists = sorted(file for file in folder.rglob("kernelslist*") if file.suffix != ".g")
    files: list[Path] = []
    for file in lists:
        if any(line.startswith("kernel") for line in file.read_text().splitlines()):
            files += read_kernelslist(file)
    if not files:
        raise SsmsimError("the tracer traced no kernel", folder, NOT_SEEN)
    return files


def match(headers: Sequence[Header], launches: Sequence[Launch]) -> list[Launch]:
    """The launch of each trace, both in order of execution; launches that the tracer did not see are passed over."""
    found: list[Launch] = []
    rest = iter(launches)
    for header in headers:
        wanted = (header.kernel, header.grid, header.block)
        launch = next((one for one in rest if (one.kernel, one.grid, one.block) == wanted), None)
        if launch is None:
            raise SsmsimError(
                f"the tracer saw {header.kernel} with grid {header.grid}, which no further launch of the capture is",
                f"kernel id {header.kernel_id}",
                "trace the same program with the same shapes as were captured",
            )
        found.append(launch)
    return found


def _put(trace: AccelSimTrace, launch: Launch) -> dict[str, int]:
    file = launch.folder / TRACE
    with whole_file(file) as temporary, lzma.open(temporary, "wb", preset=6) as out:
        regroup(trace, out)
    return {"bytes": file.stat().st_size, "blocks": len(trace.blocks), "instructions": len(trace.pc)}
