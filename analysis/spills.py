"""analysis/spills.csv as Markdown: what shared.spill_space is worth to kernels compiled for fewer registers."""

from pathlib import Path

import pandas as pd

from analysis.intervals import text, with_intervals

FILE = Path("analysis/spills.csv")


def section() -> str:
    """A line per kernel and limit: the speed-up over the same code with its local memory local, and sectors of the L2."""
    rows = pd.read_csv(FILE).assign(workload="", cache="cold")
    head = (
        "| launch | registers a thread | cycles | `spill_space` | sectors of the L2 |\n| --- | --- | --- | --- | --- |"
    )
    lines = [head]
    for (name, limit), part in rows.groupby(["launch", "registers"], sort=False):
        found = with_intervals(part, "cycles", "h100").set_index("config").loc["spill_space"]
        sectors = part.groupby("config").l2_sectors.mean()
        change = 100 * (sectors["spill_space"] / sectors["h100"] - 1)
        speedup = text(found.speedup, found.low, found.high)
        lines.append(f"| {name.removesuffix('_kernel')} | {limit} | {found.base:,.0f} | {speedup} | {change:+.0f} % |")
    return "\n".join(lines)
