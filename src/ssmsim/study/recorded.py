"""Instruction streams of a launch, made once and replayed under every further configuration, in bounded memory."""

from ssmsim.launch import Launch
from ssmsim.trace.types import BlockSource, BlockTrace, Program, Tracer
from ssmsim.tracers.emulated.source import cut

LIMIT_BYTES = 1 << 30


class Recording:
    """Traces blocks in ascending order when they are first asked for; keeps them up to `limit` bytes.

    Blocks beyond the limit are traced again for every source that reaches them.
    """

    def __init__(self, launch: Launch, program: Program, tracer: Tracer, limit: int = LIMIT_BYTES) -> None:
        self.launch, self.program, self.tracer, self.limit = launch, program, tracer, limit
        self.live = self.tracer.blocks(launch, program)
        self.traces: list[BlockTrace] = []
        self.kept, self.bytes = 0, 0  # blocks, bytes

    def source(self) -> "Replayed":
        """All blocks of the launch from the first on."""
        return Replayed(self)

    def more(self, count: int) -> BlockTrace | None:
        """The next blocks that no source has asked for yet, kept."""
        trace = self.live.next_blocks(count)
        if trace is not None:
            self.traces.append(trace)
            self.kept += len(trace.blocks)
            self.bytes += sum(array.nbytes for array in vars(trace).values())
        return trace

    def beyond(self) -> BlockSource:
        """A source of the blocks that are not kept."""
        return self.tracer.blocks(self.launch, self.program, range(self.kept, self.launch.blocks))


class Replayed:
    """BlockSource over a recording."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.warps_per_block = recording.launch.warps_per_block
        self.block_count = recording.launch.blocks
        self.trace, self.first = 0, 0  # next: block `first` of trace `trace`
        self.rest: BlockSource | None = None

    def next_blocks(self, count: int) -> BlockTrace | None:
        """The next `count` blocks or fewer; None after the last."""
        recording = self.recording
        if self.rest is not None:
            return self.rest.next_blocks(count)
        if self.trace == len(recording.traces):
            if recording.bytes >= recording.limit:
                self.rest = recording.beyond()
                return self.rest.next_blocks(count)
            if recording.more(count) is None:
                return None
        held = recording.traces[self.trace]
        first, last = self.first, min(self.first + count, len(held.blocks))
        self.trace, self.first = (self.trace + 1, 0) if last == len(held.blocks) else (self.trace, last)
        if first == 0 and last == len(held.blocks):
            return held
        return cut(held, first, last, self.warps_per_block)
