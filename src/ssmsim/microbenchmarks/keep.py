"""Results of microbenchmarks as they are kept beside the project: no blanks, seven digits, addresses where a replay needs them.

python -m ssmsim.microbenchmarks.keep MEASURED KEPT GROUP/NAME...
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from ssmsim.errors import SsmsimError, told
from ssmsim.files import whole_file
from ssmsim.microbenchmarks.build import load_program

DIGITS = 7
OF_A_LAUNCH = ("out", "buffers", "parameters", "registers")  # what write_launches needs of a loop that is replayed
# From cycles_per_round and the operations of a round; from cycles_few and cycles_many.
DERIVED = ("cycles_per_operation", "operations_per_cycle_per_sm", "spread")
USUAL = {"carveout": -1, "cold": False, "blocks": 1, "shared": 0}  # left out: so it is when nothing is said


def short(value: Any) -> Any:
    """The same numbers to seven digits, whole ones without a point."""
    if isinstance(value, float):
        value = float(f"{value:.{DIGITS}g}")
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [short(each) for each in value]
    if isinstance(value, dict):
        return {key: short(each) for key, each in value.items()}
    return value


def compact(result: dict[str, Any], replayed: set[str]) -> dict[str, Any]:
    """A program's result without names that its keys tell, what other fields tell, and the addresses of loops that are not replayed."""
    kept = short(result)
    for name, row in kept.get("loops", {}).items():
        if row.get("name") == name:
            del row["name"]
        for field in DERIVED:
            row.pop(field, None)
        if row.get("blocks") == 1:
            row.pop("cycles_mean_sm", None)  # the last of cycles_few and of cycles_many
        for field, value in USUAL.items():
            if row.get(field) == value:
                del row[field]
        if name not in replayed:
            for field in OF_A_LAUNCH:
                row.pop(field, None)
    return kept


def keep(measured: Path, kept: Path, names: list[str]) -> None:
    """Write kept/GROUP/NAME.json of every measured/GROUP/NAME.json. Raises SsmsimError where there is none."""
    for name in names:
        file = measured / f"{name}.json"
        if not file.is_file():
            raise SsmsimError("no such result", file, "name programs that `ssmsim microbench` has run")
        cases = getattr(load_program(name), "LOOPS", [])
        result = compact(json.loads(file.read_text()), {case.name for case in cases if case.replay})
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        with whole_file(kept / f"{name}.json") as temporary:
            temporary.write_text(json.dumps(result, separators=(",", ":")) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("measured", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("names", nargs="+")
    given = parser.parse_args()
    keep(given.measured, given.kept, given.names)


if __name__ == "__main__":
    sys.exit(told(main))
