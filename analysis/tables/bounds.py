"""The time each kernel would take if one resource were its only bottleneck, as a share of its simulated time."""

import pandas as pd

from analysis.bounds import bounds
from analysis.data import CYCLES, Data
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    lines = []
    for _, row in data.simulated(cache=data.explored_cache).sort_values(["workload", "order"]).iterrows():
        cycles = bounds(data, row) / row[CYCLES] * 100
        lines.append(
            {"workload": row.workload, "launch": row.launch, "name": row["name"], "cycles": row[CYCLES]}
            | {f"{resource}_pct": share for resource, share in cycles.items()}
            | {"largest": cycles.idxmax() if cycles.notna().any() else None}
        )
    return pd.DataFrame(lines)


if __name__ == "__main__":
    main(make)
