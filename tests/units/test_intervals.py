"""Intervals of speed-ups: they cover what they should, and a block's follows from its kernels'."""

import numpy as np
import pandas as pd
import pytest

from analysis.intervals import of_sum, residual, shown, text, with_intervals

pytestmark = pytest.mark.long

CONFIGS, SIGMA = 12, 0.01


def runs(seed: int, draws: int, common: float = 0.05) -> pd.DataFrame:
    """Cycles with a part that a draw has in common under all configurations, and one that is a run's own."""
    chance = np.random.default_rng(seed)
    of_draw = chance.normal(0, common, draws)
    lines = [
        {"workload": "w", "launch": "a", "cache": "cold", "config": f"c{i}", "draw": k,
         "cycles": float(np.exp(10 - 0.1 * i + of_draw[k] + chance.normal(0, SIGMA)))}
        for i in range(CONFIGS) for k in range(draws)
    ]  # fmt: skip
    return pd.DataFrame(lines)


@pytest.mark.parametrize("draws", [2, 3, 5])
def test_intervals_cover_95_of_100(draws: int) -> None:
    """What is common to a draw cancels; the interval of each configuration covers its true speed-up."""
    inside = []
    for seed in range(300):
        table = with_intervals(runs(seed, draws), "cycles", "c0").set_index("config")
        true = np.exp(0.1 * np.arange(CONFIGS))
        inside += list(((table.low < true) & (true < table.high)).to_numpy()[1:])
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)


def test_one_draw_has_no_interval_and_shows_no_effect() -> None:
    table = with_intervals(runs(0, 1), "cycles", "c0").set_index("config")
    assert table.low.drop("c0").isna().all() and not shown(table.low, table.high).any()
    assert text(1.1, float("nan"), float("nan")) == "1.100, no interval"


def test_residual_of_a_table_that_configuration_and_draw_explain_is_nothing() -> None:
    assert residual(np.add.outer([1.0, 2.0, 4.0], [0.0, 0.5])).variance == pytest.approx(0, abs=1e-12)
    assert residual(np.zeros((1, 4))).freedom == 0


def test_a_blocks_interval_follows_from_its_kernels() -> None:
    """Two kernels alike: half the variance; one that does not take part: a smaller gain, in proportion."""
    both = pd.DataFrame({"speedup": [1.25, 1.25], "variance": [4e-4, 4e-4], "freedom": [50, 50]})
    whole = of_sum(pd.Series([100.0, 100.0]), both)
    assert whole.speedup == pytest.approx(1.25)
    assert np.log(whole.high / whole.low) / 2 == pytest.approx(1.984 * np.sqrt(2e-4), rel=1e-3)
    one = pd.DataFrame({"speedup": [1.25, 1.0], "variance": [4e-4, 0.0], "freedom": [50, 50]})
    assert of_sum(pd.Series([100.0, 100.0]), one).speedup == pytest.approx(200 / 180)
    known = pd.DataFrame({"speedup": [1.25, 1.0], "variance": [4e-4, np.nan], "freedom": [50, 0]})
    assert np.isnan(of_sum(pd.Series([100.0, 100.0]), known).low)


def test_text_says_when_no_effect_is_shown() -> None:
    assert text(1.1, 1.05, 1.15) == "1.100 ± 0.050"
    assert text(1.01, 0.98, 1.04) == "no effect shown (± 0.030)"
