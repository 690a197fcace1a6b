"""Shared memory of the blocks of a cluster: generic accesses to it, and stores that an mbarrier there counts.

An access to the own block's memory by a generic address takes longer than by a shared one; to another block's it crosses
the network (our microbenchmark cluster/distributed_shared_memory: load_latency 77 cycles a round in the own block, 225 to
234 in the TPC, 252 to 258 beyond).
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import REMOTE_ARRIVE, schedule
from ssmsim.engines.embedded.sm.memory.cluster_network import beyond, block_of_rank, detour, pass_port
from ssmsim.engines.embedded.sm.memory.mbarrier import OFFSET, PLACE_BITS, RANK_SHIFT
from ssmsim.engines.embedded.sm.memory.return_order import answer_alone
from ssmsim.engines.embedded.state.records import FP

BYTES_MASK = (1 << 32) - 1


@njit(cache=True)
def serve(m, chip, cores, sm, index, cycle):
    """The SM's unit takes a generic access to shared memory; cycles that it holds the unit."""
    request = cores.requests[index]
    one, access = cores.code[request.code], cores.accesses[request.access]
    word, slot = cores.lines[access.first_line], cores.warps[request.warp].block
    other = block_of_rank(m, cores, slot, word >> 32)
    busy = -access.wavefronts
    if other == slot:
        answer_alone(chip, cores, index, cycle + busy - 1 + m.cluster.own_latency_cycles)
        return busy
    far, stores = beyond(cores, slot, other), one.is_store
    byte_fp = m.cluster_store_fp if stores else m.cluster_load_fp
    start = pass_port(m, chip, sm, far, word & BYTES_MASK, byte_fp, cycle)
    latency = m.cluster.far_latency_cycles if far else m.cluster.near_latency_cycles
    answer_alone(chip, cores, index, start + (latency // 2 if stores else latency - 1))
    return max(busy, (sm.cluster_free_fp >> FP) - m.cluster.backlog_cycles - cycle)


@njit(cache=True)
def store(m, chip, cores, sm, index, cycle):
    """A STAS or REDAS: its bytes go to another block, whose mbarrier counts them. Cycles of the unit."""
    request = cores.requests[index]
    access, slot = cores.accesses[request.access], cores.warps[request.warp].block
    if request.off:
        answer_alone(chip, cores, index, cycle + 1)
        return 1
    start = cycle
    for k in range(access.wavefronts):
        address, word = cores.lines[access.first_line + 2 * k], cores.lines[access.first_line + 2 * k + 1]
        other = block_of_rank(m, cores, slot, address >> RANK_SHIFT)
        bytes_ = -(word >> 24)
        start = pass_port(m, chip, sm, beyond(cores, slot, other), bytes_, m.cluster_store_fp, cycle)
        when = start + m.cluster.store_latency_cycles + detour(m, cores, slot, other)
        schedule(chip.events, when, REMOTE_ARRIVE, other << PLACE_BITS | address & OFFSET, word)
    answer_alone(chip, cores, index, start + 1)
    return max(1, (sm.cluster_free_fp >> FP) - m.cluster.backlog_cycles - cycle)
