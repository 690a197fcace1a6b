"""Tables of evidence that `snakemake evidence` makes: analysis/NAME.csv, each line with the digest of the engine that made it.

They take minutes to hours, so they are kept in the repository. What is shown of them says when another engine made them.

    python -m ssmsim.study.evidence FILE     what documents and report say of them, as JSON: {name: {note, section}}
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from ssmsim.engines.embedded.sources import digest
from ssmsim.engines.equality import equal_digests
from ssmsim.files import whole_file
from ssmsim.study import ablation, sampling, silicon, waits

TABLES: dict[str, Callable[[Path], str]] = {
    "sampling": lambda file: sampling.table(sampling.read(file)),
    "waits": lambda file: waits.table(pd.read_csv(file)),
    "silicon": lambda file: silicon.table(silicon.read(file)),
    "ablation": lambda file: ablation.table(pd.read_csv(file)),
}


def state(file: Path) -> tuple[int, int, str]:
    """Lines, lines that the engine of today or one like it made, and the digests of the others as text; without what is not
    measured yet.
    """
    rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    if "measured_cycles" in rows:
        rows = rows[rows["measured_cycles"] != ""]
    made = rows["digest"] if "digest" in rows else pd.Series([""] * len(rows))
    same = equal_digests()
    others = sorted({one or "unknown" for one in made if one not in same})
    return len(rows), int(made.isin(list(same)).sum()), ", ".join(others)


def note(file: Path) -> str:
    """One sentence about lines that another engine made; empty when there are none."""
    lines, now, others = state(file)
    if now == lines:
        return ""
    return (f"**Stale: {lines - now} of {lines} lines are of another engine (digest {others}; today's is {digest()}).** "
            f"`snakemake {file.stem}` makes them anew.")  # fmt: skip


def like_today(file: Path) -> str:
    """One sentence about lines of engines that give what today's gives; empty when today's made all."""
    rows, same = pd.read_csv(file, dtype=str, keep_default_na=False), equal_digests()
    runs = [same[one] for one in set(rows["digest"]) if one in same and one != digest()]
    if not runs:
        return ""
    return (f"Made by an engine whose counters are those of today's to the bit in {min(runs)} runs "
            "(`python -m ssmsim.engines.equality`).")  # fmt: skip


def section(name: str) -> str:
    """The table as Markdown, what is stale about it first."""
    file = Path(f"analysis/{name}.csv")
    return "\n\n".join(part for part in (note(file) or like_today(file), TABLES[name](file)) if part)


def write(out: Path) -> None:
    told = {name: {"note": note(Path(f"analysis/{name}.csv")), "section": section(name)} for name in TABLES}
    with whole_file(out) as temporary:
        temporary.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
