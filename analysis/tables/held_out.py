"""Workloads by which nothing in the model was chosen: simulated against measured, launch by launch."""

import pandas as pd

from analysis.data import Data
from analysis.table import main
from analysis.tables import accuracy


def make(data: Data) -> pd.DataFrame:
    table = accuracy.make(data.held_out())
    table["instructions_equal"] = table.instructions_simulated == table.instructions_measured
    for name in ("issue_active", "l1_hit", "l2_hit"):
        table[f"{name}_points"] = table[f"{name}_pct_simulated"] - table[f"{name}_pct_measured"]
    for name in ("dram_read", "dram_write"):
        measured = table[f"{name}_bytes_measured"]
        table[f"{name}_error_pct"] = 100 * (table[f"{name}_bytes_simulated"] / measured.where(measured > 1e6) - 1)
    return table


if __name__ == "__main__":
    main(make)
