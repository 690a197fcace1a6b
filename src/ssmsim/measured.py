"""measured.csv: counters of launches as the GPU gave them, one line per launch and cache state. Read and validated."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError

CYCLES, TIME = "gpc__cycles_elapsed.max", "gpu__time_duration.sum"  # TIME in ns; ncu reads both in one pass
MHZ = (100, 4000)  # of the SMs: no GPU's are slower or faster
NOT_NUMBERS = ("launch", "kernel", "cache")
AGAIN = "measure again with `ssmsim measure`"


@dataclass(frozen=True)
class Measured:
    """One measured table.

    table: a row per launch and cache state; launch, kernel and cache are text, every other column is float64, NaN where
           it was not measured. Columns are ncu's names (ssmsim.counters) and what `ssmsim measure` adds.
    """

    file: Path
    table: pd.DataFrame

    @property
    def clocks(self) -> dict[tuple[str, str], int]:
        """(launch, cache) -> MHz that the SMs ran at, where cycles and time were measured together.

        Raises SsmsimError for a clock that no GPU has: cycles or time are then in another unit.
        """
        found = {}
        if not {CYCLES, TIME} <= set(self.table.columns):
            return {}
        for number, row in enumerate(self.table.to_dict("records")):
            if pd.isna(row[CYCLES]) or pd.isna(row[TIME]):
                continue
            mhz = row[CYCLES] / row[TIME] * 1e3 if row[TIME] > 0 else float("inf")
            if not MHZ[0] <= mhz <= MHZ[1]:
                what = (f"{row['launch']}, {row['cache']}: {CYCLES} {row[CYCLES]:g} in {TIME} {row[TIME]:g} ns are {mhz:,.0f} MHz, "
                        f"not {MHZ[0]} to {MHZ[1]}")  # fmt: skip
                raise SsmsimError(what, f"{self.file}:{number + 2}", "give cycles and nanoseconds")
            found[str(row["launch"]), str(row["cache"])] = round(mhz)
        return found


def read_measured(path: Path | str) -> Measured:
    """Read one measured table.

    Raises SsmsimError naming file, line and column for what is no table, lacks launch or cache, has a launch twice in one
    cache state, or a value that is no finite number of at least 0.
    """
    path = Path(path)
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise SsmsimError("no such table", path, AGAIN) from None
    except (OSError, ValueError, pd.errors.ParserError) as error:  # ValueError: not text, and pandas' own
        raise SsmsimError(f"not a table: {error}", path, AGAIN) from None
    for column in ("launch", "cache"):
        if column not in table.columns:
            raise SsmsimError(f"no column {column!r}", path, AGAIN)
    wrong = ~table["cache"].isin(["cold", "warm"])
    if wrong.any():
        line = int(wrong.to_numpy().argmax())
        raise SsmsimError(
            f"column cache: {table['cache'].iloc[line]!r} is not cold or warm", f"{path}:{line + 2}", AGAIN
        )
    twice = table.duplicated(["launch", "cache"])
    if twice.any():
        line = int(twice.to_numpy().argmax())
        launch, cache = table[["launch", "cache"]].iloc[line]
        raise SsmsimError(f"{launch}, {cache}: a second time", f"{path}:{line + 2}", "keep one of the two lines")
    for column in table.columns.difference(list(NOT_NUMBERS)):
        table[column] = _numbers(table[column], path)
    return Measured(path, table)


def _numbers(column: pd.Series, path: Path) -> pd.Series:
    """Decimal numbers of at least 0; an empty field is NaN. Columns that are no counter may be text."""
    values = pd.to_numeric(column.where(column.str.fullmatch(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")), errors="coerce")
    wrong = (values.isna() & (column != "")) | (values < 0) | (values == float("inf"))
    if not wrong.any():
        return values
    if column.name not in COUNTERS:
        return column
    line = int(wrong.to_numpy().argmax())
    what = f"column {column.name}: {column.iloc[line]!r} is not a number of at least 0"
    raise SsmsimError(what, f"{path}:{line + 2}", AGAIN)
