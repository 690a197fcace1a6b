"""Python driver: fill the pool, run the loop, react to its status, make the result row."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from ssmsim.config.clocks import at_clock
from ssmsim.config.load import digest as config_digest
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import conservation, event_queue, instructions, loop
from ssmsim.engines.embedded.feed.block_pool import Pool
from ssmsim.engines.embedded.feed.execution_driven import ExecutionDrivenPool, execution_driven, with_marks
from ssmsim.engines.embedded.feed.rasterization import in_order
from ssmsim.engines.embedded.sampling import warm_caches, window
from ssmsim.engines.embedded.sampling.sampled_pool import TARGET, SampledPool, WholeLaunch
from ssmsim.engines.embedded.sm import instruction
from ssmsim.engines.embedded.sm.memory import mbarrier
from ssmsim.engines.embedded.sources import digest
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.views import report, stalls_by_instruction
from ssmsim.engines.embedded.views.timeline import Timeline
from ssmsim.engines.embedded.views.warp_sampler import Sampler
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result
from ssmsim.trace.types import ExecutionDriven, Program, StartAgain

STEP = 1 << 62
LATE = 64  # cycles that an SM begins later at most, when a seed says so


class Watch(Protocol):
    """What looks at the machine while it runs."""

    def until(self, state: State) -> int:
        """The cycle at which the loop is to pause."""
        ...

    def look(self, state: State) -> None: ...


def simulate(request: Request) -> Result:
    """See engines.Engine; warm: warm_caches.py, sample: sampled_pool.py, window: window.py, views: views/.

    L2 and DRAM keep their own clocks at another sm_clock_mhz, so a slower SM finds them faster.

    Raises SsmsimError for a launch of another architecture, one that does not fit, a schedule that goes with no sample,
    an opcode without timing, a deadlock (naming warp and barrier), or a broken conservation law.
    """
    driven = execution_driven(request, request.config)
    if driven is not None:
        return timed_with(dataclasses.replace(request, sample=False), driven)
    try:
        return timed(request)
    except WholeLaunch:
        if request.tracer is None:
            raise SsmsimError("blocks wait for each other, so the launch can't be sampled", request.launch.folder,
                              "time the whole launch") from None  # fmt: skip
        blocks = request.tracer.blocks(request.launch, request.program)
        return timed(dataclasses.replace(request, blocks=blocks, sample=False))


def timed_with(request: Request, driven: ExecutionDriven) -> Result:
    """simulate() of a launch whose streams are made hand in hand with the run."""
    while True:
        driven.begin(request.sm_clock_mhz or request.config.gpu.sm_clock_mhz)
        try:
            return timed(request, driven)
        except StartAgain:
            continue


def timed(request: Request, driven: ExecutionDriven | None = None) -> Result:
    """simulate(). Raises WholeLaunch where a sample is asked for and can't be had, StartAgain as `driven` does."""
    started = time.perf_counter()
    request = in_order(request)
    program, launch, config = request.program, request.launch, at_clock(request.config, request.sm_clock_mhz)
    check_device(launch, config)
    code = instructions.translate(program, config)
    code = code if driven is None else with_marks(code, driven.times)
    state = machine.build(code, launch, config, request.blocks.block_count)
    warm_up(state, request, config)
    if request.seed:
        disturb(state, request.seed)
    pool = blocks_to_time(state, request, driven)
    event_queue.schedule(state.events, int(state.machine[0].launch.start_cycles), event_queue.LAUNCH, 0, 0)
    state.gpu[0].launch_scheduled = 1
    views = request.views
    line = None if views.timeline is None else Timeline(views.timeline_sm, program, state)
    sampler = None if views.warp_samples is None else Sampler(program, state)
    own: list[Watch] = [pool.meter, pool.stagger] if isinstance(pool, SampledPool) else []
    run_to_end(state, pool, program, [*own, *(watch for watch in (line, sampler) if watch is not None)])
    if line is not None and views.timeline is not None:
        line.write(views.timeline)
    if sampler is not None and views.warp_samples is not None:
        sampler.write(views.warp_samples)
    if isinstance(pool, ExecutionDrivenPool):
        pool.finish()
    executed = int(pool.executed.sum())
    conservation.conserve(state, executed)
    sampled = pool.extrapolate() if isinstance(pool, SampledPool) else None
    if views.stalls is not None:
        stalls_by_instruction.write(views.stalls, state, pool.executed, program)
    result = Result(
        launch=Path(launch.folder).name, workload=Path(launch.folder).parent.name, kernel=launch.kernel, config=config.name,
        engine="embedded", digest=f"{digest()}-{config_digest(config)}", cache="warm" if request.warm else "cold",
        counters=report.counters(state, pool, program, config, launch),
        warp_instructions=executed, sampled=sampled,
        notes=[f"SM clock {config.gpu.sm_clock_mhz} MHz", *report.notes(state), *one_order(request, driven)],
    )  # fmt: skip
    result.wall_seconds = time.perf_counter() - started
    return result


def one_order(request: Request, driven: ExecutionDriven | None) -> list[str]:
    """A note on control that hangs on the order in which blocks come: the run's own, or one that was chosen for them."""
    if driven is not None:
        return ["control hangs on the order of accesses to memory: streams were made in the run's own time"]
    where = getattr(request.blocks, "timing_dependent", ())
    return [f"control hangs on which block comes first, at {', '.join(where)}: one order was replayed"] if where else []


def check_device(launch: Launch, config: SimConfig) -> None:
    """Raise SsmsimError unless the launch was captured on the configuration's architecture."""
    capability = ".".join(map(str, launch.device.compute_capability))
    if capability != config.gpu.compute_capability:
        raise SsmsimError(f"captured on compute capability {capability}, {config.name} has {config.gpu.compute_capability}",
                          launch.folder, "choose a configuration of that architecture")  # fmt: skip


def warm_up(state: State, request: Request, config: SimConfig) -> None:
    """The caches as what ran before the launch, or before a piece of it, has left them."""
    if request.warm:
        if request.tracer is None:
            raise SsmsimError("launches that ran before are to be traced, and no tracer is given", request.warm[0],
                              "give the request a tracer")  # fmt: skip
        warm_caches.fill(state, request.warm, request.tracer, request.launch, config)
    if request.window is not None:
        window.own(request.window).fill(state, config)


def disturb(state: State, seed: int) -> None:
    """Let each SM begin a few cycles late, by another draw for every seed.

    What is asked for at once is served in an order that such a delay changes, so runs that differ in nothing else end
    apart: how far says how much of a difference between two configurations is chance. Alameldeen and Wood, Variability in
    Architectural Simulations of Multi-threaded Workloads, HPCA 2003, 4.
    """
    late = np.random.default_rng(seed).integers(0, LATE, len(state.sms))
    state.sms.launch_free = int(state.machine[0].launch.start_cycles) + late


def blocks_to_time(state: State, request: Request, driven: ExecutionDriven | None) -> Pool:
    """Where the loop gets its blocks from: all of them, a sample, or a piece of the launch."""
    if driven is not None:
        return ExecutionDrivenPool(request.program, request.blocks, state, driven)
    if request.window is not None:
        return window.own(request.window).pool(state)
    if (
        request.sample and int(state.machine[0].cluster_size) == 1
    ):  # which blocks follow each other in clusters is not sampled
        target = TARGET if request.sample is True else request.sample
        return SampledPool(request.program, request.blocks, state, target, request.seed)
    return Pool(request.program, request.blocks, state)


def run_to_end(state: State, pool: Pool, program: Program, watches: Sequence[Watch]) -> None:
    """Run the loop, pausing for those who watch: each names the next cycle it wants to look at."""
    while True:
        pause = min((watch.until(state) for watch in watches), default=STEP)
        status = loop.run(state.table(), pause)
        for watch in watches:
            watch.look(state)
        if status == loop.NEED_BLOCKS:
            pool.refill()
        elif status == loop.NEED_VALUES and isinstance(pool, ExecutionDrivenPool):
            pool.perform()
        elif status == loop.PAUSED:
            continue
        elif status == loop.FINISHED:
            return
        elif status == loop.DEADLOCK:
            raise deadlock(state, program)
        else:
            raise fault(state, program)


def fault(state: State, program: Program) -> SsmsimError:
    """The error that says why the loop gave up."""
    if state.gpu[0].fault == mbarrier.NO_BARRIER:
        what = f"an mbarrier that the kernel has not initialised, or more than {mbarrier.MBARRIERS} of them in a block"
        return SsmsimError(what, program.kernel, "ssmsim inspect takes the launch")
    return SsmsimError("an internal pool is exhausted", "embedded engine", "report the launch and configuration")


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
        barriers = np.flatnonzero(state.code.kind[issued] == instruction.BARRIER)
        at = int(issued[barriers[-1]]) if len(barriers) else at
    at %= len(program.text)  # or the mark that stands for it (feed/execution_driven.py)
    text = program.text[at].strip()
    return SsmsimError(f"deadlock at cycle {state.gpu[0].cycle}: block {block.id} warp {warp.number} waits at "
                       f"{program.instructions['pc'][at]:#x} ({text}) for {cause}", program.kernel,
                       "check the trace: what this warp waits for never comes")  # fmt: skip
