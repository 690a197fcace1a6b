"""Blocks that are traced but not timed: their lines go through the L1s and the L2, without cycles.

Used for what ran before the launch (warm.py) and for the blocks that a sampled run skips (sample.py). The L2's tags are
those of the timed run, in the same order of use; the rules are l2.py's with every answer at once. As many blocks as fit
on the GPU are under way at a time, each one R-th behind the one before, as when slots free up one by one: which lines
are used again before they are evicted depends on it. Every SM has an L1 here, apart from that of the timed run.
"""

import numpy as np
from numba import njit

from ssmsim.engines.embedded import coalesce, l2, l2write, noc
from ssmsim.engines.embedded import records as r
from ssmsim.engines.embedded.coalesce import popcount
from ssmsim.engines.embedded.machine import State
from ssmsim.engines.embedded.records import LOCAL, NO_SPACE, NONE
from ssmsim.engines.embedded.tags import find_l1, find_l2
from ssmsim.sass.opcodes import Space
from ssmsim.trace.types import BlockTrace, Program

# A block under way: when it began (in blocks), rounds of accesses done and in all, first access of each warp.
SLOT = r._record("began", "done", "rounds", "warps", ("first", r.MAX_BLOCK_WARPS + 1))
HELD = r._record("code", "first_line", "lines")


class Functional:
    """Sends traced blocks through the caches of `state`.

    code and machine belong to the traced program, which need not be the one that `state` will time.
    sums, executed: as Pool's; counts: COUNTS[1], of which only the cache and DRAM columns are used.
    """

    def __init__(
        self, program: Program, code: np.ndarray, machine: np.ndarray, state: State, counts: np.ndarray
    ) -> None:
        self.code, self.machine, self.state, self.counts = code, machine, state, counts
        self.instructions = program.instructions.view(np.recarray)
        self.sums = np.zeros(len(coalesce.SUMS), np.int64)
        self.executed = np.zeros(len(program.instructions), np.int64)
        sms, slots = int(machine[0].sms), int(machine[0].sms * machine[0].blocks_per_sm)
        ways = sms * int(machine[0].l1_sets * machine[0].l1_ways)
        self.l1_tags, self.l1_lines = r.records(r.TAG, ways), r.records(r.L1_LINE, ways)
        self.slots = r.records(SLOT, slots)
        self.room = np.zeros(2, np.int64)  # accesses and lines that a slot can hold
        self.held, self.held_lines = r.records(HELD, 0), np.zeros(0, np.int64)
        self.arrived = np.zeros(1, np.int64)
        self.scratch = np.zeros((32, 34), np.int64)
        self.lines_per_row = 128 if (program.instructions["space"] == Space.LOCAL).any() else 32

    def run(self, trace: BlockTrace, warps: int) -> None:
        """Start all blocks of `trace`, each of `warps` warps, one after the other; those before them go on."""
        rows = len(trace.addresses)
        accesses, statics = r.records(r.ACCESS, rows + 1), np.empty(rows + 1, np.int32)
        lines = np.empty(rows * self.lines_per_row + 1, np.int64)
        starts = np.zeros(len(trace.blocks) * warps + 1, np.int64)
        stream = np.empty(int(np.diff(trace.first).max(initial=0)), np.int32)
        gather(self.instructions, self.code, trace.first, trace.index, trace.mask, trace.active, trace.first_access,
               trace.addresses, stream, accesses, statics, lines, starts, self.sums, self.executed, self.scratch)  # fmt: skip
        bounds = starts[::warps]
        of_lines = np.append(
            accesses.first_line[: bounds[-1]], accesses.first_line[bounds[-1] - 1] + accesses.lines[bounds[-1] - 1]
        )
        self._make_room(int(np.diff(bounds).max()), int(np.diff(of_lines[bounds]).max()))
        start(self.machine, self.state.gpu, self.counts, self.state.sms, self.code, self.l1_tags, self.l1_lines,
              self.state.l2_tags, self.state.l2_lines,
              accesses, statics, lines, starts, warps, self.slots, self.held, self.held_lines, self.room, self.arrived)  # fmt: skip

    def end(self) -> None:
        """Let all blocks under way run to their end."""
        for slot in range(len(self.slots)):
            advance(self.machine, self.state.gpu, self.counts, self.state.sms, self.code, self.l1_tags, self.l1_lines,
              self.state.l2_tags, self.state.l2_lines,
                    self.slots, self.held, self.held_lines, self.room, slot, int(self.slots.rounds[slot]))  # fmt: skip

    def _make_room(self, accesses: int, lines: int) -> None:
        """Slots hold blocks of so many accesses and lines."""
        for i, (needed, name) in enumerate(((accesses, "held"), (lines, "held_lines"))):
            if needed > self.room[i]:
                old, slots = getattr(self, name), len(self.slots)
                new = np.zeros((slots, needed), old.dtype)
                new[:, : self.room[i]] = old.reshape(slots, self.room[i])
                setattr(self, name, new.reshape(-1).view(np.recarray) if old.dtype.names else new.reshape(-1))
                self.room[i] = needed


@njit(cache=True)
def gather(program, code, first, index, mask, active, first_access, addresses, stream, accesses, statics, lines, starts,
           sums, executed, scratch):  # fmt: skip
    """Coalesce every warp; statics: instruction of each access, starts: first access of each warp."""
    at = np.zeros(3, np.int64)
    for w in range(len(starts) - 1):
        at[0] = 0
        a = starts[w] = at[1]
        part = index[first[w] : first[w + 1]]
        coalesce.load_block(program, code, part, mask[first[w] : first[w + 1]], active[first[w] : first[w + 1]],
                            addresses[first_access[w] : first_access[w + 1]], stream, accesses, lines, at, sums, executed,
                            scratch)  # fmt: skip
        for i in range(len(part)):
            static = part[i]
            if program[static].accesses and code[static].space != NO_SPACE:
                statics[a] = static
                a += 1
    starts[len(starts) - 1] = at[1]


@njit(cache=True)
def start(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, accesses, statics, lines, starts, warps, slots, held,
          held_lines, room, arrived):  # fmt: skip
    """Give each block the slot of the oldest one, which has ended by then, and let all others go on by one R-th."""
    for b in range((len(starts) - 1) // warps):
        which = arrived[0] % len(slots)
        advance(machine, gpus, counters, sms, code, l1_tags, l1_lines, l2_tags, l2_lines, slots, held, held_lines, room, which,
                slots[which].rounds)  # fmt: skip
        slot = slots[which]
        slot.began, slot.done, slot.rounds, slot.warps = arrived[0], 0, 0, warps
        first = starts[b * warps]
        at = which * room[1]
        for w in range(warps):
            slot.first[w] = starts[b * warps + w] - first
            slot.rounds = max(slot.rounds, starts[b * warps + w + 1] - starts[b * warps + w])
        slot.first[warps] = starts[(b + 1) * warps] - first
        for a in range(first, starts[(b + 1) * warps]):
            copy = held[which * room[0] + a - first]
            copy.code, copy.first_line, copy.lines = statics[a], at, accesses[a].lines
            for i in range(accesses[a].lines):
                held_lines[at + i] = lines[accesses[a].first_line + i]
            at += accesses[a].lines
        arrived[0] += 1
        for other in range(min(arrived[0], len(slots))):
            age = arrived[0] - slots[other].began
            until = slots[other].rounds * age // len(slots)
            if until > slots[other].done:
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
                    held_lines,
                    room,
                    other,
                    until,
                )


@njit(cache=True)
def advance(
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
    held_lines,
    room,
    which,
    until,
):
    """Accesses `done` to `until` of every warp of a slot's block, the warps in turn."""
    m, gpu, counts, slot = machine[0], gpus[0], counters[0], slots[which]
    s = which % m.sms
    for a in range(slot.done, until):
        for w in range(slot.warps):
            at = slot.first[w] + a
            if at < slot.first[w + 1] and held[which * room[0] + at].lines:
                one = held[which * room[0] + at]
                access(
                    m,
                    gpu,
                    counts,
                    s,
                    sms[s].side,
                    code[one.code],
                    one,
                    held_lines,
                    l1_tags,
                    l1_lines,
                    l2_tags,
                    l2_lines,
                )
    slot.done = max(slot.done, until)


@njit(cache=True)
def access(m, gpu, counts, s, side, one, access_, lines, l1_tags, l1_lines, l2_tags, l2_lines):
    """One memory instruction: what the L1 has not goes to the L2. Local memory is taken to stay in the L1."""
    for i in range(access_.first_line, access_.first_line + access_.lines):
        line, full, sectors = lines[i] >> 8, (lines[i] >> 4) & 15, lines[i] & 15
        wanted = popcount(sectors)
        counts.l1_sectors += wanted
        if one.space == LOCAL:
            counts.l1_hits += wanted
            continue
        way, victim = find_l1(m, l1_tags, l1_lines, s, line)
        gpu.uses += 1
        if one.is_store or one.is_atomic:
            if way != NONE:
                counts.l1_hits += popcount(sectors & l1_lines[way].valid)
                l1_tags[way].used = gpu.uses
                if one.is_atomic:
                    l1_lines[way].valid &= ~sectors
            through_l2(
                m, gpu, counts, l2_tags, l2_lines, side, line, sectors, full, one.is_store, one.is_atomic, one.promote
            )
            continue
        counts.l1_load_sectors += wanted
        missing = sectors
        if not one.bypass:
            if way == NONE:
                way = victim
                l1_tags[way].line, l1_lines[way].valid = line + 1, 0
            entry = l1_lines[way]
            missing = sectors & ~entry.valid
            entry.valid |= sectors
            l1_tags[way].used = gpu.uses
            counts.l1_hits += wanted - popcount(missing)
            counts.l1_load_hits += wanted - popcount(missing)
        if missing:
            through_l2(m, gpu, counts, l2_tags, l2_lines, side, line, missing, 0, 0, 0, one.promote)


@njit(cache=True)
def through_l2(m, gpu, counts, l2_tags, l2_lines, side, line, sectors, full, store, atomic, promote):
    """One line of a request from an SM of partition `side`: l2.arrive with every wait left out."""
    wanted = popcount(sectors)
    home = noc.home_of(m, line)
    slice_ = noc.near_of(m, home, side) if m.far_copies else home
    counts.l2_sectors += wanted
    near = slice_
    if slice_ != home and (store or atomic):
        if store:
            keep(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors & full)
        else:
            drop(m, l2_tags, l2_lines, slice_, line, sectors)
        counts.l2_hits += wanted
        counts.l2_write_sectors += wanted if store else 0
        counts.l2_sectors += wanted
        slice_ = home
    missing = sectors
    if slice_ != home:
        missing = read(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, 0)
        if missing == 0:
            return
        counts.l2_far += popcount(missing)
        counts.l2_sectors += popcount(missing)
    if store:
        write(m, gpu, counts, l2_tags, l2_lines, home, line, sectors, full, near == home)
        return
    missing = read(m, gpu, counts, l2_tags, l2_lines, home, line, missing, atomic)
    way, _ = find_l2(m, l2_tags, l2_lines, home, line)
    if missing:
        fetch = l2.promoted(missing, max(m.l2_fetch, promote))
        if way != NONE:
            fetch &= ~(l2_lines[way].valid | l2_lines[way].pending)
            l2_lines[way].valid |= fetch
            l2_lines[way].partial &= ~fetch
        counts.dram_reads += popcount(fetch)
    if atomic:
        if way != NONE:
            l2_lines[way].dirty |= sectors
        drop_copy(m, l2_tags, l2_lines, home, line, sectors)


@njit(cache=True)
def take(m, gpu, counts, l2_tags, l2_lines, slice_, line):
    """The way that holds the line from now on, NONE when all await data; what was written there goes to DRAM."""
    way, victim = find_l2(m, l2_tags, l2_lines, slice_, line)
    if way == NONE:
        way = victim
        if way == NONE:
            return NONE
        entry = l2_lines[way]
        if entry.dirty:
            write_back(counts, entry)
        l2_tags[way].line, entry.valid, entry.pending, entry.dirty, entry.partial = line + 1, 0, 0, 0, 0
    gpu.uses += 1
    l2_tags[way].used = gpu.uses
    return way


@njit(cache=True)
def read(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors, atomic):
    """Sectors that the slice lacks. At a line's copy they are taken to be there afterwards."""
    way = take(m, gpu, counts, l2_tags, l2_lines, slice_, line)
    missing = sectors
    if way != NONE:
        missing = sectors & ~l2_lines[way].valid & ~l2_lines[way].pending
        if slice_ != noc.home_of(m, line):
            l2_lines[way].valid |= sectors & ~l2_lines[way].pending
    hits = popcount(sectors) - popcount(missing)
    counts.l2_hits += hits
    if not atomic:
        counts.l2_read_sectors += popcount(sectors)
        counts.l2_read_hits += hits
    return missing


@njit(cache=True)
def write_back(counts, entry):
    merged = entry.dirty & entry.partial
    counts.dram_reads += popcount(merged)
    counts.dram_writes += popcount(entry.dirty)
    entry.valid |= merged
    entry.dirty, entry.partial = 0, entry.partial & ~merged


@njit(cache=True)
def keep(m, gpu, counts, l2_tags, l2_lines, slice_, line, sectors):
    """A store leaves a copy in the partition that it passes."""
    way = take(m, gpu, counts, l2_tags, l2_lines, slice_, line)
    if way != NONE:
        l2_lines[way].valid |= sectors


@njit(cache=True)
def write(m, gpu, counts, l2_tags, l2_lines, home, line, sectors, full, from_home):
    counts.l2_write_sectors += popcount(sectors)
    counts.l2_hits += popcount(sectors)
    way = take(m, gpu, counts, l2_tags, l2_lines, home, line)
    if way == NONE:
        counts.dram_writes += popcount(sectors)
    else:
        entry, whole = l2_lines[way], sectors & full
        clean = entry.dirty == 0
        entry.valid |= whole
        entry.partial = (entry.partial | sectors & ~entry.valid) & ~whole
        entry.dirty |= sectors
        old = l2write.too_dirty(m, l2_tags, l2_lines, way) if clean else NONE
        if old != NONE:
            write_back(counts, l2_lines[old])
    if from_home:
        drop_copy(m, l2_tags, l2_lines, home, line, sectors)


@njit(cache=True)
def drop_copy(m, l2_tags, l2_lines, home, line, sectors):
    """What the other partition holds of these sectors is stale."""
    if m.far_copies and m.partitions == 2:
        drop(m, l2_tags, l2_lines, (home + m.l2_slices // 2) % m.l2_slices, line, sectors)


@njit(cache=True)
def drop(m, l2_tags, l2_lines, slice_, line, sectors):
    way, _ = find_l2(m, l2_tags, l2_lines, slice_, line)
    if way != NONE:
        l2_lines[way].valid &= ~sectors
