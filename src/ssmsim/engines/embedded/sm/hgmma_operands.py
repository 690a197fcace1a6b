"""Shared memory beside HGMMAs: their operands go first, and loads, stores and shuffles pass in between.

The tensor cores read A and B in pieces of 2 KB, evenly over an HGMMA's time; what is between two pieces is for the others,
hardly anything when the pieces fill the memory. The results of loads and shuffles come back at one wavefront in so many
cycles while an HGMMA runs. Our microbenchmark sm_memory/hgmma_shared_memory_contention: HGMMAs take 0 to 3 % longer
beside loads or stores of eight warps, whose wavefronts take 3.9 to 4.0 cycles beside n = 128, loads 4.0 and stores 2.7
beside n = 256, 18 both beside n = 64; a chain of loads takes 41 cycles a link beside n = 128, two periods of 21.3, and
28 alone.
"""

from numba import njit

from ssmsim.engines.embedded.state.records import FP


@njit(cache=True, forceinline=True)
def work(m, sm, one, start, busy):
    """An HGMMA works from `start` on for `busy`: when its pieces are read."""
    period = busy * m.gmma_piece_fp // max(1, one.gmma_smem_fp)
    if sm.tensor_free_fp < start or period != sm.piece_period_fp:
        sm.pieces_from_fp = start
    sm.piece_period_fp = max(2, period)
    sm.piece_fp = min(
        m.gmma_piece_fp, sm.piece_period_fp - max(1, sm.piece_period_fp * m.tensor.hgmma_spare_share_fp >> FP)
    )


@njit(cache=True)
def free(sm, time):
    """Of the first `time` since the pieces began, what lies between them."""
    periods = time // sm.piece_period_fp
    return periods * (sm.piece_period_fp - sm.piece_fp) + max(0, time - periods * sm.piece_period_fp - sm.piece_fp)


@njit(cache=True)
def between(sm, wavefronts_fp, cycle):
    """Time from `cycle` on until so many wavefronts have passed."""
    left = sm.tensor_free_fp - (cycle << FP)
    if left <= 0 or wavefronts_fp == 0:
        return wavefronts_fp
    since = max(0, (cycle << FP) - sm.pieces_from_fp)
    passed = free(sm, since + left) - free(sm, since)
    if passed < wavefronts_fp:
        return left + wavefronts_fp - passed
    gap = sm.piece_period_fp - sm.piece_fp
    wanted = free(sm, since) + wavefronts_fp
    periods = (wanted - 1) // gap
    return periods * sm.piece_period_fp + sm.piece_fp + wanted - periods * gap - since


@njit(cache=True)
def take(m, sm, wavefronts_fp, loads, cycle):
    """(cycles that wavefronts hold the unit, time by which their results are late); loads: whether there are results.

    Results find a slot each behind those of earlier loads; a load is done with the last.
    """
    now, passes = cycle << FP, between(sm, wavefronts_fp, cycle)
    late, held = passes - wavefronts_fp, passes
    if loads and sm.tensor_free_fp > now and wavefronts_fp:
        slots = wavefronts_fp * m.tensor.hgmma_load_cycles_fp >> FP
        sm.results_free_fp = max(sm.results_free_fp, now) + slots
        late = max(late, sm.results_free_fp - m.tensor.hgmma_load_cycles_fp - now - wavefronts_fp + (1 << FP))
        held = max(passes, sm.results_free_fp - now - m.gmma_room_fp)
    return (held + (1 << FP) - 1) >> FP, late
