"""What the study's engine and others say of the same what-ifs, beside silicon where another GPU was measured.

A line per launch, configuration and engine. `speedup`: cycles under the baseline over cycles under the configuration, of one
engine; `measured`: the same of the two GPUs, when the configuration describes one. `inner`: the same without the cycles that start
and end of a launch take, which the configuration gives and every engine adds. `apart_pct`: from the study's engine.
`asked`: yes; in part, when fields that the configuration changes have no option (`without_option`); no, when no option changes:
the engine then has no answer. `options`: those that change, `options_lacking`: those that the installed version lacks.
Rows of other engines come from the study where it ran them, else from traces/DEVICE/accelsim.

`inner_low`, `inner_high`: the least and the most of `inner_measured` over all launches of the workload with the same kernel, blocks
and instructions: what a repeated measurement gives. `right`: the engines whose inner answer lies in there, give or take MARGIN_PCT.
"""

from typing import Any

import numpy as np
import pandas as pd

from analysis.data import CYCLES, INSTRUCTIONS, KEY, Data, fragment
from analysis.table import main

MARGIN_PCT = 5
TWINS = ["workload", "cache", "name", "blocks", INSTRUCTIONS]
RUN = [*KEY, "blocks_pct", "engine"]
COLUMNS = [*KEY, "name", "blocks_pct", "config", "engine", "asked", "cycles", "speedup", "measured", "error_pct",
           "inner", "inner_measured", "inner_low", "inner_high", "inner_error_pct", "apart_pct", "right",
           "options", "options_lacking", "without_option"]  # fmt: skip


def make(data: Data) -> pd.DataFrame:
    data = data.both()
    rows = data.rows[(data.rows.engine != "measured") & (data.rows.part_sms == 0) & (data.rows.draw == 0)]
    rows = rows.assign(blocks_pct=(100 * rows.sampled_fraction).where(fragment(rows), 100.0))
    rows = rows.drop_duplicates([*RUN, "config"])  # the study's before recorded ones
    others = rows[(rows.engine != data.engine) & (rows.config != data.baseline)]
    rows = rows.merge(others[[*KEY, "blocks_pct"]].drop_duplicates())
    base = rows[rows.config == data.baseline].set_index(RUN)
    lines = [
        _line(data, row, base.loc[tuple(row[name] for name in RUN)])
        for _, row in rows[rows.config != data.baseline].iterrows()
        if tuple(row[name] for name in RUN) in base.index
    ]
    if not lines:
        return pd.DataFrame(columns=COLUMNS)
    table = pd.DataFrame(lines)
    asked = table[table.engine != data.engine][[*KEY, "blocks_pct", "config"]].drop_duplicates()
    table = _beside(table.merge(asked), data.engine)
    return table.sort_values(["workload", "launch", "config", "engine"], kind="stable", ignore_index=True)[COLUMNS]


def _line(data: Data, row: pd.Series, base: pd.Series) -> dict[str, Any]:
    """One engine's answer to one what-if."""
    changed, left = _changed(row, base), _left(data, row)
    outside = _outside(data, data.baseline), _outside(data, row.config)
    measured = _measured(data, row) if row.blocks_pct == 100 else pd.DataFrame(columns=["here", "there"], dtype=float)
    own = measured.reindex([row.launch]).iloc[0]
    inner = (measured.here - outside[0]) / (measured.there - outside[1])
    asked = "yes" if pd.isna(row.get("options")) else "no" if not changed else "in part" if left else "yes"
    return {name: row[name] for name in [*RUN, "name", "config"]} | {
        "asked": asked,
        "cycles": row[CYCLES],
        "speedup": base[CYCLES] / row[CYCLES] if asked != "no" else np.nan,
        "inner": (base[CYCLES] - outside[0]) / (row[CYCLES] - outside[1]) if asked != "no" else np.nan,
        "measured": own.here / own.there,
        "inner_measured": inner.get(row.launch, np.nan),
        "inner_low": inner.min(),
        "inner_high": inner.max(),
        "options": ", ".join(changed),
        "options_lacking": row.get("options_lacking"),
        "without_option": ", ".join(left),
    }


def _changed(row: pd.Series, base: pd.Series) -> list[str]:
    """Names of the options that differ from the baseline's."""
    if pd.isna(row.get("options")) or pd.isna(base.get("options")):
        return []
    before = set(base.options.split(" -"))
    return [option.removeprefix("-").split(" ")[0] for option in row.options.split(" -") if option not in before]


def _left(data: Data, row: pd.Series) -> list[str]:
    """Fields that the configuration changes and no option carries; of numbers also those that another GPU has otherwise."""
    if pd.isna(row.get("options")):
        return []
    here, there = (data.hardware.loc[name] for name in (data.baseline, row.config))
    without = [] if pd.isna(row.without_option) else row.without_option.split(", ")
    modified = [] if pd.isna(row.modified_without_option) else row.modified_without_option.split(", ")
    return [name for name in without if name in modified or (name in here and here[name] != there[name])]


def _outside(data: Data, config: str) -> float:
    """Cycles of start and end of a launch."""
    fields = ("launch.start_cycles", "launch.end_cycles")
    return sum(data.value(name, config) for name in fields if name in data.hardware)


def _measured(data: Data, row: pd.Series) -> pd.DataFrame:
    """launch -> cycles on the study's GPU (here) and on the one that the configuration describes (there), with its twins."""
    rows = data.rows[(data.rows.engine == "measured") & data.rows.config.isin(["measured", row.config])]
    own = rows[(rows[KEY] == row[KEY]).all(axis=1)]
    rows = rows.merge(own[TWINS].drop_duplicates())
    cycles = rows.pivot_table(index="launch", columns="config", values=CYCLES)
    columns = {"measured": "here", row.config: "there"}
    return cycles.reindex(columns=list(columns)).rename(columns=columns).dropna()


def _beside(table: pd.DataFrame, engine: str) -> pd.DataFrame:
    """With the error against silicon, the distance to the study's engine, and who is right."""
    what = [*KEY, "blocks_pct", "config"]
    table["error_pct"] = 100 * (table.speedup / table.measured - 1)
    table["inner_error_pct"] = 100 * (table.inner / table.inner_measured - 1)
    ours = table[table.engine == engine][[*what, "speedup"]].rename(columns={"speedup": "ours"})
    table = table.merge(ours, "left", on=what)
    table["apart_pct"] = (100 * (table.speedup / table.ours - 1)).where(table.engine != engine)
    margin = 1 + MARGIN_PCT / 100
    fits = table[(table.inner >= table.inner_low / margin) & (table.inner <= table.inner_high * margin)]
    right = fits.groupby(what).engine.agg(lambda engines: ", ".join(sorted(engines))).rename("right")
    table = table.merge(right.reset_index(), "left", on=what)
    table["right"] = table.right.fillna("neither").where(table.inner_measured.notna())
    return table


if __name__ == "__main__":
    main(make)
