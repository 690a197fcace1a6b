"""What every table and figure starts from: the study's rows and hardware, and the few quantities derived from them.

`rows` has one line per result (see the columns in results/rows.csv): engine "measured" or the name of a simulator.
Nothing here asks which simulator made a row. Cycles are those of `gpc__cycles_elapsed.max`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ssmsim.counters import SASS_FLOP, STALL_REASONS, TENSOR_FLOP, stall

CYCLES = "gpc__cycles_elapsed.max"
L1_HIT, L2_HIT = "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"
READ, WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
ISSUE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
BANDWIDTH = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
KEY = ["workload", "launch", "cache"]
ABOUT = ["name", "direction", "role", "order"]
LONG_US = 20  # below this, start and end of a kernel weigh as much as its work


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
    rows = add_flop(pd.read_csv(folder / "rows.csv", low_memory=False)).copy()
    hardware = pd.read_csv(folder / "hardware.csv")
    baseline = str(hardware.config.iloc[0])
    simulated = rows[(rows.engine != "measured") & (rows.config == baseline)]
    engine = str(simulated.engine.mode().iloc[0])
    return Data(rows, hardware.pivot(index="config", columns="field", values="value"), baseline, engine)


def add_flop(rows: pd.DataFrame) -> pd.DataFrame:
    """`tensor_flop` and `vector_flop` (fp32, fp16, fp64) of every row, from instruction counters.

    A row that lacks these counters has the measured ones of its launch: a simulated launch executes the same
    instructions, as the accuracy table shows.
    """
    counted = pd.DataFrame(
        {
            "tensor_flop": sum(_column(rows, name) for name in TENSOR_FLOP),
            "vector_flop": sum(_column(rows, name) * flop for name, (_, flop) in SASS_FLOP.items()),
        }
    )
    rows = rows.join(counted)
    measured = rows[rows.engine == "measured"].drop_duplicates(["workload", "launch"])
    known = measured.set_index(["workload", "launch"])[list(counted)]
    other = known.reindex(pd.MultiIndex.from_frame(rows[["workload", "launch"]])).set_index(rows.index)
    return rows.fillna({name: other[name] for name in counted})


def _column(rows: pd.DataFrame, name: str) -> pd.Series:
    return rows[name] if name in rows else pd.Series(np.nan, rows.index)


def stalls(row: pd.Series) -> pd.Series:
    """Share of warp time per stall reason, the reasons that ncu and the model both name; sums to 1."""
    values = pd.Series({reason: row.get(stall(reason), np.nan) for reason in STALL_REASONS}, dtype=float)
    return values / values.sum()


def mean_absolute_error(pairs: pd.DataFrame) -> float:
    return float(pairs.error.abs().mean())


def correlation(pairs: pd.DataFrame) -> float:
    """Pearson's r."""
    return float(np.corrcoef(pairs.measured, pairs.simulated)[0, 1]) if len(pairs) > 2 else float("nan")
