"""Pauses of DRAM that are longer than a refresh: lone reads all over memory, how often one waits so long, when and how long.

A long read takes more than 600 cycles beyond its line's 20th percentile (a refresh takes some 530); its pause ends when
it ends, less its usual cycles. One period for the lines of all channels says that they pause together.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.programs.dram.refresh_timing import LINES, REGION, dropped, sharpness

SOURCE = "dram/refresh_timing"
TRIES, LONG = 400, 600  # reads of each line; cycles
LONGEST, SHORTEST = 1_000_000, 20_000  # cycles between pauses that are looked for
AGREE = 0.9  # of the best period's sharpness


def period_of(at: np.ndarray, shortest: float = SHORTEST, longest: float = LONGEST) -> tuple[float, float]:
    """(period, how well it folds the times to one phase: 1 exactly). A half or a third of it does as well: the longest."""
    at = np.sort(at - at.min())[:, None]
    every, step = np.ones(at.shape, bool), 1 / (4 * float(at.max()))  # a step turns the last by a quarter of a period
    rates = np.arange(1 / longest, 1 / shortest, step)
    sharp = np.concatenate([sharpness(at, every, 1 / part) for part in np.array_split(rates, 200)])
    first = int(np.flatnonzero(sharp >= AGREE * sharp.max())[0])  # the lowest rate; its best neighbour follows
    near = rates[first + int(sharp[first : first + 8].argmax())]
    rates = near + np.linspace(-1, 1, 401) * step
    sharp = sharpness(at, every, 1 / rates)
    return 1 / float(rates[sharp.argmax()]), float(sharp.max())


def summary(cycles: np.ndarray, ends: np.ndarray) -> dict[str, Any]:
    """Of cycles and clocks at the end [tries, lines]: the pauses' period and length in cycles, reads that meet one."""
    usual = np.percentile(cycles, 20, axis=0)
    wait = cycles - usual
    late = wait > LONG
    found = {"reads": int(late.size), "long": int(late.sum()), "lines_with_one": float(late.any(0).mean())}
    if late.sum() < 20:
        return found
    at = (ends - usual.astype(np.int64))[late]
    period, sharp = period_of(at)
    turn = np.exp(2j * np.pi * (at % period) / period)
    off = np.angle(turn / turn.mean()) / (2 * np.pi) * period
    return found | {
        "period": period,
        "sharpness": sharp,
        "wait_percentiles": np.percentile(wait[late], [0, 25, 50, 75, 95, 100]).round().tolist(),
        "ends_percentiles": np.percentile(off, [0, 5, 25, 50, 75, 95, 100]).round().tolist(),
        "of_all_time": float(wait[late].max() / period),
    }


def pauses(session: Any) -> dict[str, Any]:
    """Lone reads of lines of all channels, dropped from L2 before."""
    base = session.buffer(REGION)
    session.sweep()
    return summary(*dropped(session, base, LINES["far"], TRIES))


MEASUREMENTS = [pauses]
