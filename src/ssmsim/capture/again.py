"""Some counters of a measured capture once more: each launch run once with cold caches, in a table that exists.

Over several passes ncu restores what a launch writes before each of them; some 2.3 MB of that are still dirty in the L2
when a cold pass begins, and count as what the launch writes to DRAM. In one pass nothing is restored.
"""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from ssmsim.capture import device
from ssmsim.capture.measure import captured, cell, counters, median, spread_cell
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file


def replace(table: list[dict[str, str]], values: dict[str, dict[str, list[float | None]]]) -> None:
    """Put the medians and spreads of values[launch][counter] into the cold rows of a measured table."""
    for row in table:
        if row["cache"] == "cold":
            for counter, found in values[row["launch"]].items():
                row[counter] = cell(median(found))
                row[f"{counter}:spread"] = spread_cell(found)


def measure_again(command: list[str], folder: Path, wanted: Sequence[str]) -> None:
    """Measure counters anew in one pass; measured.csv and measured.schema.json of the folder take them.

    Raises SsmsimError for a counter that the table does not have, a folder without a table, and more than one pass.
    """
    unknown = [name for name in wanted if name not in COUNTERS]
    if unknown:
        raise SsmsimError(f"no counter {unknown[0]}", "--again", "name columns of measured.csv")
    page, schema = folder / "measured.csv", folder / "measured.schema.json"
    if not page.exists() or not schema.exists():
        raise SsmsimError("nothing measured yet", folder, "run `ssmsim measure` without --again first")
    launches = captured(folder)
    rows, _ = counters(command, launches, "cold", wanted, one_pass=True)
    with page.open(newline="") as file:
        table = list(csv.DictReader(file))
    replace(table, {row.launch: row.values for row in rows})
    facts = json.loads(schema.read_text())
    for name in wanted:
        facts["columns"][name]["cold"] = "one pass"
    facts.setdefault("again", []).append({"columns": list(wanted), "date": device.today(), "device": device.smi()})
    with whole_file(page) as temporary, temporary.open("w", newline="") as file:
        out = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(table)
    with whole_file(schema) as temporary:
        temporary.write_text(json.dumps(facts, indent=1) + "\n")
