"""The caches before the launch: empty, or with what other launches have left in the L2.

ncu's rows without cache control replay the kernel itself, so they compare with a launch warmed by itself; in the
captured sequence it is the launches before, of which the last need not have filled the L2. Their footprints pass through
the L2 without timing (functional_warming.py), one launch after the other. When the last of them runs the same code, that is in
the instruction caches of the GPCs and SMs as well.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.sampling.functional_warming import Functional
from ssmsim.engines.embedded.state import machine, occupancy, parameters
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.machine import State
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.types import Tracer

BATCH = 256  # blocks
FILLINGS = 2  # of the L2: a line that was last used before so much else is gone, whatever slice and set it is in


def fill(state: State, before: Sequence[Path], tracer: Tracer, launch: Launch, config: SimConfig) -> None:
    """Leave in `state` what the launches in the folders `before` leave, oldest first.

    Raises SsmsimError as their reading and tracing do.
    """
    others = [read_launch(folder) for folder in before]
    for folder, other in zip(before, others, strict=True):
        if other.device.compute_capability != launch.device.compute_capability:
            raise SsmsimError(
                "the launch before was captured on another architecture", folder, "choose one of the sequence"
            )
    for i, other in enumerate(others):
        oldest = i == 0 and len(others) > 1
        pass_through(state, other, tracer, config, last_blocks(other, config) if oldest else other.blocks)
    last = others[-1]
    if last.cubin_path.read_bytes() == launch.cubin_path.read_bytes() and last.kernel == launch.kernel:
        keep_code(state)


def last_blocks(oldest: Launch, config: SimConfig) -> int:
    """How many blocks of the oldest of several launches, counted from its last, leave what the whole launch leaves.

    Blocks share the launch's allocations about evenly. When those of these blocks fill the L2 FILLINGS times, what the
    blocks before them have left is gone: the lines used longest ago go first.
    """
    touched = sum(allocations(oldest).values())
    return min(oldest.blocks, -(-oldest.blocks * FILLINGS * config.l2.bytes // max(1, touched)))


def allocations(launch: Launch) -> dict[int, int]:
    """Address to bytes of the allocations that a launch is passed the beginning of.

    A pointer into the middle of one is left out: in most of PyTorch's small kernels it is two 32-bit numbers side by side
    that look like one. So a launch touches rather more than this.
    """
    passed = [(buffer.address, buffer.bytes) for buffer in launch.buffers if buffer.passed == buffer.address]
    return dict(sorted(passed))  # the same address twice: the larger


def pass_through(state: State, other: Launch, tracer: Tracer, config: SimConfig, blocks: int) -> None:
    """Send the last `blocks` blocks of a launch through the L2 of `state`."""
    program = decode_launch(other).program
    translated = instructions.translate(program, config)
    fits = occupancy.occupancy(other, config)
    machine_ = parameters.parameters(translated, other, config, fits, other.blocks)
    whole = blocks == other.blocks
    functional = Functional(program, translated, machine_, state, r.records(COUNTS, 1), from_start=whole)
    order = None if whole else range(other.blocks - blocks, other.blocks)
    source = tracer.blocks(other, program, order)
    while (trace := source.next_blocks(BATCH)) is not None:
        functional.run(trace, source.warps_per_block)
    functional.end()
    # Which bytes of a sector are written is not kept. What the launch stored in pieces, as PyTorch's reductions do, it is
    # taken to have stored whole: bmm_chunk_bwd of mamba2-2.7b reads 18 MB behind one, as measured, and 31 without.
    state.l2_lines.valid |= state.l2_lines.partial
    state.l2_lines.partial = 0


def keep_code(state: State) -> None:
    """The kernel's last lines are in the instruction caches that outlive a kernel: GPC and SM, as far as they fit."""
    m = state.machine[0]
    lines = np.arange(int(m.code_lines))
    machine.share_code(state, len(lines), 0)
    ways = lines // m.l1i_sets % m.fetch.l1_ways
    for s in range(int(m.sms)):
        state.l1i.tag[(s * m.l1i_sets + lines % m.l1i_sets) * m.fetch.l1_ways + ways] = lines + 1
