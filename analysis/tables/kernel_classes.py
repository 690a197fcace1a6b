"""The paper's Table II: tensor-only, vector-only and mixed kernels, their number and share of the time.

Counted as the paper does: kernels of the SSM block, each once, without those that the backward pass recomputes and
without PyTorch's own small kernels; what these take of the time is the class `outside`. Simulated where every kernel of
the block is.
"""

import pandas as pd

from analysis.classes import CLASSES, kernel_class
from analysis.data import CYCLES, Data, occurrences
from analysis.paper import CLASSES as PAPER
from analysis.table import main


def make(data: Data) -> pd.DataFrame:
    measured = data.measured("cold")
    kinds = measured.assign(kind=measured.apply(kernel_class, axis=1))[["workload", "launch", "kind"]]
    lines = []
    simulated = data.simulated(cache="cold")
    whole = data.complete(simulated)[["workload", "direction"]].drop_duplicates()
    for level, rows in (("measured", measured), ("simulated", simulated.merge(whole))):
        rows = rows.dropna(subset=[CYCLES]).merge(kinds, on=["workload", "launch"])
        for (workload, direction), part in rows.groupby(["workload", "direction"]):
            about = {"workload": workload, "direction": direction, "level": level}
            part = part.assign(**{CYCLES: part[CYCLES] * occurrences(part)})
            own = part[part.role == "ssm"]
            for kind in (*CLASSES, "neither"):
                chosen = own[own.kind == kind]
                share = 100 * chosen[CYCLES].sum() / own[CYCLES].sum()
                lines.append(about | {"class": kind, "kernels": chosen.name.nunique(), "time_pct": share})
            if level != "measured":
                continue  # those outside are not simulated
            outside = part[part.role != "ssm"]
            share = 100 * outside[CYCLES].sum() / own[CYCLES].sum()
            lines.append(about | {"class": "outside", "kernels": outside.name.nunique(), "time_pct": share})
    for (direction, kind), (kernels, share) in PAPER.items():
        about = {"workload": "mamba2 (paper, H100)", "direction": direction, "level": "paper"}
        lines.append(about | {"class": kind, "kernels": kernels, "time_pct": share})
    return pd.DataFrame(lines)


if __name__ == "__main__":
    main(make)
