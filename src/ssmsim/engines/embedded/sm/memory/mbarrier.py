"""mbarriers: words of shared memory that count the arrivals and bytes of a phase (SYNCS, ARRIVES), and what waits for them.

The SM's unit takes a SYNCS per interval, whatever number of lanes it has (our microbenchmark sm_memory/mbarrier_latency:
arrivals.16, arrivals_all.16, 2.0 cycles each). A try at a phase that has not completed stays with the barrier until it
has (tries end by time on a GPU, and code tries again; what that costs is left out). Arrivals at another block's barrier, and
bytes of its copies, cross the SMs' network. How the words count: PTX ISA, mbarrier; tracers/emulated/mbarrier.py.
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import REMOTE_ARRIVE, schedule
from ssmsim.engines.embedded.feed.async_words import arrivals_of, drops, transactions_of
from ssmsim.engines.embedded.sm.instruction import CHECK, INIT, INVALIDATE
from ssmsim.engines.embedded.sm.memory import ldgsts
from ssmsim.engines.embedded.sm.memory.cluster_network import block_of_rank, detour
from ssmsim.engines.embedded.sm.memory.return_order import answer_alone, free_request
from ssmsim.engines.embedded.sm.scoreboard import check_exit
from ssmsim.engines.embedded.state.records import NONE, record

MBARRIERS = 64  # of a block that the engine keeps
COUNT = (1 << 20) - 1
RANK_SHIFT, OFFSET = 24, 0xFF_FFFF
PLACE_BITS = 24
NO_BARRIER = 2  # run.fault: none was initialised there, or a block has more than MBARRIERS

# place: offset + 1, 0 where there is none. first, last: requests that wait for the phase.
MBARRIER_WORD = record("place", "expected", "pending", "transactions", "phase", "first", "last")


@njit(cache=True)
def find(mbarriers, slot, offset):
    """Index of the barrier at `offset` of the block in `slot`, or of the place for it; NONE when all are taken."""
    for k in range(MBARRIERS):
        index = slot * MBARRIERS + ((offset >> 3) + k & MBARRIERS - 1)
        if mbarriers[index].place == offset + 1 or mbarriers[index].place == 0:
            return index
    return NONE


@njit(cache=True)
def forget(mbarriers, slot):
    """A new block: no barriers."""
    for index in range(slot * MBARRIERS, (slot + 1) * MBARRIERS):
        mbarriers[index].place = 0
        mbarriers[index].first = 0


@njit(cache=True)
def serve(m, chip, cores, index, cycle):
    """The SM's unit takes a SYNCS; cycles that it holds the unit."""
    request = cores.requests[index]
    one, slot = cores.code[request.code], cores.warps[request.warp].block
    if one.closes:
        sm = cores.sms[cores.blocks[slot].sm]
        behind = ldgsts.closed(m, chip.counts, sm, cores.warps[request.warp], request, chip.events, cycle)
        return m.mbarrier.interval_cycles + behind
    if request.off:
        answer_alone(chip, cores, index, cycle + m.mbarrier.latency_cycles)
        return m.mbarrier.interval_cycles
    if one.syncs == CHECK:
        request.left = request.passes = 0
        go_on(m, chip, cores, index, cycle + m.mbarrier.latency_cycles)
        return m.mbarrier.try_interval_cycles
    access = cores.accesses[request.access]
    for k in range(access.wavefronts):
        address, word = cores.lines[access.first_line + 2 * k], cores.lines[access.first_line + 2 * k + 1]
        if one.syncs == INIT or one.syncs == INVALIDATE:
            write(chip.run, cores.mbarriers, slot, address & OFFSET, word if one.syncs == INIT else 0)
        elif one.remote:
            send(m, chip, cores, slot, address, word, cycle)
        else:
            count(m, chip, cores, slot, address & OFFSET, word, cycle + m.mbarrier.wake_cycles)
    answer_alone(chip, cores, index, cycle + m.mbarrier.latency_cycles)
    return m.mbarrier.interval_cycles


@njit(cache=True)
def write(run, mbarriers, slot, offset, word):
    """SYNCS.EXCH: a word becomes a barrier; 0: what was there is none any more."""
    index = find(mbarriers, slot, offset)
    if index == NONE:
        run.fault = NO_BARRIER
        return
    bar = mbarriers[index]
    bar.place, bar.expected, bar.pending = offset + 1, -(word >> 1) & COUNT, -(word >> 43) & COUNT
    bar.transactions, bar.phase, bar.first, bar.last = 0, word >> 63 & 1, 0, 0


@njit(cache=True)
def count(m, chip, cores, slot, offset, word, wakes):
    """Arrivals and transactions at a barrier of the block in `slot`; what waits for a phase that completes goes on at `wakes`."""
    index = find(cores.mbarriers, slot, offset)
    if index == NONE or cores.mbarriers[index].place == 0:
        chip.run.fault = NO_BARRIER
        return
    bar = cores.mbarriers[index]
    bar.pending -= arrivals_of(word)
    if drops(word):
        bar.expected -= arrivals_of(word)
    bar.transactions += transactions_of(word)
    if bar.pending or bar.transactions:
        return
    bar.phase ^= 1
    bar.pending = bar.expected
    waiting, bar.first, bar.last = bar.first, 0, 0
    while waiting:
        following = cores.requests[waiting].later
        if go_on(m, chip, cores, waiting, wakes):
            free_request(cores.requests, waiting)
        waiting = following


@njit(cache=True)
def copies_arrived(m, chip, cores, index, cycle):
    """The copies before an ARRIVES have ended: its barriers count."""
    request = cores.requests[index]
    warp, access = cores.warps[request.warp], cores.accesses[request.access]
    for k in range(access.wavefronts):
        at = access.first_line + 2 * k
        wakes = cycle + m.mbarrier.copies_wake_cycles
        count(m, chip, cores, warp.block, cores.lines[at] & OFFSET, cores.lines[at + 1], wakes)
    warp.outstanding -= 1
    check_exit(warp, chip.events, request.warp, cycle)
    free_request(cores.requests, index)


@njit(cache=True)
def go_on(m, chip, cores, index, when):
    """A try: answer it at `when` once all phases that it names have completed, else wait for the first that has not."""
    request = cores.requests[index]
    slot, access = cores.warps[request.warp].block, cores.accesses[request.access]
    while request.passes < access.wavefronts:
        at = access.first_line + 2 * request.passes
        place = find(cores.mbarriers, slot, cores.lines[at] & OFFSET)
        if place == NONE or cores.mbarriers[place].place == 0:
            chip.run.fault = NO_BARRIER
            return False
        bar, operand = cores.mbarriers[place], cores.lines[at + 1]
        if bar.phase == operand & 1 and not operand & 2:
            request.later = 0
            if bar.first:
                cores.requests[bar.last].later = index
            else:
                bar.first = index
            bar.last = index
            return False
        request.passes += 1
    answer_alone(chip, cores, index, when)
    return True


@njit(cache=True)
def send(m, chip, cores, slot, address, word, cycle):
    """Arrivals at a barrier by an address with a rank come behind the way to its SM, and to that of the own block."""
    other = block_of_rank(m, cores, slot, address >> RANK_SHIFT)
    when = cycle + m.cluster.own_arrive_latency_cycles
    if other != slot:
        when = cycle + m.cluster.arrive_latency_cycles + detour(m, cores, slot, other)
    schedule(chip.events, when, REMOTE_ARRIVE, other << PLACE_BITS | address & OFFSET, word)


@njit(cache=True)
def comes(m, chip, cores, place, word, cycle):
    """What send() sent is there."""
    count(m, chip, cores, place >> PLACE_BITS, place & OFFSET, word, cycle + m.mbarrier.wake_cycles)
