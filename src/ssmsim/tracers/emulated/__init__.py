"""The emulating tracer: instruction streams from a cubin and a launch's parameters, on any machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, refuse_clusters
from ssmsim.trace.types import BlockSource, Program

if TYPE_CHECKING:
    from ssmsim.sass.decode import Code


class Emulated:
    """Tracer: emulates the launch's SASS, as far as addresses, masks and branches need it."""

    def blocks(self, launch: Launch, program: Program, order: Sequence[int] | None = None) -> BlockSource:
        """Blocks with the linear ids of `order`, in that order (default: all, ascending).

        Raises SsmsimError for clusters, and code that may wait for their barriers, which engines do not time; the counts of
        `ssmsim inspect` and `count` take them.
        """
        from ssmsim.sass.decode import code_of
        from ssmsim.tracers.emulated.source import EmulatedBlocks

        refuse_untimed(launch, code_of(program))
        return EmulatedBlocks(launch, order, code_of(program))


def refuse_untimed(launch: Launch, code: Code) -> None:
    """SsmsimError for a launch that is emulated, but whose clusters no engine times."""
    refuse_clusters(launch)
    for ins in code.instructions:
        if ins.base == "UCGABAR_WAIT" and launch.explicit_cluster:
            raise SsmsimError("barriers of clusters have no timing", ins.where, "ssmsim inspect takes the launch")


TRACER = Emulated()
