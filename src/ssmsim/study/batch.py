"""Simulate one launch under many configurations in one process: decoded and traced once, compiled code loaded once.

    python -m ssmsim.study.batch STUDY ENGINE WORKLOAD LAUNCH SELECTION [--sample true|false]

Each result is a file of its own, written when it is there; its digest says what it was made from, and a result that is
whole and whose digest still holds is kept. So a batch that was killed goes on where it stopped, and one in which a single configuration
changed simulates that one alone.
"""

import argparse
import glob
import resource
import sys
import time
from pathlib import Path
from typing import Any

from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.errors import SsmsimError, told
from ssmsim.launch import Launch
from ssmsim.results import Result, Sampled
from ssmsim.sass.decode import decode_launch
from ssmsim.study.before import ran_before
from ssmsim.study.keys import current
from ssmsim.study.part import Parts
from ssmsim.study.plan import Plan, Run, make_plan
from ssmsim.study.recorded import Recording
from ssmsim.trace.types import BlockSource, Program
from ssmsim.tracers import open_tracer


def first_blocks(launch: Launch, program: Program, count: int) -> BlockSource:
    return open_tracer("emulated").blocks(launch, program, range(min(count, launch.blocks)))


def peak_memory() -> int:
    """Bytes that this process has held at most (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def captured_bytes(launch: Launch) -> int:
    """What a replay reads in place of a trace: the launch, its machine code and the contents of its inputs."""
    contents = [launch.folder / buffer.contents for buffer in launch.buffers if buffer.contents]
    return sum(file.stat().st_size for file in (launch.folder / "launch.json", launch.cubin_path, *contents))


def at_clock(config: SimConfig, mhz: int | None) -> SimConfig:
    """`config` with its SMs at `mhz`; L2 and DRAM keep their own clocks, so a slower SM finds them faster (config/clocks.py)."""
    if mhz is None:
        return config
    return config.model_copy(update={"gpu": config.gpu.model_copy(update={"sm_clock_mhz": mhz})})


def clear(file: Path) -> None:
    """Remove what a killed run has left of writing `file` (see ssmsim.files)."""
    for part in file.parent.glob(f".{glob.escape(file.name)}.*"):
        part.unlink(missing_ok=True)


def simulate(plan: Plan, runs: list[Run]) -> None:
    """Write the result of every run that is not there yet."""
    wanted = [(run, plan.root / run.path(plan.study.device), plan.key(run)) for run in runs]
    missing = [(run, file, key) for run, file, key in wanted if current(file, key, run.names) is None]
    for _, file, _ in wanted:
        clear(file)
    print(f"{len(wanted) - len(missing)} of {len(wanted)} results are current", flush=True)
    if not missing:
        return
    first = missing[0][0]
    launch = plan.launches[first.workload, first.launch]
    engine, program = open_engine(first.engine), decode_launch(launch).program
    recording, parts = Recording(launch, program), Parts(launch, program, plan.configs[plan.study.baseline])
    before: dict[str, Result] = {}
    for run, file, made_from in missing:
        begin, processor = time.perf_counter(), time.process_time()
        config = at_clock(plan.configs[run.config], plan.clock(run))
        if made_from in before:  # another name for the same values
            result = before[made_from]
        elif run.sms:
            result = parts.simulate(engine, config, run.sms, run.waves)
        else:
            options: dict[str, Any] = {"sample": True} if plan.sample and not run.blocks else {}
            if run.cache == "warm":
                options["warm"] = [one.folder for one in ran_before(launch, config.l2.bytes)]
            source = first_blocks(launch, program, run.blocks) if run.blocks else recording.source()
            result = engine.simulate(program, source, launch, config, **options)
            if source.block_count < launch.blocks:
                result = result.model_copy(update={"sampled": Sampled(fraction=source.block_count / launch.blocks)})
        named: dict[str, Any] = dict(run.names)
        if result.cpu_seconds is None:  # replayed in this process
            named |= {"cpu_seconds": time.process_time() - processor, "peak_memory_bytes": peak_memory(),
                      "input_bytes": captured_bytes(launch)}  # fmt: skip
        before[made_from] = result.model_copy(update=named | {"digest": made_from})
        before[made_from].write(file)
        seconds = time.perf_counter() - begin
        rate = result.warp_instructions / seconds / 1e6
        print(f"{run.config}.{run.cache}: {seconds:.1f} s, {rate:.2f} M warp instructions/s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name in ("study", "engine", "workload", "launch", "selection"):
        parser.add_argument(name)
    parser.add_argument("--sample", choices=["true", "false"], help="in place of the study's")
    given = parser.parse_args()
    try:
        plan = make_plan(given.study, sample=given.sample)
        simulate(plan, plan.batches[given.engine, given.workload, given.launch, given.selection])
    except SsmsimError as error:
        sys.exit(f"ssmsim: {error}")


if __name__ == "__main__":
    sys.exit(told(main))
