"""What each kernel is bound by, how much relief brings, and until when: the sentence a reader can quote."""

import pandas as pd

from analysis.bounds import bounds
from analysis.data import CYCLES, Data
from analysis.sensitivity import one_at_a_time
from analysis.table import main

HELPS = 1.02  # below this, twice of something is not called a bottleneck


def make(data: Data) -> pd.DataFrame:
    sweep = one_at_a_time(data)
    base = data.simulated(cache=data.explored_cache)
    base = base[base.role == "ssm"]
    lines = []
    for (workload, launch), part in sweep[sweep.role == "ssm"].groupby(["workload", "launch"]):
        row = base[(base.workload == workload) & (base.launch == launch)].iloc[0]
        total = base[base.workload == workload][CYCLES].sum()
        doubled = part[part.factor == 2].set_index("axis").speedup.sort_values(ascending=False)
        only = bounds(data, row).sort_values(ascending=False)
        line = {
            "workload": workload,
            "launch": launch,
            "name": row["name"],
            "direction": row.direction,
            "time_pct": 100 * row[CYCLES] / total,
            "cycles": row[CYCLES],
        }
        if len(doubled):
            first = str(doubled.index[0])
            helped = doubled.iloc[0] >= HELPS
            line |= {
                "bound_by": first if helped else "nothing that doubling one parameter relieves",
                "speedup_at_2": doubled.iloc[0],
                "until": _until(part[part.axis == first]) if helped else None,
                "then": str(doubled.index[1]) if len(doubled) > 1 and doubled.iloc[1] >= HELPS else None,
                "then_speedup_at_2": doubled.iloc[1] if len(doubled) > 1 else None,
            }
        line |= {
            "fullest_resource": only.index[0],
            "if_only_bottleneck_cycles": only.iloc[0],
            "its_share_pct": 100 * only.iloc[0] / row[CYCLES],
        }
        lines.append(line)
    return (
        pd.DataFrame(lines).sort_values(["workload", "time_pct"], ascending=[True, False])
        if lines
        else pd.DataFrame(columns=["workload", "launch", "bound_by"])
    )


def _until(part: pd.DataFrame) -> float:
    """The smallest factor of a sweep that has nine tenths of the gain its largest factor has."""
    part = part[part.factor > 1].sort_values("factor")
    gain = part.speedup - 1
    return float(part.factor[gain >= 0.9 * gain.max()].iloc[0])


if __name__ == "__main__":
    main(make)
