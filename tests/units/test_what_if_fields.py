"""Fields that only what-if studies change: without effect at today's values, and worth what they say at others."""

import dataclasses

import numpy as np
import pytest
from small_gpu import ACTIVE, BENCHMARKS, CAPTURES, simulate, small_gpu, whole_gpu

from ssmsim.engines.embedded.feed import skip_prologue
from ssmsim.engines.embedded.state import parameters
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS
from ssmsim.launch import read_launch
from ssmsim.microbenchmarks.simulate import with_rounds
from ssmsim.sass.opcodes import Space
from ssmsim.trace.types import INSTRUCTION, BlockTrace, Program

FFMA = "sm/instruction_latency_throughput.ffma.rate.16"  # 4 warps per sub-core, independent FFMA chains
CONFLICTS = "sm_memory/shared_memory_bank_conflicts.lds32.stride128.16"  # 32 wavefronts per LDS
LOADS = "l1/latency_capacity_bandwidth.ldg128.stride16.16"  # 4 wavefronts per LDG


def cycles(name, **changes):
    return simulate(BENCHMARKS / name, whole_gpu(**changes)).counters[ACTIVE]


def per_round(name, **changes):
    """Cycles per loop round, warm as it was measured: start and end, where warps wait for code and for their stores, fall out."""
    launch, config = read_launch(BENCHMARKS / name), whole_gpu(**changes)
    few, many = launch.microbenchmark["rounds"]
    cost = [
        simulate(with_rounds(launch, rounds), config, warm=(launch.folder,)).counters[ACTIVE] for rounds in (few, many)
    ]
    return (cost[1] - cost[0]) / (many - few)


def test_twice_the_lanes_need_twice_the_issue():
    """4 warps x 67 instructions per round and sub-core: about one per cycle today, however many lanes there are."""
    wide = {"sm__fp32_lanes_per_subcore": 64, "sm__register_ports_per_bank": 4}
    assert per_round(FFMA) == pytest.approx(per_round(FFMA, **wide), rel=0.01)
    assert (
        268 <= per_round(FFMA) < 280
    )  # in turn, warps come to the loop's branch together: 3 % more than the 268 measured
    assert (
        133 <= per_round(FFMA, **wide, sm__issue_per_subcore_per_cycle=2) < 160
    )  # 134 by hand; start and end leave 133.7


def test_twice_the_issue_alone_gives_nothing_to_a_full_pipe():
    """256 cycles are 4 warps x 64 FFMA, one per cycle; what is left to gain is the loop's other 12 instructions."""
    twice = per_round(FFMA, sm__issue_per_subcore_per_cycle=2)
    assert twice == pytest.approx(per_round(FFMA), rel=0.03) and twice >= 256


@pytest.mark.parametrize("name", [CONFLICTS, LOADS])
def test_two_wavefronts_per_cycle_halve_the_time_of_passes(name):
    """Shared memory and L1 have the same banks."""
    today, twice = per_round(name), per_round(name, shared__wavefronts_per_cycle=2)
    assert twice == pytest.approx(today / 2, rel=0.15)


@pytest.mark.parametrize(("lead", "left"), [(0, (100, 120, 290, 182)), (130, (0, 90, 290, 182)), (600, (0, 0, 0, 92)),
                                            (9999, (0, 0, 0, 0))])  # fmt: skip
def test_running_ahead_takes_latency_nearest_first(lead, left):
    m = r.records(PARAMETERS, 1)[0]
    m.request_latency, m.reply_latency, m.dram_latency, m.far_latency = 100, 120, 290, 182
    parameters.run_ahead(m, lead)
    assert (m.request_latency, m.reply_latency, m.dram_latency, m.far_latency) == left


def test_running_ahead_shortens_a_chain_of_loads_by_the_lead():
    # latency bound: one warp, each load's address comes from the one before
    launch = next(BENCHMARKS.glob("l1/latency_capacity_bandwidth.capacity.shared0.carveout0.272KB"))
    today = simulate(launch, whole_gpu()).counters
    ahead = simulate(launch, whole_gpu(l1__prefetch_lead_cycles=100)).counters
    assert ahead[ACTIVE] < today[ACTIVE]
    assert ahead["lts__t_sectors.sum"] == today["lts__t_sectors.sum"]


def test_streams_start_at_their_first_global_access():
    instructions = np.zeros(4, INSTRUCTION)
    instructions["space"] = Space.NONE, Space.SHARED, Space.GLOBAL, Space.NONE
    instructions["accesses"] = 0, 1, 1, 0
    program = Program("k", instructions, ("A", "LDS", "LDG", "EXIT"), ("",) * 4)
    index = np.array(
        [0, 1, 2, 1, 3, 0, 1, 3, 2, 2, 3], np.int32
    )  # warps of 5, 3 and 3; the second makes no global access
    addresses = np.arange(6)[:, None] * np.ones(32, np.int64)
    ones = np.ones(11, np.uint32)
    trace = BlockTrace(np.array([7]), np.array([0, 5, 8, 11]), index, ones, ones, np.array([0, 3, 4, 6]), addresses)
    cut = skip_prologue.without(trace, program)
    assert cut.index.tolist() == [2, 1, 3, 0, 1, 3, 2, 2, 3]
    assert cut.first.tolist() == [0, 3, 6, 9]
    assert cut.first_access.tolist() == [0, 2, 3, 5]
    assert cut.addresses[:, 0].tolist() == [1, 2, 3, 4, 5]
    assert dataclasses.replace(cut, mask=cut.active).mask.tolist() == [1] * 9


def test_skipped_prologues_are_not_counted():
    """What they are worth to the cycle: tests/timing/test_block_scheduler.py."""
    launch = CAPTURES / "ssd-ragged/26-reduce_kernel"
    today, persistent = (simulate(launch, small_gpu(launch__skip_prologue=skip)) for skip in (False, True))
    for name in ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"):
        assert persistent.counters[name] == today.counters[name]
    assert persistent.warp_instructions < today.warp_instructions
