"""Simulated against measured counters, launch by launch.

    launch                      cycles   error   issue active   L2 hit   DRAM read   DRAM written   exact counts
    02-state_passing_fwd_kernel 121,446  -4.5 %     +0.1 p      -1.4 p     -0.0 %       -3.8 %        14 of 14

Cycles and bytes in percent of the measured value, rates in percentage points. Exact counts: counters that are
deterministic, how many of those both have agree to the bit.
"""

from pathlib import Path

import pandas as pd
from rich.table import Table

from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.results import Result, read_result

CYCLES = "gpc__cycles_elapsed.max"
RATES = {
    "issue active": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "L1 hit": "l1tex__t_sector_hit_rate.pct",
    "L2 hit": "lts__t_sector_hit_rate.pct",
}
BYTES = {"DRAM read": "dram__bytes_read.sum", "DRAM written": "dram__bytes_write.sum"}
LONG_NS = 20_000  # launches shorter than this are reported but not in the summary


def read_measured(path: Path) -> pd.DataFrame:
    """measured.csv indexed by (launch, cache). Raises SsmsimError when it is not one."""
    try:
        table = pd.read_csv(path)
    except (OSError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise SsmsimError(f"cannot be read: {error}", path, "name a measured.csv") from None
    missing = [name for name in ("launch", "cache", CYCLES) if name not in table]
    if missing:
        raise SsmsimError(f"no column {missing[0]}", path, "name a measured.csv as `ssmsim measure` writes it")
    return table.set_index(["launch", "cache"])


def percent(simulated: float | None, measured: float) -> float | None:
    return None if simulated is None or not measured or pd.isna(measured) else 100 * (simulated / measured - 1)


def errors(result: Result, row: pd.Series) -> dict[str, float | None]:
    """Errors of one launch by the names of the columns; None where either side has no value."""
    have = result.counters
    found = {"cycles": percent(have.get(CYCLES), row[CYCLES])}
    for title, name in RATES.items():
        value = have.get(name)
        found[title] = None if value is None or pd.isna(row.get(name)) else value - row[name]
    for title, name in BYTES.items():
        found[title] = percent(have.get(name), row.get(name, float("nan")))
    return found


def agreement(result: Result, row: pd.Series) -> tuple[int, int]:
    """Deterministic counters that agree to the bit, and all of them that both have."""
    both = [name for name, counter in COUNTERS.items() if counter.exact and result.counters.get(name) is not None
            and not pd.isna(row.get(name))]  # fmt: skip
    return sum(result.counters[name] == row[name] for name in both), len(both)


def error_table(results: Path, measured: Path) -> Table:
    """Table of all result files under `results` that have a measured row."""
    rows = read_measured(measured)
    files = sorted(results.rglob("[!.]*.json")) if results.is_dir() else [results]
    table = Table(title=f"{results} against {measured}")
    titles = ["cycles", *RATES, *BYTES]
    for title in ("launch", "cache", "simulated", "measured", *titles, "exact"):
        table.add_column(title, justify="left" if title == "launch" else "right")
    cycles: list[float] = []
    for file in files:
        result = read_result(file)
        if (result.launch, result.cache) not in rows.index:
            continue
        row = pd.Series(rows.to_dict("index")[(result.launch, result.cache)])
        found = errors(result, row)
        if found["cycles"] is not None and row.get("gpu__time_duration.sum", LONG_NS) >= LONG_NS:
            cycles.append(abs(found["cycles"]))
        simulated = result.counters.get(CYCLES)
        agree, both = agreement(result, row)
        table.add_row(
            result.launch, result.cache, "" if simulated is None else f"{simulated:,.0f}", f"{row[CYCLES]:,.0f}",
            *("" if found[t] is None else f"{found[t]:+.1f}{' p' if t in RATES else ' %'}" for t in titles),
            f"{agree} of {both}",
        )  # fmt: skip
    if not table.rows:
        raise SsmsimError("no result has a measured row", results, "compare results of the workload that was measured")
    if cycles:
        table.caption = (f"cycles, {len(cycles)} launches of {LONG_NS // 1000} us or more: mean absolute error "
                         f"{sum(cycles) / len(cycles):.1f} %, worst {max(cycles):.1f} %")  # fmt: skip
    return table
