"""What another GPU changes, measured and simulated: cycles on the study's GPU over those on the other, launch by launch."""

import pandas as pd

from analysis.data import KEY, Data
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    table = data.both().other_gpus()
    table["error_pct"] = 100 * table.error
    table = table.rename(columns={"measured": "cycles_ratio_measured", "simulated": "cycles_ratio_simulated"})
    return table[
        [
            "other",
            *KEY,
            "name",
            "direction",
            "role",
            "us",
            "cycles_ratio_measured",
            "cycles_ratio_simulated",
            "error_pct",
        ]
    ]


if __name__ == "__main__":
    main(make)
