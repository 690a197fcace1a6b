"""Blocks that do what others do, elsewhere in memory: their accesses without tracing them.

In most kernels one or two coordinates of a block decide its work (which tile), and each of the others moves its addresses
by an amount of its own: tensors are indexed by batch, chunk, head. One block is traced for each value of the former, and
one for each value of each other coordinate; any further block is one of the former, with every instruction's sectors moved.
Nothing of that is taken on trust: DRAWN blocks from all over the grid are traced as well, and unless every one of them is
met to the bit (instructions, lines, sectors, sums), Replicas.of gives None and every block is traced.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from ssmsim.architecture import ALL_SECTORS, SECTORS_PER_LINE
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.feed.line_word import LINE_AT, full_of, line_of, sectors_of, word_of
from ssmsim.engines.embedded.memory.noc import scramble
from ssmsim.engines.embedded.state import records as r

DRAWN = 48  # blocks that check the rule
MOST = 1024  # blocks traced to find it
SPLIT = 64  # values of a long coordinate's first part
TOGETHER = 32  # blocks traced at once

KEPT = ((0,), (0, 2), (0, 1))  # coordinates that may decide a block's work, tried in turn
SECTOR = np.array([0, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0])  # of a mask with one sector; others move by lines


@dataclass(frozen=True)
class Coalesced:
    """Blocks as functional.start takes them; sums, executed: int64, what these blocks add to Functional's."""

    accesses: Any
    statics: np.ndarray
    lines: np.ndarray
    starts: np.ndarray
    sums: np.ndarray
    executed: np.ndarray

    def same(self, other: "Coalesced") -> bool:
        """Whether both are the same to the bit."""
        return (
            all(np.array_equal(getattr(self, f), getattr(other, f)) for f in ("starts", "lines", "sums", "executed"))
            and np.array_equal(self.statics[: self.starts[-1]], other.statics[: other.starts[-1]])
            and np.array_equal(self.accesses.lines, other.accesses.lines)
        )


Grid = tuple[int, int, int]
Tracer = Callable[[np.ndarray], Iterable[Coalesced]]  # numbers of blocks to what each of them does


class Replicas:
    """Blocks of a grid from some of them and the moves of the others; see the head of this file.

    kept: the coordinates that decide a block's work; bases: a block for each of their values, the first fastest.
    moves: int64[values, instructions] of each coordinate, in sectors; zeros for those kept. more: int64[values, SUMS],
    what it adds to the sums (lanes whose guards it turns off).
    """

    def __init__(self, grid: Grid, kept: tuple[int, ...], bases: list[Coalesced]) -> None:
        self.grid, self.kept, self.bases = grid, kept, bases
        self.moves = [np.zeros((values, len(bases[0].executed)), np.int64) for values in grid]
        self.more = [np.zeros((values, len(bases[0].sums)), np.int64) for values in grid]
        self.counts = np.array([(len(b.accesses), len(b.lines)) for b in bases])
        accesses, self.statics, self.lines = (
            np.concatenate(parts) for parts in zip(*((b.accesses, b.statics, b.lines) for b in bases), strict=True)
        )
        self.accesses = accesses.view(np.recarray)
        self.starts = np.array([b.starts for b in bases])

    @staticmethod
    def of(tracer: Tracer, grid: Grid) -> "Replicas | None":
        """The rule of a launch, None where none is found that holds."""
        grid = _split(grid)
        for kept in KEPT:
            if found := _learn(tracer, grid, kept):
                drawn = np.unique([scramble(i + 1) % math.prod(grid) for i in range(DRAWN)])
                if all(found.blocks(n, n + 1).same(one) for n, one in zip(drawn.tolist(), tracer(drawn), strict=True)):
                    return found
        return None

    def blocks(self, first: int, last: int) -> Coalesced:
        """Blocks first to last, as if they had been traced."""
        places = np.unravel_index(np.arange(first, last), self.grid, order="F")
        which = _base_of(places, self.grid, self.kept)
        total = self.counts[which].sum(0)
        accesses, statics = r.records(coalesce.ACCESS, total[0]), np.empty(total[0], np.int32)
        lines, starts = np.empty(total[1], np.int64), np.zeros(len(which) * (self.starts.shape[1] - 1) + 1, np.int64)
        lay(self.accesses, self.statics, self.lines, self.starts, self.counts, *self.moves, which, *places, accesses, statics,
            lines, starts)  # fmt: skip
        often = np.bincount(which, minlength=len(self.bases))
        sums = often @ np.array([b.sums for b in self.bases])
        sums += sum(more[place].sum(0) for more, place in zip(self.more, places, strict=True))
        return Coalesced(accesses, statics, lines, starts, sums, often @ np.array([b.executed for b in self.bases]))


def _split(grid: Grid) -> Grid:
    """A long coordinate as two, when another place is free: addresses grow evenly along it, or the drawn blocks differ."""
    x, y, z = grid
    if z == 1 and y > SPLIT and y % SPLIT == 0:
        return x, SPLIT, y // SPLIT
    if y == z == 1 and x > SPLIT and x % SPLIT == 0:
        return SPLIT, x // SPLIT, 1
    return grid


def _base_of(places: Any, grid: Grid, kept: tuple[int, ...]) -> np.ndarray:
    """Number of the base of each block, from its coordinates."""
    which = np.zeros_like(places[0])
    for axis in reversed(kept):
        which = which * grid[axis] + places[axis]
    return which


def _learn(tracer: Tracer, grid: Grid, kept: tuple[int, ...]) -> Replicas | None:
    """Bases and moves when the coordinates `kept` decide a block's work; None when blocks differ in more than place."""
    moved = [axis for axis in range(3) if axis not in kept and grid[axis] > 1]
    few = math.prod(grid[axis] for axis in kept)
    if few + sum(grid[axis] for axis in moved) > min(MOST, math.prod(grid) // 4):
        return None
    strides = (1, grid[0], grid[0] * grid[1])
    places = np.unravel_index(np.arange(few), tuple(grid[axis] for axis in kept), order="F")
    numbers = np.asarray(sum(place * strides[axis] for place, axis in zip(places, kept, strict=True)))
    bases = list(tracer(numbers))
    found = Replicas(grid, kept, bases)
    for b in _cover(bases):
        for axis in moved:
            for i, other in enumerate(tracer(numbers[b] + strides[axis] * np.arange(grid[axis]))):
                if not move(bases[b], other, found.moves[axis][i]):
                    return None
                found.more[axis][i] = other.sums - bases[b].sums
    return found


def _cover(bases: list[Coalesced]) -> list[int]:
    """Some bases that have every instruction that touches a line in any, fullest first."""
    sets = [set(b.statics[b.accesses.lines > 0].tolist()) for b in bases]
    missing, chosen = set().union(*sets), []
    while missing:
        chosen.append(max(range(len(sets)), key=lambda b: len(sets[b] & missing)))
        missing -= sets[chosen[-1]]
    return chosen


def move(base: Coalesced, other: Coalesced, table: np.ndarray) -> bool:
    """Note by how many sectors each instruction has moved; False when the blocks differ in anything else."""
    if not all(np.array_equal(getattr(base, f), getattr(other, f)) for f in ("statics", "starts", "executed")):
        return False
    if not np.array_equal(base.accesses.lines, other.accesses.lines):
        return False
    static = np.repeat(base.statics, base.accesses.lines)
    moved = SECTORS_PER_LINE * ((other.lines >> LINE_AT) - (base.lines >> LINE_AT))
    moved += SECTOR[other.lines & ALL_SECTORS] - SECTOR[base.lines & ALL_SECTORS]
    table[static] = moved
    there = np.array([shifted(int(word), int(by)) for word, by in zip(base.lines, moved, strict=True)], np.int64)
    return bool((moved == table[static]).all() and np.array_equal(there, other.lines))


@njit(cache=True)
def shifted(word, sectors):
    """A line's word (line_word.py) moved by whole lines, or by sectors when it has but one."""
    mask = sectors_of(word)
    if sectors % SECTORS_PER_LINE == 0:
        return word + (sectors // SECTORS_PER_LINE << LINE_AT)
    if mask & mask - 1:
        return -1
    full = full_of(word)
    first = 0
    while mask >> first != 1:
        first += 1
    place = line_of(word) * SECTORS_PER_LINE + first + sectors
    mask = 1 << place % SECTORS_PER_LINE
    return word_of(place // SECTORS_PER_LINE, mask if full else 0, mask)


@njit(cache=True)
def lay(given, given_statics, given_lines, given_starts, counts, of_x, of_y, of_z, which, xs, ys, zs, accesses, statics,
        lines, starts):  # fmt: skip
    """Write the accesses and moved lines of one block after the other."""
    warps = given_starts.shape[1] - 1
    firsts = np.zeros((len(counts) + 1, 2), np.int64)
    for b in range(len(counts)):
        firsts[b + 1] = firsts[b] + counts[b]
    a = at = 0
    for n in range(len(which)):
        b = which[n]
        for w in range(warps):
            starts[n * warps + w] = a + given_starts[b, w]
        line = firsts[b, 1]
        for i in range(firsts[b, 0], firsts[b + 1, 0]):
            static = given_statics[i]
            accesses[a].first_line, accesses[a].lines, statics[a] = at, given[i].lines, static
            by = of_x[xs[n], static] + of_y[ys[n], static] + of_z[zs[n], static]
            for _ in range(given[i].lines):
                lines[at] = shifted(given_lines[line], by)
                at += 1
                line += 1
            a += 1
    starts[len(which) * warps] = a
