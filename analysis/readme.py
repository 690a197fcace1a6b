"""Render the numbers, tables and pictures of README.md and docs/ from the study's tables and figures.

    python -m analysis.readme STUDY RESULTS

What stands between `<!-- begin STUDY.NAME -->` and `<!-- end STUDY.NAME -->` comes from the function of that name here,
for the study file STUDY.yaml, wherever these marks are; each study writes its own sections. `evidence.NAME` comes from
the table analysis/NAME.csv, `pipeline.rules` is the rule graph. The pictures that the documents show are copied to
analysis/readme/STUDY/.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis import evidence
from analysis.data import LONG_US
from analysis.intervals import text
from analysis.paper import BANDWIDTH_PCT, MEMORY, STAGES
from analysis.rulegraph import collapse
from ssmsim.files import whole_file

BANDWIDTHS = ("dram", "cache_bandwidth")  # axes that are memory bandwidth
VECTOR = ("lanes", "special_functions")  # axes that are vector compute
MARK = re.compile(r"(<!-- begin (\w+)\.(\w+) -->\n).*?(<!-- end \2\.\3 -->)", re.DOTALL)
PICTURE = re.compile(r"analysis/readme/(\w+)/(\w+)\.png")


def markdown(table: pd.DataFrame) -> str:
    """A table as GitHub shows it; numbers as they are, missing values as a dash."""
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(object).to_numpy().tolist()]
    return "\n".join("| " + " | ".join("–" if pd.isna(cell) else str(cell) for cell in line) + " |" for line in lines)


def _number(value: float, form: str = "{:.1f}") -> str:
    return "–" if pd.isna(value) else form.format(value)


def headline(tables: dict[str, pd.DataFrame]) -> str:
    """The error of the long kernels, of those held out, and the modification that is worth most."""
    table = tables["accuracy_summary"]
    long = table[table.kernels.str.startswith("at least") & (table.workload == "all")]
    lines = [
        f"- **{line.cycles_mean_absolute_error_pct:.1f} %** mean absolute error of simulated cycles over {line['count']} "
        f"kernels of {LONG_US} µs and more, {line.cache} caches, simulated on {line.simulated_on} "
        f"(worst {line.cycles_worst_pct:+.0f} %)"
        for _, line in long.iterrows()
    ]
    apart = tables["held_out"]
    apart = apart[apart.us >= LONG_US] if len(apart) else apart
    if len(apart):
        lines.append(
            f"- **{apart.cycles_error_pct.abs().mean():.1f} %** over {len(apart)} kernels of a workload that was held out"
        )
    whole = tables["speedups"]
    whole = whole[(whole.name == "whole block") & ~whole.config.str.contains("@") & whole.effect_shown]
    for workload, part in whole.groupby("workload"):
        best = part.sort_values("speedup", ascending=False).head(3)
        worth = ", ".join(f"{line.config} {text(line.speedup, line.low, line.high)}" for line in best.itertuples())
        lines.append(f"- {workload}, speed-up of the whole block by what helps most: {worth}")
    return "\n".join(lines) if lines else NOTHING


def _length(kernels: str) -> str:
    return f"{LONG_US} µs and more" if kernels.startswith("at least") else f"less than {LONG_US} µs"


def accuracy(tables: dict[str, pd.DataFrame]) -> str:
    """One line per cache state, length of kernel, simulated GPU and, for long kernels, workload."""
    table = tables["accuracy_summary"]
    table = table[table.kernels.str.startswith("at least") | (table.workload == "all")]
    shown = pd.DataFrame({
        "caches": table.cache,
        "simulated on": table.simulated_on,
        "kernels": table["count"].astype(str) + " of " + table.kernels.map(_length) + ", " + table.workload,
        "cycles, mean absolute error": table.cycles_mean_absolute_error_pct.map("{:.1f} %".format),
        "mean": table.cycles_mean_error_pct.map("{:+.1f} %".format),
        "worst": table.cycles_worst_pct.map("{:+.0f} %".format) + " (" + table.worst_kernel.str.split().str[-1] + ")",
        "r": table.cycles_r.map(lambda value: _number(value, "{:.3f}")),
        "L1 hit, points": table.l1_hit_points.map(_number),
        "L2 hit, points": table.l2_hit_points.map(_number),
        "DRAM bytes": table.dram_bytes_error_pct.map(lambda value: _number(value, "{:.1f} %")),
        "issue active, points": table.issue_active_points.map(_number),
        "instructions exact": table.instructions_exact.astype(str) + " of " + table["count"].astype(str),
    })  # fmt: skip
    shown.loc[table.simulated_on != "whole GPU", "instructions exact"] = "estimated"
    return markdown(shown)


def held_out(tables: dict[str, pd.DataFrame]) -> str:
    """Launch by launch; the long ones first, their mean error above them."""
    texts = []
    for cache, of_cache in tables["held_out"].groupby("cache", sort=False):
        long = of_cache.us >= LONG_US
        for table, title in ((of_cache[long], f"{LONG_US} µs and more"), (of_cache[~long], f"less than {LONG_US} µs")):
            if table.empty:
                continue
            error = table.cycles_error_pct
            worst = error.loc[error.abs().idxmax()]
            texts.append(
                f"{len(table)} kernel{'s' * (len(table) > 1)} of {title}, {cache} caches: mean absolute error of cycles "
                f"**{error.abs().mean():.1f} %**, worst {worst:+.1f} %."
            )
            texts.append(markdown(_launches(table)))
    return "\n\n".join(texts)


def _launches(table: pd.DataFrame) -> pd.DataFrame:
    def signed(values: pd.Series, form: str) -> pd.Series:
        return values.map(lambda value: _number(value, form))

    return pd.DataFrame({
        "launch": table.workload.str.removesuffix("-holdout") + " " + table.launch.str.removesuffix("_kernel"),
        "cycles measured": table.cycles_measured.map("{:,.0f}".format),
        "simulated": table.cycles_simulated.map("{:,.0f}".format),
        "error": signed(table.cycles_error_pct, "{:+.1f} %"),
        "issue active, points": signed(table.issue_active_points, "{:+.1f}"),
        "L1 hit, points": signed(table.l1_hit_points, "{:+.1f}"),
        "L2 hit, points": signed(table.l2_hit_points, "{:+.1f}"),
        "DRAM read": signed(table.dram_read_error_pct, "{:+.1f} %"),
        "DRAM write": signed(table.dram_write_error_pct, "{:+.1f} %"),
        "instructions exact": table.instructions_equal.map({True: "yes", False: "no"}),
    })  # fmt: skip


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
    wide = wide.replace("0 kernels, 0.0 %", "none").replace("^1 kernels", "1 kernel", regex=True)
    return markdown(wide[list(dict.fromkeys(table.column))].reset_index().rename_axis(columns=None))


def bandwidth(tables: dict[str, pd.DataFrame]) -> str:
    """Mean use of the DRAM's peak."""
    table = tables["bandwidth"]
    table = table[table.cache == "cold"]
    if table.empty:
        return f"{NOTHING} The paper has {BANDWIDTH_PCT} % on an H100."
    text = table.mean_pct.map("{:.1f} %".format) + " (" + table.time_weighted_pct.map("{:.1f} %".format) + " by time)"
    wide = table.assign(cell=text).pivot(index=["workload", "direction"], columns="level", values="cell").reset_index()
    return f"{markdown(wide.rename_axis(columns=None))}\n\nThe paper has {BANDWIDTH_PCT} % on an H100."


def engines(tables: dict[str, pd.DataFrame]) -> str:
    """Accuracy and cost of the engines on the launches that both have replayed."""
    table = tables["engines"]
    if "cycles" not in table:
        return f"Accel-Sim: {table.engine.iloc[0]}."

    def cell(column: str, form: str, scale: float = 1.0) -> pd.Series:
        return (table[column] * scale).map(lambda value: _number(value, form))

    return markdown(pd.DataFrame({
        "launch": _launch_names(table),
        "engine": table.engine,
        "cycles": cell("cycles", "{:,.0f}"),
        "measured": cell("cycles_measured", "{:,.0f}"),
        "error": cell("cycles_error_pct", "{:+.0f} %"),
        "L1 hit": cell("l1_hit_pct", "{:.1f} %"),
        "L2 hit": cell("l2_hit_pct", "{:.1f} %"),
        "L2 hit, points": cell("l2_hit_points", "{:+.1f}"),
        "DRAM read": cell("dram_read_bytes_error_pct", "{:+.1f} %"),
        "warp instructions/s": cell("warp_instructions_per_s", "{:,.0f}"),
        "memory": cell("peak_memory_bytes", "{:,.0f} MB", 1e-6),
        "replays from": cell("input_bytes", "{:,.2f} MB", 1e-6),
    }))  # fmt: skip


DISAGREE_PCT = 5  # engines further apart than this disagree about a what-if


def _launch_names(table: pd.DataFrame) -> pd.Series:
    launch = table.workload.str.removesuffix("-holdout") + " " + table.launch.str.removesuffix("_kernel")
    return launch.where(table.blocks_pct == 100, launch + ", " + table.blocks_pct.map("{:.1f} % of its blocks".format))


def what_ifs(tables: dict[str, pd.DataFrame]) -> str:
    """Where silicon answers, who is right; every other what-if, engine beside engine; what was asked of the second."""
    table = tables["what_ifs"]
    if table.empty:
        return NOTHING
    table = table.assign(launch=_launch_names(table))
    others = table[table.options.fillna("") + table.without_option.fillna("") != ""]
    return "\n\n".join([_silicon_answers(table), _engines_apart(table), _what_was_asked(others)])


def _study_first(table: pd.DataFrame) -> list[str]:
    """The engines, the study's own first: the one that is apart from none."""
    return sorted(set(table.engine), key=lambda engine: (table[table.engine == engine].apart_pct.notna().any(), engine))


def _silicon_answers(table: pd.DataFrame) -> str:
    """Measured and simulated ratios, of the whole launch and without its start and end."""
    table = table.dropna(subset=["measured"])
    if table.empty:
        return "Silicon answers for none of these."
    lines = []
    for (launch, config), answers in table.groupby(["launch", "config"]):
        of, first = answers.set_index("engine"), answers.iloc[0]
        line = {"launch": launch, "what if": f"`{config}`"}
        for kind, title in (("", "whole launch, "), ("inner_", "without start and end, ")):
            value, known, error = kind.rstrip("_") or "speedup", f"{kind}measured", f"{kind}error_pct"
            spread = (
                f" ({first.inner_low:.3f} to {first.inner_high:.3f})"
                if kind and first.inner_low < first.inner_high
                else ""
            )
            line |= {f"{title}measured": f"{first[known]:.3f}{spread}"}
            line |= {
                f"{title}{engine}": f"{of.loc[engine, value]:.3f} ({of.loc[engine, error]:+.1f} %)"
                for engine in _study_first(answers)
            }
        lines.append(line | {"right": first.right})
    return markdown(pd.DataFrame(lines))


def _engines_apart(table: pd.DataFrame) -> str:
    """A line per launch, a column per what-if: answers of the engines, bold where they disagree."""
    table = table[table.measured.isna()]
    engines = _study_first(table)
    cells = {}
    for (launch, config), lines in table.groupby(["launch", "config"]):
        answers = lines.set_index("engine").speedup.reindex(engines)
        text = " / ".join(_number(value, "{:.2f}") for value in answers)
        apart = 100 * abs(answers.iloc[-1] / answers.iloc[0] - 1)
        cells[launch, config] = f"**{text}**" if apart > DISAGREE_PCT else text
    wide = pd.Series(cells, dtype=object).unstack()
    return markdown(wide.rename(columns="`{}`".format).rename_axis("launch").reset_index())


def _what_was_asked(table: pd.DataFrame) -> str:
    """Of every what-if the options that carry it, and the fields that none carries; of all, the options that are lacking."""
    shown = table.drop_duplicates(["config", "engine"]).sort_values("config")
    lacking = ", ".join(sorted(set(shown.options_lacking.dropna()))) or "none"

    def names(column: str) -> pd.Series:
        lists = shown[column].fillna("").str.split(", ")
        return lists.map(lambda one: ", ".join(f"`{name}`" for name in one if name) or "none")

    asked = pd.DataFrame({
        "what if": "`" + shown.config + "`",
        "asked of " + " and ".join(sorted(set(shown.engine))): shown.asked,
        "options that change": names("options"),
        "fields that no option carries": names("without_option"),
    })  # fmt: skip
    return f"{markdown(asked)}\n\nOptions rendered that this version lacks: {lacking}."


def verdict(tables: dict[str, pd.DataFrame]) -> str:
    """What each of the heavy kernels is bound by."""
    table = tables["verdict"]
    gain = table.apply(lambda line: text(line.speedup, line.low, line.high, 2), axis=1)
    later = table.apply(lambda line: text(line.then_speedup, line.then_low, line.then_high, 2), axis=1)
    beyond = table.beyond.map({True: "beyond "}).fillna("")
    shown = pd.DataFrame({
        "workload": table.workload,
        "kernel": table.name,
        "time": table.time_pct.map("{:.0f} %".format),
        "bound by": table.bound_by,
        "speed-up with twice of it": gain,
        "share of all together": table.share_pct.map(lambda share: _number(share, "{:.0f} %")),
        "until": beyond + table.until.map(lambda factor: "–" if pd.isna(factor) else f"{factor:g} x"),
        "then": (table.then + " " + later).where(table.then.notna(), "–"),
        "everything twice": table.everything.map("{:.2f}".format),
        "fullest resource": table.fullest_resource + ", " + table.its_share_pct.map("{:.0f} %".format) + " of the time",
    })  # fmt: skip
    return markdown(shown[table.time_pct >= 2])


def modifications(tables: dict[str, pd.DataFrame]) -> str:
    """Speed-up of the whole block under each modification, with its interval."""
    table = tables["speedups"]
    table = table[(table.name == "whole block") & ~table.config.str.contains("@")]
    table = table[(table.low < table.high) | (table.speedup != 1)]  # not the baseline beside itself
    table = table.assign(cell=[text(line.speedup, line.low, line.high) for line in table.itertuples()])
    order = table.groupby("config").speedup.mean().sort_values(ascending=False).index
    wide = table.pivot(index="config", columns="workload", values="cell").loc[order]
    return markdown(wide.reset_index().rename(columns={"config": "modification"}).rename_axis(columns=None))


def by_kernel(tables: dict[str, pd.DataFrame]) -> str:
    """Speed-up of each kernel under each modification, with its interval; a dash where it was not simulated."""
    table = tables["speedups"]
    table = table[(table.name != "whole block") & ~table.config.str.contains("@")]
    table = table[(table.low < table.high) | (table.speedup != 1)]  # not the baseline beside itself
    table = table.assign(cell=[text(line.speedup, line.low, line.high) for line in table.itertuples()])
    table = table.assign(launch=table.launch.str.removesuffix("_kernel"))  # a sequence may have a kernel twice
    wide = table.pivot(index=["workload", "launch"], columns="config", values="cell").fillna("–")
    return markdown(wide.reset_index().rename_axis(columns=None))


def claim(tables: dict[str, pd.DataFrame]) -> str:
    """The paper's claim in the simulator: what twice of each resource is worth, over all and with memory relieved."""
    table = tables["claim"].sort_values("rank")
    table = table.assign(
        text=[f"{line.twice} {text(line.speedup, line.low, line.high)}" for line in table.itertuples()]
    )
    ranked = table.groupby(["workload", "stage"], sort=False).text.agg(", ".join)
    shown = ranked.reset_index().rename(columns={"text": "speed-up of the whole block with twice of"})
    verdicts = [_holds(str(workload), part) for workload, part in table.groupby("workload")]
    return "\n\n".join([*verdicts, markdown(shown.sort_values(["workload", "stage"], ascending=[True, False]))])


def _holds(workload: str, table: pd.DataFrame) -> str:
    """One sentence: does memory bandwidth lead, and vector compute once it is relieved?"""
    today, later = (table[table.stage == stage].set_index("twice") for stage in STAGES)
    if today.empty or later.empty:
        return f"**{workload}**: no design with memory bandwidth."
    first, then = str(today.speedup.idxmax()), str(later.speedup.idxmax())
    right = (first in BANDWIDTHS, then in VECTOR)
    verdict = "holds" if all(right) else f"does not hold{'' if any(right) else ' in either half'}"
    lanes = [axis for axis in VECTOR if axis in later.index]
    vector = ", ".join(f"{axis} {_cell(later.loc[axis])}" for axis in lanes)
    return (
        f"**{workload}: {verdict}.** Over all settings, twice the DRAM bandwidth brings {_cell(today.loc[MEMORY])}, the most is "
        f"{first} with {_cell(today.loc[first])}; with it relieved, the vector lanes bring {vector or '–'}, the most is {then} with "
        f"{_cell(later.loc[then])}."
    )


def _cell(line: pd.Series) -> str:
    return text(line.speedup, line.low, line.high)


def rules(tables: dict[str, pd.DataFrame]) -> str:
    """What each rule of the model is worth."""
    table = tables["rules"]
    return markdown(pd.DataFrame({
        "rule": "`" + table.rule + "`",
        "kind": table.kind,
        "development kernels: error with, without": _pair(table, "development"),
        "held-out kernels: error with, without": _pair(table, "held_out"),
        "of the held-out, with it": table.held_out_better,
        "moves most": table.moved_most + " " + table.largest_move_pct.map("{:.1f} %".format),
    }))  # fmt: skip


def _pair(table: pd.DataFrame, which: str) -> pd.Series:
    with_, without = (table[f"{which}_{what}_pct"].map(_number) for what in ("error", "without"))
    return with_ + " %, " + without + " %"


def other_gpu(tables: dict[str, pd.DataFrame]) -> str:
    """How well a change of the GPU is predicted: a line per workload."""
    table = tables["other_gpu"]
    table = table[(table.us >= LONG_US) & (table.role == "ssm") & (table.cache == "cold")]
    lines = []
    for name, part in [*table.groupby("workload"), ("all", table)]:
        worst = part.loc[part.error_pct.abs().idxmax()]
        lines.append({
            "kernels": f"{len(part)} of {LONG_US} µs and more, {str(name).removesuffix('-holdout')}",
            "cycles here over there, measured": _range(part.cycles_ratio_measured),
            "simulated": _range(part.cycles_ratio_simulated),
            "error of the ratio, mean absolute": f"{part.error_pct.abs().mean():.1f} %",
            "mean": f"{part.error_pct.mean():+.1f} %",
            "worst": f"{worst.error_pct:+.1f} % ({worst['name']})",
            "r": _number(part.cycles_ratio_measured.corr(part.cycles_ratio_simulated), "{:.3f}"),
        })  # fmt: skip
    return markdown(pd.DataFrame(lines))


def interval_coverage(tables: dict[str, pd.DataFrame]) -> str:
    """Sampled speed-ups beside those of whole runs, and how many intervals hold them."""
    table = tables["interval_coverage"]
    launch = table.workload.str.removesuffix("-holdout") + " " + table.launch.str.removesuffix("_kernel")
    sampled = [f"{line.speedup:.3f} ({line.low:.3f} to {line.high:.3f})" for line in table.itertuples()]
    shown = pd.DataFrame({
        "launch": launch,
        "configuration": "`" + table.config + "`",
        "blocks timed": table.blocks_timed_pct.map("{:.0f} %".format),
        "speed-up, sampled": sampled,
        "whole run": table.whole_speedup.map("{:.3f}".format),
        "inside": table.inside.map({True: "yes", False: "**no**"}),
    })  # fmt: skip
    difference = table.difference_pct
    return (
        f"{len(table)} pairs: the whole run's speed-up is inside the 95 % interval in **{int(table.inside.sum())}**. "
        f"Sampled less whole: {difference.mean():+.2f} % in the mean, {difference.abs().mean():.2f} % mean absolute, worst "
        f"{difference.loc[difference.abs().idxmax()]:+.2f} %.\n\n{markdown(shown)}"
    )


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


NOTHING = "This study has no such result."
# Section -> (table it needs, function)
SECTIONS: dict[str, tuple[str, Callable[[dict[str, pd.DataFrame]], str]]] = {
    "headline": ("accuracy_summary", headline),
    "accuracy": ("accuracy_summary", accuracy),
    "held_out": ("held_out", held_out),
    "kernel_classes": ("kernel_classes", kernel_classes),
    "bandwidth": ("bandwidth", bandwidth),
    "verdict": ("verdict", verdict),
    "modifications": ("speedups", modifications),
    "by_kernel": ("speedups", by_kernel),
    "claim": ("claim", claim),
    "engines": ("engines", engines),
    "what_ifs": ("what_ifs", what_ifs),
    "other_gpu": ("other_gpu", other_gpu),
    "interval_coverage": ("interval_coverage", interval_coverage),
    "rules": ("rules", rules),
}


def rule_graph() -> str:
    """Snakemake's graph of the rules behind `all`."""
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js", "all"]
    drawn = subprocess.run(command, capture_output=True, text=True, check=False)
    if drawn.returncode:
        raise ValueError(f"snakemake draws no graph: {(drawn.stderr.strip().splitlines() or ['no reason given'])[-1]}")
    return f"```mermaid\n{collapse(drawn.stdout)}\n```"


# Sections of no study: mark -> function
OTHERS: dict[str, Callable[[], str]] = {
    "pipeline.rules": rule_graph,
    **{f"evidence.{name}": write for name, write in evidence.SECTIONS.items()},
}


def render(text: str, study: str, tables: dict[str, pd.DataFrame], where: object = "README.md") -> str:
    """A document with every section of this study, and of none, rendered anew. Raises ValueError for one not known."""

    def section(found: re.Match[str]) -> str:
        owner, name = found[2], found[3]
        if f"{owner}.{name}" in OTHERS:
            return f"{found[1]}{OTHERS[f'{owner}.{name}']()}\n{found[4]}"
        if owner != study:
            return found[0]
        if name not in SECTIONS:
            raise ValueError(f"{where}: no section {owner}.{name}; there are {', '.join(SECTIONS)}")
        table, write = SECTIONS[name]
        return f"{found[1]}{NOTHING if tables[table].empty else write(tables)}\n{found[4]}"

    return MARK.sub(section, text)


def documents(root: Path) -> list[Path]:
    """README.md and the pages of docs/."""
    return [page for page in (root / "README.md", *sorted((root / "docs").rglob("*.md"))) if page.is_file()]


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every table by name; one without a line is empty."""
    found = {}
    for file in sorted(folder.glob("*.csv")):
        found[file.stem] = pd.read_csv(file) if file.read_text().strip() else pd.DataFrame()
    return found


def fill(study: str, results: Path, root: Path) -> None:
    """Write the documents of the repository `root` that change, and copy the pictures that they show."""
    tables, pages = read_tables(results / "tables"), {page: page.read_text() for page in documents(root)}
    after = {page: render(text, study, tables, page.relative_to(root)) for page, text in pages.items()}
    shown = {name for text in pages.values() for owner, name in PICTURE.findall(text) if owner == study}
    for name in sorted(shown):
        if not (results / f"figures/{name}.png").is_file():
            raise ValueError(f"{results}/figures/{name}.png: a document shows it, the study has no such figure")
    for page, new in after.items():
        if new != pages[page]:
            with whole_file(page) as temporary:
                temporary.write_text(new)
    for name in sorted(shown):
        with whole_file(root / f"analysis/readme/{study}/{name}.png") as temporary:
            shutil.copyfile(results / f"figures/{name}.png", temporary)


def main() -> None:
    study, results = sys.argv[1:]
    try:
        fill(study, Path(results), Path())
    except ValueError as error:
        sys.exit(f"ssmsim: {error}")


if __name__ == "__main__":
    main()
