"""Energy of each launch by class, from counters: measured ones over the measured time, and simulated ones over the simulated time.

Exact instruction counts that a simulated row lacks are the measured ones of its launch, which executes the same instructions.
"""

import pandas as pd

from analysis.data import KEY, TIME, Data
from analysis.table import main
from ssmsim.cost.energy import energy
from ssmsim.cost.figures import costs
from ssmsim.counters import COUNTERS

COLUMNS = [*KEY, "name", "order", "level", "us", "microjoules_low", "microjoules", "microjoules_high", "watts_low", "watts",
           "watts_high", "static_microjoules", "missing"]  # fmt: skip


def make(data: Data) -> pd.DataFrame:
    known = costs()
    measured = data.measured()
    exact = {key: part.iloc[0] for key, part in measured.groupby(["workload", "launch"])}
    names = [name for name in COUNTERS if name in data.rows]
    counted = [name for name in names if COUNTERS[name].exact]
    lines = []
    for level, rows in (("measured", measured), ("simulated", data.simulated())):
        for row in rows.to_dict("records"):
            counters = {name: row[name] for name in names}
            other = exact.get((row["workload"], row["launch"]))
            if level == "simulated" and other is not None:
                counters |= {name: other[name] for name in counted if pd.isna(counters[name])}
            spent = energy(known, {name: None if pd.isna(value) else value for name, value in counters.items()})
            joules, watts = spent.joules, spent.watts
            line = {**{name: row[name] for name in (*KEY, "name", "order")}, "level": level, "us": row[TIME] / 1e3,
                    "static_microjoules": spent.static and spent.static.value * 1e6, "missing": " ".join(spent.missing)}  # fmt: skip
            if joules is not None and watts is not None:
                line |= {"microjoules_low": joules.low * 1e6, "microjoules": joules.value * 1e6, "microjoules_high": joules.high * 1e6,
                         "watts_low": watts.low, "watts": watts.value, "watts_high": watts.high}  # fmt: skip
            lines.append(line | {f"{name}_microjoules": value.value * 1e6 for name, value in spent.classes.items()})
    table = pd.DataFrame(lines, columns=[*COLUMNS, *(f"{name}_microjoules" for name in known.energies)])
    return table.sort_values(["workload", "order", "cache", "level"]).drop(columns="order")


if __name__ == "__main__":
    main(make)
