"""Simulated against measured, kernel by kernel."""

import pandas as pd

from analysis.data import ABOUT, BANDWIDTH, CYCLES, INSTRUCTIONS, ISSUE, KEY, L1_HIT, L2_HIT, READ, WRITE, Data
from analysis.table import main

COLUMNS = {
    "cycles": CYCLES,
    "instructions": INSTRUCTIONS,
    "issue_active_pct": ISSUE,
    "l1_hit_pct": L1_HIT,
    "l2_hit_pct": L2_HIT,
    "dram_read_bytes": READ,
    "dram_write_bytes": WRITE,
    "dram_throughput_pct": BANDWIDTH,
}


def make(data: Data) -> pd.DataFrame:
    table = data.pairs(CYCLES)[[*KEY, *ABOUT, "us"]]
    for short, metric in COLUMNS.items():
        pairs = data.pairs(metric)[[*KEY, "measured", "simulated"]]
        table = table.merge(
            pairs.rename(columns={c: f"{short}_{c}" for c in ("measured", "simulated")}), "left", on=KEY
        )
    table["cycles_error_pct"] = 100 * (table.cycles_simulated / table.cycles_measured - 1)
    return table


if __name__ == "__main__":
    main(make)
