"""A seam: blocks pass through the L2 in no time while blocks of the segment before are still under way.

In the whole run thousands of cycles lie between the two: blocks under way end long before the others take their lines'
places, and find what they share with each other. So what the L2 holds of the lines that they have yet to touch is put
back once the others have passed. Without it a tensor that all blocks of a segment read was fetched again at every seam.

Lines that are on their way when a seam begins come and make room like others meanwhile, and are on their way again behind it.
Were they kept for all of it, the blocks that pass would have the rest of the L2 to themselves, 85 % of it in swiglu_bwd of
mamba2-around: they would leave as much less written in it, and the blocks timed next would fill that up before they write
to DRAM (a fifth less than in the whole run, and 6 % too fast).
"""

import numpy as np
from numba import njit

from ssmsim.architecture import SECTORS_PER_LINE
from ssmsim.engines.embedded.feed.line_word import line_of
from ssmsim.engines.embedded.memory.line_state import fill_l2
from ssmsim.engines.embedded.memory.tag_store import search
from ssmsim.engines.embedded.sampling.untimed_l2 import take, write_back
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.state.pointers import bare
from ssmsim.engines.embedded.state.records import NONE


class Seam:
    """What the L2 holds, when this is made, of the lines that blocks under way have yet to touch.

    ends: int64[blocks, 2], for each block under way its number in state.loaded and the end of its accesses in the pool.
    """

    def __init__(self, state: State, ends: np.ndarray) -> None:
        lines = np.zeros(len(state.lines), np.int64)
        count = awaited(
            state.machine, state.loaded, state.blocks, state.warps, state.accesses, state.lines, ends, lines
        )
        wanted = np.isin(state.l2_tags.line - 1, lines[:count]) & (state.l2_lines.valid > 0)
        ways = np.flatnonzero(wanted)
        self.ways = ways[np.argsort(state.l2_tags.used[ways], kind="stable")]
        self.lines, self.valid = state.l2_tags.line[self.ways] - 1, state.l2_lines.valid[self.ways]
        coming = np.flatnonzero(state.l2_lines.pending)
        self.coming = coming[np.argsort(state.l2_tags.used[coming], kind="stable")]
        self.tags, self.entries = state.l2_tags[self.coming].copy(), state.l2_lines[self.coming].copy()
        arrive(state.l2_lines, self.coming)

    def close(self, state: State, counts: np.ndarray) -> None:
        """Put it back, in the order of its last use; counts: of what has to make room."""
        put_back(state.machine, state.gpu, counts, state.l2_tags, state.l2_lines, self.ways, self.lines, self.valid)
        await_again(
            state.machine, state.gpu, counts, state.l2_tags, state.l2_lines, self.coming, self.tags, self.entries
        )


@njit(cache=True)
def awaited(machine, loaded, blocks, warps, accesses, words, ends, lines):
    """Lines of the accesses that blocks under way have not issued; how many."""
    m, at = machine[0], 0
    for i in range(len(ends)):
        source = loaded[ends[i, 0]]
        block = blocks[source.sm * m.block_places + source.slot]
        for k in range(m.warps_per_block):
            end = source.access[k + 1] if k + 1 < m.warps_per_block else ends[i, 1]
            first = end if block.warps[k] == NONE else warps[block.warps[k]].access
            for a in range(first, end):
                for word in range(accesses[a].first_line, accesses[a].first_line + accesses[a].lines):
                    lines[at] = line_of(words[word])
                    at += 1
    return at


@njit(cache=True)
def put_back(machine, gpus, counters, l2_tags, l2_lines, ways, lines, valid):
    m = machine[0]
    tags, held = bare(l2_tags), bare(l2_lines)
    for i in range(len(ways)):
        way = take(m, gpus[0], counters[0], tags, held, ways[i] // m.l2.ways // m.l2_sets, lines[i])
        if way != NONE:
            held[way].valid |= valid[i] & ~held[way].pending


@njit(cache=True)
def arrive(l2_lines, ways):
    """What these ways await is there."""
    for way in ways:
        entry = l2_lines[way]
        fill_l2(entry, entry.pending)


@njit(cache=True)
def await_again(machine, gpus, counters, l2_tags, l2_lines, ways, before_tags, before):
    """Make these ways await what they awaited before: those who bring it know them. What each holds moves to where there
    is room, or the line itself is."""
    m, gpu, tags, held = machine[0], gpus[0], bare(l2_tags), bare(l2_lines)
    for i in range(len(ways)):
        way, line = ways[i], before_tags[i].line
        found, other = search(m.l2_replacement, tags, held, way // m.l2.ways * m.l2.ways, m.l2.ways, line - 1)
        entry, instead = held[way], held[other]
        if found == NONE and instead.dirty:
            write_back(counters[0], instead)
        valid, dirty, partial = (instead.valid, instead.dirty, instead.partial) if found != NONE else (0, 0, 0)
        if other != way:
            tags[other].line, tags[other].used = tags[way].line, tags[way].used
            instead.valid, instead.dirty, instead.partial = entry.valid, entry.dirty, entry.partial
        gpu.uses += 1
        tags[way].line, tags[way].used = line, gpu.uses
        entry.pending, entry.dirty, entry.partial = before[i].pending, dirty, partial
        entry.valid = (before[i].valid | valid) & ~entry.pending
        entry.words = instead.words = 0  # which words make up what is written in part is forgotten
        for sector in range(SECTORS_PER_LINE):
            entry.awaited[sector] = before[i].awaited[sector]
