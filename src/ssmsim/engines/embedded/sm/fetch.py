"""Instruction supply: L0 caches of the sub-cores with stream buffers, caches of SM and GPC, then L2 and DRAM.

Structure and the 8-entry stream buffer: arXiv 2503.20481, section 5.2. Constants that instructions name as operands
come from a small cache of each SM (IMC), of which only misses cost time; those that LDC loads from another (IDC).
"""

from numba import njit

from ssmsim.engines.embedded.memory.address_map import home_of
from ssmsim.engines.embedded.state.records import FP, NONE, record

CODE_BASE = 1 << 41  # line numbers of code lie above every other address; where it lies is not known

CODE_LINE = record("tag", "ready", "used", "fresh")


@njit(cache=True)
def from_l1(m, chip, icache, memory, sm, line, cycle, ahead):
    """Cycle at which the SM's instruction cache delivers a line to a sub-core; fills it on a miss.

    What a warp waits for goes before what is fetched ahead of it.
    """
    if ahead:
        start = max(cycle, sm.fetch_free, sm.prefetch_free)
        sm.prefetch_free = start + m.fetch.l1_interval_cycles
    else:
        start = max(cycle, sm.fetch_free)
        sm.fetch_free = start + m.fetch.l1_interval_cycles
    chip.counts.fetch_lines += 1
    base = (sm.number * m.l1i_sets + line % m.l1i_sets) * m.fetch.l1_ways
    oldest = base
    for way in range(base, base + m.fetch.l1_ways):
        entry = icache.l1i[way]
        if entry.tag == line + 1:
            entry.used = cycle
            if not ahead and entry.ready > max(start, sm.refill_free) + m.fetch.gpc_latency_cycles:
                entry.ready = min(
                    entry.ready, refill(m, sm, icache.gpci, icache.l2i, memory.slices, memory.channels, line, start)
                )
            return max(start, entry.ready) + m.fetch.l1_latency_cycles
        if entry.used < icache.l1i[oldest].used:
            oldest = way
    chip.counts.fetch_misses += 1
    entry = icache.l1i[oldest]
    entry.tag, entry.used = line + 1, cycle
    if ahead:
        start = max(start, sm.refill_free, sm.refill_ahead)
        sm.refill_ahead = start + sm.refill_interval
        entry.ready = start + shared_level(m, sm, icache.gpci, icache.l2i, memory.slices, memory.channels, line, start)
    else:
        entry.ready = refill(m, sm, icache.gpci, icache.l2i, memory.slices, memory.channels, line, start)
    return entry.ready + m.fetch.l1_latency_cycles


@njit(cache=True)
def refill(m, sm, gpci, l2i, slices, channels, line, cycle):
    """Cycle at which a line that a warp waits for comes to the SM: it goes before those asked for ahead, its own request too."""
    start = max(cycle, sm.refill_free)
    sm.refill_free = start + sm.refill_interval
    return start + shared_level(m, sm, gpci, l2i, slices, channels, line, start)


@njit(cache=True)
def shared_level(m, sm, gpci, l2i, slices, channels, line, cycle):
    """Latency of the level that the SMs of a GPC share, when there is one, else of L2."""
    if m.gpci_sets == 0:
        return from_l2(m, sm, l2i, slices, channels, line, cycle)
    entry = gpci[sm.gpc * m.gpci_sets + line % m.gpci_sets]
    if entry.tag == line + 1:
        return max(m.fetch.gpc_latency_cycles, entry.ready - cycle)
    latency = from_l2(m, sm, l2i, slices, channels, line, cycle)
    entry.tag, entry.ready = line + 1, cycle + latency
    return latency


@njit(cache=True)
def from_l2(m, sm, l2i, slices, channels, line, cycle):
    """Latency of the L2; the first to ask for a line that it lacks waits for DRAM, behind the data asked for before.

    When the line comes is worked out at once, from the requests that wait for its slice and channel; it takes no turn.
    """
    entry = l2i[line]
    if entry.tag == 0:
        home = home_of(m, CODE_BASE + line)
        index = home * m.dram.channels // m.l2.slices
        queued = (channels[index].reads + slices[home].waiting) * m.burst_fp
        start = max(channels[index].free_fp, cycle << FP) + queued + m.burst_fp
        far = home * m.l2.partitions // m.l2.slices != sm.side
        entry.tag, entry.ready = line + 1, (start >> FP) + m.dram.row_miss_cycles + m.dram_latency + far * m.far_latency
    return m.fetch.l2_latency_cycles + max(0, entry.ready - cycle)


@njit(cache=True, forceinline=True)
def fetch(m, chip, icache, memory, sm, sub, line, cycle):
    """Cycle at which the sub-core has the line; starts the stream buffer on a miss and keeps it ahead on a hit."""
    found = find(m, icache.l0, sub, line)
    if found == NONE:
        ready = from_l1(m, chip, icache, memory, sm, line, cycle, False)
        found = place(m, icache.l0, sub, line, ready, cycle)
        icache.l0[found].fresh = 0
        for ahead in range(1, m.fetch.l0_prefetch_lines + 1):
            prefetch(m, chip, icache, memory, sm, sub, line + ahead, cycle)
    else:
        if icache.l0[found].ready > cycle + m.fetch.l1_latency_cycles + m.fetch.gpc_latency_cycles:
            ready = from_l1(m, chip, icache, memory, sm, line, cycle, False)
            icache.l0[found].ready = min(icache.l0[found].ready, ready)
        if icache.l0[found].fresh:
            icache.l0[found].fresh = 0
            prefetch(m, chip, icache, memory, sm, sub, line + m.fetch.l0_prefetch_lines, cycle)
    icache.l0[found].used = cycle
    return icache.l0[found].ready


@njit(cache=True)
def prefetch(m, chip, icache, memory, sm, sub, line, cycle):
    if line >= m.code_lines or sm.prefetch_free > cycle + m.fetch.l0_prefetch_lines * m.fetch.l1_interval_cycles:
        return  # past the end, or the port is busy: a line ahead is not worth a queue
    if find(m, icache.l0, sub, line) == NONE:
        ready = from_l1(m, chip, icache, memory, sm, line, cycle, True)
        place(m, icache.l0, sub, line, ready, cycle)


@njit(cache=True)
def find(m, l0, sub, line):
    """Way of the sub-core's L0 that holds the line, NONE when none does."""
    base = (sub * m.l0_sets + line % m.l0_sets) * m.l0_ways
    for i in range(base, base + m.l0_ways):
        if l0[i].tag == line + 1:
            return i
    return NONE


@njit(cache=True)
def place(m, l0, sub, line, ready, cycle):
    """Replace the line of the set used longest ago."""
    base = (sub * m.l0_sets + line % m.l0_sets) * m.l0_ways
    oldest = base
    for i in range(base + 1, base + m.l0_ways):
        if l0[i].used < l0[oldest].used:
            oldest = i
    entry = l0[oldest]
    entry.tag, entry.ready, entry.used, entry.fresh = line + 1, ready, cycle, 1
    return oldest


@njit(cache=True)
def constant(m, counts, imc, s, line, cycle):
    """Cycle at which a constant operand's line is there."""
    entry = imc[s * m.imc_lines + line % m.imc_lines]
    if entry.tag != line + 1:
        counts.imc_misses += 1
        entry.tag, entry.ready = line + 1, cycle + m.constant.miss_latency_cycles
    return entry.ready


@njit(cache=True)
def indexed(m, counts, idc, s, line, cycle):
    """Cycle at which the line that an LDC reads is there; one that asks for a line on its way misses, too."""
    entry = idc[s * m.idc_lines + line % m.idc_lines]
    if entry.tag != line + 1:
        entry.tag, entry.ready = line + 1, cycle + m.constant.ldc_miss_cycles
    counts.idc_misses += entry.ready > cycle
    return max(cycle, entry.ready)
