"""Some counters of a measured capture once more: each launch run once, cold or in its sequence, in a table that exists.

Over several passes ncu restores what a launch writes before each of them; some 2.3 MB of that are still dirty in the L2
when a cold pass begins, and count as what the launch writes to DRAM; a warm pass finds what the launch itself left. In
one pass nothing is restored, and a warm launch finds what the one before it left.
"""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from ssmsim.capture import device
from ssmsim.capture.measure import captured, cell, counters, median, spread_cell
from ssmsim.capture.refused import launched
from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file


def replace(table: list[dict[str, str]], values: dict[str, dict[str, list[float | None]]], cache: str = "cold") -> None:
    """Put the medians and spreads of values[launch][counter] into the rows of a measured table with these caches.

    Raises SsmsimError when the table has a launch that was not measured.
    """
    for row in table:
        if row["cache"] == cache:
            if row["launch"] not in values:
                raise SsmsimError("in the measured table, but not in the capture", row["launch"], "measure all anew")
            for counter, found in values[row["launch"]].items():
                row[counter] = cell(median(found))
                row[f"{counter}:spread"] = spread_cell(found)


def measure_again(command: list[str], folder: Path, wanted: Sequence[str], cache: str = "cold") -> None:
    """Measure counters anew in one pass, cache: cold or warm; measured.csv and measured.schema.json of the folder take them.

    Raises SsmsimError for a counter that the table does not have, a folder without a table, and more than one pass.
    """
    unknown = [name for name in wanted if name not in COUNTERS]
    if unknown:
        raise SsmsimError(f"no counter {unknown[0]}", "--again", "name columns of measured.csv")
    page, schema = folder / "measured.csv", folder / "measured.schema.json"
    if not page.exists() or not schema.exists():
        raise SsmsimError("nothing measured yet", folder, "run `ssmsim measure` without --again first")
    captured(folder)
    launches = launched(folder)
    rows, _ = counters(command, launches, cache, wanted, one_pass=True)
    with page.open(newline="") as file:
        table = list(csv.DictReader(file))
    replace(table, {row.launch: row.values for row in rows}, cache)
    facts = json.loads(schema.read_text())
    for name in wanted:
        facts["columns"][name][cache] = "one pass" if cache == "cold" else "sequence"
    facts.setdefault("again", []).append(
        {"columns": list(wanted), "cache": cache, "date": device.today(), "device": device.smi()}
    )
    with whole_file(page) as temporary, temporary.open("w", newline="") as file:
        out = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(table)
    with whole_file(schema) as temporary:
        temporary.write_text(json.dumps(facts, indent=1) + "\n")
