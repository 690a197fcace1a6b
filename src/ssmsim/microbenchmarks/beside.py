"""How far the loops of two GPUs are from each other, a line per program.

python -m ssmsim.microbenchmarks.beside ONE OTHER [-o FILE.csv]

ONE, OTHER: folders of GROUP/NAME.json; without -o, OTHER/beside_<name of ONE's GPU folder>.csv is written.
"""

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from ssmsim.files import whole_file

COLUMNS = ("program", "loops", "within_1_pct", "within_3_pct", "median_pct", "lowest_pct", "highest_pct")


def differences(one: Path, other: Path) -> Iterator[tuple[str, list[float]]]:
    """(program, per cent that each loop's cycles per round are more in `other` than in `one`) of the loops that both have."""
    for file in sorted(other.glob("*/*.json")):
        name = file.relative_to(other)
        if not (one / name).is_file():
            continue
        here, there = (json.loads((folder / name).read_text()).get("loops", {}) for folder in (other, one))
        rates = {
            loop: (row["cycles_per_round"], there[loop]["cycles_per_round"])
            for loop, row in here.items()
            if loop in there
        }
        found = [100 * (mine / its - 1) for mine, its in rates.values() if its > 0]
        if found:
            yield str(name.with_suffix("")), found


def row(program: str, found: list[float]) -> list[str]:
    near = [str(sum(abs(each) <= limit for each in found)) for limit in (1, 3)]
    return [program, str(len(found)), *near, *(f"{value:.1f}" for value in (median(found), min(found), max(found)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("-o", "--out", type=Path)
    given = parser.parse_args()
    out = given.out or given.other / f"beside_{given.one.resolve().parent.name}.csv"
    with whole_file(out) as temporary, temporary.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(row(*each) for each in differences(given.one, given.other))


if __name__ == "__main__":
    main()
