"""Accel-Sim, the field's reference, as a second engine: an installed program that is called, no part of this one."""

import hashlib
import math
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ssmsim.config.schema import SimConfig
from ssmsim.counters import COUNTERS
from ssmsim.engines.accelsim.install import find_install
from ssmsim.engines.accelsim.parse import Statistics, counters, parse_log
from ssmsim.engines.accelsim.render import render
from ssmsim.engines.accelsim.run import Limits, Run, run
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result, Sampled
from ssmsim.trace.accelsim_writer import KERNEL, LIST, Written, write_stream
from ssmsim.trace.types import BlockSource, BlockTrace, Program

SAMPLE_BLOCKS = 264
"""Two for every SM of an H200: what `_chunk_scan_fwd_kernel` keeps resident."""


class FirstBlocks:
    """The first blocks of a source."""

    def __init__(self, source: BlockSource, count: int) -> None:
        self.warps_per_block = source.warps_per_block
        self.block_count = min(count, source.block_count)
        self._source, self._left = source, self.block_count

    def next_blocks(self, count: int) -> BlockTrace | None:
        if self._left == 0:
            return None
        trace = self._source.next_blocks(min(count, self._left))
        self._left -= 0 if trace is None else len(trace.blocks)
        return trace


class AccelSim:
    """The engine. Its options, all keywords of `simulate`:

    root:             Accel-Sim's folder, instead of $ACCELSIM_ROOT.
    time_limit_s, memory_limit_bytes: of the process.
    network:          "xbar" (built in) or "intersim2".
    log:              file for its output, kept; without it a temporary one, kept on failure and named by the error.
    progress:         called with the number of thread blocks started.
    sample:           only the first SAMPLE_BLOCKS blocks, or so many; the counters are of this fragment, not scaled.

    Caches are cold at the start; a warm run is an error.
    """

    def simulate(
        self,
        program: Program,
        blocks: BlockSource,
        launch: Launch,
        config: SimConfig,
        *,
        root: Path | str | None = None,
        time_limit_s: float = Limits.seconds,
        memory_limit_bytes: int = Limits.memory_bytes,
        network: str = "xbar",
        log: Path | None = None,
        progress: Callable[[int], None] | None = None,
        sample: bool | int = False,
        warm: Path | None = None,
        **unknown: Any,
    ) -> Result:
        """Replay `blocks` through a pipe, no trace on disk. Raises SsmsimError; a failed run gives no result."""
        if warm is not None:
            raise SsmsimError("Accel-Sim starts with cold caches", f"warm {warm}", "use --engine embedded")
        if unknown:
            raise SsmsimError(f"unknown options {', '.join(sorted(unknown))}", "engine accelsim")
        if sample:
            blocks = FirstBlocks(blocks, SAMPLE_BLOCKS if sample is True else sample)
        install = find_install(root)
        rendered = render(config, install.version, network)
        keep = log or Path(tempfile.mkstemp(prefix=f"accelsim-{launch.kernel[:40]}-", suffix=".log")[1])
        written: list[Written] = []
        with tempfile.TemporaryDirectory(prefix="ssmsim-accelsim-") as name:
            folder = Path(name)
            rendered.write(folder)
            (folder / LIST).write_text(KERNEL + "\n")
            limits = Limits(time_limit_s, memory_limit_bytes)
            feed = partial(_feed, written, launch=padded(launch, config), program=program, source=blocks)
            done = run(install, folder, keep, limits, {KERNEL: feed}, progress)
        statistics = _proven(parse_log(keep), written, keep)
        if log is None:
            keep.unlink()
        return _result(statistics, done, written[0], launch, config, program, self.digest(root), rendered.notes)

    def digest(self, root: Path | str | None = None) -> str:
        """Hash of this engine's sources and of the installed program. SsmsimError when none is installed."""
        hashed = hashlib.sha256(find_install(root).digest.encode())
        for file in sorted(Path(__file__).parent.glob("*.py")):
            hashed.update(file.read_bytes())
        return hashed.hexdigest()[:16]


def padded(launch: Launch, config: SimConfig) -> Launch:
    """Registers and shared memory as the hardware allocates them, which Accel-Sim does not round by itself."""
    per_thread = config.sm.register_allocation_unit // 32
    unit = config.shared.allocation_unit_bytes
    shared = launch.shared_memory_bytes + config.shared.reserved_bytes_per_block
    return launch.model_copy(
        update={
            "registers_per_thread": -(-launch.registers_per_thread // per_thread) * per_thread,
            "shared_memory_bytes": -(-shared // unit) * unit,
        }
    )


def _feed(written: list[Written], out: Any, launch: Launch, program: Program, source: BlockSource) -> None:
    written.append(write_stream(out, launch, program, source))


def _proven(kernels: list[Statistics], written: list[Written], log: Path) -> Statistics:
    """The kernel's statistics, if they are there and cover every block and instruction that was sent.

    Accel-Sim counts most LDGSTS twice, when they leave and when their data arrive; here each counts once, as under ncu.
    """
    if len(kernels) != 1 or not written:
        raise SsmsimError(f"Accel-Sim printed the statistics of {len(kernels)} kernels, not of 1", log, "see the log")
    got, sent = kernels[0], written[0]
    expected = (
        ("gpu_tot_issued_cta", sent.blocks, 0),
        ("gpgpu_n_tot_w_icount", sent.instructions, sent.copies),
        ("gpgpu_n_tot_thrd_icount", sent.lanes, sent.copy_lanes),
    )
    for what, once, again in expected:
        if not once <= got.get(what) <= once + again:
            raise SsmsimError(f"Accel-Sim ran {got.get(what):.0f} ({what}) of the {once} sent", log, "see the log")
        got.values[what] = once
    return got


def _result(
    statistics: Statistics,
    done: Run,
    written: Written,
    launch: Launch,
    config: SimConfig,
    program: Program,
    digest: str,
    notes: tuple[str, ...],
) -> Result:
    bases = {name.split(".")[0] for name in program.opcodes}
    plain = not bases & {"LDGSTS", "ATOM", "ATOMG", "RED", "REDG", "LD", "ST"}
    row = counters(statistics, config, plain)
    fraction = written.blocks / launch.blocks
    own = (
        f"peak memory of the process {done.peak_memory_bytes} bytes",
        f"trace {written.bytes} bytes of text, piped",
        *([] if fraction == 1 else ["the counters are of the blocks that ran, not scaled to the whole launch"]),
        "launch latency is rendered as 0; start and end of the configuration are added to the cycles",
    )
    return Result(
        launch=launch.folder.name,
        workload=launch.folder.parent.name,
        kernel=launch.kernel,
        config=config.name,
        engine="accelsim",
        digest=digest,
        cache="cold",
        counters={name: _number(row.get(name)) for name in COUNTERS},
        wall_seconds=done.wall_seconds,
        warp_instructions=written.instructions,
        sampled=None if fraction == 1 else Sampled(fraction=fraction),
        notes=[*own, *notes],
    )


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


ENGINE = AccelSim()
