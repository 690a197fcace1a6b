"""The caches before the launch: empty, or with what another launch has left in the L2.

ncu's rows without cache control replay the kernel itself, so they compare with a launch warmed by itself; in the
captured sequence it is the launch before. The footprint passes through the L2 without timing (functional.py). When the
launch before runs the same code, that is in the instruction caches of the GPCs and SMs as well.
"""

from pathlib import Path

import numpy as np

from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import code, machine
from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded.functional import Functional
from ssmsim.engines.embedded.machine import State
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

BATCH = 256  # blocks


def fill(state: State, before: Path | str, launch: Launch, config: SimConfig) -> None:
    """Leave in `state` what the launch in folder `before` leaves; raises SsmsimError as its reading and tracing do."""
    other = read_launch(before)
    if other.device.compute_capability != launch.device.compute_capability:
        raise SsmsimError(
            "the launch before was captured on another architecture", before, "choose one of the sequence"
        )
    program = decode_launch(other).program
    translated = code.translate(program, config)
    fits = machine.occupancy(other, config)
    machine_ = machine.machine_record(translated, other, config, fits, other.blocks)
    functional = Functional(program, translated, machine_, state, r.records(r.COUNTS, 1))
    source = open_tracer("emulated").blocks(other, program)
    while (trace := source.next_blocks(BATCH)) is not None:
        functional.run(trace, source.warps_per_block)
    functional.end()
    if other.cubin_path.read_bytes() == launch.cubin_path.read_bytes() and other.kernel == launch.kernel:
        keep_code(state)


def keep_code(state: State) -> None:
    """The kernel's last lines are in the instruction caches that outlive a kernel: GPC and SM, as far as they fit."""
    m = state.machine[0]
    lines = np.arange(int(m.code_lines))
    machine.share_code(state, len(lines))
    ways = lines // m.l1i_sets % m.l1i_ways
    for s in range(int(m.sms)):
        state.l1i.tag[(s * m.l1i_sets + lines % m.l1i_sets) * m.l1i_ways + ways] = lines + 1
