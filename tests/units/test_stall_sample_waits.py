"""Where warps wait, beside ncu's samples: what two distributions have in common, and where the GPU's sampler notes a wait."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from small_gpu import ROOT

from ssmsim.counters import STALL_REASONS
from ssmsim.study import waits


def test_overlap_is_the_sum_of_the_smaller_shares():
    one, other = pd.Series({0: 30, 1: 10}), pd.Series({1: 1, 2: 1})
    assert waits.overlap(one, other) == pytest.approx(0.25)
    assert waits.overlap(one, 7 * one) == pytest.approx(1)
    assert waits.overlap(pd.Series({0: 1}), pd.Series({1: 1})) == 0


@pytest.mark.parametrize("samples", [50, 1000])
def test_by_chance_is_what_draws_have_in_common_with_their_source(samples):
    rng = np.random.default_rng(1)
    shares = pd.Series(rng.random(20))
    draws = [pd.Series(rng.multinomial(samples, shares / shares.sum())) for _ in range(300)]
    assert waits.by_chance(shares, samples) == pytest.approx(
        np.mean([waits.overlap(d, shares) for d in draws]), abs=0.01
    )


def test_waits_at_depbar_and_at_the_end_are_noted_behind():
    program = SimpleNamespace(opcodes=("LDG.E", "DEPBAR.LE", "EXIT"), instructions=np.array(
        [(0, 0), (16, 1), (32, 2)], [("pc", "i8"), ("opcode", "i8")]))  # fmt: skip
    samples = pd.DataFrame([("0x0", "long_scoreboard", 1.0), ("0x10", "long_scoreboard", 2.0), ("0x10", "wait", 3.0),
                            ("0x20", "drain", 4.0)], columns=["pc", "reason", "samples"])  # fmt: skip
    assert waits.as_noted(samples, program)["pc"].tolist() == ["0x0", "0x20", "0x10", "0x30"]  # type: ignore[arg-type]


def test_reasons_have_one_name():
    names = set(
        pd.read_csv(ROOT / "traces/h200/mamba2-2.7b/stall_samples.csv.xz").replace({"reason": waits.NAMED})["reason"]
    )
    assert names <= set(STALL_REASONS)


def test_the_committed_table_holds_every_launch_with_samples():
    rows = pd.read_csv(ROOT / "analysis/waits.csv")
    assert list(zip(rows["workload"], rows["launch"], strict=True)) == sorted(waits.kept(ROOT))
    assert rows[["lines", "reasons"]].min().min() > 0.5
    assert f"{rows['samples'].sum():,} samples of {len(rows)} launches" in waits.table(rows)
