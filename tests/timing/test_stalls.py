"""Stall reasons: each wait is counted at the instruction that waits, for as long as it waits. Hand-worked."""

import pytest
from streams import EXIT, one_sm, op, run

from ssmsim.counters import STALL_REASONS

CONFIG = one_sm()
LANES = range(32)
ADD = op("FADD R0, R1, R2")
USE = op("FADD R2, R0, R0", wait=[0])
LOAD = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[[(1 << 24) + 4 * lane for lane in LANES]])
LDS = op("LDS R0, [R2]", write=0, rows=[[4 * lane for lane in LANES]])
CONFLICT = op("LDS R0, [R2]", write=0, rows=[[128 * lane for lane in LANES]])
STORE = op("STG.E desc[UR4][R2.64], R0", read=0, rows=[[(1 << 24) + 4 * lane for lane in LANES]])
SYNC = op("BAR.SYNC 0x0", barrier=0)


def waits(ops, warps=None, config=CONFIG):
    """{(static instruction, reason): cycles} and the run."""
    result = run(ops, warps, config)
    table = result.state.stalls
    found = {
        (i, STALL_REASONS[j]): int(table[i, j]) for i in range(len(ops)) for j in range(table.shape[1]) if table[i, j]
    }
    return found, result


@pytest.mark.parametrize(("ops", "reason", "cycles"), [
    ([op("FADD R0, R1, R2", stall=7), ADD, EXIT], "wait", 6),
    ([op("MUFU.EX2 R0, R1", write=0), USE, EXIT], "short_scoreboard", CONFIG.sm.xu_latency_cycles - 1),
    ([LDS, USE, EXIT], "short_scoreboard", CONFIG.shared.load_latency_cycles - 1),
    ([op("IADD3 R0, R1, R2, R3"), op("IADD3 R4, R1, R2, R3"), EXIT], "math_pipe_throttle", 1),
    ([op("MEMBAR.SC.GPU", stall=6), ADD, EXIT], "membar", CONFIG.mio.gpu_fence_latency_cycles - 6),
    ([LDS, op("DEPBAR.LE SB0, 0x0", depth=0), EXIT], "long_scoreboard", CONFIG.shared.load_latency_cycles - 1),
], ids=["wait", "mufu", "lds", "math", "membar", "depbar"])  # fmt: skip
def test_the_second_instruction_waits(ops, reason, cycles):
    found, _ = waits(ops)
    assert found[1, reason] == cycles
    assert {key for key in found if key[0] == 1} <= {(1, reason), (1, "selected"), (1, "wait")}


def test_a_load_is_a_long_wait():
    found, result = waits([LOAD, USE, EXIT])
    assert found[1, "long_scoreboard"] == result.cycles[0, 0][1] - 1


def test_a_taken_branch():
    found, _ = waits([op("BRA 0x20", stall=5), ADD, EXIT], [[0, 2]])
    assert found[2, "wait"] == 4
    assert found[2, "branch_resolving"] == CONFIG.sm.branch_latency_cycles - 5


def test_the_first_at_a_barrier_waits_for_the_last():
    """Counted at the instruction behind it, from the cycle after the arrival."""
    ops = [op("FADD R0, R1, R2", stall=15), SYNC, EXIT]
    found, result = waits(ops, [[1, 2], [0, 1, 2]])
    (early, opens), (_, late, _) = result.cycles[0, 0], result.cycles[0, 1]
    assert found[2, "barrier"] == (opens - early - 1) + (opens - late - 1)


def test_the_end_waits_for_the_stores():
    found, result = waits([STORE, EXIT])
    left = int(result.state.sms[0].active) - CONFIG.launch.first_instruction_cycles
    assert found[1, "drain"] == left - result.cycles[0, 0][1] - 1


def test_a_full_queue_is_throttle():
    """One entry, 32 passes per load: the second load takes it when the first is served, and keeps it for 64 cycles."""
    config = one_sm(mio__queue_entries_per_subcore=1)
    found, result = waits([CONFLICT, CONFLICT, CONFLICT, EXIT], config=config)
    assert result.cycles[0, 0][:3] == [0, 1, 65]
    assert found[2, "mio_throttle"] == 63
    assert (1, "mio_throttle") not in found


def test_a_full_queue_of_global_accesses_is_its_own_throttle():
    """One entry: the second load leaves it at cycle 3, two after the first."""
    found, result = waits([LOAD, LOAD, LOAD, EXIT], config=one_sm(mio__lg_queue_entries=1))
    assert result.cycles[0, 0][:3] == [0, 1, 3]
    assert found[2, "lg_throttle"] == 1
    found, _ = waits([LOAD, LOAD, LOAD, EXIT], config=one_sm(mio__queue_entries_per_subcore=1))
    assert found[2, "mio_throttle"] == 1


def test_warps_that_are_ready_together_are_not_selected():
    """Eight warps leave a barrier; of two in a sub-core one goes first, with its EXIT too."""
    found, _ = waits([SYNC, ADD, EXIT], [[0, 1, 2]] * 8)
    assert found[1, "not_selected"] == 4 * 2


def test_reasons_cover_the_time_of_every_warp():
    found, result = waits([LOAD, USE, STORE, SYNC, EXIT], [[0, 1, 2, 3, 4]] * 6)
    assert sum(found.values()) == int(result.state.counts[0].warp_cycles)
    assert sum(n for (_, reason), n in found.items() if reason == "selected") == 30


@pytest.mark.parametrize(("first", "ninth", "more"), [
    (op("MUFU.EX2 R0, R1", write=0), op("FADD R2, R0, R0", wait=[0]), {}),
    (ADD, op("IADD3 R0, R1, c[0x0][0x210], R3"), {"imc_miss": 156}),
], ids=["mufu", "constant"])  # fmt: skip
def test_an_instruction_that_is_not_there_waits_for_nothing_else(first, ninth, more):
    """What it needs is known once its line, 60 cycles away when the eighth issues, has come."""
    config = one_sm(fetch__l0_line_bytes=128, fetch__l0_prefetch_lines=0, fetch__gpc_latency_cycles=60, fetch__buffer_instructions=0,
                    constant__miss_latency_cycles=156)  # fmt: skip
    found, _ = waits([first] + [ADD] * 7 + [ninth, EXIT], config=config)
    expected = {"no_instruction": 59, "selected": 1} | more
    assert {key[1]: cycles for key, cycles in found.items() if key[0] == 8} == expected
