"""LDGSTS: copies from global to shared memory, past the L1 or through it, and the groups that they are waited for in.

The unit holds a copy for its wavefronts, of lanes that fill with zeros at once, and a bit more (our microbenchmarks
sm_memory/lsu_occupancy, sm_memory/ldgsts_commit_occupancy). What it asks for goes on at a line per cycle: past the L1
some way behind, so that other accesses go between until too many are there (sm_memory/lsu_outstanding_misses: cg16;
sm_memory/lsu_occupancy: cg16); through the L1 at once, and once more when data that it lacked have come
(sm_memory/lsu_outstanding_misses: ca4, ca16). Wavefronts through the L1 are those that its banks take to read and those
to write (sm_memory/ldgsts_commit_occupancy: flat as four), and pass between operands of HGMMAs
(sm_memory/hgmma_ldgsts_contention). How many may be on their way is told in ldgsts_inflight.py. What comes past the L1
is written a sector per cycle as it arrives. That costs loads from shared memory next to nothing; a store that meets it,
or lanes that fill with zeros, take a cycle more for each sector: turns has 0.5 to 1.7 conflicts per line (ncu), 3 to
3.7 times the share of cycles in which stores are written, from 14 to 59 %.
"""

from numba import njit

from ssmsim.engines.embedded.event_queue import COPIES_ARRIVED, RELEASE, schedule
from ssmsim.engines.embedded.sm import hgmma_operands
from ssmsim.engines.embedded.sm.instruction import MBARRIER
from ssmsim.engines.embedded.sm.scoreboard import check_exit
from ssmsim.engines.embedded.state.records import COPY_GROUPS, FP, LANDINGS, NONE


@njit(cache=True)
def time_of(m, counts, sm, request, one, access, busy, cycle):
    """Cycles that a copy holds the unit. busy: to look up its lines, and its wavefronts.

    One through the L1 that misses passes twice, to ask and when its data are there. It takes turns with those that come
    back, as does one past the L1 (sm_memory/lsu_outstanding_misses: mix); loads from shared memory go between
    (sm_memory/lsu_occupancy: ca4 takes as long as zero4, though it misses; sm_memory/lsu_outstanding_misses: ca4,
    ca16).
    """
    if request.off:
        return busy
    if one.bypass:
        busy = max(busy, whole_cycles(sm, access.wavefronts * m.wavefront_fp + m.mio.copy_issue_cycles_fp))
        begin = cycle << FP
        if access.lines:
            begin = max(begin, sm.copy_past_free_fp - m.mio.copy_ahead_cycles_fp)
            if sm.copy_back_fp > begin:  # one of a line through the L1 whose data are there goes first
                begin += m.mio.copy_miss_cycles_fp
                sm.copy_back_fp += access.lines << FP
            sm.copy_past_free_fp = max(begin, sm.copy_past_free_fp) + max(access.lines << FP, m.mio.copy_l1_cycles_fp)
        sm.copy_written = (begin >> FP) + busy + access.wavefronts // 2
        return busy + (begin >> FP) - cycle + meet(counts, sm, cycle, access.wavefronts)
    missed = request.left > 1
    busy = whole_cycles(sm, first_pass(m, access) if missed else whole_time(m, sm, access, cycle))
    if access.lines == 0:
        return busy + meet(counts, sm, cycle, access.wavefronts)
    begin = max(cycle << FP, sm.copy_free_fp)
    if sm.copy_back_fp > begin:  # one of those whose data are there goes first
        begin += second_pass(m, sm, access, cycle)
    sm.copy_free_fp = begin + (busy << FP)
    sm.copy_back_fp += (busy << FP) * (sm.copy_back_fp > begin)
    sm.copy_written = (begin >> FP) + busy + access.wavefronts + 1
    return busy + (begin >> FP) - cycle


@njit(cache=True)
def whole_time(m, sm, access, cycle):
    """Of a copy through the L1 that hits: its wavefronts pass between operands of HGMMAs (sm_memory/hgmma_ldgsts_contention: ca16)."""
    return max(
        hgmma_operands.between(sm, access.wavefronts * m.wavefront_fp, cycle) + m.mio.copy_issue_cycles_fp,
        m.mio.copy_l1_cycles_fp,
    )


@njit(cache=True)
def first_pass(m, access):
    """Of one that misses, which writes nothing yet: a line each cycle."""
    return max(access.lines << FP, m.mio.copy_l1_cycles_fp)


@njit(cache=True)
def meet(counts, sm, cycle, wavefronts):
    """Wavefronts are written to shared memory from `cycle` on: cycles more, as sectors that have arrived still are."""
    sm.storing_from, sm.storing_until = cycle, cycle + wavefronts
    met = 0
    for i in range(LANDINGS):
        met += max(0, min(sm.landing_until[i], sm.storing_until) - max(sm.landing_from[i], cycle))
    counts.copy_conflicts += met
    return met


@njit(cache=True)
def arrives(m, counts, sm, sectors, cycle):
    """Sectors of a line that a copy brings past the L1 are there."""
    until = cycle + sectors * m.mio.copy_sector_cycles
    met = max(0, min(until, sm.storing_until) - max(cycle, sm.storing_from))
    place = sm.landings % LANDINGS
    sm.landing_from[place], sm.landing_until[place] = cycle, until
    sm.landings += 1
    busy = whole_cycles(sm, m.mio.copy_fill_cycles_fp) + met
    sm.lsu_free = max(sm.lsu_free, cycle) + busy
    counts.lsu_cycles += busy
    counts.copy_conflicts += met


@njit(cache=True)
def second_pass(m, sm, access, cycle):
    """Of one that missed, when its data are there."""
    return max(0, whole_time(m, sm, access, cycle) + m.mio.copy_miss_cycles_fp - first_pass(m, access))


@njit(cache=True)
def comes_back(m, sm, access, cycle):
    """The data of a copy that missed the L1 are there: it passes once more, in turn with those that have not yet."""
    sm.copy_back_fp = max(sm.copy_back_fp, sm.copy_free_fp, cycle << FP) + second_pass(m, sm, access, cycle)


@njit(cache=True)
def whole_cycles(sm, time_fp):
    """Whole cycles of copies' time at the unit; the rest of a cycle is kept."""
    sm.copy_debt_fp += time_fp
    whole = sm.copy_debt_fp >> FP
    sm.copy_debt_fp -= whole << FP
    return whole


@njit(cache=True)
def copied(warp, group, events, w, cycle):
    """A copy has arrived in shared memory; groups that LDGDEPBAR or ARRIVES closed end in order."""
    warp.copy_left[group % COPY_GROUPS] -= 1
    warp.outstanding -= 1
    check_exit(warp, events, w, cycle)
    flush_groups(warp, events, w, cycle)


@njit(cache=True)
def close(warp, one, index):
    """LDGDEPBAR or ARRIVES, which is request `index`, issues: copies from now on are of another group."""
    warp.copy_add[warp.copy_group % COPY_GROUPS] = -index if one.space == MBARRIER else one.write_add
    warp.copy_group += 1
    warp.copy_left[warp.copy_group % COPY_GROUPS] = 0


@njit(cache=True)
def closed(m, counts, sm, warp, request, events, cycle):
    """The unit takes it; cycles that it holds the unit beside its own.

    A wavefront (sm_memory/lsu_occupancy: commit), and behind copies until their wavefronts have passed, which the
    lookup of one more would overlap (sm_memory/ldgsts_commit_occupancy: 5.0 to 5.6 cycles behind ca16, 2.4 behind ca4,
    1.0 behind cg8; sm_memory/data_bank_contention: 2.4 behind zero16). Warps that find no room wait at it like at a
    copy (ncu's samples).
    """
    counts.requests += 1
    counts.answers += 1
    if request.space != MBARRIER:  # else it stays until the group has ended
        warp.outstanding -= 1
        request.left = NONE  # to be freed when it leaves the queue
    warp.copy_told[warp.copy_closed % COPY_GROUPS] = cycle + m.mio.commit_latency_cycles
    warp.copy_closed += 1
    flush_groups(warp, events, request.warp, cycle)
    behind = max(0, sm.copy_written - cycle)
    if sm.copy_back_fp > cycle << FP:  # nor do those whose data are there go on
        sm.copy_back_fp += behind + 1 << FP
    return behind


@njit(cache=True)
def flush_groups(warp, events, w, cycle):
    """End the oldest groups that are closed and whole: a counter goes down, or the barrier that ARRIVES named counts."""
    while warp.copy_oldest < warp.copy_closed and warp.copy_left[warp.copy_oldest % COPY_GROUPS] == 0:
        group = warp.copy_oldest % COPY_GROUPS
        add = warp.copy_add[group]
        if add < 0:
            schedule(events, max(cycle + 1, warp.copy_told[group]), COPIES_ARRIVED, -add, 0)
        else:
            schedule(events, max(cycle + 1, warp.copy_told[group]), RELEASE, w, add)
        warp.copy_oldest += 1
