"""Simulates configurations of a search, each for every launch, in parallel processes; every result is a file with a key.

What is there and still of these inputs is kept: a search can be killed at any time and goes on.
"""

import hashlib
import multiprocessing
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from ssmsim.config.load import digest as config_digest
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.study.keys import current, digest, launch_digest
from ssmsim.study.recorded import LIMIT_BYTES, Recording
from ssmsim.tracers import open_tracer

CYCLES = "gpc__cycles_elapsed.max"
Launches = dict[tuple[str, str], Path]  # (workload, launch) -> its folder


@dataclass(frozen=True)
class Job:
    """One simulation on the whole GPU with cold caches. sample: in time. kept: bytes of instruction streams to keep."""

    folder: Path
    engine: str
    config: SimConfig
    sample: bool
    file: Path
    key: str
    workload: str
    kept: int

    @property
    def names(self) -> dict[str, str]:
        """What its result says of itself."""
        return {"engine": self.engine, "workload": self.workload, "launch": self.folder.name, "config": self.config.name,
                "cache": "cold"}  # fmt: skip


@cache
def _recording(folder: Path, kept: int) -> Recording:
    """Streams of a launch, made once in a process for all its configurations."""
    launch = read_launch(folder)
    return Recording(launch, decode_launch(launch), kept)


def run(job: Job) -> Path:
    """Simulate and store; in a process of its own or not."""
    recording = _recording(job.folder, job.kept)
    request = Request(
        recording.program, recording.source(), recording.launch, job.config, open_tracer("emulated"), sample=job.sample
    )
    result = open_engine(job.engine).simulate(request)
    result.model_copy(update=job.names | {"digest": job.key}).write(job.file)
    return job.file


class Simulations:
    """To be used in a `with`: `results` simulates what is missing, on up to `cores` processes."""

    def __init__(self, folder: Path, launches: Launches, engine: str, cores: int) -> None:
        self.folder, self.launches, self.engine, self.cores = folder, launches, engine, cores
        self.digests = {name: launch_digest(read_launch(path)) for name, path in launches.items()}
        self.kept = LIMIT_BYTES // len(launches)
        self.occurrences = occurrences(launches)
        self.pool: ProcessPoolExecutor | None = None
        self.warmed = False  # whether a process has loaded, or compiled, the engine
        self.made = 0  # simulations run, by this process

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=kind is None, cancel_futures=True)

    def job(self, name: tuple[str, str], config: SimConfig, sample: bool) -> Job:
        workload, launch = name
        parts = [digest(self.engine), config_digest(config), self.digests[name], f"cold {sample} 0 None"]
        key = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:32]
        how = "sampled" if sample else "whole"
        file = self.folder / workload / launch / f"{config.name}.{how}.json"
        return Job(self.launches[name], self.engine, config, sample, file, key, workload, self.kept)

    def results(self, configs: Sequence[SimConfig], sample: bool) -> list[dict[tuple[str, str], Result]]:
        """For each configuration, the result of every launch. Raises SsmsimError when a launch cannot be simulated."""
        jobs = [[self.job(name, config, sample) for name in self.launches] for config in configs]
        flat = [job for row in jobs for job in row]
        missing = [job for job in flat if current(job.file, job.key, job.names) is None]
        missing.sort(key=lambda job: (job.folder, job.config.name))  # neighbours share a launch's streams
        self._simulate(missing)
        self.made += len(missing)
        return [{(job.workload, job.folder.name): _result(job) for job in row} for row in jobs]

    def _simulate(self, jobs: list[Job]) -> None:
        if self.cores == 1:
            for job in jobs:
                run(job)
            return
        if jobs and self.pool is None:
            self.pool = ProcessPoolExecutor(self.cores, multiprocessing.get_context("spawn"))
        if jobs and not self.warmed and self.pool is not None:  # alone, or each process would compile the engine
            self.pool.submit(run, jobs[0]).result()
            self.warmed, jobs = True, jobs[1:]
        if self.pool is not None:
            for done in as_completed([self.pool.submit(run, job) for job in jobs]):
                done.result()


def _result(job: Job) -> Result:
    result = current(job.file, job.key, job.names)
    if result is None:
        raise SsmsimError("vanished while the search ran", job.file, "run it again")
    if not result.counters.get(CYCLES):
        raise SsmsimError(f"has no {CYCLES}", job.file, "leave the launch out")
    return result


def occurrences(launches: Launches) -> dict[tuple[str, str], int]:
    """How often each was launched: equal launches of a capture are stored once."""
    from ssmsim.study.before import sequence  # the engine takes a second to load

    ran = {capture: Counter(sequence(capture)) for capture in {folder.parent for folder in launches.values()}}
    return {name: ran[folder.parent].get(folder.name, 1) for name, folder in launches.items()}


def cycles(
    results: dict[tuple[str, str], Result], times: dict[tuple[str, str], int] | None = None
) -> tuple[float, float, float]:
    """(lowest, value, highest) cycles of all launches one after another; the ends of the 95 % intervals added.

    times: how often each was launched, once when not given.
    """
    low = value = high = 0.0
    for name, result in results.items():
        often = (times or {}).get(name, 1)
        here = result.counters[CYCLES] or 0.0
        ends = result.sampled.ci95 if result.sampled is not None and result.sampled.ci95 is not None else (here, here)
        low, value, high = low + often * ends[0], value + often * here, high + often * ends[1]
    return low, value, high
