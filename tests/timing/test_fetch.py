"""Instruction supply and constants: which level answers, to the cycle. Cycles count from the first issue."""

import json

import numpy as np
import pytest
from streams import EXIT, ROOT, assemble, issued, launch, one_sm, op, run

from ssmsim.config.load import load
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.state import machine

L1, GPC, L2, LINES, REFILL = 20, 42, 250, 6, 16
DRAM = 550 - 280  # latency_near_cycles of DRAM less that of a hit in the L2
COLD = {"fetch__l0_bytes_per_subcore": 256, "fetch__l0_line_bytes": 128, "fetch__l0_prefetch_lines": 0,
        "fetch__l1_latency_cycles": L1, "fetch__l1_interval_cycles": LINES, "fetch__gpc_latency_cycles": GPC,
        "fetch__gpc_interval_cycles": REFILL, "fetch__l2_latency_cycles": L2, "fetch__launch_prefetch_bytes": 0,
        "fetch__gpc_bytes": 0, "fetch__buffer_instructions": 0}  # fmt: skip
ADD = op("FADD R0, R1, R2")


def config(**changes):
    return one_sm(**(COLD | {f"fetch__{name}": value for name, value in changes.items()}))


def test_a_line_from_dram():
    """Eight instructions are a line; the ninth is asked for when the eighth issues. The L2 lacks code it has not seen."""
    cycles = issued([ADD] * 16 + [EXIT], config())
    assert cycles[:8] == list(range(8))
    assert cycles[8] == 7 + L2 + DRAM + L1


def test_the_shared_level_is_nearer():
    """Brought there when the kernel starts: the second line waits for no more."""
    near = config(gpc_bytes=1 << 17, launch_prefetch_bytes=1 << 16)
    assert issued([ADD] * 16 + [EXIT], near)[8] == 7 + GPC + L1


@pytest.mark.parametrize("apart", [100, 250])
def test_the_first_line_is_there_as_soon_as_the_l2_gives_it(apart):
    """A block that begins later, on another SM, waits for what is left of that, at least for the shared level."""
    near = one_sm(**(COLD | {"fetch__gpc_bytes": 1 << 17, "fetch__launch_prefetch_bytes": 1 << 16,
                             "gpu__sms_per_gpc": (2,), "launch__blocks_per_cycle": 1 / apart}))  # fmt: skip
    done = run([ADD, EXIT], config=near, blocks=2)
    begun = [int(done.state.loaded[i].launched) for i in range(2)]
    assert begun[1] - begun[0] == apart
    issues = [int(done.cycles[i, 0][0]) for i in range(2)]
    assert issues[1] - issues[0] == apart + max(GPC, L2 - apart) - L2


def test_the_first_bytes_alone_are_brought_there():
    near = config(gpc_bytes=1 << 17, launch_prefetch_bytes=256)
    cycles = issued([ADD] * 24 + [EXIT], near)
    assert cycles[8] - cycles[7] == GPC + L1
    assert cycles[16] - cycles[15] == L2 + DRAM + L1


@pytest.mark.parametrize("buffered", [1, 3, 7])
def test_a_line_is_asked_for_when_its_first_instruction_has_room_in_the_buffer(buffered):
    """Issuing one makes room for the one so many behind it."""
    cycles = issued([ADD] * 16 + [EXIT], config(buffer_instructions=buffered))
    assert cycles[8] == 8 - buffered + L2 + DRAM + L1


def test_no_line_is_asked_for_past_the_end():
    assert issued([ADD] * 7 + [EXIT], config(buffer_instructions=3))[:8] == list(range(8))


def test_a_line_that_is_needed_goes_before_those_asked_for_ahead():
    """Each line is refilled 16 cycles behind the last: the branch's target would be the fourth, 64 cycles away."""
    ahead = config(l0_bytes_per_subcore=1024, l0_prefetch_lines=4, gpc_bytes=1 << 17, launch_prefetch_bytes=1 << 16,
                   gpc_latency_cycles=4, gpc_interval_cycles=40)  # fmt: skip
    ops = [op("BRA 0x200", stall=1)] + [ADD] * 39 + [EXIT]
    cycles = run(ops, [[0, *range(32, 41)]], ahead).cycles[0, 0]
    assert cycles[1] <= 40 + 4 + L1 < 4 * 40


def test_sms_of_a_gpc_share_its_port():
    """1.25 cycles for each of 18 SMs: a line per 22 cycles each; with half of the SMs at work, as one alone."""
    full = load(ROOT / "simconfigs/h200.yaml")
    assert [set(interval(full, blocks)) for blocks in (1000, 132, 66, 1)] == [{20, 22}, {20, 22}, {18}, {18}]


def interval(config, blocks):
    state = machine.build(instructions.translate(assemble([ADD, EXIT]), config), launch(1), config, blocks)
    return state.sms.refill_interval.tolist()


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
    near = config(gpc_bytes=1 << 17, launch_prefetch_bytes=1 << 16, gpc_latency_cycles=2, l2_latency_cycles=nearest)
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


FOOTPRINT = json.loads((ROOT / "traces/h100/microbenchmarks/sm/instruction_cache_associativity.json").read_text())[
    "loops"
]


@pytest.mark.parametrize("length", [1920, 2048, 2176, 2304, 2560])
def test_loops_around_the_size_of_the_sms_cache_take_as_long_as_on_the_gpu(length):
    """Lines of four ways, the one used longest ago goes: between 31 and 40 KB more and more miss.

    Microbenchmark sm/instruction_cache_associativity.
    """
    full = load(ROOT / "simconfigs/h100.yaml")
    alone = full.model_copy(update={"gpu": full.gpu.model_copy(update={"sms_per_gpc": (1,)})})
    ops = [*[ADD] * length, op("IADD3 R9, R9, 0x1, RZ", stall=4), op("BRA 0x0", stall=5), EXIT]
    passes = 5
    cycles = run(ops, [[*range(length + 2)] * passes + [length + 2]], alone).cycles[0, 0]
    ends = [cycles[(length + 2) * k - 1] for k in (2, passes)]
    took = (ends[1] - ends[0]) / (passes - 2) / length * 8
    measured = FOOTPRINT[f"{length}.1.1"]["cycles_per_round"] / length * 8
    assert took == pytest.approx(measured, rel=0.06)
