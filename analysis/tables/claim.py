"""Does "first memory bandwidth, then vector compute", our paraphrase of the paper, hold? What doubling one resource is worth, now and later.

Stage `today` starts from the baseline, stage `memory solved` from four times the DRAM and L2 bandwidth. The claim
holds for a workload when memory bandwidth leads the first stage and vector compute the second.
"""

import pandas as pd

from analysis.data import Data
from analysis.sensitivity import factors
from analysis.table import main

SOLVED, FACTOR, TWICE = "memory", 4.0, 2.0


def make(data: Data) -> pd.DataFrame:
    whole = data.block()
    lines = []
    for workload, part in whole.groupby("workload"):
        speedups = part.set_index("config").speedup
        for config, speedup in speedups.items():
            steps = factors(str(config))
            stage, start = "today", 1.0
            if steps.get(SOLVED) == FACTOR:
                stage, start = "memory solved", speedups.get(f"{SOLVED}@{FACTOR:g}")
                steps.pop(SOLVED)
            if len(steps) == 1 and next(iter(steps.values())) == TWICE and start:
                lines.append(
                    {"workload": workload, "stage": stage, "twice": next(iter(steps)), "speedup": speedup / start}
                )
    table = pd.DataFrame(lines, columns=["workload", "stage", "twice", "speedup"])
    table["rank"] = table.groupby(["workload", "stage"]).speedup.rank(ascending=False, method="min").astype(int)
    return table.sort_values(["workload", "stage", "rank"], ascending=[True, False, True])


if __name__ == "__main__":
    main(make)
