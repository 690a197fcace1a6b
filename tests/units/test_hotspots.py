"""The table of waits per instruction: complete, and the same as the counters."""

import pandas as pd
import pytest
from small_gpu import CAPTURES, simulate, small_gpu

from ssmsim.counters import STALL_REASONS, stall
from ssmsim.engines.request import Views

LAUNCH = CAPTURES / "ssd-ragged/17-reduce_kernel"


@pytest.mark.parametrize("sample", [False, 200])
def test_columns_add_up_to_the_counters(sample, tmp_path):
    result = simulate(LAUNCH, small_gpu(), views=Views(stalls=tmp_path / "stalls.csv"), sample=sample)
    table = pd.read_csv(tmp_path / "stalls.csv")
    issued = result.counters["smsp__inst_executed.sum"]
    assert table.executed.sum() == issued
    assert (table.selected == table.executed).all()
    for reason in STALL_REASONS:
        assert table[reason].sum() / issued == pytest.approx(result.counters[stall(reason)])


def test_a_wait_stands_at_the_instruction_that_waits(tmp_path):
    """Code comes late to the first instruction; loads are waited for where their values are used."""
    simulate(LAUNCH, small_gpu(), views=Views(stalls=tmp_path / "stalls.csv"))
    table = pd.read_csv(tmp_path / "stalls.csv")
    assert table.pc[0] == "0x0" and table.no_instruction[0] > 0
    worst = table.long_scoreboard.idxmax()
    loads = table.index[table.text.str.contains("LDG")]
    assert any(0 < worst - load < 80 for load in loads)
