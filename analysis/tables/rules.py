"""What each rule of the model is worth: errors with all rules and without one, of development kernels and of held-out ones.

Kernels of LONG_US and more, cold caches, on the whole GPU; errors are mean absolute errors of cycles. `kind`: `suspect` makes
development kernels better and no held-out one; `idle` moves no kernel by IDLE; `helps` and `hurts` are of held-out kernels.
"""

import pandas as pd

from analysis.data import CYCLES, KEY, LONG_US, TIME, Data
from analysis.table import main

OFF = "off-"  # begins the name of a configuration without a rule
IDLE = 0.003  # of the cycles of a kernel
COLUMNS = ["rule", "kind", "development_error_pct", "development_without_pct", "held_out_error_pct", "held_out_without_pct",
           "held_out_better", "held_out_kernels", "largest_move_pct", "moved_most"]  # fmt: skip


def make(data: Data) -> pd.DataFrame:
    table = errors(data)
    lines = [_line(str(rule), part) for rule, part in table.groupby("rule", sort=False)]
    return pd.DataFrame(lines, columns=COLUMNS).sort_values("largest_move_pct", ascending=False)


def errors(data: Data) -> pd.DataFrame:
    """A line per kernel and rule: rule, held_out, name, with_, without (errors), move (of the cycles)."""
    both = data.both()
    rows = both.rows[(both.rows.engine == both.engine) & (both.rows.draw == 0) & (both.rows.cache == "cold")]
    rows = rows[rows.part_sms == 0]
    measured = both.measured("cold")
    measured = measured[measured[TIME] >= 1e3 * LONG_US][[*KEY, CYCLES]].rename(columns={CYCLES: "measured"})
    base = rows[rows.config == both.baseline][[*KEY, "held_out", "name", CYCLES]].rename(columns={CYCLES: "base"})
    off = rows[rows.config.str.startswith(OFF)][[*KEY, "config", CYCLES]].rename(columns={CYCLES: "off"})
    table = off.merge(base, on=KEY).merge(measured, on=KEY)
    return pd.DataFrame(
        {"rule": table.config.str.removeprefix(OFF), "held_out": table.held_out, "name": table.workload + " " + table.name,
         "with_": table.base / table.measured - 1, "without": table.off / table.measured - 1,
         "move": table.off / table.base - 1}
    )  # fmt: skip


def _line(rule: str, part: pd.DataFrame) -> dict[str, object]:
    apart = part.held_out.astype(bool)
    own, other = part[~apart], part[apart]
    helped = other[other.with_.abs() < other.without.abs() - IDLE]
    hurt = other[other.with_.abs() > other.without.abs() + IDLE]
    most = part.loc[part.move.abs().idxmax()]
    if abs(most.move) < IDLE:
        kind = "idle"
    elif len(other) and helped.empty and own.with_.abs().mean() < own.without.abs().mean():
        kind = "suspect"
    else:
        kind = "helps" if other.with_.abs().mean() <= other.without.abs().mean() else "hurts"
    return {
        "rule": rule, "kind": kind if len(other) or kind == "idle" else "no held-out kernel",
        "development_error_pct": 100 * own.with_.abs().mean(), "development_without_pct": 100 * own.without.abs().mean(),
        "held_out_error_pct": 100 * other.with_.abs().mean(), "held_out_without_pct": 100 * other.without.abs().mean(),
        "held_out_better": f"{len(helped)} better, {len(hurt)} worse", "held_out_kernels": len(other),
        "largest_move_pct": 100 * abs(most.move), "moved_most": most["name"],
    }  # fmt: skip


if __name__ == "__main__":
    main(make)
