"""Dispatch from the latch to a pipe by itself, on a sub-core made by hand: register ports, pipes, slots for results."""

import pytest

from ssmsim.engines.embedded.sm import core, instruction, pipes
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.embedded.state.parameters import PARAMETERS


def dispatching(**fields):
    """A sub-core around pipes.dispatch, one port per bank, no HGMMA: (machine, SM, sub-core, instruction, dispatch at)."""
    m, counts, sm, sub, warp, one = (
        r.records(kind, 1)[0] for kind in (PARAMETERS, COUNTS, core.SM, core.SUBCORE, core.WARP, instruction.CODE)
    )
    (
        m.sm.register_ports_per_bank,
        m.tensor.hgmma_result_cycles,
        m.gmma_port_fp,
        m.sm.wide_multiply_cycles,
        m.sm.wide_factor_latency_cycles,
    ) = 1, 4, 2 << r.FP, 2, 7
    m.interval_fp[: len(instruction.PIPES)], m.issue_fp = 2 << r.FP, 1 << r.FP
    sm.tensor_free_fp = sm.tensor_shadow_fp = -(1 << 40)
    one.first_bank, one.pipe, one.share = r.NONE, instruction.FREE, instruction.PARTS
    for name, value in fields.items():
        one[name] = value
    return m, sm, sub, one, lambda cycle: int(pipes.dispatch(m, counts, sm, sub, warp, one, cycle))


def test_a_busy_register_bank_holds_up_the_second_instruction_behind():
    """Three reads of one single-ported bank each: 100 to 103, 103 to 106; the third instruction waits for the stage."""
    _, _, sub, _, at = dispatching(even_reads=3)
    assert (at(100), sub.hold_fp >> r.FP) == (100, 101)
    assert (at(101), sub.hold_fp >> r.FP) == (103, 102), "another may enter the latch behind it"
    assert (at(102), sub.hold_fp >> r.FP) == (106, 105), "but goes on when the stage is free"


def test_operands_are_read_within_two_cycles():
    """Nine reads keep the bank until 109: one read more ends at 110, two cycles after its instruction has left."""
    _, _, _, one, at = dispatching(even_reads=9)
    assert at(100) == 100
    one.even_reads, one.odd_reads = 0, 1
    assert at(101) == 101
    one.even_reads, one.odd_reads = 1, 0
    assert at(102) == 108


def test_fp32_waits_for_its_pipe_in_the_latch():
    """Three for one half of fp32: at 100, 102 and 104, each when the one before leaves."""
    _, _, sub, _, at = dispatching(pipe=instruction.HEAVY)
    assert [(at(cycle), int(sub.hold_fp >> r.FP)) for cycle in (100, 101, 103)] == [(100, 101), (102, 103), (104, 105)]


def test_a_wide_multiplication_stays_and_waits_for_its_factor():
    """Two cycles in the stage, four in the pipe; what reads a result of cycle 100 comes at 107 + 2."""
    _, _, sub, one, at = dispatching(pipe=instruction.LITE, feeds=1)
    assert at(100) == 100
    one.feeds, one.fed, one.wide, one.share, one.pipe = 0, 1, 1, 2 * instruction.PARTS, instruction.HEAVY
    assert (at(104), sub.stage_free_fp >> r.FP) == (109, 110)
    assert sub.pipe_free_fp[instruction.HEAVY] >> r.FP == 111


@pytest.mark.parametrize(
    ("banks", "share", "cycles"),
    [
        ((0, 0, 0, 0), 1.0, [100, 104, 108, 112]),
        ((0, 1, 0, 1), 1.0, [100, 101, 104, 105]),
        ((r.NONE,) * 4, 1.0, [100, 101, 104, 105]),
        ((1, 1, 1, 1), 1.0, [101, 105, 109, 113]),
        ((0, 0, 0, 0), 0.0, [100, 101, 102, 103]),
    ],
)
def test_results_find_a_slot_beside_an_hgmma(banks, share, cycles):
    """One in four cycles per bank of the first operand, as microbenchmark sm/register_bank_conflicts: same_e 4, same_alternate and write_e 2."""
    _, sm, sub, one, at = dispatching(writes=1)
    sm.tensor_free_fp = sm.tensor_shadow_fp = 1000 << r.FP
    sm.port_share_fp = int(share * (1 << r.FP))
    found, now = [], 100
    for bank in banks:
        one.first_bank = bank
        now = max(now, int(sub.hold_fp >> r.FP))
        found.append(at(now))
        now += 1
    assert found == cycles


def test_reads_take_twice_as_long_beside_an_hgmma():
    """The HGMMA takes half of each bank's slots: three reads of a bank keep it for six cycles, not three."""
    _, sm, sub, _, at = dispatching(even_reads=3)
    sm.tensor_free_fp = sm.tensor_shadow_fp = 1000 << r.FP
    sm.port_share_fp = 1 << r.FP
    at(100)
    assert sub.even_free_fp >> r.FP == 106
    sm.tensor_free_fp = sm.tensor_shadow_fp = 0
    at(200)
    assert sub.even_free_fp >> r.FP == 203


def test_memory_operands_rest_while_an_hmma_is_read():
    """Five registers of each bank: the sub-core's next memory instruction leaves five cycles later."""
    _, _, sub, _, at = dispatching(even_reads=5, odd_reads=5, pipe=instruction.TENSOR, kind=instruction.FIXED)
    at(100)
    assert (sub.queue_last, sub.hold_fp >> r.FP) == (105, 101)
