"""Python driver: fill the pool, run the loop, react to its status, make the result row."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ssmsim.config.load import digest as config_digest
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import conservation, digest, event_queue, instructions, loop
from ssmsim.engines.embedded.feed.block_pool import Pool
from ssmsim.engines.embedded.sampling import warm_caches as warming
from ssmsim.engines.embedded.sampling.estimate import Meter
from ssmsim.engines.embedded.sampling.sampled_pool import TARGET, SampledPool
from ssmsim.engines.embedded.sampling.stagger import Stagger
from ssmsim.engines.embedded.sampling.window import Window
from ssmsim.engines.embedded.sm import instruction
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.views import report, stalls_by_instruction
from ssmsim.engines.embedded.views.timeline import Timeline
from ssmsim.engines.embedded.views.warp_sampler import Sampler
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result
from ssmsim.trace.types import BlockSource, Program

STEP = 1 << 62


def simulate(
    program: Program,
    blocks: BlockSource,
    launch: Launch,
    config: SimConfig,
    *,
    warm: Path | str | Sequence[Path | str] | None = None,
    sample: bool | int = False,
    timeline: Path | str | None = None,
    timeline_sm: int | None = 0,
    stalls: Path | str | None = None,
    samples: Path | str | None = None,
    window: Window | None = None,
    sm_clock_mhz: float | None = None,
) -> Result:
    """Replay all of `blocks`; see engines.Engine.

    warm: folder of the launch that ran before, or folders of several, oldest first (see warm_caches.py).
    sample: True, or about how many warp instructions to time.
    timeline: file for a time line of SM timeline_sm (None: of all blocks); see timeline.py.
    stalls: file for the warp cycles of each instruction by stall reason; see stalls_by_instruction.py.
    samples: file for what ncu's warp sampler would have seen of the blocks that are timed; see warp_sampler.py.
    sm_clock_mhz: clock that the SMs ran at when it was not the configuration's (a measured row states it): L2 and DRAM
    keep their own clocks, so a slower SM finds them faster.
    window: a piece of the launch to time in place of `blocks`, over the L2 that earlier ones left (see window.py).

    Raises SsmsimError for a launch of another architecture, one that does not fit, an opcode without timing, a
    deadlock (naming warp and barrier), or a broken conservation law.
    """
    started = time.perf_counter()
    if sm_clock_mhz is not None:
        gpu = config.gpu.model_copy(update={"sm_clock_mhz": round(sm_clock_mhz)})
        config = config.model_copy(update={"gpu": gpu})
    capability = ".".join(map(str, launch.device.compute_capability))
    if capability != config.gpu.compute_capability:
        raise SsmsimError(f"captured on compute capability {capability}, {config.name} has {config.gpu.compute_capability}",
                          launch.folder, "choose a configuration of that architecture")  # fmt: skip
    state = machine.build(instructions.translate(program, config), launch, config, blocks.block_count)
    before = [warm] if isinstance(warm, Path | str) else list(warm or ())
    if before:
        warming.fill(state, before, launch, config)
    if window is not None:
        window.fill(state, config)
    pool = (
        SampledPool(program, blocks, state, TARGET if sample is True else sample)
        if sample
        else Pool(program, blocks, state)
    )
    pool = window.pool(state) if window is not None else pool
    event_queue.schedule(state.events, int(state.machine[0].launch.start_cycles), event_queue.LAUNCH, 0, 0)
    state.gpu[0].launch_scheduled = 1
    line = None if timeline is None else Timeline(timeline_sm, program, state)
    watches: list[Timeline | Meter | Stagger | Sampler] = (
        [pool.meter, pool.stagger] if isinstance(pool, SampledPool) else []
    )
    watches += [line] if line is not None else []
    sampler = None if samples is None else Sampler(program, state)
    watches += [sampler] if sampler is not None else []
    run_to_end(state, pool, program, watches)
    if line is not None and timeline is not None:
        line.write(timeline)
    if sampler is not None and samples is not None:
        sampler.write(samples)
    conservation.conserve(state, int(pool.executed.sum()))
    timed = int(pool.executed.sum())
    sampled = pool.extrapolate() if isinstance(pool, SampledPool) else None
    if stalls is not None:
        stalls_by_instruction.write(stalls, state, pool.executed, program)
    result = Result(
        launch=Path(launch.folder).name, workload=Path(launch.folder).parent.name, kernel=launch.kernel, config=config.name,
        engine="embedded", digest=f"{digest()}-{config_digest(config)}", cache="warm" if before else "cold",
        counters=report.counters(state, pool, program, config, launch),
        warp_instructions=timed, sampled=sampled, notes=[f"SM clock {config.gpu.sm_clock_mhz} MHz"],
    )  # fmt: skip
    result.wall_seconds = time.perf_counter() - started
    return result


def run_to_end(state: State, pool: Pool, program: Program, watches: list) -> None:
    """Run the loop, pausing for those who watch: each names the next cycle it wants to look at."""
    while True:
        pause = min((watch.until(state) for watch in watches), default=STEP)
        status = loop.run(state.table(), pause)
        for watch in watches:
            watch.look(state)
        if status == loop.NEED_BLOCKS:
            pool.refill()
        elif status == loop.PAUSED:
            continue
        elif status == loop.FINISHED:
            return
        elif status == loop.DEADLOCK:
            raise deadlock(state, program)
        else:
            raise SsmsimError("an internal pool is exhausted", "embedded engine", "report the launch and configuration")


def deadlock(state: State, program: Program) -> SsmsimError:
    """The error that names the oldest warp that cannot go on, and what it waits for."""
    alive = np.flatnonzero(state.warps.block >= 0)
    if len(alive) == 0:
        return SsmsimError(f"deadlock at cycle {state.gpu[0].cycle}: no block can start", program.kernel, "report it")
    warp = state.warps[alive[np.argmin(state.warps.age[alive])]]
    block = state.blocks[int(warp.block)]
    cause, at = machine.STALL_REASONS[int(warp.state)], int(warp.current)
    number = int(max(warp.held, warp.deferred)) - 1
    if number >= 0:  # the barrier itself has issued
        cause = f"barrier {number}, reached by {int(block.arrived[number])} of {int(block.live)} warps"
        issued = state.stream[: int(warp.position)] & r.INDEX
        at = int(issued[np.flatnonzero(state.code.kind[issued] == instruction.BARRIER)[-1]])
    text = program.text[at].strip()
    return SsmsimError(f"deadlock at cycle {state.gpu[0].cycle}: block {block.id} warp {warp.number} waits at "
                       f"{program.instructions['pc'][at]:#x} ({text}) for {cause}", program.kernel,
                       "check the trace: what this warp waits for never comes")  # fmt: skip
