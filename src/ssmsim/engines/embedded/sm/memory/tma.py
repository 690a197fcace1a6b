"""TMA: an SM's unit that copies tiles and runs of bytes between global and shared memory, a line at a time, in order.

A copy enters its queue when it has issued. A load asks for a line per cycle; what comes is written to shared memory at a
line per clock of the crossbar (our microbenchmark tma/tensor_load: latency, 1.1 to 1.2 cycles per row of 16 to 128 bytes;
stream.128x128.sw128.d4.1, 152 cycles per 128 lines; tma/multicast: stream.2.128x64.2, 150 for 128 lines that come, of
which half are asked for), and the mbarrier counts the tile's bytes when its last line is. A store takes the SM's port for
stores (tma/tensor_store: 4.0 cycles per line, 2.0 per row of 16 bytes; added 5.0). A group of stores ends when their
sources are read, also where code waits until they are written (tma/bulk_copy: store_written is 2 cycles above store_read).
With .MULTICAST one request is answered to all blocks of a set. What a tensor map costs that was not used before is left out
(tma/tensor_load: descriptors, 37 cycles with 16 maps in turn), and so is what copies cost others that use shared memory.
"""

from numba import njit

from ssmsim.architecture import MAX_CLUSTER, SECTOR_BYTES, SECTORS_PER_LINE, SUBCORES
from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.event_queue import BULK_DONE, RELEASE, TMA, schedule
from ssmsim.engines.embedded.feed.async_words import BARRIER, BYTES, TARGETS, counted
from ssmsim.engines.embedded.feed.line_word import full_of, line_of, sectors_of
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.noc import UNANSWERED, take_fill
from ssmsim.engines.embedded.sm.instruction import BULK_BETWEEN, BULK_FLUSH, BULK_LOAD, BULK_PREFETCH
from ssmsim.engines.embedded.sm.memory import mbarrier
from ssmsim.engines.embedded.sm.memory.cluster_network import beyond, block_of_rank, detour, pass_port
from ssmsim.engines.embedded.sm.memory.mbarrier import OFFSET, RANK_SHIFT
from ssmsim.engines.embedded.sm.memory.return_order import free_request, take_request
from ssmsim.engines.embedded.sm.scoreboard import check_exit
from ssmsim.engines.embedded.state.records import FP, INF, NONE

RETRY = 4  # cycles until a copy that found no free entry tries again: polling, not a hardware value


@njit(cache=True)
def push(m, chip, cores, w, cycle):
    """The warp's current bulk instruction has issued: it joins the unit's queue."""
    sm, warp = cores.sms[w // (SUBCORES * m.sm.warp_slots_per_subcore)], cores.warps[w]
    one = cores.code[warp.current]
    access = NONE
    if one.bulk != BULK_FLUSH:
        access = warp.access
        warp.access += 1
        if one.read_add:  # its uniform registers are read
            warp.scoreboard += one.read_add
            schedule(chip.events, cycle + m.tma.read_release_cycles, RELEASE, w, one.read_add)
        if warp.off:
            return
    elif one.read_add:
        warp.scoreboard += one.read_add
    index = take_request(chip.run, cores.requests)
    if index == 0:
        return
    request = cores.requests[index]
    request.next, request.warp, request.code, request.access, request.space = 0, w, warp.current, access, one.space
    request.left, request.at, request.targets, request.off = 0, 0, 0, 0
    warp.outstanding += 1
    if sm.tma_head:
        cores.requests[sm.tma_tail].next = index
    else:
        sm.tma_head = index
    sm.tma_tail = index
    when = max(cycle + m.tma.issue_latency_cycles, sm.tma_free)
    request.arrival = when
    if when < sm.tma_next:
        come_back(sm, chip.events, when)


@njit(cache=True, forceinline=True)
def come_back(sm, events, when):
    """The unit looks for work at `when`, not at the cycle that was named before."""
    sm.tma_next = when
    schedule(events, when, TMA, sm.number, 0)


@njit(cache=True)
def serve(m, chip, cores, memory, s, cycle):
    """One line of the copy at the head of the queue, or its end."""
    sm = cores.sms[s]
    if sm.tma_next != cycle:
        return
    sm.tma_next = INF
    index = sm.tma_head
    if index == 0:
        return
    request = cores.requests[index]
    if request.arrival > cycle:
        come_back(sm, chip.events, request.arrival)
        return
    kind, when = cores.code[request.code].bulk, cycle + 1
    if kind == BULK_LOAD:
        when = load(m, chip, cores, memory, sm, index, cycle)
    elif kind == BULK_PREFETCH:
        when = prefetch(m, chip, cores, memory, sm, index, cycle)
    elif kind == BULK_BETWEEN:
        when = between(m, chip, cores, sm, index, cycle)
    elif kind != BULK_FLUSH:
        when = store(m, chip, cores, memory, sm, index, cycle)
    sm.tma_free = when
    if request.access == NONE or request.at >= cores.accesses[request.access].lines:
        leave(m, chip, cores, sm, index, when)
    if sm.tma_head:
        come_back(sm, chip.events, max(when, cycle + 1))


@njit(cache=True)
def leave(m, chip, cores, sm, index, cycle):
    """All lines of the copy at the head have been asked for or sent; behind a group's last, its counter goes down."""
    request = cores.requests[index]
    w, one = request.warp, cores.code[request.code]
    warp = cores.warps[w]
    if one.bulk == BULK_FLUSH and one.read_add:
        schedule(chip.events, cycle + m.tma.group_latency_cycles, RELEASE, w, one.read_add)
    sm.tma_head = request.next
    free_request(cores.requests, index)
    warp.outstanding -= 1
    check_exit(warp, chip.events, w, cycle)


@njit(cache=True)
def operand(cores, request, which):
    access = cores.accesses[request.access]
    return cores.lines[access.first_line + access.lines + which]


@njit(cache=True)
def expect(m, chip, cores, index):
    """Entries for the blocks that a copy goes to: each awaits all of its lines."""
    request = cores.requests[index]
    slot = cores.warps[request.warp].block
    set_, barrier = operand(cores, request, TARGETS), operand(cores, request, BARRIER)
    if set_ < 0:
        set_ = 1 << (barrier >> RANK_SHIFT) if m.cluster_size > 1 else 1
    for rank in range(MAX_CLUSTER):
        if not set_ >> rank & 1:
            continue
        number = take_request(chip.run, cores.requests)
        if number == 0:
            return
        target = cores.requests[number]
        target.warp, target.code, target.access, target.space = request.warp, request.code, NONE, request.space
        target.left, target.there = cores.accesses[request.access].lines, 0
        target.slot = block_of_rank(m, cores, slot, rank)
        target.barrier, target.bytes = barrier & OFFSET, operand(cores, request, BYTES)
        target.later, request.targets = request.targets, number


@njit(cache=True)
def load(m, chip, cores, memory, sm, index, cycle):
    """Ask for the next line of a load; the cycle of the one behind it."""
    request = cores.requests[index]
    access = cores.accesses[request.access]
    if request.at == 0:
        expect(m, chip, cores, index)
        if access.lines == 0:
            target = request.targets
            while target:
                schedule(chip.events, cycle + m.tma.arrival_latency_cycles, BULK_DONE, target, 0)
                target = cores.requests[target].later
            return cycle + 1
    if memory.fills[0].payload < 2 * MAX_CLUSTER:
        return cycle + RETRY
    word = cores.lines[access.first_line + request.at]
    request.at += 1
    others, target = 0, request.targets
    while target:
        one = cores.requests[target]
        number = take_fill(memory.fills)
        fill = memory.fills[number]
        fill.request, fill.line, fill.sectors, fill.full, fill.way = target, line_of(word), sectors_of(word), 0, NONE
        fill.sm = cores.blocks[one.slot].sm
        fill.waiters, fill.store, fill.atomic, fill.promote = 0, 0, 0, cores.code[request.code].promote
        fill.payload = popcount(fill.sectors) * SECTOR_BYTES
        chip.counts.l1_fills += 1
        target = one.later
        if target:
            fill.next, fill.port, fill.merged, others = others, NONE, 0, number
        else:
            noc.send(m, chip.run, chip.counts, sm, fill, number, chip.events, cycle)
            fill.merged = others
    sm.tma_time_fp = max(sm.tma_time_fp, cycle << FP) + m.tma.request_cycles_fp
    return sm.tma_time_fp >> FP


@njit(cache=True)
def prefetch(m, chip, cores, memory, sm, index, cycle):
    """Ask the L2 for the next line of a prefetch, which nobody awaits; the cycle of the one behind it."""
    request = cores.requests[index]
    access, one = cores.accesses[request.access], cores.code[request.code]
    if access.lines == 0:
        return cycle + 1
    if memory.fills[0].payload < 2 * MAX_CLUSTER:
        return cycle + RETRY
    word = cores.lines[access.first_line + request.at]
    request.at += 1
    number = take_fill(memory.fills)
    fill = memory.fills[number]
    fill.request, fill.line, fill.sectors, fill.full, fill.sm = (
        UNANSWERED,
        line_of(word),
        sectors_of(word),
        0,
        sm.number,
    )
    fill.waiters, fill.store, fill.atomic, fill.promote, fill.way, fill.payload = 0, 0, 0, one.promote, NONE, 0
    noc.send(m, chip.run, chip.counts, sm, fill, number, chip.events, cycle)
    sm.tma_time_fp = max(sm.tma_time_fp, cycle << FP) + m.tma.prefetch_cycles_fp
    return sm.tma_time_fp >> FP


@njit(cache=True)
def came(m, chip, cores, fill, cycle):
    """A line of a load is there: it is written to shared memory."""
    sm, target = cores.sms[fill.sm], cores.requests[fill.request]
    chip.counts.l1_fill_sectors += popcount(fill.sectors)
    written = popcount(fill.sectors) * m.tma.fill_cycles_fp // SECTORS_PER_LINE
    sm.tma_fill_free_fp = max(sm.tma_fill_free_fp, cycle << FP) + written
    target.there = max(target.there, sm.tma_fill_free_fp >> FP)
    target.left -= 1
    if target.left == 0:
        schedule(chip.events, target.there + m.tma.arrival_latency_cycles, BULK_DONE, fill.request, 0)


@njit(cache=True)
def done(m, chip, cores, index, cycle):
    """A copy is in a block's shared memory: its mbarrier counts the bytes."""
    target = cores.requests[index]
    wakes = cycle + m.mbarrier.wake_cycles
    mbarrier.count(m, chip, cores, target.slot, target.barrier, counted(0, -target.bytes), wakes)
    free_request(cores.requests, index)


@njit(cache=True)
def store(m, chip, cores, memory, sm, index, cycle):
    """Send the next line of a store or reduction; the cycle of the one behind it."""
    request = cores.requests[index]
    access, one = cores.accesses[request.access], cores.code[request.code]
    if access.lines == 0:
        return cycle + 1
    if memory.fills[0].payload < 2 * MAX_CLUSTER or sm.stores > m.l1.store_bytes:
        return cycle + RETRY
    word = cores.lines[access.first_line + request.at]
    request.at += 1
    number = take_fill(memory.fills)
    fill = memory.fills[number]
    sectors, full = sectors_of(word), full_of(word)
    masks = 0 if one.is_atomic else 1 if sectors & ~full else 0
    fill.request, fill.line, fill.sectors, fill.full, fill.sm, fill.way = (
        NONE,
        line_of(word),
        sectors,
        full,
        sm.number,
        NONE,
    )
    fill.waiters, fill.store, fill.atomic, fill.promote, fill.words = 0, 1, one.is_atomic, one.promote, 0
    fill.payload = (popcount(sectors) + masks) * SECTOR_BYTES
    fill.alone = 0
    sm.stores += fill.payload
    noc.send(m, chip.run, chip.counts, sm, fill, number, chip.events, cycle)
    sm.store_free_fp = max(sm.store_free_fp, cycle << FP) + (popcount(sectors) + masks) * m.store_fp
    return max(cycle + 1, sm.store_free_fp >> FP, sm.request_free_fp >> FP)


@njit(cache=True)
def between(m, chip, cores, sm, index, cycle):
    """A copy from this block's shared memory to another's, at the pace of the SMs' network; a reduction takes it longer."""
    request = cores.requests[index]
    bytes_, reduces = operand(cores, request, BYTES), cores.code[request.code].is_atomic
    if reduces:
        bytes_ += bytes_ * m.cluster.reduction_share_fp >> FP
    expect(m, chip, cores, index)
    slot, other = cores.warps[request.warp].block, cores.requests[request.targets].slot
    pass_port(m, chip, sm, beyond(cores, slot, other), bytes_, m.cluster_store_fp, cycle)
    over = (sm.cluster_free_fp >> FP) + m.cluster.copy_latency_cycles + detour(m, cores, slot, other)
    over += m.cluster.reduction_latency_cycles * reduces
    schedule(chip.events, over, BULK_DONE, request.targets, 0)
    return max(cycle + 1, sm.cluster_free_fp >> FP)
