"""Clusters: blocks that start together, on SMs of one GPC.

Clusters are dealt to the GPCs in turn, in each to the SMs with the fewest blocks, an SM a block; those of two blocks to the
SMs of a TPC. Some SMs take no cluster of more than two blocks (our microbenchmark launch/cluster_placement: on an H200 120 of
132 SMs hold clusters of four or eight with one block an SM, 124 with two).
"""

from numba import njit

from ssmsim.architecture import MAX_CLUSTER, SUBCORES
from ssmsim.engines.embedded import block_scheduler
from ssmsim.engines.embedded.state.records import FP, INF, NONE


@njit(cache=True)
def launch(m, chip, cores, grid, cycle):
    """Start one cluster if one fits somewhere. False when blocks are needed that have not been loaded yet."""
    run = chip.run
    run.launch_scheduled = 0
    if run.next_launch >= m.launch_total:
        return True
    first, soonest = room(m, run, cores, cycle)
    if first == NONE:
        if soonest < INF:
            block_scheduler.ask(run, chip.events, soonest)
        return True
    if run.next_launch + m.cluster_size > run.loaded_blocks:
        block_scheduler.ask(run, chip.events, cycle)
        return False
    start(m, chip, cores, grid, first, cycle)
    first_wave = run.next_launch <= m.sms * m.blocks_per_sm
    each = m.launch_fp if first_wave else m.successor_fp
    run.launch_free_fp = max(run.launch_free_fp, cycle << FP) + m.cluster_size * each
    block_scheduler.ask(run, chip.events, max(cycle, run.launch_free_fp >> FP))
    return True


@njit(cache=True)
def eligible(m, cores, s):
    """Whether an SM with room takes a block of a cluster of this size."""
    sm = cores.sms[s]
    if m.cluster_size > 2 and not sm.takes_clusters:
        return False
    return sm.blocks < m.most_blocks and block_scheduler.fits(m, sm, cores.subs, SUBCORES * s)


@njit(cache=True)
def room(m, run, cores, cycle):
    """(GPC for the next cluster, NONE if there is none now; the first cycle at which an SM that holds it up is free)."""
    best, fewest, soonest = NONE, INF, INF
    for turn in range(m.gpcs):
        gpc = (run.next_gpc + turn) % m.gpcs
        found, most = 0, 0
        for level in range(m.most_blocks):
            for s in range(m.gpc_first[gpc], m.gpc_first[gpc + 1]):
                if cores.sms[s].blocks == level and eligible(m, cores, s):
                    if cores.sms[s].launch_free > cycle:
                        soonest = min(soonest, cores.sms[s].launch_free)
                    else:
                        found += 1
            if found >= m.cluster_size:
                most = level
                break
        if found >= m.cluster_size and most < fewest:
            best, fewest = gpc, most
    return best, soonest


@njit(cache=True)
def start(m, chip, cores, grid, gpc, cycle):
    """Put the next loaded blocks on SMs of a GPC that has room for them."""
    number = 0
    while cores.clusters[number].used:
        number += 1
    cluster = cores.clusters[number]
    cluster.used, cluster.live, cluster.arrived = m.cluster_size, m.cluster_size * m.warps_per_block, 0
    for rank in range(MAX_CLUSTER):
        cluster.slots[rank] = NONE
    rank = 0
    for level in range(m.most_blocks):
        for s in range(m.gpc_first[gpc], m.gpc_first[gpc + 1]):
            sm = cores.sms[s]
            free = sm.launch_free <= cycle and sm.blocks == level and eligible(m, cores, s)
            if rank < m.cluster_size and free and not holds(cores, cluster, rank, s):
                slot = block_scheduler.start(m, chip, cores, grid, s, cycle)
                cluster.slots[rank] = slot
                cores.blocks[slot].cluster = number
                rank += 1
    chip.run.next_gpc = (gpc + 1) % m.gpcs


@njit(cache=True)
def holds(cores, cluster, count, s):
    """Whether one of the cluster's first blocks is on SM s."""
    found = False
    for rank in range(count):
        found |= cores.blocks[cluster.slots[rank]].sm == s
    return found
