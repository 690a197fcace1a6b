"""Shared memory of the blocks of a cluster: generic accesses to it, and stores that an mbarrier there counts.

An access to the own block's memory by a generic address takes longer than by a shared one; to another block's it crosses the
SMs' network, on which each SM has a port, and pairs of SMs (TPCs) that are not the same share their GPC's (our microbenchmark
cluster/distributed_shared_memory: load_latency 77 cycles in the own block, 234 in the TPC, 252 to 258 beyond; 17.1 B per
cycle and SM of loads, 20.4 of stores; of 16 SMs in clusters of four or eight half of that, in clusters of two all).
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import REMOTE_ARRIVE, schedule
from ssmsim.engines.embedded.memory.noc import PER_PORT
from ssmsim.engines.embedded.sm.memory.mbarrier import OFFSET, PLACE_BITS, RANK_SHIFT, block_of_rank, detour
from ssmsim.engines.embedded.sm.memory.return_order import answer_alone
from ssmsim.engines.embedded.state.records import FP

BYTES_MASK = (1 << 32) - 1


@njit(cache=True)
def far(m, cores, sm, slot):
    """Whether the block in `slot` is on an SM of another TPC."""
    return cores.blocks[slot].sm // 2 != sm.number // 2


@njit(cache=True)
def pass_port(m, chip, sm, beyond, bytes_, byte_fp, cycle):
    """The cycle at which the last of so many bytes has left the SM. beyond: for another TPC."""
    start = max(cycle << FP, sm.cluster_free_fp)
    if beyond:
        start = max(start, chip.run.gpc_cluster_fp[sm.gpc])
        chip.run.gpc_cluster_fp[sm.gpc] = start + bytes_ * m.cluster_gpc_fp // PER_PORT
    sm.cluster_free_fp = start + bytes_ * byte_fp // PER_PORT
    return start >> FP


@njit(cache=True)
def serve(m, chip, cores, sm, index, cycle):
    """The SM's unit takes a generic access to shared memory; cycles that it holds the unit."""
    request = cores.requests[index]
    one, access = cores.code[request.code], cores.accesses[request.access]
    word, slot = cores.lines[access.first_line], cores.warps[request.warp].block
    other = block_of_rank(cores, slot, word >> 32) if m.cluster_size > 1 else slot
    busy = -access.wavefronts
    if other == slot:
        answer_alone(chip, cores, index, cycle + busy - 1 + m.cluster.own_latency_cycles)
        return busy
    beyond, stores = far(m, cores, sm, other), one.is_store
    byte_fp = m.cluster_store_fp if stores else m.cluster_load_fp
    start = pass_port(m, chip, sm, beyond, word & BYTES_MASK, byte_fp, cycle)
    latency = m.cluster.far_latency_cycles if beyond else m.cluster.near_latency_cycles
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
        other = block_of_rank(cores, slot, address >> RANK_SHIFT) if m.cluster_size > 1 else slot
        bytes_ = -(word >> 24)
        start = pass_port(m, chip, sm, far(m, cores, sm, other), bytes_, m.cluster_store_fp, cycle)
        when = start + m.cluster.store_latency_cycles + detour(m, cores, slot, other)
        schedule(chip.events, when, REMOTE_ARRIVE, other << PLACE_BITS | address & OFFSET, word)
    answer_alone(chip, cores, index, start + 1)
    return max(1, (sm.cluster_free_fp >> FP) - m.cluster.backlog_cycles - cycle)
