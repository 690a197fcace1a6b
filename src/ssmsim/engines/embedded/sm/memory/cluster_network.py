"""The network between the SMs of a GPC, on which blocks of a cluster reach each other: who is where, ports, and the longer way.

Each SM has a port, and what goes to another TPC shares that of the GPC (our microbenchmark
cluster/distributed_shared_memory: 17.1 B per cycle and SM of loads, 20.4 of stores and copies; of 16 SMs in clusters of four
or eight half of that, in clusters of two all).
"""

from numba import njit

from ssmsim.engines.embedded.memory.noc import PER_PORT
from ssmsim.engines.embedded.state.records import FP


@njit(cache=True)
def block_of_rank(m, cores, slot, rank):
    """Slot of the block with this rank in the cluster of the block in `slot`; itself where it has none."""
    return cores.clusters[cores.blocks[slot].cluster].slots[rank] if m.cluster_size > 1 else slot


@njit(cache=True)
def beyond(cores, slot, other):
    """Whether two blocks are on SMs of different TPCs."""
    return cores.blocks[other].sm // 2 != cores.blocks[slot].sm // 2


@njit(cache=True)
def detour(m, cores, slot, other):
    """Cycles that one way to a block on an SM of another TPC takes longer."""
    return (m.cluster.far_latency_cycles - m.cluster.near_latency_cycles) // 2 if beyond(cores, slot, other) else 0


@njit(cache=True)
def pass_port(m, chip, sm, far, bytes_, byte_fp, cycle):
    """The cycle at which so many bytes begin to pass the SM's port, which is free behind them. far: to another TPC."""
    start = max(cycle << FP, sm.cluster_free_fp)
    if far:
        start = max(start, chip.run.gpc_cluster_fp[sm.gpc])
        chip.run.gpc_cluster_fp[sm.gpc] = start + bytes_ * m.cluster_gpc_fp // PER_PORT
    sm.cluster_free_fp = start + bytes_ * byte_fp // PER_PORT
    return start >> FP
