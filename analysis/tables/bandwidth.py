"""Mean use of the DRAM's peak bandwidth: plain mean over SSM kernels, and weighted with their time.

Simulated where every kernel of a pass is.
"""

import pandas as pd

from analysis.data import BANDWIDTH, CYCLES, Data, occurrences
from analysis.paper import BANDWIDTH_PCT
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    lines = []
    for level, rows in (("measured", data.measured()), ("simulated", data.simulated())):
        rows = data.complete(rows).dropna(subset=[BANDWIDTH, CYCLES])
        for (workload, direction, cache), part in rows.groupby(["workload", "direction", "cache"]):
            cycles = part[CYCLES] * occurrences(part)
            weighted = (part[BANDWIDTH] * cycles).sum() / cycles.sum()
            lines.append(
                {
                    "workload": workload,
                    "direction": direction,
                    "cache": cache,
                    "level": level,
                    "mean_pct": part[BANDWIDTH].mean(),
                    "time_weighted_pct": weighted,
                    "largest_pct": part[BANDWIDTH].max(),
                }
            )
    lines.append(
        {
            "workload": "mamba2 (H100)",
            "direction": "not said",
            "cache": "not said",
            "level": "paper",
            "mean_pct": BANDWIDTH_PCT,
        }
    )
    return pd.DataFrame(lines)


if __name__ == "__main__":
    main(make)
