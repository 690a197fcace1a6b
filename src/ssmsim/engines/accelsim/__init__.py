"""Accel-Sim, the field's reference, as a second engine: an installed program that is called, no part of this one."""

import hashlib
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from ssmsim.config.schema import SimConfig
from ssmsim.counters import COUNTERS
from ssmsim.engines.accelsim.install import find_install
from ssmsim.engines.accelsim.parse import Statistics, builds, counters, parse_log
from ssmsim.engines.accelsim.render import render
from ssmsim.engines.accelsim.run import Feed, Limits, Run, run
from ssmsim.engines.request import Request, Window, WindowRequest
from ssmsim.errors import SsmsimError
from ssmsim.launch import Device, Launch, refuse_clusters
from ssmsim.results import Result, Sampled
from ssmsim.sass.opcodes import Access, Unit, lookup
from ssmsim.trace.accelsim_format import Header, open_bytes, read_header, read_kernelslist
from ssmsim.trace.accelsim_writer import KERNEL, LIST, Written, copy_stream, write_stream
from ssmsim.trace.types import BlockSource, BlockTrace

INSTEAD = "use --engine embedded"
Send = Callable[[IO[bytes]], Written]

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


@dataclass(frozen=True)
class AccelSim:
    """The engine. Nothing of it is kept on disk: the trace goes through a pipe, as fast as Accel-Sim takes it.

    root:             Accel-Sim's folder, instead of $ACCELSIM_ROOT.
    time_limit_s, memory_limit_bytes: of the process.
    network:          "xbar" (built in) or "intersim2".
    log:              file for its output, kept; without it a temporary one, kept on failure and named by the error.
    progress:         called with the number of thread blocks started.

    Caches are cold at the start. A sample is the first SAMPLE_BLOCKS blocks, or so many; the counters are of this fragment,
    not scaled.
    """

    root: Path | str | None = None
    time_limit_s: float = Limits.seconds
    memory_limit_bytes: int = Limits.memory_bytes
    network: str = "xbar"
    log: Path | None = None
    progress: Callable[[int], None] | None = None

    def simulate(self, request: Request) -> Result:
        """See engines.Engine. Raises SsmsimError; a failed run gives no result."""
        refuse(request)
        blocks, launch, program = request.blocks, request.launch, request.program
        if request.sample:
            blocks = FirstBlocks(blocks, SAMPLE_BLOCKS if request.sample is True else request.sample)
        as_allocated = padded(launch, request.config)
        return self._replay(lambda out: write_stream(out, as_allocated, program, blocks), set(program.opcodes), launch,
                            request.config)  # fmt: skip

    def simulate_list(self, kernelslist: Path, config: SimConfig, sample: bool | int = False) -> Result:
        """Replay the one kernel that an Accel-Sim kernelslist names, raw or grouped."""
        if sample:
            raise SsmsimError("a trace that lies in files is replayed whole", kernelslist, "leave the sampling out")
        files = read_kernelslist(kernelslist)
        if len(files) != 1:
            raise SsmsimError(f"the list names {len(files)} kernels", kernelslist, "make a list for each kernel")
        with open_bytes(files[0]) as stream:
            header, _ = read_header(stream, files[0])
        launch = launch_of(header, Path(kernelslist).parent)
        sized = padded(launch, config)
        header = replace(header, registers=sized.registers_per_thread, shared_bytes=sized.shared_memory_bytes)
        opcodes: set[str] = set()
        return self._replay(lambda out: copy_stream(out, files[0], header, opcodes), opcodes, launch, config)

    def resident(self, launch: Launch, config: SimConfig) -> int:
        raise SsmsimError("Accel-Sim does not tell how many blocks an SM holds", "engine accelsim", INSTEAD)

    def window(self, request: WindowRequest) -> Window:
        raise SsmsimError("Accel-Sim replays no piece of a launch", "engine accelsim", INSTEAD)

    def _replay(self, feed: Send, opcodes: set[str], launch: Launch, config: SimConfig) -> Result:
        install = find_install(self.root)
        rendered = render(config, install.version, self.network, install.has)
        keep = self.log or Path(tempfile.mkstemp(prefix=f"accelsim-{launch.kernel[:40]}-", suffix=".log")[1])
        written: list[Written] = []
        with tempfile.TemporaryDirectory(prefix="ssmsim-accelsim-") as name:
            folder = Path(name)
            rendered.write(folder)
            (folder / LIST).write_text(KERNEL + "\n")
            limits = Limits(self.time_limit_s, self.memory_limit_bytes)
            feeds: dict[str, Feed] = {KERNEL: lambda out: written.append(feed(out))}
            done = run(install, folder, keep, limits, feeds, self.progress)
        statistics, version = _proven(parse_log(keep), written, keep), builds(keep)
        if self.log is None:
            keep.unlink()
        return _result(statistics, done, written[0], launch, config, opcodes, self.digest(), (version, *rendered.notes))

    def digest(self) -> str:
        """Hash of this engine's sources and of the installed program. SsmsimError when none is installed."""
        hashed = hashlib.sha256(find_install(self.root).digest.encode())
        for file in sorted(Path(__file__).parent.glob("*.py")):
            hashed.update(file.read_bytes())
        return hashed.hexdigest()[:16]


def refusal(base: str, *mods: str) -> str:
    """Why Accel-Sim does not time an opcode, "" when it does."""
    entry = lookup(base)
    if entry.access in (Access.MBARRIER, Access.BULK, Access.REMOTE):
        return "its traces have no place for mbarriers and bulk copies"
    if base in ("IMMA", "BMMA", "DMMA", "BGMMA") or (entry.unit == Unit.TENSOR and "SP" in mods):
        return "it has one rate for all products, that of HMMA"
    return ""


def refuse(request: Request) -> None:
    """Raise SsmsimError for what a request asks for and Accel-Sim does not do."""
    refuse_clusters(request.launch)
    for number, name in enumerate(request.program.opcodes):
        what = refusal(*name.split("."))
        if what:
            at = int((request.program.instructions["opcode"] == number).argmax())
            raise SsmsimError(what, f"{request.program.kernel}: {request.program.text[at].strip()}", INSTEAD)
    if request.warm:
        raise SsmsimError("Accel-Sim starts with cold caches", f"warm {request.warm[0]}", INSTEAD)
    if request.window is not None:
        raise SsmsimError("Accel-Sim replays no piece of a launch", "engine accelsim", INSTEAD)
    if request.sm_clock_mhz is not None:
        raise SsmsimError(
            "Accel-Sim runs at the configuration's clock", "engine accelsim", "change gpu.sm_clock_mhz there"
        )
    if request.seed:
        raise SsmsimError("Accel-Sim leaves nothing to chance", f"seed {request.seed}", INSTEAD)
    for view in request.views.wanted():
        raise SsmsimError(f"Accel-Sim gives no view {view}", "engine accelsim", INSTEAD)


def launch_of(header: Header, folder: Path) -> Launch:
    """What a trace's header tells of its launch."""
    launch = Launch(
        format="launch/1",
        kernel=header.kernel,
        device=Device(name="unknown", compute_capability=(header.binary_version // 10, header.binary_version % 10)),
        grid=header.launch_grid,
        block=header.block,
        shared_memory_bytes=header.shared_bytes,
        registers_per_thread=header.registers,
        cubin="",
        params="",
        buffers=[],
    )
    launch._folder = folder
    return launch


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
    opcodes: set[str],
    digest: str,
    notes: tuple[str, ...],
) -> Result:
    bases = {name.split(".")[0] for name in opcodes}
    plain = not bases & {"LDGSTS", "ATOM", "ATOMG", "RED", "REDG", "LD", "ST"}
    row = counters(statistics, config, plain)
    fraction = written.blocks / launch.blocks
    own = (
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
        cpu_seconds=done.cpu_seconds,
        peak_memory_bytes=done.peak_memory_bytes,
        input_bytes=written.bytes,
        warp_instructions=written.instructions,
        sampled=None if fraction == 1 else Sampled(fraction=fraction),
        notes=[*own, *notes],
    )


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


ENGINE = AccelSim()
