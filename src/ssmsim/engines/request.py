"""What an engine is asked for: a launch under a configuration, what ran before it, and what to write beside the result."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol

from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.opcodes import Mods, lookup
from ssmsim.trace.types import BlockSource, Program, Tracer


@dataclass(frozen=True)
class Views:
    """Files that a run writes beside its result; None: not written.

    timeline:     Perfetto trace of SM timeline_sm, or with None there of the blocks of the whole GPU.
    stalls:       CSV: warp cycles of each instruction by stall reason.
    warp_samples: CSV: what ncu's warp sampler would have seen.
    """

    timeline: Path | None = None
    timeline_sm: int | None = 0
    stalls: Path | None = None
    warp_samples: Path | None = None

    def wanted(self) -> Iterator[str]:
        """Names of the files to write."""
        names = [field.name for field in fields(self) if field.name != "timeline_sm"]
        return (name for name in names if getattr(self, name) is not None)


class Window(Protocol):
    """A piece of a launch, timed in place of the whole, which the counters stand for. Belongs to the engine that made it.

    count: thread blocks of the piece.
    """

    count: int

    def source(self) -> BlockSource:
        """The blocks of the piece."""
        ...


@dataclass(frozen=True)
class WindowRequest:
    """Which piece of a launch an engine is to make a Window of.

    waves: how often the piece fills `config`.
    share: of the launch's blocks that the GPU is to run: 1, or less when it is a part of a GPU.
    like:  a piece of the same launch, around whose middle this one is to lie.
    """

    program: Program
    launch: Launch
    config: SimConfig
    tracer: Tracer
    waves: float
    share: float = 1.0
    like: Window | None = None


NO_VIEWS = Views()


@dataclass(frozen=True)
class Request:
    """One replay.

    program, blocks: the launch's code and the streams of its thread blocks.
    tracer:       makes the streams of the launches in `warm`; needed for those alone.
    warm:         folders of the launches that ran before, oldest first; none: caches are cold.
    sample:       time some blocks and estimate the whole; True, or about how many warp instructions to time.
    sm_clock_mhz: clock that the SMs ran at when it was not the configuration's (a measured row states it).
    seed:         draw of what a run leaves to chance: SMs begin up to some cycles later, samples lie elsewhere; 0: neither.
    window:       a piece of the launch to time; `blocks` is then its source().
    """

    program: Program
    blocks: BlockSource
    launch: Launch
    config: SimConfig
    tracer: Tracer | None = None
    warm: tuple[Path, ...] = ()
    sample: bool | int = False
    sm_clock_mhz: float | None = None
    window: Window | None = None
    views: Views = NO_VIEWS
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_untimed(self.program)
        refuse_parts_of_clusters(self)


def refuse_parts_of_clusters(request: Request) -> None:
    """SsmsimError where the blocks of a launch in clusters would not come whole, cluster by cluster."""
    if request.launch.cluster == (1, 1, 1):
        return
    rules = request.config.launch
    for asked, what in (
        (request.window is not None or request.blocks.block_count != request.launch.blocks, "a part of the launch"),
        (rules.schedule == "persistent", "launch.schedule: persistent"),
        (rules.rasterization_width > 0, f"launch.rasterization_width: {rules.rasterization_width}"),
    ):
        if asked:
            raise SsmsimError(f"{what}, of a launch in clusters of {request.launch.cluster}, is not modelled", request.config.name,
                              "time the whole launch in its own order")  # fmt: skip


def refuse_untimed(program: Program) -> None:
    """SsmsimError for the first instruction that is emulated, but has no timing."""
    for number, name in enumerate(program.opcodes):
        base, *modifiers = name.split(".")
        reason = lookup(base).timing_refusal(Mods(tuple(modifiers)))
        if reason:
            at = int((program.instructions["opcode"] == number).argmax())
            where = f"{program.kernel} at {16 * at:#06x} ({program.text[at].strip()})"
            raise SsmsimError(reason, where, "ssmsim inspect takes the launch")
