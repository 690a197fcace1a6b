"""Instruction supply and constants: which level answers, to the cycle. Cycles count from the first issue."""

import numpy as np
import pytest
from streams import EXIT, issued, one_sm, op, run

L1, GPC, L2, LINES, REFILL = 20, 42, 250, 6, 16
DRAM = 550 - 280  # latency_near_cycles of DRAM less that of a hit in the L2
COLD = {"fetch__l0_bytes_per_subcore": 256, "fetch__l0_line_bytes": 128, "fetch__l0_prefetch_lines": 0,
        "fetch__l1_latency_cycles": L1, "fetch__l1_interval_cycles": LINES, "fetch__gpc_latency_cycles": GPC,
        "fetch__gpc_interval_cycles": REFILL, "fetch__l2_latency_cycles": L2, "fetch__launch_prefetch_bytes": 0,
        "fetch__gpc_bytes": 0}  # fmt: skip
ADD = op("FADD R0, R1, R2")


def config(**changes):
    return one_sm(**(COLD | {f"fetch__{name}": value for name, value in changes.items()}))


def test_a_line_from_dram():
    """Eight instructions are a line; the ninth is asked for when the eighth issues. The L2 lacks code it has not seen."""
    cycles = issued([ADD] * 16 + [EXIT], config())
    assert cycles[:8] == list(range(8))
    assert cycles[8] == 7 + L2 + DRAM + L1


def test_the_shared_level_is_nearer():
    """Brought there before the first block starts."""
    near = config(gpc_bytes=1 << 17, launch_prefetch_bytes=1 << 16)
    assert issued([ADD] * 16 + [EXIT], near)[8] == 7 + GPC + L1


def test_the_first_bytes_alone_are_brought_there():
    near = config(gpc_bytes=1 << 17, launch_prefetch_bytes=256)
    cycles = issued([ADD] * 24 + [EXIT], near)
    assert cycles[8] - cycles[7] == GPC + L1
    assert cycles[16] - cycles[15] == L2 + DRAM + L1


@pytest.mark.parametrize("ahead", [1, 2])
def test_the_stream_buffer_asks_for_the_next_lines(ahead):
    """They follow the first as the SM's cache is refilled; one more is asked for when the first of them is used."""
    cycles = issued([ADD] * 8 * (ahead + 2) + [EXIT], config(l0_bytes_per_subcore=1024, l0_prefetch_lines=ahead))
    assert [cycles[8 * i] for i in range(1, ahead + 1)] == [REFILL * i for i in range(1, ahead + 1)]
    assert cycles[8 * (ahead + 1)] == 7 + L2 + DRAM + L1


def test_a_line_that_left_the_l0_is_in_the_l1():
    """Two lines of L0, three of code, then back to the first."""
    ops = [ADD] * 23 + [op("BRA 0x0", stall=5), EXIT]
    cycles = run(ops, [[*range(24), 0, *range(16, 25)]], config()).cycles[0, 0]
    assert cycles[24] == cycles[23] + L1


def test_a_line_in_the_l0_costs_nothing():
    ops = [ADD] * 15 + [op("BRA 0x0", stall=5), EXIT]
    branch = one_sm().sm.branch_latency_cycles
    cycles = run(ops, [[*range(16), 0, *range(1, 17)]], config()).cycles[0, 0]
    assert cycles[16] == cycles[15] + branch


@pytest.mark.parametrize(("nearest", "later"), [(L2, 0), (2, LINES - 2)])
def test_two_sub_cores_share_one_refill_and_take_turns(nearest, later):
    """Both ask in the same cycle: the second is looked up a turn later, which shows when the line comes sooner."""
    near = config(gpc_bytes=1 << 17, launch_prefetch_bytes=1 << 16, gpc_latency_cycles=nearest)
    cycles = run([ADD] * 7 + [EXIT], [list(range(8))] * 2, near).cycles
    assert cycles[0, 1][0] - cycles[0, 0][0] == later


def test_a_constant_operand_misses_once_per_line():
    miss = 156
    ops = [ADD] + [op(f"IADD3 R0, R1, c[0x0][{offset:#x}], R3", stall=4) for offset in (0x200, 0x23C, 0x240)] + [EXIT]
    cycles = issued(ops, one_sm(constant__miss_latency_cycles=miss, constant__line_bytes=64))
    assert np.diff(cycles).tolist() == [1 + miss, 4, 4 + miss, 4]


def test_an_ldc_misses_once_per_line():
    """Not counting as an operand: the LDC issues at once, what uses its value waits."""
    ops = [ADD]
    for offset in (0x200, 0x23C, 0x240):
        ops += [op(f"LDC R0, c[0x0][{offset:#x}]", write=0), op("FADD R2, R0, R0", wait=[0])]
    small = one_sm(constant__miss_latency_cycles=156, constant__line_bytes=64, constant__ldc_miss_cycles=70)
    hit = small.constant.ldc_latency_cycles
    result = run([*ops, EXIT], None, small)
    assert np.diff(result.cycles[0, 0])[1:6:2].tolist() == [hit + 70, hit, hit + 70]
    assert result.state.counts[0].idc_misses == 2
