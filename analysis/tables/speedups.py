"""Speed-up of every kernel, and of the whole block, under every modification and sweep point."""

import pandas as pd

from analysis.data import Data
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    table = data.modified().sort_values(["workload", "order", "config"])
    kernels = table[["workload", "launch", "name", "direction", "config", "cycles", "speedup"]]
    whole = data.block()[["workload", "config", "cycles", "speedup"]]
    return pd.concat([kernels, whole.assign(launch="all", name="whole block", direction="both")])


if __name__ == "__main__":
    main(make)
