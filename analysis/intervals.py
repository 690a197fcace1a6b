"""95 % intervals of speed-ups, from runs that differ in what is left to chance.

Every configuration of a launch runs once per draw; draw k of one and of another share SMs' start and sample places, so a
speed-up is compared within draws. How the logarithms of cycles differ beyond what configuration and draw explain
together (randomised blocks: Fisher 1935; Montgomery, Design and Analysis of Experiments, 4.1) is chance, pooled over
the launch's configurations: two draws of each are enough. Geometric means over draws have it as their error.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as student

CONFIDENCE = 0.95
LAUNCH = ["workload", "launch", "cache"]


@dataclass(frozen=True)
class Chance:
    """What is left of the logarithm of cycles: variance of one run, and its degrees of freedom; 0: one draw, not known."""

    variance: float
    freedom: int


def residual(logs: np.ndarray) -> Chance:
    """logs: float[configurations, draws], of cycles."""
    configs, draws = logs.shape
    freedom = (configs - 1) * (draws - 1)
    if freedom == 0:
        return Chance(np.nan, 0)
    rest = logs - logs.mean(1, keepdims=True) - logs.mean(0, keepdims=True) + logs.mean()
    return Chance(float((rest**2).sum() / freedom), freedom)


def half_width(variance: float, freedom: float) -> float:
    """Of the interval of a number with this variance."""
    return float(student.ppf(0.5 + CONFIDENCE / 2, freedom) * np.sqrt(variance)) if freedom > 0 else float("nan")


def with_intervals(rows: pd.DataFrame, cycles: str, baseline: str) -> pd.DataFrame:
    """A line per launch and configuration: geometric mean of cycles, base, speedup, low, high, variance, freedom, draws.

    rows: a line per run: LAUNCH, config, draw and cycles. variance: of the logarithm of the speed-up. Configurations with
    fewer draws than the baseline count with the draws that they have, and add nothing to what is known of chance.
    """
    lines = []
    for launch, runs in rows.groupby(LAUNCH, sort=False):
        logs = np.log(runs.pivot_table(index="config", columns="draw", values=cycles, sort=False))
        if baseline not in logs.index:
            continue
        base = logs.loc[baseline].dropna()
        chance = residual(logs.reindex(columns=base.index).dropna().to_numpy())
        for config, own in logs.iterrows():
            own = own.dropna()
            shared = base.index.intersection(own.index)
            gain = float((base[shared] - own[shared]).mean())
            same = config == baseline
            variance = 0.0 if same else 2 * chance.variance / len(shared)
            half = 0.0 if same else half_width(variance, chance.freedom)
            about = dict(zip(LAUNCH, launch, strict=True))
            lines.append(about | {
                "config": config, "cycles": np.exp(own[shared].mean()), "base": np.exp(base[shared].mean()),
                "speedup": np.exp(gain), "low": np.exp(gain - half), "high": np.exp(gain + half),
                "variance": variance, "freedom": chance.freedom, "draws": len(shared),
            })  # fmt: skip
    columns = ["config", "cycles", "base", "speedup", "low", "high", "variance", "freedom", "draws"]
    return pd.DataFrame(lines, columns=[*LAUNCH, *columns])


def of_sum(times: pd.Series, speedups: pd.DataFrame) -> pd.Series:
    """Speed-up of launches one after another: speedup, low, high.

    times: of each launch at the baseline. speedups: speedup, variance and freedom of each. First-order propagation: a launch
    counts with its share of the modified time; freedom by Welch (1947) and Satterthwaite (1946).
    """
    after = times / speedups.speedup
    share = after / after.sum()
    parts = share**2 * speedups.variance
    gain, variance = np.log(times.sum() / after.sum()), float(parts.sum(skipna=False))
    if variance == 0:
        return pd.Series({"speedup": np.exp(gain), "low": np.exp(gain), "high": np.exp(gain)})
    known = speedups.freedom.where(speedups.freedom > 0)
    freedom = variance**2 / float((parts**2 / known).sum()) if known.notna().all() else 0.0
    half = half_width(variance, freedom)
    return pd.Series({"speedup": np.exp(gain), "low": np.exp(gain - half), "high": np.exp(gain + half)})


def shown(low: pd.Series, high: pd.Series) -> pd.Series:
    """Whether an interval leaves 1 out: only then an effect is shown. False where there is no interval."""
    return (low > 1) | (high < 1)


def text(speedup: float, low: float, high: float, digits: int = 3) -> str:
    """`1.103 ± 0.004`; `no effect shown (± 0.004)` when 1 is inside; without an interval it says so."""
    if np.isnan(speedup):
        return "–"
    if np.isnan(low):
        return f"{speedup:.{digits}f}, no interval"
    half = (high - low) / 2
    if not (low > 1 or high < 1):
        return f"no effect shown (± {half:.{digits}f})"
    return f"{speedup:.{digits}f} ± {half:.{digits}f}"
