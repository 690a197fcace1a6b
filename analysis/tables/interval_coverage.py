"""Sampled speed-ups with their intervals beside those of whole runs: how many intervals hold the whole run's.

Launch by launch and configuration by configuration, where both ran (analysis/interval_coverage.yaml).
"""

import pandas as pd

from analysis.data import CYCLES, KEY, Data
from analysis.table import main

COLUMNS = ["workload", "launch", "config", "blocks_timed_pct", "speedup", "low", "high", "whole_speedup", "inside",
           "difference_pct", "draws"]  # fmt: skip


def make(data: Data) -> pd.DataFrame:
    whole = data.whole[(data.whole.engine == data.engine) & (data.whole.draw == 0)]
    base = whole[whole.config == data.baseline][[*KEY, CYCLES]].rename(columns={CYCLES: "whole_base"})
    there = whole[whole.config != data.baseline][[*KEY, "config", CYCLES]].rename(columns={CYCLES: "whole_cycles"})
    table = data.modified().merge(there, on=[*KEY, "config"]).merge(base, on=KEY)
    timed = data.rows[(data.rows.engine == data.engine) & (data.rows.draw == 0)][[*KEY, "config", "sampled_fraction"]]
    table = table.merge(timed, on=[*KEY, "config"])
    table["blocks_timed_pct"] = 100 * table.sampled_fraction.fillna(1)
    table["whole_speedup"] = table.whole_base / table.whole_cycles
    table["inside"] = (table.low <= table.whole_speedup) & (table.whole_speedup <= table.high)
    table["difference_pct"] = 100 * (table.speedup / table.whole_speedup - 1)
    return table[COLUMNS].sort_values(["workload", "launch", "config"])


if __name__ == "__main__":
    main(make)
