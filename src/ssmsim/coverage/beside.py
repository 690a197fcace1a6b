"""Launches checked beside each other: each is a matter of its folder alone, so processes share them out."""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from ssmsim.config.schema import SimConfig
from ssmsim.coverage.alike import key
from ssmsim.coverage.check import Checked, check
from ssmsim.errors import SsmsimError, one_line
from ssmsim.launch import read_launch
from ssmsim.sass import decode

WORTH = 4  # launches that take about as long as a process takes to start


def each(folders: list[Path], config: SimConfig, blocks: int, workers: int | None = None) -> Iterator[Checked | str]:
    """What `check` finds in each launch/1 folder, in their order; the message, of one that holds no whole launch.

    Launches that are alike are checked once. workers: processes; None: one for each core that this process may run on.
    Raises SsmsimError when one of them dies.
    """
    first: dict[str, int] = {}  # of launches that are alike, among those that are checked
    numbers = [first.setdefault(_alike(folder), len(first)) for folder in folders]
    chosen = [folders[numbers.index(i)] for i in range(len(first))]
    found: list[Checked | str] = []
    results = _checked(chosen, config, blocks, workers)
    for number in numbers:
        while len(found) <= number:
            found.append(next(results))
        yield found[number]


def _alike(folder: Path) -> str:
    """What launches that are alike share; a name of its own for one that cannot be read, which its check tells."""
    try:
        return key(read_launch(folder))
    except (SsmsimError, OSError):
        return str(folder)


def _checked(folders: list[Path], config: SimConfig, blocks: int, workers: int | None) -> Iterator[Checked | str]:
    one = partial(_one, config=config, blocks=blocks)
    workers = min(workers or len(os.sched_getaffinity(0)), len(folders) // WORTH)
    if workers <= 1:
        yield from map(one, folders)
        return
    spawn = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as disassembled,
        ProcessPoolExecutor(workers, spawn, decode.share, (Path(disassembled),)) as pool,
    ):
        try:
            yield from pool.map(one, folders)
        except BrokenProcessPool:
            raise SsmsimError(
                "a process that checks launches was killed",
                "coverage",
                "leave more memory free, or give fewer --workers",
            ) from None


def _one(folder: Path, config: SimConfig, blocks: int) -> Checked | str:
    try:
        return check(folder, config, blocks)
    except SsmsimError as error:
        return one_line(str(error))
