"""Prefetcher of an SM: asks for lines of the loads and copies that its warps are about to issue.

No GPU of today has it. It is what a DMA engine would do whose descriptors a kernel fills ahead: it knows the addresses of
a warp's next loads, as the trace does, and is at most prefetcher_loads of them ahead. What it asks for takes the way of a
miss of the L1: ports, slices and DRAM have their bandwidth and latency. It has a buffer (prefetch_buffer.py), so many
lines on their way, and asks for one per prefetcher_interval_cycles, for its warps in turn. Lines that the L1 or the
buffer has it leaves out. A warp that has overtaken it is met where it is.
"""

from numba import njit

from ssmsim.architecture import SECTOR_BYTES, SUBCORES
from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.feed.line_word import line_of, sectors_of
from ssmsim.engines.embedded.memory.line_state import missing_of
from ssmsim.engines.embedded.memory.noc import take_fill
from ssmsim.engines.embedded.memory.tag_store import find_l1
from ssmsim.engines.embedded.sm.instruction import EXCHANGE, MEMORY
from ssmsim.engines.embedded.sm.memory import l1, prefetch_buffer
from ssmsim.engines.embedded.sm.memory.prefetch_buffer import call
from ssmsim.engines.embedded.state.records import INDEX, NONE, OFF_BIT

SPARE = 64  # entries of lines that the pool keeps for what warps ask for: not a hardware value
RETRY = 4  # cycles until it tries again for want of an entry: polling, not a hardware value


@njit(cache=True)
def serve(m, chip, cores, memory, s, cycle):
    """Ask for a line of the next warp that has one, and come back for more."""
    sm = cores.sms[s]
    if sm.ahead_due != cycle:
        return
    sm.ahead_due = 0
    if sm.ahead_awaited >= m.l1.prefetcher_awaited_lines:  # a line that comes calls again
        return
    if sm.misses >= m.l1.miss_lines or memory.fills[0].payload < SPARE:
        sm.ahead_free = cycle + RETRY
        call(chip.events, sm, cycle)
        return
    w = following(m, cores, sm)
    if w != NONE and ask(m, chip, cores, memory, sm, w, cycle):
        sm.ahead_free = cycle + m.l1.prefetcher_interval_cycles
        call(chip.events, sm, cycle)


@njit(cache=True)
def following(m, cores, sm):
    """The next warp in turn that has a load to ask for; NONE."""
    warps = SUBCORES * m.sm.warp_slots_per_subcore
    for i in range(1, warps + 1):
        turn = (sm.ahead_turn + i) % warps
        w = sm.number * warps + turn
        if cores.warps[w].block != NONE and aim(m, cores, cores.warps[w]):
            sm.ahead_turn = turn
            return w
    return NONE


@njit(cache=True)
def aim(m, cores, warp):
    """Go on to the warp's next load that is foreseen; whether there is one within reach."""
    if warp.ahead < warp.loads:  # it has been overtaken
        warp.ahead, warp.ahead_line = warp.loads, 0
        warp.ahead_position, warp.ahead_access = warp.position, warp.access
    if warp.ahead - warp.loads >= m.l1.prefetcher_loads:
        return False
    while warp.ahead_position < warp.end:
        one = cores.code[cores.stream[warp.ahead_position] & INDEX]
        if one.kind == MEMORY and one.space != EXCHANGE:
            if prefetch_buffer.foreseen(one):
                return True
            warp.ahead_access += 1
        warp.ahead_position += 1
    return False


@njit(cache=True)
def ask(m, chip, cores, memory, sm, w, cycle):
    """Ask for the next line of the load that is aimed at, if it is nowhere; False when the buffer has no place for it."""
    warp = cores.warps[w]
    word = cores.stream[warp.ahead_position]
    one, access = cores.code[word & INDEX], cores.accesses[warp.ahead_access]
    if access.lines and not word >> OFF_BIT:
        asked = cores.lines[access.first_line + warp.ahead_line]
        line, sectors = line_of(asked), sectors_of(asked)
        if not there(m, cores, sm.number, line, sectors):
            place = prefetch_buffer.place_for(m, chip, cores, sm)
            if place == NONE:
                return False
            number = bring(cores, memory, sm, place, asked, one.promote)
            chip.counts.prefetch_lines += 1
            l1.send(m, chip, memory, sm, number, cycle)
        warp.ahead_line += 1
    if warp.ahead_line >= access.lines or word >> OFF_BIT:
        warp.ahead, warp.ahead_line = warp.ahead + 1, 0
        warp.ahead_access += 1
        warp.ahead_position += 1
    return True


@njit(cache=True)
def bring(cores, memory, sm, place, word, promote):
    """An entry for a line on its way to a place of the buffer; its number. No request stands behind it."""
    number = take_fill(memory.fills)
    fill, entry = memory.fills[number], cores.prefetched[place]
    fill.request, fill.line, fill.sectors, fill.full, fill.sm = NONE, line_of(word), sectors_of(word), 0, sm.number
    fill.waiters, fill.store, fill.atomic, fill.promote, fill.way = 0, 0, 0, promote, place
    fill.payload = popcount(fill.sectors) * SECTOR_BYTES
    entry.line, entry.sectors, entry.bringer, entry.wanted, entry.keep = fill.line + 1, fill.sectors, number, 0, 0
    sm.ahead_awaited += 1
    return number


@njit(cache=True)
def there(m, cores, s, line, sectors):
    """Whether the SM has these sectors, or waits for them."""
    way, _ = find_l1(m, cores.l1_tags, cores.l1_lines, s, line)
    if way != NONE and missing_of(cores.l1_lines[way], sectors) == 0:
        return True
    return prefetch_buffer.find(m, cores.prefetched, s, line, sectors) != NONE
