"""The report's front page: the findings, what was run, how to read it.

    python -m analysis.report STUDY SAMPLE RESULTS OUTPUT.rst

`snakemake --report results/report.html` opens on it. Findings are the sentences and tables of the documents, from the
study's tables alone; the page is reStructuredText, as Snakemake wants it.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis.evidence import NAMES, told
from analysis.readme import NOTHING, accuracy, claim, headline, modifications, read_tables, verdict
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.study.keys import digest
from ssmsim.study.plan import Plan, make_plan

Tables = dict[str, pd.DataFrame]
FINDINGS: dict[str, tuple[str, Callable[[Tables], str]]] = {
    "Findings": ("accuracy_summary", headline),
    "What holds the kernels back": ("verdict", verdict),
    "What each modification is worth": ("speedups", modifications),
    "First memory bandwidth, then vector compute?": ("claim", claim),
    "How far the model is from the GPU": ("accuracy_summary", accuracy),
}
READING = """
- *Figures* and *Tables*, on the left, have a caption each: what is shown, and what to see in it.
- Every figure says at its foot what its numbers are: measured on the GPU (Nsight Compute), simulated (whole GPU, or
  estimated from a part of it), estimated from counters, or published.
- Errors are simulated over measured, less one: +5 % means that the model takes 5 % more cycles. Hit rates differ in
  percentage points.
- A speed-up is the baseline's cycles over the modification's, for the same launch; *whole block* is the sum over the
  kernels of one forward and backward pass that were simulated.
- *±* is the 95 % interval of a speed-up, from runs that differ in what is left to chance. *No effect shown*: 1 is inside.
  The error of the model stands apart, in the table of speed-ups: that of held-out kernels of the same class.
- Every number comes from `rows.csv`, a line per result, by a script in `analysis/` that has the table's or figure's name.
"""


def title(text: str, line: str = "-") -> str:
    return f"{text}\n{line * len(text)}"


def plain(cell: str) -> str:
    """Text that means itself in reStructuredText."""
    return re.sub(r"([\\*`|_{}])", r"\\\1", cell).strip()


def rst(markdown: str) -> str:
    """Markdown of this project's sections as reStructuredText: bold, bullets and tables."""
    out: list[str] = []
    table: list[list[str]] = []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip().strip("|").split(" | ")])
            continue
        if table:
            out += ["", *_list_table(table), ""]
            table = []
        bold = re.split(r"\*\*(.+?)\*\*", line)
        out.append("".join(f"**{plain(part)}** " if place % 2 else _text(part) for place, part in enumerate(bold)))
    return "\n".join(out)


def _text(part: str) -> str:
    dash = "- " if part.startswith("- ") else ""
    text = re.sub(r"([\\*`|_{}])", r"\\\1", part.removeprefix("- "))
    return dash + text


def _list_table(lines: list[list[str]]) -> list[str]:
    head, _, *rows = lines
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        out += [f"   {'* -' if place == 0 else '  -'} {plain(cell)}" for place, cell in enumerate(row)]
    return out


def what_was_run(plan: Plan, study: str) -> str:
    """The study in numbers: launches, configurations, engines, sampling."""
    runs = plan.runs
    launches = Counter(workload for workload, _ in plan.launches)
    whole = sum(not run.sms and not run.blocks for run in runs)
    parts = sum(bool(run.sms) for run in runs)
    how = "some waves of thread blocks timed, the others estimated" if plan.sample else "every thread block timed"
    lines = [
        f"- {len(runs):,} simulations of ``{study}``: {whole:,} of whole launches ({how}), {parts:,} on a part of the GPU, "
        f"{len(runs) - whole - parts:,} of the first blocks alone.",
        f"- Launches captured on {plan.study.device.upper()}: "
        + ", ".join(f"{workload} ({count})" for workload, count in sorted(launches.items())) + ".",
        f"- {len(plan.configs)} configurations; the baseline is {plan.study.baseline}.",
        "- Engines: " + ", ".join(f"{engine} (digest {digest(engine)})" for engine in plan.study.engines) + ".",
        "- Measured beside: " + (", ".join(f"``{file}``" for file in plan.measured) or "nothing") + ".",
    ]  # fmt: skip
    if plan.study.held_out:
        lines.append(f"- Held out, by which nothing of the model was chosen: {', '.join(plan.study.held_out)}.")
    return "\n".join(lines)


def page(plan: Plan, study: str, tables: Tables) -> str:
    """The whole front page."""
    parts = [title(f"Mamba's kernels on {plan.study.baseline.upper()}, simulated", "=")]
    for name, (table, write) in FINDINGS.items():
        shown = tables.get(table, pd.DataFrame())
        parts += [title(name), NOTHING if shown.empty else rst(write(tables))]
    parts += [title("What was run"), what_was_run(plan, study), title("How to read it"), READING.strip()]
    stale = [rst(text) for text in (told(name, "note") for name in NAMES) if text]
    if stale:
        parts += [title("Evidence that is older than the engine"), *stale]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    study, sample, results, output = sys.argv[1:]
    try:
        text = page(make_plan(study, sample=sample), study, read_tables(Path(results) / "tables"))
    except SsmsimError as error:
        sys.exit(f"ssmsim: {error}")
    with whole_file(output) as temporary:
        temporary.write_text(text)


if __name__ == "__main__":
    main()
