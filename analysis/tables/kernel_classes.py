"""The paper's Table II: tensor-only, vector-only and mixed kernels, their number and share of the time."""

import pandas as pd

from analysis.classes import CLASSES, kernel_class
from analysis.data import CYCLES, Data
from analysis.paper import CLASSES as PAPER
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    measured = data.measured("cold")
    kinds = measured.assign(kind=measured.apply(kernel_class, axis=1))[["workload", "launch", "kind"]]
    lines = []
    for level, rows in (("measured", measured), ("simulated", data.simulated(cache="cold"))):
        rows = rows.merge(kinds, on=["workload", "launch"])
        for (workload, direction), part in rows.groupby(["workload", "direction"]):
            for kind in (*CLASSES, "neither"):
                chosen = part[part.kind == kind]
                lines.append(
                    {
                        "workload": workload,
                        "direction": direction,
                        "class": kind,
                        "level": level,
                        "kernels": len(chosen),
                        "time_pct": 100 * chosen[CYCLES].sum() / part[CYCLES].sum(),
                    }
                )
    for (direction, kind), (kernels, share) in PAPER.items():
        lines.append(
            {
                "workload": "mamba2 (H100)",
                "direction": direction,
                "class": kind,
                "level": "paper",
                "kernels": kernels,
                "time_pct": share,
            }
        )
    return pd.DataFrame(lines)


if __name__ == "__main__":
    main(make)
