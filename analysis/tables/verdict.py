"""What each kernel is bound by, how much relief brings, until when, and what then: the sentence a reader can quote.

By the factorial design (analysis/factorial.py): `bound_by` is the axis whose relief is worth most over all settings of the
others, when its interval leaves out 1; `then` the one that is worth most once that is relieved. `until` is the smallest factor of
it with nine tenths of what the largest one tried brought; `beyond` says that the largest still brought more.
"""

import pandas as pd

from analysis.bounds import bounds
from analysis.data import CYCLES, Data, occurrences
from analysis.factorial import Responses, responses
from analysis.sensitivity import one_at_a_time
from analysis.table import main

NOTHING = "nothing that is in the design"
STILL = 1.02  # a factor that brings so much more than the one before: the sweep's end is not the resource's
COLUMNS = ["workload", "launch", "name", "direction", "time_pct", "cycles", "bound_by", "factor", "speedup", "low", "high",
           "share_pct", "until", "beyond", "then", "then_speedup", "then_low", "then_high", "everything", "fullest_resource",
           "if_only_bottleneck_cycles", "its_share_pct"]  # fmt: skip


def make(data: Data) -> pd.DataFrame:
    base = data.simulated(cache=data.explored_cache)
    base, swept = base[base.role == "ssm"], one_at_a_time(data)
    lines = []
    for (workload, launch), runs in responses(data).items():
        row = base[(base.workload == workload) & (base.launch == launch)]
        if row.empty:
            continue
        of_launch = swept[(swept.workload == workload) & (swept.launch == launch)]
        about = row.iloc[0]
        block = base[base.workload == workload]
        share = occurrences(row).iloc[0] * about[CYCLES] / (block[CYCLES] * occurrences(block)).sum()
        only = bounds(data, about).sort_values(ascending=False)
        lines.append({
            "workload": workload, "launch": launch, "name": about["name"], "direction": about.direction,
            "time_pct": 100 * share, "cycles": about[CYCLES],
            "fullest_resource": only.index[0], "if_only_bottleneck_cycles": only.iloc[0],
            "its_share_pct": 100 * only.iloc[0] / about[CYCLES], "everything": runs.everything(),
        } | _verdict(runs, of_launch))  # fmt: skip
    return pd.DataFrame(lines, columns=COLUMNS).sort_values(["workload", "time_pct"], ascending=[True, False])


def _verdict(runs: Responses, swept: pd.DataFrame) -> dict[str, object]:
    worth = runs.worth().sort_values("speedup", ascending=False)
    first, about = str(worth.index[0]), worth.iloc[0]
    line: dict[str, object] = {"factor": runs.factor, "speedup": about.speedup, "low": about.low, "high": about.high}
    if not about.low > 1:
        return line | {"bound_by": NOTHING}
    then = runs.given(first).sort_values("speedup", ascending=False)
    until, beyond = _until(swept[swept.axis == first])
    return line | {
        "bound_by": first, "share_pct": 100 * about.share, "until": until, "beyond": beyond,
        "then": str(then.index[0]) if then.low.iloc[0] > 1 else NOTHING, "then_speedup": then.speedup.iloc[0],
        "then_low": then.low.iloc[0], "then_high": then.high.iloc[0],
    }  # fmt: skip


def _until(part: pd.DataFrame) -> tuple[float | None, bool | None]:
    """The smallest factor with nine tenths of the largest one's gain, and whether that one was still worth more."""
    part = part[part.factor > 1].sort_values("factor")
    if part.empty:
        return None, None
    gain = part.speedup - 1
    steps = part.speedup / part.speedup.shift(1, fill_value=1.0)
    return float(part.factor[gain >= 0.9 * gain.max()].iloc[0]), bool(steps.iloc[-1] >= STILL)


if __name__ == "__main__":
    main(make)
