"""HGMMA: asynchronous matrix multiply of a warpgroup. Four warps ask, then the SM's four tensor cores work as one.

64 x n x 16 takes n/2 cycles at 1024 FLOP per cycle and sub-core; operands from shared memory can be the slower limit
(arXiv 2501.12084: full rate from n = 64 on when A comes from shared memory). Groups end in order; WARPGROUP.DEPBAR
waits until no more than so many are in flight. A sparse one takes longer behind one of another warpgroup (our
microbenchmark sm/gmma_format_throughput: f16.sp, rs.8.2 46 cycles a round of two turns, rs.8.1 none). Operands
come before the loads and stores of the SM (hgmma_operands.py); ncu counts them as wavefronts of the same data stage.
"""

from numba import njit

from ssmsim.architecture import SUBCORES, WARPGROUP_WARPS
from ssmsim.engines.embedded.event_queue import GMMA_DONE, RELEASE, schedule
from ssmsim.engines.embedded.sm import hgmma_operands
from ssmsim.engines.embedded.sm.instruction import TENSOR
from ssmsim.engines.embedded.sm.scoreboard import reconsider
from ssmsim.engines.embedded.state.records import FP, INF, NONE

WARPGROUPS = 8  # of a block at most


@njit(cache=True)
def issue(m, chip, cores, w, cycle):
    """One warp of the group has issued its next HGMMA; the last of the four sets it to work."""
    sm, warp = cores.sms[w // (SUBCORES * m.sm.warp_slots_per_subcore)], cores.warps[w]
    block, one = cores.blocks[warp.block], cores.code[warp.current]
    group = warp.number // WARPGROUP_WARPS
    block.gmma_issued[warp.number] += 1
    warp.gmma_pending += one.commits
    warp.scoreboard += one.write_add + one.read_add
    first = WARPGROUP_WARPS * group
    last = min(m.warps_per_block, first + WARPGROUP_WARPS)
    for i in range(first, last):
        if block.gmma_issued[i] <= block.gmma_done[group]:
            return
    block.gmma_done[group] += 1
    start = max(sm.tensor_free_fp, cycle << FP)
    busy = max(one.gmma_fp + one.turn_fp * (sm.tensor_group != WARPGROUPS * warp.block + group), one.gmma_smem_fp)
    sm.tensor_group = WARPGROUPS * warp.block + group
    hgmma_operands.work(m, sm, one, start, busy)
    sm.tensor_free_fp = start + busy
    sm.port_share_fp = (one.gmma_fp << FP) // busy  # below 1 when it waits for its operands
    sm.tensor_shadow_fp = sm.tensor_free_fp + (one.commits * m.tensor.hgmma_overhead_latency_cycles << FP)
    chip.counts.pipe_busy_fp[TENSOR] += SUBCORES * one.gmma_fp
    done = ((start + busy) >> FP) + m.tensor.hgmma_overhead_latency_cycles
    for i in range(first, last):
        v = block.warps[i]
        if v == NONE:
            continue
        sub = cores.subs[v // m.sm.warp_slots_per_subcore]
        sub.pipe_free_fp[TENSOR] = max(sub.pipe_free_fp[TENSOR], start + busy)
        if one.commits:
            schedule(chip.events, done, GMMA_DONE, v, 0)
        if one.write_add:
            schedule(chip.events, done, RELEASE, v, one.write_add)
        if one.read_add:
            schedule(chip.events, (start + busy) >> FP, RELEASE, v, one.read_add)


@njit(cache=True)
def gather(m, cores, block, warp, cycle):
    """WARPGROUP.ARRIVE: no HGMMA of the group issues before its four warps are there, each as often.

    ncu samples the wait at the first HGMMA behind it (reason warpgroup_arrive): 120 cycles each in chunk_scan_bwd_dcb.
    """
    group = warp.number // WARPGROUP_WARPS
    first, last = WARPGROUP_WARPS * group, min(m.warps_per_block, WARPGROUP_WARPS * (group + 1))
    block.gmma_arrived[warp.number] += 1
    fewest = INF
    for i in range(first, last):
        if block.warps[i] != NONE:
            fewest = min(fewest, block.gmma_arrived[i])
    warp.gathering = 1
    for i in range(first, last):
        w = block.warps[i]
        if w != NONE and cores.warps[w].gathering and block.gmma_arrived[i] <= fewest:
            cores.warps[w].gathering = 0
            index = w // m.sm.warp_slots_per_subcore
            reconsider(cores.warps[w], cores.subs[index], cores.sms[index // SUBCORES], cores.code, cores.stalls, cycle)


@njit(cache=True)
def room_at(m, sm, one):
    """First cycle at which the tensor cores' queue takes another HGMMA of this size."""
    return (sm.tensor_free_fp - m.tensor.hgmma_queue_entries * max(one.gmma_fp, one.gmma_smem_fp)) >> FP
