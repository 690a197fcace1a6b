"""Does "first memory bandwidth, then vector compute", our paraphrase of the paper, hold? What each resource is worth, now and later.

To the whole block, by the factorial design: stage `memory as it is` is the mean over the runs without more DRAM bandwidth,
`memory relieved` over those with it. The claim holds for a workload when memory bandwidth leads over all runs, and vector
compute once it is relieved.
"""

import numpy as np
import pandas as pd

from analysis.data import Data
from analysis.factorial import Responses, responses
from analysis.paper import MEMORY, STAGES
from analysis.table import main

COLUMNS = ["workload", "stage", "twice", "factor", "speedup", "low", "high", "rank"]


def make(data: Data) -> pd.DataFrame:
    tables = [pd.DataFrame(columns=COLUMNS)]
    for (workload, _), runs in responses(data, launches=False).items():
        for stage, table in zip(STAGES, _stages(runs), strict=True):
            ranked = table.sort_values("speedup", ascending=False).reset_index(names="twice")
            ranked["rank"] = np.arange(1, len(ranked) + 1)
            tables.append(ranked.assign(workload=workload, stage=stage, factor=runs.factor)[COLUMNS])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def _stages(runs: Responses) -> tuple[pd.DataFrame, pd.DataFrame]:
    worth = runs.worth()
    return worth, runs.given(MEMORY) if MEMORY in runs.axes else worth[:0]


if __name__ == "__main__":
    main(make)
