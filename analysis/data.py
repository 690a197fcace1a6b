"""What every table and figure starts from: the study's rows and hardware, and the few quantities derived from them.

`rows` has one line per result (see the columns in results/rows.csv): engine "measured" or the name of a simulator.
Nothing here asks which simulator made a row. Cycles are those of `gpc__cycles_elapsed.max`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ssmsim.counters import STALL_REASONS, pipe_instructions, stall

CYCLES = "gpc__cycles_elapsed.max"
L1_HIT, L2_HIT = "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"
READ, WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
BANDWIDTH = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
KEY = ["workload", "launch", "cache"]
ABOUT = ["name", "direction", "order"]
LONG_US = 20  # below this, start and end of a kernel weigh as much as its work
TENSOR = pipe_instructions("tensor")
# Columns of the measured table that count floating-point work -> FLOP each.
VECTOR_FLOP = {"flop_fp32": 1.0, "flop_fp16": 1.0}
TENSOR_FLOP = {"flop_tensor": 1.0}


@dataclass(frozen=True)
class Data:
    """rows: every result. hardware: config x field -> value. baseline: the configuration that stands for the GPU."""

    rows: pd.DataFrame
    hardware: pd.DataFrame
    baseline: str
    engine: str

    def simulated(self, config: str | None = None, cache: str | None = None, engine: str | None = None) -> pd.DataFrame:
        """Simulated rows, of one configuration (default: the baseline's) and, if named, one cache state."""
        rows = self.rows[
            (self.rows.engine == (engine or self.engine)) & (self.rows.config == (config or self.baseline))
        ]
        return rows if cache is None else rows[rows.cache == cache]

    def measured(self, cache: str | None = None) -> pd.DataFrame:
        rows = self.rows[self.rows.engine == "measured"]
        return rows if cache is None else rows[rows.cache == cache]

    def value(self, field: str, config: str | None = None) -> float:
        """A number of the hardware."""
        return float(self.hardware.loc[config or self.baseline, field])

    def pairs(self, metric: str, engine: str | None = None) -> pd.DataFrame:
        """Launches with a measured and a simulated value: KEY, ABOUT, us, measured, simulated, error (relative)."""
        both = self.measured()[[*KEY, *ABOUT, CYCLES, metric] if metric != CYCLES else [*KEY, *ABOUT, CYCLES]].copy()
        both["us"] = self.microseconds(both[CYCLES])
        both["measured"] = both[metric]
        other = self.simulated(engine=engine)[[*KEY, metric]].rename(columns={metric: "simulated"})
        both = both[[*KEY, *ABOUT, "us", "measured"]].merge(other, on=KEY)
        both = both.dropna(subset=["measured", "simulated"])
        both["error"] = both.simulated / both.measured.where(both.measured != 0) - 1
        return both.sort_values(["workload", "order", "cache"], ignore_index=True)

    def microseconds(self, cycles: pd.Series) -> pd.Series:
        return cycles / self.value("gpu.sm_clock_mhz")

    def modified(self, cache: str) -> pd.DataFrame:
        """Speed-up of every simulated configuration over the baseline: KEY, ABOUT, config, cycles, base, speedup."""
        rows = self.rows[(self.rows.engine == self.engine) & (self.rows.cache == cache)]
        base = rows[rows.config == self.baseline][[*KEY, CYCLES]].rename(columns={CYCLES: "base"})
        table = rows[[*KEY, *ABOUT, "config", CYCLES]].rename(columns={CYCLES: "cycles"}).merge(base, on=KEY)
        table["speedup"] = table.base / table.cycles
        return table

    def block(self, cache: str) -> pd.DataFrame:
        """Speed-up of the whole block, all launches of a workload in sequence: workload, config, speedup.

        Only configurations that ran for every launch the baseline ran count.
        """
        table = self.modified(cache)
        total = (
            table.groupby(["workload", "config"])
            .agg(cycles=("cycles", "sum"), base=("base", "sum"), launches=("launch", "nunique"))
            .reset_index()
        )
        most = total[total.config == self.baseline].set_index("workload").launches
        total = total[total.launches == total.workload.map(most)]
        total["speedup"] = total.base / total.cycles
        return total.reset_index(drop=True)

    @property
    def explored_cache(self) -> str:
        """The cache state in which the modifications ran."""
        other = self.rows[(self.rows.engine == self.engine) & (self.rows.config != self.baseline)]
        return str(other.cache.mode().iloc[0]) if len(other) else str(self.simulated().cache.iloc[0])


def read(folder: Path | str) -> Data:
    """The study in `folder`, as `ssmsim.study.rows` wrote it: the baseline's hardware comes first."""
    folder = Path(folder)
    rows = add_flop(pd.read_csv(folder / "rows.csv", low_memory=False))
    hardware = pd.read_csv(folder / "hardware.csv")
    baseline = str(hardware.config.iloc[0])
    simulated = rows[(rows.engine != "measured") & (rows.config == baseline)]
    engine = str(simulated.engine.mode().iloc[0])
    return Data(rows, hardware.pivot(index="config", columns="field", values="value"), baseline, engine)


def add_flop(rows: pd.DataFrame) -> pd.DataFrame:
    """`tensor_flop` and `vector_flop` of every row: measured, of the same launch.

    A simulated launch executes the same instructions (the accuracy table says so), so its FLOP are the measured ones.
    """
    measured = rows[rows.engine == "measured"].drop_duplicates(["workload", "launch"])
    found = pd.DataFrame(
        {"workload": measured.workload, "launch": measured.launch, "tensor_flop": 0.0, "vector_flop": 0.0}
    )
    for column, flop in VECTOR_FLOP.items():
        found["vector_flop"] += flop * measured[column] if column in measured else np.nan
    for column, flop in TENSOR_FLOP.items():
        found["tensor_flop"] += flop * measured[column] if column in measured else np.nan
    return rows.merge(found, "left", on=["workload", "launch"])


def stalls(row: pd.Series) -> pd.Series:
    """Share of warp time per stall reason, the reasons that ncu and the model both name; sums to 1."""
    values = pd.Series({reason: row.get(stall(reason), np.nan) for reason in STALL_REASONS}, dtype=float)
    return values / values.sum()


def mean_absolute_error(pairs: pd.DataFrame) -> float:
    return float(pairs.error.abs().mean())


def correlation(pairs: pd.DataFrame) -> float:
    """Pearson's r."""
    return float(np.corrcoef(pairs.measured, pairs.simulated)[0, 1]) if len(pairs) > 2 else float("nan")
