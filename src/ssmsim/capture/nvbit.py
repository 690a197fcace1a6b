"""A capture's launches traced on the GPU by Accel-Sim's NVBit tracer, each trace put beside its launch.

The program runs a second time, under the tracer, which follows cudaProfilerStart and Stop: one process can't have both
(NVBit takes CUPTI's place, cuptiSubscribe fails). The raw files are grouped by thread block here, as Accel-Sim's own
post-processing does (tests hold the two to the same bytes). The traces' addresses are those of the second run; how far
they lie from the launch's is found by emulating the launch, and kept in nvbit.json as `moved`.
"""

import hashlib
import json
import lzma
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ssmsim.capture.measure import captured
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.accelsim_format import Header, open_bytes, read_header, read_kernelslist
from ssmsim.trace.accelsim_reader import AccelSimTrace, read_trace
from ssmsim.trace.accelsim_writer import regroup
from ssmsim.trace.moved import Distances, Move
from ssmsim.tracers.emulated.source import EmulatedBlocks, cut
from ssmsim.tracers.nvbit import MANIFEST, block_trace

TRACE = "nvbit.traceg.xz"
# Names of the tracer's own environment (tracer_tool.cu), of 2024 and of 2026. The driver itself loads the tool that
# CUDA_INJECTION64_PATH names; under LD_PRELOAD alone NVBit sees no call of a program that loads libcuda by dlopen.
TRACER_ENVIRONMENT = {
    "ACTIVE_FROM_START": "0",
    "TRACE_FILE_COMPRESS": "1",
    "USER_DEFINED_FOLDERS": "1",
    "TOOL_COMPRESS": "1",
}
HOW_TO_GET_IT = "build util/tracer_nvbit of github.com/accel-sim/accel-sim-framework and name its tracer_tool.so"
TOO_OLD = "take the tracer of Accel-Sim's current dev branch; older ones misread kernels that CUDA loads lazily"
NOT_SEEN = (
    "was the region between cudaProfilerStart and Stop entered, and does this tracer know cuLaunchKernelEx, through "
    "which Triton launches"
)


def trace_capture(command: Sequence[str], capture: Path, tool: Path) -> dict[str, Any]:
    """Run `command` under the tracer: nvbit.traceg.xz into each launch folder of `capture`, nvbit.json beside them.

    Returns what nvbit.json holds: which launches were traced, which were not. Raises SsmsimError, with nothing written,
    when the tracer is absent, the program fails, no kernel was traced, or a trace matches no launch of the capture.
    """
    ran = captured(capture)
    launches = [ran[name] for name in ran.order]
    if not tool.is_file():
        raise SsmsimError("no tracer", tool, HOW_TO_GET_IT)
    with tempfile.TemporaryDirectory(prefix="ssmsim-nvbit-") as name:
        folder = Path(name)
        _run(command, folder, tool)
        files = _raw_files(folder, tool)
        headers = [_header(file) for file in files]
        found = match(headers, launches)
        written = {launch.folder.name: _put(file, launch) for file, launch in zip(files, found, strict=True)}
    manifest = {
        "format": "nvbit/1",
        "tool_sha256": hashlib.sha256(tool.read_bytes()).hexdigest(),
        "nvbit_version": headers[0].nvbit_version,
        "tracer_version": headers[0].version,
        "traces": written,
        "untraced": [name for name in ran if name not in written],
    }
    with whole_file(capture / MANIFEST) as temporary:
        temporary.write_text(json.dumps(manifest, indent=1) + "\n")
    return manifest


def summary(manifest: dict[str, Any]) -> str:
    """What was traced, in a line, and in another what was not."""
    traces, untraced = manifest["traces"], manifest["untraced"]
    lines = [f"NVBit traced {len(traces)} of {len(traces) + len(untraced)} launches"]
    if untraced:
        lines.append(f"not traced: {', '.join(untraced)}: {NOT_SEEN}")
    lost = [name for name, about in traces.items() if about["moved"] is None]
    if lost:
        lines.append(f"addresses as in the traced run, not as in the launch: {', '.join(lost)}")
    return "\n".join(lines)


def _run(command: Sequence[str], folder: Path, tool: Path) -> None:
    environment = os.environ | TRACER_ENVIRONMENT
    environment |= {"CUDA_INJECTION64_PATH": str(tool.resolve()), "TRACES_FOLDER": str(folder)}
    try:
        done = subprocess.run(list(command), env=environment, check=False)
    except OSError as error:
        raise SsmsimError(f"cannot run it: {error.strerror}", command[0], "name a program on the PATH") from None
    if done.returncode:
        how = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"exited with {done.returncode}"
        raise SsmsimError(f"under the tracer the program {how}", " ".join(command), "run it without the tracer first")


def _raw_files(folder: Path, tool: Path) -> list[Path]:
    """Traces that the tracer listed, of every context, in order. SsmsimError when there are none."""
    lists = sorted(file for file in folder.rglob("kernelslist*") if file.suffix != ".g")
    files: list[Path] = []
    for file in lists:
        if any(line.startswith("kernel") for line in file.read_text().splitlines()):
            files += read_kernelslist(file)
    if not files:
        raise SsmsimError("the tracer traced no kernel", tool, NOT_SEEN)
    return files


def _header(file: Path) -> Header:
    with open_bytes(file) as stream:
        try:
            return read_header(stream, file)[0]
        except SsmsimError as error:
            raise SsmsimError(f"the tracer's header cannot be right: {error.what}", file.name, TOO_OLD) from None


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
        told = {"registers": header.registers, "shared bytes": header.shared_bytes}
        had = {"registers": launch.registers_per_thread, "shared bytes": launch.shared_memory_bytes}
        if told != had:
            raise SsmsimError(f"the tracer's header has {told}, the launch {had}", launch.folder.name, TOO_OLD)
        found.append(launch)
    return found


def _put(file: Path, launch: Launch) -> dict[str, Any]:
    trace = read_trace(file)
    kept = launch.folder / TRACE
    with whole_file(kept) as temporary, lzma.open(temporary, "wb", preset=6) as out:
        regroup(trace, out)
    moves = find_moves(trace, launch)
    return {
        "bytes": kept.stat().st_size,
        "blocks": len(trace.blocks),
        "instructions": len(trace.pc),
        "moved": None if moves is None else [asdict(move) for move in moves],
    }


def find_moves(trace: AccelSimTrace, launch: Launch) -> list[Move] | None:
    """How the traced run had the launch's buffers; None where the launch can't be emulated or its path hangs on data."""
    program = decode_launch(launch).program
    theirs = block_trace(trace, program, launch.folder / TRACE)
    distances, at = Distances(launch, program), 0
    try:
        source = EmulatedBlocks(launch, trace.blocks)
        while (ours := source.next_blocks(launch.blocks)) is not None:
            distances.add(ours, cut(theirs, at, at + len(ours.blocks), launch.warps_per_block))
            at += len(ours.blocks)
    except SsmsimError:
        return None
    return distances.moves()
