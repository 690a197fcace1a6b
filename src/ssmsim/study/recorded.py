"""Instruction streams of a launch, made once and replayed under every further configuration, in bounded memory."""

import numpy as np

from ssmsim.launch import Launch
from ssmsim.sass.decode import Code
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.emulated.tracing import Tracing

LIMIT_BYTES = 1 << 30


class Recording(Tracing):
    """Traces what it is first asked for and keeps it up to `limit` bytes; what lies beyond is traced each time.

    Sources ask for the same blocks together when their configurations sample the same places, so what they ask for at
    once is kept as one.
    """

    def __init__(self, launch: Launch, code: Code, limit: int = LIMIT_BYTES) -> None:
        super().__init__(code, launch)
        self.program, self.limit = code.program, limit
        self.kept: dict[bytes, BlockTrace] = {}  # by their numbers
        self.bytes = 0

    def source(self) -> EmulatedBlocks:
        """All blocks of the launch from the first on."""
        return EmulatedBlocks(self.launch, None, tracing=self)

    def trace(self, blocks: np.ndarray) -> BlockTrace:
        """What the blocks execute."""
        key = np.asarray(blocks, np.int64).tobytes()
        if key in self.kept:
            return self.kept[key]
        trace = super().trace(blocks)
        size = sum(int(array.nbytes) for array in vars(trace).values())
        if self.bytes + size <= self.limit:
            self.kept[key] = trace
            self.bytes += size
        return trace
