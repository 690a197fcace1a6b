"""The emulating tracer: instruction streams from a cubin and a launch's parameters, on any machine."""

from __future__ import annotations

from collections.abc import Sequence

from ssmsim.launch import Launch
from ssmsim.trace.types import BlockSource, Program


class Emulated:
    """Tracer: emulates the launch's SASS, as far as addresses, masks and branches need it."""

    def blocks(self, launch: Launch, program: Program, order: Sequence[int] | None = None) -> BlockSource:
        """Blocks with the linear ids of `order`, in that order (default: all, ascending; in clusters, cluster by cluster)."""
        from ssmsim.sass.decode import code_of
        from ssmsim.tracers.emulated.source import EmulatedBlocks

        return EmulatedBlocks(launch, order, code_of(program))


TRACER = Emulated()
