"""What every table and figure starts from: the study's rows and hardware, and the few quantities derived from them.

`rows` has one line per result (see the columns in results/rows.csv): engine "measured" or the name of a simulator.
Nothing here asks which simulator made a row. Cycles are those of `gpc__cycles_elapsed.max`.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.intervals import of_sum, with_intervals
from ssmsim.counters import SASS_FLOP, STALL_REASONS, TENSOR_FLOP, stall

CYCLES = "gpc__cycles_elapsed.max"
TIME = "gpu__time_duration.sum"  # ns
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
    """rows: every result. hardware: config x field -> value. baseline: the configuration that stands for the GPU.

    apart: rows of the workloads held out for validation; `rows` has the others. See held_out.
    designs: factorial designs (ssmsim.study.rows). whole: rows of runs that time every block, beside sampled ones.
    """

    rows: pd.DataFrame
    hardware: pd.DataFrame
    baseline: str
    engine: str
    apart: pd.DataFrame
    designs: pd.DataFrame
    whole: pd.DataFrame

    def held_out(self) -> "Data":
        """The same study of the held-out workloads alone."""
        return replace(self, rows=self.apart, apart=self.rows)

    def both(self) -> "Data":
        """Of all workloads."""
        return replace(self, rows=pd.concat([self.rows, self.apart], ignore_index=True), apart=self.apart[:0])

    def simulated(self, cache: str | None = None, engine: str | None = None, part: bool | None = None) -> pd.DataFrame:
        """Simulated rows of the baseline. part: those estimated from a part of the GPU, or not; None: the better ones.

        Of a launch that ran on the whole GPU in a cache state, the estimate from a part is then left out. Never with
        fragments: rows that count some blocks of a launch, not scaled to the whole, have nothing to compare with.
        """
        rows = self.rows[(self.rows.engine == (engine or self.engine)) & (self.rows.config == self.baseline)]
        rows = rows[~fragment(rows) & (rows.draw == 0)]
        rows = rows if cache is None else rows[rows.cache == cache]
        if part is None:
            return rows.sort_values("part_sms").drop_duplicates(KEY)
        return rows[(rows.part_sms > 0) == part]

    def measured(self, cache: str | None = None, config: str = "measured") -> pd.DataFrame:
        """Measured rows of the GPU that the study compares with, or of another one, by its configuration's name."""
        rows = self.rows[(self.rows.engine == "measured") & (self.rows.config == config)]
        return rows if cache is None else rows[rows.cache == cache]

    def part_text(self, rows: pd.DataFrame) -> str:
        """`16 of 132 SMs`: the parts of the GPU that rows are estimated from."""
        sizes = sorted({f"{sms:.0f}" for sms in rows.part_sms if sms > 0}, key=int)
        return f"{' or '.join(sizes)} of {self.value('gpu.sms'):.0f} SMs"

    def value(self, field: str, config: str | None = None) -> float:
        """A number of the hardware."""
        return float(self.hardware.loc[config or self.baseline, field])

    def complete(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows of SSM kernels, without the passes of workloads (by cache state) of which a measured one is missing."""
        group = ["workload", "direction", "cache"]
        wanted = self.measured()[lambda table: table.role == "ssm"].groupby(group).launch.nunique().rename("wanted")
        rows = rows[rows.role == "ssm"].merge(wanted.reset_index(), on=group)
        return rows[rows.groupby(group).launch.transform("nunique") == rows.wanted]

    def pairs(self, metric: str, engine: str | None = None, part: bool | None = None) -> pd.DataFrame:
        """Launches with a measured and a simulated value: KEY, ABOUT, us, measured, simulated, error, part_sms."""
        both = self.measured()[list(dict.fromkeys([*KEY, *ABOUT, TIME, metric]))].copy()
        both["us"] = both[TIME] / 1e3
        both["measured"] = both[metric]
        other = self.simulated(engine=engine, part=part)[[*KEY, metric, "part_sms"]]
        both = both[[*KEY, *ABOUT, "us", "measured"]].merge(other.rename(columns={metric: "simulated"}), on=KEY)
        both = both.dropna(subset=["measured", "simulated"])
        both["error"] = both.simulated / both.measured.where(both.measured != 0) - 1
        return both.sort_values(["workload", "order", "cache"], ignore_index=True)

    def other_gpus(self) -> pd.DataFrame:
        """Launches that another GPU ran too: KEY, ABOUT, us, other (its configuration), measured, simulated, error.

        measured, simulated: cycles of the study's GPU over those of the other.
        """
        here, mine = (
            self.pairs(CYCLES, part=False),
            self.rows[(self.rows.engine == self.engine) & (self.rows.draw == 0)],
        )
        tables = [pd.DataFrame(columns=[*here.columns, "other"])]
        for other in sorted(set(self.rows[self.rows.engine == "measured"].config) - {"measured"}):
            took = self.measured(config=other)[[*KEY, CYCLES]].rename(columns={CYCLES: "took"})
            gave = mine[(mine.config == other) & (mine.part_sms == 0)][[*KEY, CYCLES]].rename(columns={CYCLES: "gave"})
            both = here.merge(took, on=KEY).merge(gave, on=KEY)
            both["measured"], both["simulated"] = both.measured / both.took, both.simulated / both.gave
            both["error"] = both.simulated / both.measured - 1
            tables.append(both.assign(other=other).drop(columns=["took", "gave"]))
        return pd.concat(tables[1:] or tables, ignore_index=True)

    @property
    def explored(self) -> pd.DataFrame:
        """The rows of configurations other than the baseline."""
        return self.rows[(self.rows.engine == self.engine) & (self.rows.config != self.baseline)]

    @property
    def explored_cache(self) -> str:
        """The cache state in which the modifications ran."""
        if len(self.explored):
            return str(self.explored.cache.mode().iloc[0])
        simulated = self.simulated()
        return str(simulated.cache.iloc[0]) if len(simulated) else "cold"  # a study of held-out launches alone

    @property
    def explored_part(self) -> bool:
        """Whether the modifications ran on a part of the GPU."""
        return bool((self.explored.part_sms > 0).mode().iloc[0]) if len(self.explored) else False

    def modified(self) -> pd.DataFrame:
        """Every simulated configuration: KEY, ABOUT, config, and the columns of intervals.with_intervals.

        All on the whole GPU, or all on a part of it, as the modifications ran.
        """
        rows = self.rows[(self.rows.engine == self.engine) & (self.rows.cache == self.explored_cache)]
        rows = rows[(rows.part_sms > 0) == self.explored_part]
        table = with_intervals(rows, CYCLES, self.baseline)
        about = rows[[*KEY, *ABOUT]].assign(occurrences=occurrences(rows)).drop_duplicates(KEY)
        return about.merge(table, on=KEY)

    def block(self) -> pd.DataFrame:
        """All explored kernels of a workload one after another: workload, config, cycles, base, launches, speedup, low, high.

        Kernels weigh with their measured time where there is one, and as often as they were launched. Only configurations
        that ran for all of them count.
        """
        table = self.modified()
        explored = table[table.config != self.baseline][["workload", "launch"]].drop_duplicates()
        table = table.merge(explored if len(explored) else table[["workload", "launch"]].drop_duplicates())
        time = self.measured(self.explored_cache)[["workload", "launch", CYCLES]].rename(columns={CYCLES: "time"})
        table = table.merge(time, "left", on=["workload", "launch"])
        table["base"] = table.time.fillna(table.base) * table.occurrences
        lines = []
        for (workload, config), part in table.groupby(["workload", "config"]):
            if len(part) == table[table.workload == workload].launch.nunique():
                whole = of_sum(part.base, part)
                about = {"workload": workload, "config": config, "launches": len(part), "base": part.base.sum()}
                lines.append(about | {"cycles": part.base.sum() / whole.speedup} | whole.to_dict())
        return pd.DataFrame(
            lines, columns=["workload", "config", "launches", "base", "cycles", "speedup", "low", "high"]
        )


def read(folder: Path | str) -> Data:
    """The study in `folder`, as `ssmsim.study.rows` wrote it: the baseline's hardware comes first."""
    folder = Path(folder)
    rows = add_flop(pd.read_csv(folder / "rows.csv", low_memory=False)).copy()
    rows["draw"] = rows.draw.fillna(0).astype(int)  # measured rows have none
    whole = rows.whole.fillna(False).astype(bool)
    rows, whole = rows[~whole], rows[whole]
    hardware = pd.read_csv(folder / "hardware.csv")
    baseline = str(hardware.config.iloc[0])
    simulated = rows[(rows.engine != "measured") & (rows.config == baseline)]
    engine = str(simulated.engine.iloc[0])  # the study's first
    fields = hardware.pivot(index="config", columns="field", values="value")
    designs = pd.read_csv(folder / "designs.csv")
    return Data(rows[~rows.held_out], fields, baseline, engine, rows[rows.held_out], designs, whole)


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


def fragment(rows: pd.DataFrame) -> pd.Series:
    """Which rows count only the blocks that ran."""
    return (rows.part_sms == 0) & (rows.sampled_fraction < 1) & rows.ci95_low.isna()


def _column(rows: pd.DataFrame, name: str) -> pd.Series:
    return rows[name] if name in rows else pd.Series(np.nan, rows.index)


def occurrences(rows: pd.DataFrame) -> pd.Series:
    """How many equal launches of its workload each row stands for."""
    return _column(rows, "occurrences").fillna(1)


def stalls(row: pd.Series) -> pd.Series:
    """Share of warp time per stall reason, the reasons that ncu and the model both name; sums to 1."""
    values = pd.Series({reason: row.get(stall(reason), np.nan) for reason in STALL_REASONS}, dtype=float)
    return values / values.sum()


def mean_absolute_error(pairs: pd.DataFrame) -> float:
    return float(pairs.error.abs().mean())


def correlation(pairs: pd.DataFrame) -> float:
    """Pearson's r."""
    return float(np.corrcoef(pairs.measured, pairs.simulated)[0, 1]) if len(pairs) > 2 else float("nan")
