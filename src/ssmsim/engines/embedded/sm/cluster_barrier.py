"""UCGABAR: the warps of all blocks of a cluster wait for one another. Exited warps count as arrived.

Our microbenchmark cluster/barrier_latency: relaxed, 66 and 67 cycles a round in clusters of one and two blocks of one warp,
92 of four and eight, and up to 2 more for each further warp of a block.
"""

from numba import njit

from ssmsim.architecture import MAX_CLUSTER, SUBCORES
from ssmsim.engines.embedded.event_queue import CLUSTER_OPEN, schedule
from ssmsim.engines.embedded.sm.scoreboard import reconsider
from ssmsim.engines.embedded.state.records import NONE, record

# used: its blocks that have not ended; slots: of its blocks by rank. live: warps that have not exited.
CLUSTER_RECORD = record("used", ("slots", MAX_CLUSTER), "live", "arrived")


@njit(cache=True)
def arrive(m, chip, cores, w, cycle):
    """A warp has come to its cluster's barrier, and may wait there later."""
    warp = cores.warps[w]
    block = cores.blocks[warp.block]
    sm = cores.sms[block.sm]
    cluster = cores.clusters[block.cluster]
    sm.barrier_free = max(sm.barrier_free, cycle) + m.sm.barrier_interval_cycles
    warp.meeting = 1
    cluster.arrived += 1
    complete(m, chip, cores, block.cluster, max(cycle, sm.barrier_free))


@njit(cache=True)
def complete(m, chip, cores, index, cycle):
    """Open the barrier some cycles after all have come."""
    cluster = cores.clusters[index]
    if cluster.arrived and cluster.arrived >= cluster.live:
        cluster.arrived = 0
        latency = m.cluster.barrier_near_cycles if m.cluster_size <= 2 else m.cluster.barrier_far_cycles
        schedule(chip.events, cycle + latency, CLUSTER_OPEN, index, 0)


@njit(cache=True)
def open_barrier(m, cores, index, cycle):
    """Those that wait go on."""
    cluster = cores.clusters[index]
    for rank in range(m.cluster_size):
        block = cores.blocks[cluster.slots[rank]]
        if block.cluster != index:  # its place is another block's by now
            continue
        for i in range(m.warps_per_block):
            w = block.warps[i]
            if w != NONE and cores.warps[w].meeting:
                cores.warps[w].meeting = 0
                place = w // m.sm.warp_slots_per_subcore
                reconsider(
                    cores.warps[w], cores.subs[place], cores.sms[place // SUBCORES], cores.code, cores.stalls, cycle
                )


@njit(cache=True)
def alone(m, cores, slot):
    """A block that is its own cluster."""
    cluster = cores.clusters[slot]
    cores.blocks[slot].cluster = slot
    cluster.used, cluster.live, cluster.arrived, cluster.slots[0] = 1, m.warps_per_block, 0, slot


@njit(cache=True)
def leave(m, chip, cores, block, cycle):
    """A warp has exited."""
    cluster = cores.clusters[block.cluster]
    cluster.live -= 1
    complete(m, chip, cores, block.cluster, cycle)
