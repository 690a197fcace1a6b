"""What each axis of a factorial design is worth to a launch, over all settings of the others and with one of them relieved.

A design's runs have every axis relieved or not (ssmsim.factorial). The effect of an axis on the logarithm of the
cycles is the mean over the runs that have it less the mean over the others: in a full design that is the Banzhaf value of
the axis in the game whose players are the axes. Within the half of the runs that have an axis relieved, the same tells
what each other axis is worth then.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.data import CYCLES, Data, occurrences
from analysis.intervals import half_width
from ssmsim.factorial import effects, unused


@dataclass(frozen=True)
class Responses:
    """A design's runs of one launch or of a whole block. configs: of each run; relieved: bool[runs, axes]; logs: of cycles."""

    axes: list[str]
    factor: float
    relieved: np.ndarray
    logs: np.ndarray

    def worth(self) -> pd.DataFrame:
        """By axis: speedup, low, high, share (of what all together bring, in logarithms)."""
        return self._table(-effects(self.relieved, self.logs), self._variance())

    def given(self, axis: str) -> pd.DataFrame:
        """The same of the other axes, in the runs in which `axis` is relieved."""
        place = self.axes.index(axis)
        half = self.relieved[:, place]
        rest = [i for i in range(len(self.axes)) if i != place]
        found = -effects(self.relieved[half][:, rest], self.logs[half])
        return self._table(found, 2 * self._variance(), [self.axes[i] for i in rest])

    def everything(self) -> float:
        """Speed-up with all axes relieved."""
        return float(np.exp(self._bare() - self.logs[self.relieved.all(1)].mean()))

    def _bare(self) -> float:
        return float(self.logs[~self.relieved.any(1)].mean())

    def _variance(self) -> float:
        """Of an effect: what the columns of no axis show. Chance, and interactions of three and more."""
        rest = unused(len(self.axes), self.logs)
        return float((rest**2).mean()) if len(rest) else float("nan")

    def _table(self, gains: np.ndarray, variance: float, axes: list[str] | None = None) -> pd.DataFrame:
        freedom = len(self.logs) // 2 - len(self.axes)
        half = half_width(variance, freedom)
        total = np.log(self.everything())
        return pd.DataFrame(
            {"speedup": np.exp(gains), "low": np.exp(gains - half), "high": np.exp(gains + half),
             "share": gains / total if total else np.nan},
            index=pd.Index(axes or self.axes, name="axis"),
        )  # fmt: skip


def responses(data: Data, launches: bool = True) -> dict[tuple[str, str], Responses]:
    """(workload, launch) -> its responses, of each launch whose design ran whole; launches False: of (workload, "all").

    A block's cycles in a run are the sum over its launches, each as often as it was launched. Of several designs over a
    launch the first counts.
    """
    rows = data.rows[(data.rows.engine == data.engine) & (data.rows.cache == data.explored_cache)]
    rows = rows[(rows.draw == 0) & ((rows.part_sms > 0) == data.explored_part)]
    found: dict[tuple[str, str], Responses] = {}
    for _, design in data.designs.groupby("selection", sort=False):
        wide = design.pivot(index="run", columns="axis", values="relieved")[list(dict.fromkeys(design.axis))]
        configs = design.drop_duplicates("run").set_index("run").config
        table = rows[rows.config.isin(configs)].pivot_table(
            index=["workload", "launch"], columns="config", values=CYCLES
        )
        table = table.reindex(columns=list(configs)).dropna()
        if not launches:
            ran = occurrences(rows).set_axis(pd.MultiIndex.from_frame(rows[["workload", "launch"]]))
            ran = ran[~ran.index.duplicated()].reindex(table.index)
            table = table.mul(ran, axis=0).groupby("workload").sum()
            table = table.assign(launch="all").set_index("launch", append=True)
        for key, cycles in table.iterrows():
            relieved = wide.to_numpy().astype(bool)
            made = Responses(list(wide.columns), float(design.factor.iloc[0]), relieved, np.log(cycles.to_numpy()))
            found.setdefault(key, made)
    return found
