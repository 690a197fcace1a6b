"""Speed-up of every kernel, and of the whole block, under every modification and sweep point, with its 95 % interval.

`spread_pct`: of the launch's measurements, (largest - smallest) / largest; `model_error_pct`: mean absolute error of cycles
over held-out kernels of the same class; both are apart from the interval, which is of the simulation alone.
"""

import pandas as pd

from analysis.classes import kernel_class
from analysis.data import CYCLES, LONG_US, Data
from analysis.intervals import shown
from analysis.table import main

COLUMNS = ["workload", "launch", "name", "direction", "config", "cycles", "speedup", "low", "high", "effect_shown", "draws",
           "spread_pct", "class", "model_error_pct"]  # fmt: skip


def make(data: Data) -> pd.DataFrame:
    table = data.modified().sort_values(["workload", "order", "config"])
    measured = data.measured(data.explored_cache)
    about = measured.assign(spread_pct=100 * measured[f"{CYCLES}:spread"] if f"{CYCLES}:spread" in measured else None)
    about["class"] = about.apply(kernel_class, axis=1) if len(about) else None
    about["model_error_pct"] = about["class"].map(model_error(data))
    table = table.merge(about[["workload", "launch", "spread_pct", "class", "model_error_pct"]], "left")
    whole = data.block().assign(launch="all", name="whole block", direction="both")
    table = pd.concat([table, whole])
    table["effect_shown"] = shown(table.low, table.high)
    return table.reindex(columns=COLUMNS)


def model_error(data: Data) -> dict[str, float]:
    """Class of kernel -> mean absolute error of cycles, %, over held-out kernels of LONG_US and more, cold caches."""
    apart = data.held_out()
    pairs = apart.pairs(CYCLES)
    pairs = pairs[(pairs.us >= LONG_US) & (pairs.cache == "cold")]
    if pairs.empty:
        return {}
    measured = apart.measured("cold")
    kinds = measured.assign(kind=measured.apply(kernel_class, axis=1))[["workload", "launch", "kind"]]
    errors = pairs.merge(kinds).groupby("kind").error
    return {str(kind): float(100 * of_kind.abs().mean()) for kind, of_kind in errors}


if __name__ == "__main__":
    main(make)
