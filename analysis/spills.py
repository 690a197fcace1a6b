"""analysis/spills.csv as Markdown: what shared.spill_space is worth to kernels compiled for fewer registers."""

from pathlib import Path

import pandas as pd

from analysis.intervals import text, with_intervals

FILE = Path("analysis/spills.csv")
NO_LIMIT = 255


def section() -> str:
    """A line per kernel and limit: speed-ups over the same code with its local memory local, and over the code without a limit."""
    rows = pd.read_csv(FILE)
    rows["config"] = rows.config + "@" + rows.registers.astype(str)
    rows = rows.assign(workload="", cache="cold")
    lines = []
    for name, part in rows.groupby("launch", sort=False):
        for limit in sorted(set(part.registers) - {NO_LIMIT}, reverse=True):
            local, shared, plain = f"h100@{limit}", f"spill_space@{limit}", f"h100@{NO_LIMIT}"
            sectors = part.groupby("config").l2_sectors.mean()
            lines.append(
                f"| {name.removesuffix('_kernel')} | {limit} | {_speedup(part, shared, local)} | {_speedup(part, local, plain)} | "
                f"{_speedup(part, shared, plain)} | {100 * (sectors[shared] / sectors[local] - 1):+.0f} % |"
            )
    head = ("| launch | registers a thread | `spill_space`, over local memory | local memory, over no limit | `spill_space`, over no limit "
            "| L2 sectors |\n| --- | --- | --- | --- | --- | --- |\n")  # fmt: skip
    return head + "\n".join(lines)


def _speedup(rows: pd.DataFrame, config: str, baseline: str) -> str:
    """With the interval that all runs of the launch give."""
    found = with_intervals(rows, "cycles", baseline).set_index("config").loc[config]
    return text(found.speedup, found.low, found.high)
