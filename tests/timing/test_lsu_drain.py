"""What stops the SM's unit: a barrier and a MEMBAR wait until the accesses in it have gone through, and nothing else stands still."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import one_sm

from ssmsim.engines.embedded.sm import core
from ssmsim.engines.embedded.sm.memory import lsu_drain
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS
from ssmsim.microbenchmarks.programs.sm_memory.lsu_drain_time import LOOPS

MEASURED = Path(__file__).parents[2] / "traces/h200/microbenchmarks/sm_memory/lsu_drain_time.json"
STOP = one_sm().mio.stop_cycles


def unit():
    m, sm = r.records(PARAMETERS, 1)[0], r.records(core.SM, 1)[0]
    m.mio.stop_cycles = STOP
    return m, sm


@pytest.mark.parametrize(("wavefronts", "half"), [(1, 0), (2, 1), (4, 2), (8, 4), (32, 16)])
def test_a_stop_right_behind_an_access_waits_for_half_of_it(wavefronts, half):
    m, sm = unit()
    lsu_drain.served(sm, 100, wavefronts)
    assert lsu_drain.stop(m, sm, 100 + wavefronts) == half + STOP


def test_what_has_gone_through_stops_nothing():
    for later, busy in ((0, 2 + STOP), (2, STOP), (3, 0)):
        m, sm = unit()
        lsu_drain.served(sm, 100, 4)
        assert lsu_drain.stop(m, sm, 104 + later) == busy


def test_a_second_stop_finds_nothing_in_the_unit():
    m, sm = unit()
    lsu_drain.served(sm, 100, 4)
    assert lsu_drain.stop(m, sm, 104) > 0
    assert lsu_drain.stop(m, sm, 104 + 2 + STOP) == 0


@given(st.integers(0, 1000), st.integers(1, 32), st.integers(0, 100))
def test_a_stop_ends_behind_the_access_or_not_at_all(start, busy, later):
    m, sm = unit()
    lsu_drain.served(sm, start, busy)
    cycle = start + busy + later
    taken = lsu_drain.stop(m, sm, cycle)
    assert taken == 0 or cycle + taken == start + busy + busy // 2 + STOP


def test_the_rule_is_what_was_measured():
    """Cycles that a barrier costs beside accesses of one, four and eight wavefronts: within two of the rule's."""
    rounds = {name: row["cycles_per_round"] for name, row in json.loads(MEASURED.read_text())["loops"].items()}
    assert set(rounds) == {loop.name for loop in LOOPS}
    for width, wavefronts in (("one", 1), ("four", 4), ("eight", 8)):
        for warps in (1, 4, 8):
            cost = (rounds[f"{width}.bar.{warps}"] - rounds[f"{width}.none.0"]) / 8
            assert abs(cost - (STOP + wavefronts // 2)) <= 2.1
