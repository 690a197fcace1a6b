"""What `ssmsim.study.evidence` says of the tables of evidence, for documents and the report."""

import json
from collections.abc import Callable
from pathlib import Path

from analysis import spills

FILE = Path("results/evidence.json")
NAMES = ("sampling", "waits", "silicon", "ablation")


def told(name: str, part: str) -> str:
    """part: note, one sentence when lines are of another engine; section, the table as Markdown behind that."""
    if not FILE.is_file():
        raise ValueError(f"{FILE} is missing: python -m ssmsim.study.evidence {FILE}")
    return str(json.loads(FILE.read_text())[name][part])


SECTIONS: dict[str, Callable[[], str]] = {name: lambda name=name: told(name, "section") for name in NAMES}  # type: ignore[misc]
SECTIONS["spills"] = spills.section
