"""Execution pipes of a sub-core, register ports, and the queue in front of the special-function unit.

A pipe with 16 lanes takes a warp instruction every 2 cycles, one with 32 lanes every cycle. fp32 has two pipes of 16
lanes, heavy and lite; integer multiply-add runs on the heavy one only (ncu's pipe names; arXiv 2503.20481, section 5).
Operands come from register banks with so many read ports (arXiv 2503.20481, section 5.3).
"""

from numba import njit

from ssmsim.engines.embedded.sm.instruction import FIXED, FMA, FREE, GMMA, HEAVY, LITE, MEMORY, PARTS, QUEUED, TENSOR
from ssmsim.engines.embedded.state.records import FP, NONE

READS = 2  # cycles within which all operands are read, or as many as one bank needs


@njit(cache=True, forceinline=True)
def free_at(m, sub, one, cycle):
    """First cycle at which the instruction's pipe takes it."""
    if one.pipe == FMA:
        return (sub.pipe_free_fp[sub.fma_turn] >> FP) - m.sm.fma_ahead_cycles
    return sub.pipe_free_fp[one.pipe] >> FP


@njit(cache=True, forceinline=True)
def dispatch(m, counts, sm, sub, warp, one, cycle):
    """Take the register ports and the pipe; the cycle at which the instruction has them, from which its stall count runs.

    Behind issue is a latch for one instruction, behind it a stage that it leaves when its operands can be read within
    two cycles; another may enter the latch meanwhile, so a wait holds up the second instruction after it. What waits for
    its pipe does so in the latch. A wide multiplication stays two cycles longer and takes its factors from the registers,
    so later than others take a result. Our microbenchmark sm/issue_timing: the issue of each instruction of 105
    sequences, to the cycle in 65 of them; tests/timing/test_issue_timing.py names the others.
    """
    enters = max(cycle, sub.stage_free_fp >> FP)
    if one.pipe != FREE and one.kind != QUEUED and one.kind != MEMORY and one.kind != GMMA:
        if one.fed:
            enters = max(enters, warp.made + m.sm.wide_factor_latency_cycles)
        enters = occupy(m, counts, sub, one, enters)
    now = enters << FP
    beside = sm.tensor_shadow_fp > now
    each = (1 << FP) // m.sm.register_ports_per_bank
    if beside:
        each += (m.gmma_port_fp - each) * sm.port_share_fp >> FP
    window = max(one.even_reads, one.odd_reads, READS) * each
    begins = now
    # What a store would send is not read (microbenchmark sm_memory/predicated_off_latency).
    reads = not (warp.off and one.kind == MEMORY)
    if one.even_reads and reads:
        sub.even_free_fp = max(sub.even_free_fp, now) + one.even_reads * each
        begins = max(begins, sub.even_free_fp - window)
    if one.odd_reads and reads:
        sub.odd_free_fp = max(sub.odd_free_fp, now) + one.odd_reads * each
        begins = max(begins, sub.odd_free_fp - window)
    there = begins >> FP
    if beside and one.writes:
        there += (slot(m, one, there) - there) * sm.port_share_fp >> FP
    if one.wide:
        there += m.sm.wide_multiply_cycles
    if one.pipe == TENSOR and one.kind == FIXED:
        ports = m.sm.register_ports_per_bank
        sub.queue_last = max(sub.queue_last, there) + (max(one.even_reads, one.odd_reads) + ports - 1) // ports
    if one.feeds:
        warp.made = there
    sub.stage_free_fp = max(there << FP, sub.stage_free_fp) + m.issue_fp
    sub.hold_fp = max(enters << FP, sub.hold_fp) + m.issue_fp
    return there


@njit(cache=True, forceinline=True)
def occupy(m, counts, sub, one, cycle):
    """Take the pipe as soon as it is free; fp32 takes heavy and lite in turn, whatever else is in them.

    Our microbenchmark sm/instruction_pair_throughput: FFMA with IMAD takes 1.54 cycles per instruction (of four, the
    heavy pipe gets two IMAD and one FFMA), FFMA with LOP3 1.12.
    """
    pipe = one.pipe
    if pipe == FMA:
        pipe = sub.fma_turn
        sub.fma_turn = HEAVY + LITE - pipe
    busy = m.interval_fp[pipe] * one.share // PARTS
    start = max(sub.pipe_free_fp[pipe], cycle << FP)
    sub.pipe_free_fp[pipe] = start + busy
    counts.pipe_busy_fp[pipe] += busy
    return start >> FP


@njit(cache=True, forceinline=True)
def slot(m, one, cycle):
    """While an HGMMA writes its accumulators, other results have one slot in so many cycles per bank of the first operand.

    Microbenchmark sm/register_bank_conflicts, ss128: FFMAs issue every 2 cycles while that bank alternates, or when
    they read nothing; every 4 when it stays the same; the bank of the destination makes no difference.
    """
    phase = cycle % m.tensor.hgmma_result_cycles
    if one.first_bank == NONE and phase <= 1:
        return cycle
    wanted = max(0, one.first_bank)
    return cycle + (wanted - phase) % m.tensor.hgmma_result_cycles


@njit(cache=True, forceinline=True)
def special(m, counts, sm, sub, cycle, pipe):
    """The special-function unit holds two instructions; the cycle from which this one's latency counts.

    The first four lanes begin some cycles after dispatch, and the place is free when the last are done: the third of
    our microbenchmark sm/issue_timing, mufu.four, waits 13 cycles, each further one 8; other warps go on
    (sm/load_wait_issue_contention, lds.ex2). Beside a running HGMMA their results wait for a slot too: microbenchmark
    sm/mma_arithmetic_overlap, ex2 every 10.2 cycles instead of 8.
    """
    start = max(sub.pipe_free_fp[pipe], cycle << FP)
    busy = m.interval_fp[pipe]
    if sm.tensor_free_fp > start:
        busy += m.tensor.hgmma_result_cycles << (FP - 1)  # half a period, on average
    sub.special_room = (sub.pipe_free_fp[pipe] >> FP) + m.sm.xu_front_cycles
    sub.pipe_free_fp[pipe] = start + busy
    counts.pipe_busy_fp[pipe] += busy
    return start >> FP


@njit(cache=True, forceinline=True)
def special_read(m, sub, one):
    """When the instruction that went last to the special-function unit has read its source: as its place is free.

    Our microbenchmark sm/mufu_source_hold: a register may be changed 14 cycles after dispatch, not 8 as those of memory
    instructions.
    """
    return (sub.pipe_free_fp[one.pipe] >> FP) + m.sm.xu_front_cycles + 1
