"""Render the README's numbers, tables and pictures from the study's tables and figures.

    python -m analysis.readme RESULTS README.md OUTPUT

What stands between `<!-- begin NAME -->` and `<!-- end NAME -->` comes from the function of that name here; nothing
else in the README states a result. The pictures that the README shows are copied to analysis/readme/.
"""

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis.paper import BANDWIDTH_PCT

PICTURES = ("cycles", "heatmap", "roofline")
MARK = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def markdown(table: pd.DataFrame) -> str:
    """A table as GitHub shows it; numbers as they are, missing values as a dash."""
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(object).to_numpy().tolist()]
    return "\n".join("| " + " | ".join("–" if pd.isna(cell) else str(cell) for cell in line) + " |" for line in lines)


def _number(value: float, form: str = "{:.1f}") -> str:
    return "–" if pd.isna(value) else form.format(value)


def accuracy(tables: dict[str, pd.DataFrame]) -> str:
    """One line per cache state and length of kernel."""
    table = tables["accuracy_summary"]
    shown = pd.DataFrame({
        "caches": table.cache,
        "kernels": table["count"].astype(str) + " of " + table.kernels.str.replace("us", "µs"),
        "cycles, mean absolute error": table.cycles_mean_absolute_error_pct.map("{:.1f} %".format),
        "worst": table.cycles_worst_pct.map("{:+.0f} %".format) + " (" + table.worst_kernel + ")",
        "r": table.cycles_r.map(lambda value: _number(value, "{:.3f}")),
        "instructions exact": table.instructions_exact.astype(str) + " of " + table["count"].astype(str),
        "L1 hit, points": table.l1_hit_points.map(_number),
        "L2 hit, points": table.l2_hit_points.map(_number),
        "DRAM bytes": table.dram_bytes_error_pct.map(lambda value: _number(value, "{:.1f} %")),
        "issue active, points": table.issue_active_points.map(_number),
    })  # fmt: skip
    return markdown(shown)


def kernel_classes(tables: dict[str, pd.DataFrame]) -> str:
    """The paper's Table II beside ours."""
    table = tables["kernel_classes"]
    table = table[table["class"].isin(["tensor", "vector", "mixed"])]
    text = table.kernels.astype(str) + " kernels, " + table.time_pct.map("{:.1f} %".format)
    table = table.assign(
        cell=text, column=table.workload.where(table.level == "paper", table.workload + ", " + table.level)
    )
    wide = table.pivot(index=["direction", "class"], columns="column", values="cell").sort_index(
        ascending=[False, True]
    )
    return markdown(wide[list(dict.fromkeys(table.column))].reset_index().rename_axis(columns=None))


def bandwidth(tables: dict[str, pd.DataFrame]) -> str:
    """Mean use of the DRAM's peak."""
    table = tables["bandwidth"]
    table = table[table.cache == "cold"]
    text = table.mean_pct.map("{:.1f} %".format) + " (" + table.time_weighted_pct.map("{:.1f} %".format) + " by time)"
    wide = table.assign(cell=text).pivot(index=["workload", "direction"], columns="level", values="cell").reset_index()
    return f"{markdown(wide.rename_axis(columns=None))}\n\nThe paper has {BANDWIDTH_PCT} % on an H100."


def verdict(tables: dict[str, pd.DataFrame]) -> str:
    """What each of the heavy kernels is bound by."""
    table = tables["verdict"]
    shown = pd.DataFrame({
        "workload": table.workload,
        "kernel": table.name,
        "time": table.time_pct.map("{:.0f} %".format),
        "bound by": table.bound_by,
        "speed-up with twice of it": table.speedup_at_2.map("{:.2f}".format),
        "until": table.until.map(lambda factor: "–" if pd.isna(factor) else f"{factor:g} x"),
        "then": table.then.where(table.then.notna(), "–"),
        "fullest resource": table.fullest_resource + ", " + table.its_share_pct.map("{:.0f} %".format) + " of the time",
    })  # fmt: skip
    return markdown(shown[table.time_pct >= 2])


def modifications(tables: dict[str, pd.DataFrame]) -> str:
    """Speed-up of the whole block under each modification."""
    table = tables["speedups"]
    table = table[(table.name == "whole block") & ~table.config.str.contains("@")]
    wide = table.pivot(index="config", columns="workload", values="speedup")
    wide = wide.loc[wide.mean(axis=1).sort_values(ascending=False).index].map(lambda value: _number(value, "{:.3f}"))
    return markdown(wide.reset_index().rename(columns={"config": "modification"}).rename_axis(columns=None))


def claim(tables: dict[str, pd.DataFrame]) -> str:
    """The paper's claim in the simulator: what twice of each resource is worth, today and with memory solved."""
    table = tables["claim"]
    text = table.twice + " " + table.speedup.map("{:.2f}".format)
    ranked = table.assign(text=text).sort_values("rank").groupby(["workload", "stage"], sort=False).text.agg(", ".join)
    shown = ranked.reset_index().rename(columns={"text": "speed-up of the whole block with twice of"})
    return markdown(shown.sort_values(["workload", "stage"], ascending=[True, False]))


# Section -> (table it needs, function)
SECTIONS: dict[str, tuple[str, Callable[[dict[str, pd.DataFrame]], str]]] = {
    "accuracy": ("accuracy_summary", accuracy),
    "kernel_classes": ("kernel_classes", kernel_classes),
    "bandwidth": ("bandwidth", bandwidth),
    "verdict": ("verdict", verdict),
    "modifications": ("speedups", modifications),
    "claim": ("claim", claim),
}


def render(text: str, tables: dict[str, pd.DataFrame]) -> str:
    """The README with every marked section rendered anew."""

    def section(found: re.Match[str]) -> str:
        table, write = SECTIONS[found[2]]
        body = "This study has no such result." if tables[table].empty else write(tables)
        return f"{found[1]}{body}\n{found[3]}"

    return MARK.sub(section, text)


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every table by name; one without a line is empty."""
    found = {}
    for file in sorted(folder.glob("*.csv")):
        found[file.stem] = pd.read_csv(file) if file.read_text().strip() else pd.DataFrame()
    return found


def main() -> None:
    results, readme, output = (Path(argument) for argument in sys.argv[1:])
    tables = read_tables(results / "tables")
    before = output.read_text() if output.is_file() else ""
    after = render(readme.read_text(), tables)
    if after != before:
        output.write_text(after)
    for name in PICTURES:
        target = output.parent / "analysis/readme" / f"{name}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(results / "figures" / f"{name}.png", target)


if __name__ == "__main__":
    main()
