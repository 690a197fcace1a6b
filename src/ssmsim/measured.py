"""measured.csv: counters of launches on a GPU, a row per launch and state of the caches. The one reader of the format.

Columns: launch, kernel, cache (cold or warm), repetitions, every counter of ssmsim.counters in its unit, and `:spread` of
each. A cell is a plain decimal number or empty. What cannot be true is an error with file, row and column: a row that
comes twice, a count that is no whole number, a percentage beyond what hardware reports, a clock (cycles over time) that no
GPU runs at, which is what a table in another unit shows.
"""

import csv
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.files import read_text

if TYPE_CHECKING:
    import pandas as pd

CYCLES, TIME_NS = "gpc__cycles_elapsed.max", "gpu__time_duration.sum"
ACTIVE, SECTORS = "sm__cycles_active.max", "lts__t_sectors.sum"
CLOCK_MHZ = (100.0, 4000.0)
CLOCK_HZ = (1e8, 1e10)
MOST_PERCENT = 10_000.0  # ncu's hit rate of the L2 goes far beyond 100 % for atomics
MOST_RATIO = 2048.0  # warps of an SM, over an issue slot that is rarely active
MOST_COUNT = 1e18
TEXT = ("launch", "kernel", "cache")
SECTOR_BYTES = 32
WHOLE = re.compile(r"\.(sum|max)$")  # counts
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]{1,3})?")
TODO = "measure again with `ssmsim measure`, or mend the table"

Row = dict[str, float | None]


@dataclass(frozen=True)
class Measured:
    """One measured table: rows by (launch, cache), and the cells of the file as text."""

    file: Path
    rows: dict[tuple[str, str], Row]
    head: list[str]
    cells: list[list[str]]

    @cached_property
    def table(self) -> "pd.DataFrame":
        """A row per launch and cache state. Counters are float64, NaN where not measured; so is what else is numbers."""
        import pandas as pd

        table = pd.DataFrame(self.cells, columns=self.head)
        for name in self.head:
            numbers = pd.to_numeric(table[name].where(table[name].str.fullmatch(NUMBER.pattern)), errors="coerce")
            if name in COUNTERS or (name not in TEXT and (numbers.notna() | (table[name] == "")).all()):
                table[name] = numbers.astype(float)
        return table

    @property
    def clocks(self) -> dict[tuple[str, str], int]:
        """(launch, cache) -> MHz that the SMs ran at, where cycles and time were measured together."""
        return {key: round(mhz) for key, row in self.rows.items() if (mhz := clock_mhz(row)) is not None}


def read_measured(path: Path | str) -> Measured:
    """Read one measured table. Raises SsmsimError naming file, row and column for what cannot be true."""
    path = Path(path)
    lines = _records(read_text(path, "name a measured.csv as `ssmsim measure` writes it"), path)
    if not lines:
        raise SsmsimError("is empty", path, "name a measured.csv as `ssmsim measure` writes it")
    head = lines[0][1]
    for name in ("launch", "cache", CYCLES):
        if name not in head:
            raise SsmsimError(f"no column {name}", path, "name a measured.csv as `ssmsim measure` writes it")
    for name in head:
        if head.count(name) > 1:
            raise SsmsimError(f"column {name} comes twice", f"{path}:1", TODO)
    found: dict[tuple[str, str], Row] = {}
    for number, cells in lines[1:]:
        where = f"{path}:{number}"
        if len(cells) != len(head):
            raise SsmsimError(f"{len(cells)} cells where the head has {len(head)}", where, TODO)
        text = dict(zip(head, cells, strict=True))
        key = text["launch"], text["cache"]
        if not key[0] or key[1] not in ("cold", "warm"):
            raise SsmsimError("expected a launch and its cache, cold or warm", where, TODO)
        if key in found:
            raise SsmsimError(f"launch {key[0]}, cache {key[1]}: a row that comes twice", where, "keep one")
        found[key] = _row(text, f"{where}: launch {key[0]}, cache {key[1]}")
    return Measured(path, found, head, [cells for _, cells in lines[1:]])


def clock_mhz(row: Row) -> float | None:
    """SM clock of a measured row, from its cycles and time; None where it lacks them."""
    cycles, time = row.get(CYCLES), row.get(TIME_NS)
    return None if not cycles or not time else cycles / time * 1e3


def _records(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """(line, cells) of every line that holds something."""
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        return [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise SsmsimError(f"not CSV: {error}", f"{path}:{reader.line_num}", TODO) from None


def _row(text: dict[str, str], where: str) -> Row:
    row = {name: _number(name, text[name], where) for name in COUNTERS if name in text}
    cycles, active, sectors = row.get(CYCLES), row.get(ACTIVE), row.get(SECTORS)
    mhz = clock_mhz(row)
    if mhz is not None and not CLOCK_MHZ[0] <= mhz <= CLOCK_MHZ[1]:
        what = f"{CYCLES} and {TIME_NS} give a clock of {mhz:.6g} MHz, outside {CLOCK_MHZ[0]:g} to {CLOCK_MHZ[1]:g}"
        raise SsmsimError(what, where, "give cycles, and nanoseconds")
    if cycles is not None and (cycles < 1 or (active is not None and active > 1.01 * cycles)):
        raise SsmsimError(f"{CYCLES} is {cycles:g}, below 1 or {ACTIVE}", where, TODO)
    if row.get(TIME_NS) == 0:
        raise SsmsimError(f"{TIME_NS} is 0", where, TODO)
    for name in ("dram__bytes_read.sum", "dram__bytes_write.sum"):
        value = row.get(name)
        if value is not None and value > 0 and sectors is not None and value < SECTOR_BYTES:
            raise SsmsimError(f"{name} is {value:g}, less than one access of {SECTOR_BYTES} bytes", where, "give bytes")
    return row


def _number(name: str, cell: str, where: str) -> float | None:
    """A cell of a counter's column: finite, not negative, and what its unit allows."""
    if cell == "":
        return None
    if not NUMBER.fullmatch(cell):
        raise SsmsimError(f"column {name}: {cell[:40]!r} is not a number", where, TODO)
    value, unit = float(cell), COUNTERS[name].unit
    low, high = 0.0, MOST_COUNT
    if unit == "%":
        high = MOST_PERCENT
    elif name.endswith(".ratio"):
        high = MOST_RATIO
    elif unit == "Hz":
        low, high = CLOCK_HZ
    if not low <= value <= high:
        raise SsmsimError(f"column {name}: {cell} is outside {low:g} to {high:g} {unit}", where, f"give it in {unit}")
    if WHOLE.search(name) and value % 1 not in (0, 0.5):  # the median of an even number of runs
        raise SsmsimError(
            f"column {name}: {cell} is not a whole number of its unit, {unit}", where, f"give it in {unit}"
        )
    return value
