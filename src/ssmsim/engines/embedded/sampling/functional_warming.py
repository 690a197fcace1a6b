"""Blocks that are traced but not timed: their lines go through the L1s and the L2, without cycles.

Used for what ran before the launch (warm_caches.py) and for the blocks that a sampled run skips (sampled_pool.py). The L2's tags are
those of the timed run, in the same order of use (untimed_l2.py). As many blocks as fit
on the GPU are under way at a time, the oldest about to end when the youngest begins, as when slots free up one by one:
which lines are used again before they are evicted depends on it. Every SM has an L1 here, apart from that of the timed run.
Behind the first wave, neighbours run on SMs anywhere, as the waves are out of step: each partition gets its copies. Where
a block runs differs from wave to wave: were it the same SM for each slot, blocks a wave apart that share tiles would ask
for them in one partition, while those of a whole run ask in both (chunk_state_bwd_db: a fifth fewer sectors crossed over).
"""

import numpy as np
from numba import njit

from ssmsim.architecture import LANES, SECTORS_PER_LINE
from ssmsim.engines.embedded.bitmask import popcount, scramble
from ssmsim.engines.embedded.feed import async_words, coalesce, coalesce_cache
from ssmsim.engines.embedded.feed.line_word import full_of, line_of, sectors_of, word_of
from ssmsim.engines.embedded.host.prefetch import TAGS_PER_LINE
from ssmsim.engines.embedded.memory import tag_store
from ssmsim.engines.embedded.memory.address_map import home_of
from ssmsim.engines.embedded.memory.line_state import allocate_l1, missing_of, store_l1
from ssmsim.engines.embedded.memory.tag_store import find_l1, likely, set_of_l1, set_of_l2
from ssmsim.engines.embedded.sampling.block_replicas import Coalesced
from ssmsim.engines.embedded.sampling.untimed_l2 import slice_of, through_l2
from ssmsim.engines.embedded.sm.instruction import BULK_SPACE, LOCAL, MBARRIER, NO_SPACE
from ssmsim.engines.embedded.sm.memory import l1
from ssmsim.engines.embedded.sm.memory.l1 import LOCAL_BASE, LOCAL_LINES
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.state.pointers import bare, prefetch, unowned
from ssmsim.engines.embedded.state.records import NONE
from ssmsim.sass.opcodes import Space
from ssmsim.trace.types import BlockTrace, Program

STEPS = 64  # in which a block goes through the caches
PRIME = 65_521  # for dealing slots to SMs without a pattern
# A block under way: when it began (in blocks), lines done and in all. Its lines, in the order in which its warps take turns.
SLOT = r.record("began", "done", "lines", "sm", "later")
HELD = r.record("word", "code", "tags")  # word as in coalesce.py; tags: first of the L2 set in the slice that is asked


class Functional:
    """Sends traced blocks through the caches of `state`.

    code and machine belong to the traced program, which need not be the one that `state` will time.
    sums, executed: as Pool's; counts: COUNTS[1], of which only the cache and DRAM columns are used. from_start: the first
    wave is that of the launch, which goes to the SMs in order.
    """

    def __init__(
        self, program: Program, code: np.ndarray, machine: np.ndarray, state: State, counts: np.ndarray,
        from_start: bool = True
    ) -> None:  # fmt: skip
        self.code, self.machine, self.state, self.counts = code, machine, state, counts
        self.instructions = program.instructions.view(np.recarray)
        self.sums = np.zeros(len(coalesce.SUMS), np.int64)
        self.executed = np.zeros(len(program.instructions), np.int64)
        sms, slots = int(machine[0].sms), int(machine[0].sms * machine[0].blocks_per_sm)
        ways = sms * int(machine[0].l1_sets * machine[0].l1_ways)
        self.l1_tags, self.l1_lines = r.records(tag_store.TAG, ways), r.records(l1.L1_LINE, ways)
        self.slots = r.records(SLOT, slots)
        self.slots.later = np.argsort([scramble(i + 1) % PRIME for i in range(slots)], kind="stable") % sms
        self.slots.sm = np.arange(slots) % sms if from_start else self.slots.later
        self.room = 0  # lines that a slot can hold
        self.held = r.records(HELD, 0)
        self.arrived = np.zeros(1, np.int64)
        self.scratch = coalesce.bank_words()
        self.known = coalesce_cache.nothing(len(program.instructions))
        local = (program.instructions["space"] == Space.LOCAL).any()
        self.lines_per_row = SECTORS_PER_LINE * LANES if local else LANES
        self.asynchronous = bool((code["space"] >= MBARRIER).any())

    def run(self, trace: BlockTrace, warps: int) -> None:
        """Start all blocks of `trace`, each of `warps` warps, one after the other; those before them go on."""
        self.start(self.coalesce(trace, warps), warps)

    def coalesce(self, trace: BlockTrace, warps: int) -> Coalesced:
        """The accesses of all blocks of `trace`."""
        rows = len(trace.addresses)
        accesses, statics = r.records(coalesce.ACCESS, rows + 1), np.empty(rows + 1, np.int32)
        more = async_words.room(self.instructions, self.code, trace.index, trace.addresses) if self.asynchronous else 0
        lines = np.empty(rows * self.lines_per_row + 1 + more, np.int64)
        starts = np.zeros(len(trace.blocks) * warps + 1, np.int64)
        stream = np.empty(int(np.diff(trace.first).max(initial=0)), np.int32)
        sums, executed = np.zeros_like(self.sums), np.zeros_like(self.executed)
        gather(self.instructions, self.code, trace.first, trace.index, trace.mask, trace.active, trace.first_access,
               trace.addresses, stream, accesses, statics, lines, starts, sums, executed, self.scratch,
               self.known)  # fmt: skip
        count = starts[-1]
        return Coalesced(
            accesses[:count], statics[:count], lines[: accesses.lines[:count].sum()], starts, sums, executed
        )

    def start(self, given: Coalesced, warps: int) -> None:
        """As run(), of what has been coalesced."""
        self.sums += given.sums
        self.executed += given.executed
        of_lines = np.append(given.accesses.first_line, len(given.lines))
        self._make_room(int(np.diff(of_lines[given.starts[::warps]]).max()))
        start(self.machine, self.state.gpu, self.counts, self.state.sms, self.code, self.l1_tags, self.l1_lines,
              self.state.l2_tags, self.state.l2_lines, given.accesses, given.statics, given.lines, given.starts, warps,
              self.slots, self.held, self.room, self.arrived)  # fmt: skip

    def end(self) -> None:
        """Let all blocks under way run to their end."""
        finish(self.machine, self.state.gpu, self.counts, self.state.sms, self.code, self.l1_tags, self.l1_lines,
               self.state.l2_tags, self.state.l2_lines, self.slots, self.held, self.room)  # fmt: skip

    def _make_room(self, lines: int) -> None:
        """Slots hold blocks of so many lines."""
        if lines > self.room:
            held = np.zeros((len(self.slots), lines), HELD)
            held[:, : self.room] = self.held.reshape(len(self.slots), self.room)
            self.held, self.room = held.reshape(-1).view(np.recarray), lines


@njit(cache=True)
def gather(program, code, first, index, mask, active, first_access, addresses, stream, accesses, statics, lines, starts,
           sums, executed, scratch, known):  # fmt: skip
    """Coalesce every warp; statics: instruction of each access, starts: first access of each warp."""
    at = np.zeros(3, np.int64)
    for w in range(len(starts) - 1):
        at[0] = 0
        a = starts[w] = at[1]
        part = index[first[w] : first[w + 1]]
        coalesce.load_block(program, code, part, mask[first[w] : first[w + 1]], active[first[w] : first[w + 1]],
                            addresses[first_access[w] : first_access[w + 1]], stream, accesses, lines, at, sums, executed,
                            scratch, known, False)  # fmt: skip
        for i in range(len(part)):
            static = part[i]
            if program[static].accesses and code[static].space != NO_SPACE:
                statics[a] = static
                a += 1
    starts[len(starts) - 1] = at[1]


@njit(cache=True)
def start(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, accesses, statics, lines, starts, warps,
          slots, held, room, arrived):  # fmt: skip
    """Start blocks: starts[warps * block + warp] is a warp's first access."""
    begin(bare(machine), bare(gpus), bare(counters), bare(sms), bare(code), bare(l1_tags), bare(l1_lines), bare(l2_tags),
          bare(l2_lines), bare(accesses), bare(statics), bare(lines), bare(starts), (len(starts) - 1) // warps, warps,
          bare(slots), len(slots), bare(held), room, unowned(arrived))  # fmt: skip


@njit(cache=True)
def finish(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, slots, held, room):
    """Let all blocks under way run to their end, at one pace."""
    for _ in range(STEPS):
        for which in range(len(slots)):
            until = min(slots[which].lines, slots[which].done + -(-slots[which].lines // STEPS))
            advance(bare(machine), bare(gpus), bare(counters), bare(sms), bare(code), bare(l1_tags), bare(l1_lines),
                    bare(l2_tags), bare(l2_lines), bare(slots), bare(held), room, which, until)  # fmt: skip


@njit(cache=True)
def begin(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, accesses, statics, lines, starts, blocks,
          warps, slots, count, held, room, arrived):  # fmt: skip
    """Give each block the slot of the oldest one, which has ended by then, and let all others go on at times."""
    step = max(1, count // STEPS)
    for b in range(blocks):
        which = arrived[0] % count
        slot = slots[which]
        advance(
            machine,
            gpus,
            counters,
            sms,
            code,
            l1_tags,
            l1_lines,
            l2_tags,
            l2_lines,
            slots,
            held,
            room,
            which,
            slot.lines,
        )
        if arrived[0] >= count:
            slot.sm = dealt(slots, count, arrived[0])
        slot.began, slot.done = arrived[0], 0
        slot.lines = in_turn(machine[0], sms[slot.sm].side, code, accesses, statics, lines, starts, b * warps,
                             warps, held, which, room)  # fmt: skip
        arrived[0] += 1
        if arrived[0] % step == 0:
            for other in range(min(arrived[0], count)):
                prefetch(held, (other + 1) % count * room + slots[(other + 1) % count].done)
                until = slots[other].lines * (arrived[0] - slots[other].began) // count
                advance(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, slots, held, room, other,
                        until)  # fmt: skip


@njit(cache=True)
def dealt(slots, count, number):
    """SM of the block with this number, behind the first wave: every wave deals out the same places anew."""
    return slots[(number + scramble(number // count)) % count].later


@njit(cache=True)
def in_turn(m, side, code, accesses, statics, lines, starts, warp, warps, held, which, room):
    """Write a block's lines to slot `which`, an access of each warp in turn; how many. warp: its first in `starts`."""
    rounds, first = 0, which * room
    for w in range(warp, warp + warps):
        rounds = max(rounds, starts[w + 1] - starts[w])
    at = first
    for a in range(rounds):
        for w in range(warp, warp + warps):
            if starts[w] + a < starts[w + 1]:
                one = accesses[starts[w] + a]
                static = statics[starts[w] + a]
                own = LOCAL_BASE + (which * warps + w - warp) * LOCAL_LINES if code[static].space == LOCAL else 0
                for i in range(one.first_line, one.first_line + one.lines):
                    line = line_of(lines[i]) + own
                    held[at].word = word_of(line, full_of(lines[i]), sectors_of(lines[i]))
                    held[at].code = static
                    held[at].tags = set_of_l2(m, slice_of(m, home_of(m, line), side), line) * m.l2.ways
                    at += 1
    return at - first


@njit(cache=True)
def advance(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, slots, held, room, which, until):
    """Lines `done` to `until` of a slot's block. What the host has to fetch for them is asked for beforehand, at once."""
    m, gpu, counts, slot = machine[0], gpus[0], counters[0], slots[which]
    s = slot.sm
    side = sms[s].side
    first, last = which * room + slot.done, which * room + until
    for i in range(first, last):
        if not code[held[i].code].bypass:
            prefetch(l1_tags, set_of_l1(m, s, line_of(held[i].word)) * m.l1_ways)
        for way in range(held[i].tags, held[i].tags + m.l2.ways, TAGS_PER_LINE):
            prefetch(l2_tags, way)
    for i in range(first, last):
        prefetch(l2_lines, likely(l2_tags, held[i].tags, m.l2.ways, line_of(held[i].word)))
    for i in range(first, last):
        access(m, gpu, counts, s, side, code[held[i].code], held[i].word, l1_tags, l1_lines, l2_tags, l2_lines)
    slot.done = max(slot.done, until)


@njit(cache=True)
def access(m, gpu, counts, s, side, one, word, l1_tags, l1_lines, l2_tags, l2_lines):
    """One line of a memory instruction: what the L1 has not goes to the L2."""
    line, full, sectors = line_of(word), full_of(word), sectors_of(word)
    wanted = popcount(sectors)
    gpu.uses += 1
    if one.space == BULK_SPACE:  # it passes no L1
        through_l2(
            m, gpu, counts, l2_tags, l2_lines, side, line, sectors, full, one.is_store, one.is_atomic, one.promote
        )
        return
    counts.l1_sectors += wanted
    if one.is_store or one.is_atomic:
        way, victim = find_l1(m, l1_tags, l1_lines, s, line)
        if way == NONE and not one.is_atomic:
            way = victim
            allocate_l1(l1_tags[way], l1_lines[way], line)
        if way != NONE:
            counts.l1_hits += popcount(sectors & (l1_lines[way].valid | l1_lines[way].stored))
            l1_tags[way].used = gpu.uses
            store_l1(l1_lines[way], sectors, one.is_atomic, one.space == LOCAL)
        through_l2(
            m, gpu, counts, l2_tags, l2_lines, side, line, sectors, full, one.is_store, one.is_atomic, one.promote
        )
        return
    counts.l1_load_sectors += wanted
    missing = sectors
    if not one.bypass:
        way, victim = find_l1(m, l1_tags, l1_lines, s, line)
        if way == NONE:
            way = victim
            allocate_l1(l1_tags[way], l1_lines[way], line)
        missing = missing_of(l1_lines[way], sectors)  # nothing is on its way here
        l1_lines[way].valid |= sectors
        l1_tags[way].used = gpu.uses
        counts.l1_hits += wanted - popcount(missing)
        counts.l1_load_hits += wanted - popcount(missing)
    if missing:
        through_l2(m, gpu, counts, l2_tags, l2_lines, side, line, missing, 0, 0, 0, one.promote)
