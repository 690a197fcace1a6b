"""What the skipped blocks of a sampled run would have taken, from what the timed ones took while the GPU was full.

In a window of the timed run each static instruction took its warps some cycles per execution. The skipped executions,
whose number is known for every instruction, would take as many: blocks of different work count as what they are. Two
things are put right first. Blocks that start together go on in step for several waves, and whether a window holds
the burst in which it ends is chance: so rates are the mean over all windows of a whole wave, one from every launch to
that a wave of blocks later (overlapping batches: Meketon and Schmeiser, WSC 1984; each holds a burst wherever it begins).
And blocks that happen to read or write more of the DRAM take longer: the sectors of the skipped ones are known too, so
what a sector costs within the window tells what to add for theirs (the regression estimator of survey sampling: Cochran,
Sampling Techniques, 7.1), between nothing and the time that it takes at the DRAM. Where blocks begin in bursts they read
and wait at once, which is told apart. In whole runs of dcb, dstates and state_passing DRAM sectors explain 43 to 96 % of how waves differ.
"""

from dataclasses import dataclass

import numpy as np

from ssmsim.architecture import SUBCORES
from ssmsim.engines.embedded.sm.stalls import SELECTED
from ssmsim.engines.embedded.state.machine import State

STRIDE = 64  # cycles between two looks, to begin with
LOOKS = 512  # kept at most
PIECES = 16  # of the window
# Share of the time from which DRAM presses, that beyond which it sets the pace (refresh, rows and turns take the rest), and
# least doubt, of `most` / 2.
BUSY, FULL, SURE = 0.75, 0.9, 0.1
# Student's t, 97.5 %, by degrees of freedom 1..30 (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)  # fmt: skip


@dataclass(frozen=True)
class Look:
    """What had been done by a cycle. executed: int64[instructions]; warp_cycles: of warps that live, all reasons."""

    cycle: int
    issued: int
    dram: int  # sectors read and written
    warp_cycles: int
    executed: np.ndarray


class Meter:
    """Looks at the run at regular cycles (see simulate.run_to_end), twice as far apart when there are too many.

    window: cycle and stall table when `full_from` blocks have been launched, and again after the last launch.
    """

    def __init__(self, full_from: int) -> None:
        self.looks: list[Look] = []
        self.stride = STRIDE
        self.full_from = full_from
        self.window: list[tuple[int, np.ndarray]] = []

    def until(self, state: State) -> int:
        return int(state.gpu[0].cycle) + self.stride

    def look(self, state: State) -> None:
        cycle, counts, stalls = int(state.gpu[0].cycle), state.counts[0], state.stalls
        wanted = (self.full_from, int(state.machine[0].block_total))
        edge = len(self.window) < 2 and state.gpu[0].next_launch >= wanted[len(self.window)]
        if edge:
            self.window.append((cycle, stalls.copy()))
        elif self.looks and cycle < self.looks[-1].cycle + self.stride:
            return
        dram = int(counts.dram_reads + counts.dram_writes)
        self.looks.append(Look(cycle, int(counts.issued), dram, int(stalls.sum()), stalls[:, SELECTED].copy()))
        if len(self.looks) > LOOKS:
            self.looks, self.stride = self.looks[::2], 2 * self.stride

    def at(self, cycle: int) -> Look:
        """The first look from `cycle` on."""
        return next(look for look in self.looks if look.cycle >= cycle)

    def per_execution(self, whole: np.ndarray) -> np.ndarray:
        """Warp cycles of one execution within the window, float[instructions, reasons].

        whole: the run's stall table, for instructions that were not issued in the window.
        """
        inside = self.window[1][1] - self.window[0][1]
        seen = np.where(inside[:, SELECTED, None] > 0, inside, whole)
        return np.asarray(seen / np.maximum(1, seen[:, SELECTED, None]))

    def full(self) -> list[Look]:
        """The looks of the window."""
        first, last = (cycle for cycle, _ in self.window)
        looks = [look for look in self.looks if first <= look.cycle <= last]
        return looks if len(looks) > 2 else self.looks  # next to nothing ran on a full GPU

    def steady(self, launches: np.ndarray, lengths: np.ndarray) -> list[Look]:
        """Those from the first one at which as much work was under way as at the last, for runs too short for of_waves().

        launches, lengths: int64[blocks], cycle of each block's launch, ascending, and its warp instructions.
        """
        looks = self.full()
        return looks if looks is self.looks else looks[same_phase(under_way(looks, launches, lengths)) :]


def under_way(looks: list[Look], launches: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Warp instructions launched and not yet issued at each look, int64[looks]; launches, lengths: as for Meter.steady."""
    given = np.append(0, np.cumsum(lengths))[np.searchsorted(launches, [look.cycle for look in looks], "right")]
    return np.asarray(given - [look.issued for look in looks])


def same_phase(under_way: np.ndarray) -> int:
    """The first sample of the first half from where the series rises through its last value; else the one nearest to it."""
    gap = (under_way - under_way[-1])[: max(2, len(under_way) // 2)]
    rises = np.flatnonzero((gap[:-1] <= 0) & (gap[1:] > 0))
    return int(rises[0]) if len(rises) else int(np.abs(gap).argmin())


def of_waves(cycles: np.ndarray, sums: np.ndarray, launches: np.ndarray, wave: int) -> float:
    """What is added to a sum while a wave of blocks is launched: the mean over all windows of a whole wave.

    cycles, sums: float[looks], ascending. launches: int64[blocks], cycles of the launches in the window, more than a wave.
    """
    at = np.interp(launches, cycles, sums)
    return float((at[wave:] - at[:-wave]).mean())


@dataclass(frozen=True)
class Rate:
    """A mean per unit of work, and the relative half width of its 95 % interval."""

    value: float
    spread: float


def rate(work: np.ndarray, amounts: np.ndarray) -> Rate:
    """Amount per unit of work over a window, and its interval from pieces of equal work (method of batch means).

    work, amounts: float[samples], ascending sums.
    """
    pieces = cut(work, amounts)
    spread = STUDENT[PIECES - 2] * pieces.std(ddof=1) / np.sqrt(PIECES) / pieces.mean()
    return Rate(float(pieces.mean()), float(spread))


def regressed(work: np.ndarray, amounts: np.ndarray, others: np.ndarray, begun: np.ndarray, means: tuple[float, float],
              wanted: float, most: float) -> Rate:  # fmt: skip
    """As rate(), at `wanted` units of something else per unit of work; others: its sums, float[samples].

    means: amount and other per unit of work over whole waves, for which the pieces tell slope and interval.
    begun: float[samples], what has begun and not ended. Blocks that begin read much and wait for the first answers: where
    many begin, time goes with sectors that do not cost it. So the slope is that at an even pace of beginnings, which is the
    pace of a window of whole waves (multiple regression, of which only one slope is wanted).
    What one more unit costs is the mean of what the pieces say, as far as they agree, and of half of `most` give or take
    as much, by the inverse of their variances: something between nothing and `most`, the time that it takes at the DRAM.
    Where units at `most` each take up to FULL of the amount nothing else sets the pace: they cost nearly `most`, and that is
    surer than what pieces say, since what is written goes to DRAM later than the work that wrote it.
    """
    y, x, pace = cut(work, amounts), cut(work, others), cut(work, begun)
    off = wanted - means[1]
    rest, around = without(y, pace), without(x, pace)
    square = float(around @ around)
    slope = float(around @ rest) / square if square else 0.0
    rest = rest - slope * around
    noise = float(rest @ rest) / (PIECES - 3)
    pressed = min(1.0, max(0.0, (means[1] * most / means[0] - BUSY) / (FULL - BUSY)))
    guess, doubt = most * (1 + pressed) / 2, most * max(SURE, 1 - pressed) / 2
    told, before = square / max(noise, 1e-12), 1 / doubt**2
    slope = min(most, max(0.0, (slope * told + guess * before) / (told + before)))
    value = means[0] + slope * off
    return Rate(value, float(STUDENT[PIECES - 4] * np.sqrt(noise / PIECES + off * off / (told + before)) / value))


def without(values: np.ndarray, cause: np.ndarray) -> np.ndarray:
    """Deviations from the mean that are not in proportion to those of `cause`; both float[pieces]."""
    values, cause = values - values.mean(), cause - cause.mean()
    square = float(cause @ cause)
    return values - cause * (float(cause @ values) / square) if square else values


def cut(work: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """Amount per unit of work in PIECES stretches of equal work, float[PIECES]."""
    edges = np.linspace(work[0], work[-1], PIECES + 1)
    return np.diff(np.interp(edges, work, amounts)) / (edges[1] - edges[0])


def lengthen(state: State, cycles: int) -> None:
    """Let the run last so much longer: on all SMs, and on their sub-cores as large a part of it as they had warps."""
    share = int(state.subs.active.sum()) / (SUBCORES * int(state.sms.active.sum()))
    state.subs.active += round(cycles * share)
    state.sms.active += cycles
    state.gpu[0].finish += cycles
