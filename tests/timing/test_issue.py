"""The control bits, to the cycle: not a cycle too early, not one too late. Hand-worked; hardware values from the config."""

import itertools

import pytest
from streams import EXIT, issued, one_sm, op, run

CONFIG = one_sm()


@pytest.mark.parametrize("stall", [1, 2, 4, 7, 15])
def test_next_instruction_issues_after_the_stall_count(stall):
    assert issued([op("FADD R0, R1, R2", stall=stall), EXIT]) == [0, stall]


@pytest.mark.parametrize(("text", "interval"), [
    ("FFMA R0, R1, R2, R3", 1), ("IADD3 R0, R1, R2, R3", 2), ("IMAD R0, R1, R2, R3", 2), ("DADD R0, R2, R4", 2),
])  # fmt: skip
def test_pipe_takes_a_warp_per_lane_count(text, interval):
    """32 fp32 lanes in two pipes, 16 for each of integer add, integer multiply and fp64."""
    cycles = issued([op(text)] * 9 + [EXIT])
    assert [b - a for a, b in itertools.pairwise(cycles[1:9])] == [interval] * 7


@pytest.mark.parametrize("text", ["IMAD R0, R1, R2, R3", "IADD3 R0, R1, R2, R3"])
def test_none_waits_at_a_pipe_of_its_own(text):
    """Microbenchmark sm/block_issue_priority, heavy: were one IMAD to wait there, two blocks would have turns."""
    assert issued([op(text)] * 4 + [EXIT])[:4] == [0, 2, 4, 6]


def test_fp32_takes_the_two_pipes_in_turn():
    """Of four instructions FFMA IMAD FFMA IMAD the heavy pipe gets three: six cycles (measured: 1.54 each)."""
    cycles = issued([op("IMAD R0, R1, R2, R3"), op("FFMA R4, R5, R6, R7")] * 12 + [EXIT])
    assert cycles[20] - cycles[4] == 16 * 6 // 4


@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_more_lanes_shorten_the_interval(lanes):
    cycles = issued([op("LOP3.LUT R0, R1, R2, R3, 0x0, !PT")] * 4 + [EXIT], one_sm(sm__alu_lanes_per_subcore=lanes))
    assert cycles[:4] == [i * 32 // lanes for i in range(4)]


def test_counter_releases_at_the_latency():
    """The dependent instruction issues when the result is there, not one cycle sooner or later."""
    latency = CONFIG.sm.xu_latency_cycles
    ops = [op("MUFU.EX2 R0, R1", write=2), op("FADD R2, R0, R0", wait=[2]), EXIT]
    assert issued(ops)[:2] == [0, latency]


def test_other_counters_do_not_hold():
    ops = [op("MUFU.EX2 R0, R1", write=2), op("FADD R2, R3, R3", wait=[0, 1, 3, 4, 5]), EXIT]
    assert issued(ops)[:2] == [0, 1]


def test_two_results_on_one_counter_wait_for_both():
    """MUFU takes 4 lanes a cycle, so the second starts 8 cycles after the first."""
    ops = [op("MUFU.EX2 R0, R1", write=0), op("MUFU.EX2 R2, R3", write=0), op("FADD R4, R0, R2", wait=[0]), EXIT]
    assert issued(ops)[2] == 8 + CONFIG.sm.xu_latency_cycles


def test_depbar_lets_so_many_stay_in_flight():
    """The unit holds two: the third issues when the first is done at 8 and some cycles, the next a cycle later."""
    third = 8 + CONFIG.sm.xu_front_cycles
    mufus = [op("MUFU.EX2 R0, R1", write=0)] * 3
    for left, expected in ((3, third + 1), (2, CONFIG.sm.xu_latency_cycles), (1, 8 + CONFIG.sm.xu_latency_cycles)):
        assert issued([*mufus, op(f"DEPBAR.LE SB0, {left:#x}", depth=left), EXIT])[3] == expected


@pytest.mark.parametrize("before", [0, 1, 2])
def test_the_special_function_unit_holds_its_source_until_its_place_is_free(before):
    """Our microbenchmark sm/mufu_source_hold: 14 cycles, and 8 more for each instruction before it there."""
    mufus = [op("MUFU.EX2 R4, R5")] * before
    cycles = issued([*mufus, op("MUFU.EX2 R0, R1", read=1), op("FADD R1, R1, R2", wait=[1]), EXIT])
    assert cycles[-2] == 8 * before + 8 + CONFIG.sm.xu_front_cycles + 1


def test_warps_that_wait_for_the_special_function_unit_have_turns():
    """Four of a sub-core want all of it; when the youngest went first, the oldest had none until the others ended."""
    ops = [op("BAR.SYNC 0x0", barrier=0)]
    ops += [op("MUFU.EX2 R0, R1", read=1), op("FADD R1, R1, R2", wait=[1], yields=True, stall=5)] * 12 + [EXIT]
    result = run(ops, [list(range(len(ops)))] * 16)
    last = [result.cycles[0, w][-3] for w in (0, 4, 8, 12)]
    assert max(last) - min(last) <= 4 * 8
    assert max(last) == pytest.approx(result.cycles[0, 0][1] + 8 * 4 * 12, abs=16)


def two_warps(yields: bool) -> list[tuple[int, int]]:
    """(cycle, warp) of eight additions by two warps of one sub-core that become ready together."""
    ops = [op("BAR.SYNC 0x0", barrier=0), op("FADD R0, R1, R2", stall=15)]
    ops += [op("FADD R0, R1, R2", yields=yields)] * 4 + [EXIT]
    result = run(ops, [list(range(7))] * 8)
    return sorted((cycle, w) for w in (0, 4) for cycle in result.cycles[0, w][2:6])


def test_greedy_keeps_a_warp_until_it_cannot_issue():
    order = two_warps(yields=False)
    assert [w for _, w in order] in ([0] * 4 + [4] * 4, [4] * 4 + [0] * 4)


@pytest.mark.parametrize(("yields", "back"), [(False, 9), (True, 4)])
def test_a_warp_is_kept_when_another_becomes_ready(yields, back):
    """One has to wait until cycle 4; the other then issues eight in a row, unless it gives way."""
    ops = [*[op("FADD R0, R1, R2", yields=yields)] * 8, op("FADD R0, R1, R2", stall=4), EXIT]
    warps = [[8, 9]] + [[9]] * 3 + [[*range(8), 9]]
    cycles = run(ops, warps).cycles
    assert cycles[0, 0] == [0, back]
    assert cycles[0, 4][0] == 1


def test_of_a_block_who_issued_longest_ago_goes_first_when_there_is_no_favourite():
    """Warp 4 issues a cycle earlier and stalls a cycle longer: both are ready together, behind ones that gave way."""
    ops = [op("BAR.SYNC 0x0", barrier=0), op("FADD R0, R1, R2", stall=15, yields=True),
           op("FADD R0, R1, R2", stall=14, yields=True), op("FADD R0, R1, R2", stall=5), EXIT]  # fmt: skip
    cycles = run(ops, [[0, 2, 3, 4]] * 4 + [[0, 1, 3, 4]] * 4).cycles
    one, other = cycles[0, 0], cycles[0, 4]
    assert one[1] == other[1] + 1
    assert (other[2], one[2]) == (one[1] + 14, one[1] + 15)


def of_three(first: list[bool], last: bool) -> list[list[int]]:
    """Cycles of three warps of a sub-core, NOPs with a stall count of 2: whether those of the first two and the last yield."""
    lines = [*first, last]
    ops = (
        [op("BAR.SYNC 0x0", barrier=0)]
        + [op("NOP", stall=2, yields=y) for y in (False, True) for _ in range(40)]
        + [EXIT]
    )
    warps = [[0, *(range(41, 81) if lines[w // 4] else range(1, 41)), 81] for w in range(12)]
    cycles = run(ops, warps).cycles
    return [cycles[0, w][2:41] for w in (0, 4, 8)]


def test_one_that_yields_waits_until_those_that_do_not_are_done():
    """Microbenchmark sm/issue_slot_arbitration, yields: two take every slot; the third has its turn when they end."""
    one, two, last = of_three([False, False], True)
    assert last[0] >= max(one[-1], two[-1]) - 2
    assert one[-1] - one[0] == two[-1] - two[0] == 2 * 38


@pytest.mark.parametrize("yields", [False, True])
def test_three_of_a_kind_take_turns(yields):
    """Microbenchmark sm/issue_slot_arbitration, share: who has waited longest goes first, so each has every third slot."""
    for cycles in of_three([yields] * 2, yields):
        assert {b - a for a, b in itertools.pairwise(cycles[:30])} == {3}


def test_one_that_gives_way_stalls_for_two_cycles():
    """Microbenchmark sm/issue_timing, yield: FFMAs with a stall count of 1 that give way issue every other cycle."""
    assert issued([op("FADD R0, R1, R2", yields=True)] * 4 + [EXIT])[:4] == [0, 2, 4, 6]


def test_two_that_give_way_take_turns():
    assert [w for _, w in two_warps(yields=True)] in ([0, 4] * 4, [4, 0] * 4)


def test_a_taken_branch_costs_its_latency():
    ops = [op("BRA 0x20", stall=5), op("FADD R0, R1, R2"), EXIT]
    taken = run(ops, [[0, 2]]).cycles[0, 0]
    straight = run(ops, [[0, 1, 2]]).cycles[0, 0]
    assert taken[1] == max(5, CONFIG.sm.branch_latency_cycles)
    assert straight[1] == 5


def test_barrier_opens_for_all_after_the_last():
    """Warp 1 comes 30 cycles late; both go on after the latency and the time to take it in."""
    late = [op("FADD R0, R1, R2", stall=15)] * 2
    ops = [*late, op("BAR.SYNC 0x0", barrier=0), EXIT]
    cycles = run(ops, [[2, 3], [0, 1, 2, 3]]).cycles
    opens = cycles[0, 1][2] + CONFIG.sm.barrier_interval_cycles + CONFIG.sm.barrier_latency_cycles
    assert cycles[0, 0] == [0, opens]
    assert cycles[0, 1][3] == opens


DEFER, LDS = (
    op("BAR.SYNC.DEFER_BLOCKING 0x0", barrier=0),
    op("LDS R0, [R2]", write=1, rows=[[4 * i for i in range(32)]]),
)


def test_a_barrier_that_defers_lets_arithmetic_pass():
    """The other warp comes at 30: additions go on, the load waits until the barrier opens."""
    late = [op("FADD R0, R1, R2", stall=15)] * 2
    ops = [*late, DEFER, op("FADD R0, R1, R2"), op("FADD R0, R1, R2"), LDS, EXIT]
    cycles = run(ops, [[2, 3, 4, 5, 6], list(range(7))]).cycles
    opens = cycles[0, 1][2] + CONFIG.sm.barrier_interval_cycles + CONFIG.sm.barrier_latency_cycles
    assert cycles[0, 0][:4] == [0, 1, 2, opens]
    assert cycles[0, 1][3:6] == [cycles[0, 1][2] + 1, cycles[0, 1][2] + 2, opens]


def test_arithmetic_behind_a_barrier_that_defers_waits_for_its_operands_alone():
    """MUFU's result is there at 17, before the barrier opens at 24 or later."""
    ops = [
        op("FADD R0, R1, R2", stall=10),
        op("MUFU.EX2 R0, R1", write=0),
        DEFER,
        op("FADD R2, R0, R0", wait=[0]),
        EXIT,
    ]
    cycles = run(ops, [[1, 2, 3, 4], [0, 2, 3, 4]], one_sm(fetch__l1_interval_cycles=1)).cycles
    assert cycles[0, 0][2] == CONFIG.sm.xu_latency_cycles < cycles[0, 1][1] + CONFIG.sm.barrier_latency_cycles


def test_a_warpgroup_gathers_before_its_first_hgmma():
    """Three warps come at once, the fourth at 15: none multiplies before, all may afterwards."""
    gmma = op(
        "HGMMA.64x64x16.F32.BF16 R24, R100, gdesc[UR4], R24, gsb0",
        gmma_n=64,
        gmma_k=16,
        gmma_commits=1,
        rows=[[0] * 32],
    )
    ops = [op("FADD R0, R1, R2", stall=15), op("WARPGROUP.ARRIVE"), gmma, EXIT]
    cycles = run(ops, [[1, 2, 3]] * 3 + [[0, 1, 2, 3]]).cycles
    arrived = cycles[0, 3][1]
    assert all(arrived <= cycles[0, w][1] <= arrived + 1 for w in range(3))
    assert cycles[0, 3][2] == arrived + 1


def test_an_exited_warp_does_not_hold_a_barrier():
    ops = [op("BAR.SYNC 0x0", barrier=0), EXIT]
    assert len(run(ops, [[0, 1], [1]]).cycles[0, 0]) == 2


def test_arrive_does_not_wait():
    ops = [op("BAR.ARV 0x0, 0x40", barrier=0, barrier_arrives=1, barrier_threads=64), EXIT,
           op("BAR.SYNC 0x0, 0x40", barrier=0, barrier_threads=64)]  # fmt: skip
    cycles = run(ops, [[0, 1], [2, 1]]).cycles
    assert cycles[0, 0] == [0, 1]
    assert cycles[0, 1][1] > CONFIG.sm.barrier_latency_cycles


def test_hgmma_is_waited_for_and_issue_goes_on():
    """64x128x16 takes 64 cycles at 1024 FLOP per cycle and sub-core, then the overhead."""
    row = [[0] * 32]
    gmma = op(
        "HGMMA.64x128x16.F32.BF16 R24, R100, gdesc[UR4], R24, gsb0", gmma_n=128, gmma_k=16, gmma_commits=1, rows=row
    )
    ops = [gmma, op("FADD R0, R1, R2"), op("WARPGROUP.DEPBAR.LE gsb0, 0x0", depth=0), EXIT]
    cycles = run(ops, [[0, 1, 2, 3]] * 4).cycles
    last = max(cycles[0, w][0] for w in range(4))
    for w in range(4):
        assert cycles[0, w][1] == cycles[0, w][0] + 1
        assert cycles[0, w][2] == last + 64 + CONFIG.tensor.hgmma_overhead_latency_cycles


def test_hgmma_needs_all_four_warps():
    row = [[0] * 32]
    gmma = op(
        "HGMMA.64x64x16.F32.BF16 R24, R100, gdesc[UR4], R24, gsb0", gmma_n=64, gmma_k=16, gmma_commits=1, rows=row
    )
    ops = [op("FADD R0, R1, R2", stall=15), gmma, op("WARPGROUP.DEPBAR.LE gsb0, 0x0", depth=0), EXIT]
    cycles = run(ops, [[1, 2, 3], [1, 2, 3], [1, 2, 3], [0, 1, 2, 3]]).cycles
    assert cycles[0, 0][1] == cycles[0, 3][1] + 32 + CONFIG.tensor.hgmma_overhead_latency_cycles


def test_operand_from_shared_memory_is_the_slower_limit_below_64():
    """n = 32: 16 cycles of arithmetic; A of 2 KB and B of 1 KB at 128 B per cycle take 24."""
    row = [[0] * 32]
    small = {"gmma_n": 32, "gmma_k": 16, "rows": row}
    ops = [op("HGMMA.64x32x16.F32.BF16 R24, gdesc[UR4], R24", **small),
           op("HGMMA.64x32x16.F32.BF16 R24, gdesc[UR4], R24, gsb0", gmma_commits=1, **small),
           op("WARPGROUP.DEPBAR.LE gsb0, 0x0", depth=0), EXIT]  # fmt: skip
    cycles = run(ops, [[0, 1, 2, 3]] * 4).cycles
    last = max(cycles[0, w][0] for w in range(4))
    assert cycles[0, 0][2] == last + 48 + CONFIG.tensor.hgmma_overhead_latency_cycles


def test_hmma_result_and_rate():
    """16 x 8 x 16: 4096 FLOP at two thirds of 1024 per cycle and sub-core."""
    hmma = "HMMA.16816.F32.BF16 R0, R4, R8, R0"
    assert (
        issued([op(hmma, write=0), op("FADD R12, R0, R0", wait=[0]), EXIT])[1]
        == CONFIG.tensor.hmma_16816_latency_cycles
    )
    cycles = issued([op(hmma)] * 8 + [EXIT])
    assert [b - a for a, b in itertools.pairwise(cycles[:8])] == [6] * 7


def test_a_register_read_twice_is_kept():
    """Three sources in one bank take its port three cycles per instruction, two when one stays in the reuse cache."""
    sources = [(2, 1), (4, 1), (6, 1)]
    slow = issued([op("FFMA R1, R2, R4, R6", sources=sources)] * 20 + [EXIT])
    fast = issued([op("FFMA R1, R2, R4, R6", sources=sources, reuse=1)] * 20 + [EXIT])
    assert slow[19] - slow[9] == 30
    assert fast[19] - fast[9] == 20


def test_a_register_named_twice_is_read_once():
    """R9, R4, R4 reads a register of each bank, R9, R4, R6 two of one: that port takes two cycles per instruction."""
    once = issued([op("FFMA R1, R9, R4, R4", sources=[(9, 1), (4, 1), (4, 1)])] * 20 + [EXIT])
    twice = issued([op("FFMA R1, R9, R4, R6", sources=[(9, 1), (4, 1), (6, 1)])] * 20 + [EXIT])
    three = issued([op("FFMA R1, R4, R4, R4", sources=[(4, 1), (4, 1), (4, 1)])] * 20 + [EXIT])
    assert once[19] - once[9] == three[19] - three[9] == 10
    assert twice[19] - twice[9] == 20


def third_load(*before):
    """Cycles that a conflict of 32 passes holds its warp, seen by the load after the next."""
    row = [128 * lane for lane in range(32)]
    ops = [*before, *[op("LDS R0, [R2]", write=1, rows=[row])] * 3, op("FADD R0, R1, R2", wait=[0, 1]), EXIT]
    warps = [list(range(len(ops)))] + [[*range(len(before)), len(ops) - 1]] * 3
    cycles = run(ops, warps, one_sm(mio__queue_entries_per_subcore=1)).cycles[0, 0]
    return cycles[len(before) + 2] - cycles[len(before) + 1]


def test_operands_of_hgmma_go_first():
    """64 x 256 x 16 works 128 cycles; results of 32 passes come back at one in four, those of 16 cycles may wait: 128 - 16.

    Alone, a warp's own passes are two cycles apart.
    """
    large = op("HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24, gsb0", gmma_n=256, gmma_k=16, gmma_commits=1,
               rows=[[0] * 32], stall=15)  # fmt: skip
    assert third_load() == 64
    assert third_load(large) == 112
