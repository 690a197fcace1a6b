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

import numpy as np

from ssmsim.config.clocks import at_clock
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError, told
from ssmsim.factorial import array, effects
from ssmsim.launch import Launch
from ssmsim.results import Result, Sampled
from ssmsim.sass.decode import decode_launch
from ssmsim.study.before import ran_before
from ssmsim.study.keys import current
from ssmsim.study.part import Parts
from ssmsim.study.plan import Plan, Run, make_plan
from ssmsim.study.points import design_points
from ssmsim.study.recorded import Recording
from ssmsim.tracers import open_tracer

CYCLES = "gpc__cycles_elapsed.max"
FLAT = 0.01  # of the cycles: what a further factor must save, or the sweep ends


def peak_memory() -> int:
    """Bytes that this process has held at most (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def captured_bytes(launch: Launch) -> int:
    """What a replay reads in place of a trace: the launch, its machine code and the contents of its inputs."""
    contents = [launch.folder / buffer.contents for buffer in launch.buffers if buffer.contents]
    return sum(file.stat().st_size for file in (launch.folder / "launch.json", launch.cubin_path, *contents))


def clear(file: Path) -> None:
    """Remove what a killed run has left of writing `file` (see ssmsim.files)."""
    for part in file.parent.glob(f".{glob.escape(file.name)}.*"):
        part.unlink(missing_ok=True)


class Batch:
    """One launch under many configurations: decoded once, traced once."""

    def __init__(self, plan: Plan, engine: str, workload: str, launch: str) -> None:
        self.plan, self.launch = plan, plan.launches[workload, launch]
        self.engine, self.tracer = open_engine(engine), open_tracer("emulated")
        code = decode_launch(self.launch)
        self.program, self.recording = code.program, Recording(self.launch, code)
        self.parts = Parts(self.launch, self.program, self.tracer, plan.configs[plan.study.baseline])
        self.before: dict[str, Result] = {}  # by key

    def run(self, run: Run) -> Result:
        """The result of a run, written."""
        begin, processor, key = time.perf_counter(), time.process_time(), self.plan.key(run)
        result = self.before.get(key) or self._simulate(run)  # another name for the same values
        named: dict[str, Any] = dict(run.names)
        if result.cpu_seconds is None:  # replayed in this process
            named |= {"cpu_seconds": time.process_time() - processor, "peak_memory_bytes": peak_memory(),
                      "input_bytes": captured_bytes(self.launch)}  # fmt: skip
        self.before[key] = result.model_copy(update=named | {"digest": key})
        self.before[key].write(self.plan.root / run.path(self.plan.study.device))
        seconds = time.perf_counter() - begin
        rate = result.warp_instructions / seconds / 1e6
        print(f"{Path(run.path('')).stem}: {seconds:.1f} s, {rate:.2f} M warp instructions/s", flush=True)
        return self.before[key]

    def _simulate(self, run: Run) -> Result:
        launch, program = self.launch, self.program
        config = at_clock(self.plan.configs[run.config], self.plan.clock(run))
        if run.sms:
            return self.parts.simulate(self.engine, config, run.sms, run.waves)
        warm = tuple(one.folder for one in ran_before(launch, config.l2.bytes)) if run.cache == "warm" else ()
        first_blocks = range(min(run.blocks, launch.blocks))
        source = self.tracer.blocks(launch, program, first_blocks) if run.blocks else self.recording.source()
        sample = self.plan.samples(run)
        asked = Request(program, source, launch, config, self.tracer, warm, sample, seed=run.draw)
        result = self.engine.simulate(asked)
        if source.block_count < launch.blocks:
            return result.model_copy(update={"sampled": Sampled(fraction=source.block_count / launch.blocks)})
        return result


class Results:
    """Results of a batch: those that are current are read, others are simulated. The launch is decoded when one is not."""

    def __init__(self, plan: Plan, key: tuple[str, str, str, str]) -> None:
        self.plan, self.key = plan, key
        self.batch: Batch | None = None

    def of(self, run: Run) -> Result:
        file = self.plan.root / run.path(self.plan.study.device)
        clear(file)
        found = current(file, self.plan.key(run), run.names)
        if found is not None:
            return found
        self.batch = self.batch or Batch(self.plan, *self.key[:3])
        return self.batch.run(run)


def simulate(plan: Plan, key: tuple[str, str, str, str]) -> None:
    """Write the result of every run of the batch `key` that is not there yet, and of those that follow from them."""
    runs, results = plan.batches[key], Results(plan, key)
    there = [run for run in runs if current(plan.root / run.path(plan.study.device), plan.key(run), run.names)]
    print(f"{len(there)} of {len(runs)} results are current", flush=True)
    for run in runs:
        results.of(run)
    if key in plan.further:
        follow(
            plan, key, results, {run.config: results.of(run).counters[CYCLES] or 0.0 for run in design_runs(plan, key)}
        )


def design_runs(plan: Plan, key: tuple[str, str, str, str]) -> list[Run]:
    """The runs of a design's points: its own, and those that another selection of the same launch has."""
    points = set(design_points(plan.study, key[3]))
    plain = (
        run for other, runs in plan.batches.items() if other[:3] == key[:3] for run in runs if run.config in points
    )
    return [run for run in plain if run == Run(*key[:3], run.config, "cold")]


def follow(plan: Plan, key: tuple[str, str, str, str], results: Results, cycles: dict[str, float]) -> None:
    """More and more of the axis that the batch's design shows to be worth most, until it brings next to nothing more."""
    design = plan.study.selections[key[3]].design
    points = design_points(plan.study, key[3])
    if design is None or not all(cycles.get(point) for point in points):
        return  # warm caches alone: a design is of cold ones
    worth = -effects(array(len(design.axes)), np.log([cycles[point] for point in points]))
    least = cycles[plan.study.baseline]
    for run in plan.further[key][design.axes[int(worth.argmax())]]:
        got = results.of(run).counters[CYCLES] or least
        if got > (1 - FLAT) * least:
            return
        least = got


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name in ("study", "engine", "workload", "launch", "selection"):
        parser.add_argument(name)
    parser.add_argument("--sample", choices=["true", "false"], help="in place of the study's")
    given = parser.parse_args()
    try:
        plan = make_plan(given.study, sample=given.sample)
        simulate(plan, (given.engine, given.workload, given.launch, given.selection))
    except SsmsimError as error:
        sys.exit(f"ssmsim: {error}")


if __name__ == "__main__":
    sys.exit(told(main))
