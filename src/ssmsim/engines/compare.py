"""Simulated against measured counters, launch by launch.

    launch                      cycles   error   issue active   L2 hit   DRAM read   DRAM written   exact counts
    02-state_passing_fwd_kernel 121,446  -4.5 %     +0.1 p      -1.4 p     -0.0 %       -3.8 %        14 of 14

Cycles and bytes in percent of the measured value, rates in percentage points. Exact counts: counters that are
deterministic, how many of those both have agree to the bit.
"""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from ssmsim.counters import COUNTERS
from ssmsim.engines.summary import plain
from ssmsim.errors import SsmsimError
from ssmsim.measured import CYCLES, TIME_NS, Row, read_measured
from ssmsim.results import Result, read_result

RATES = {
    "issue active": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "L1 hit": "l1tex__t_sector_hit_rate.pct",
    "L2 hit": "lts__t_sector_hit_rate.pct",
}
BYTES = {"DRAM read": "dram__bytes_read.sum", "DRAM written": "dram__bytes_write.sum"}
LONG_NS = 20_000  # launches shorter than this are reported but not in the summary


def percent(simulated: float | None, measured: float | None) -> float | None:
    return None if simulated is None or not measured else 100 * (simulated / measured - 1)


def errors(result: Result, row: Row) -> dict[str, float | None]:
    """Errors of one launch by the names of the columns; None where either side has no value."""
    have = result.counters
    found = {"cycles": percent(have.get(CYCLES), row.get(CYCLES))}
    for title, name in RATES.items():
        value, measured = have.get(name), row.get(name)
        found[title] = None if value is None or measured is None else value - measured
    for title, name in BYTES.items():
        found[title] = percent(have.get(name), row.get(name))
    return found


def agreement(result: Result, row: Row) -> tuple[int, int]:
    """Deterministic counters that agree to the bit, and all of them that both have."""
    both = [name for name, counter in COUNTERS.items() if counter.exact and result.counters.get(name) is not None
            and row.get(name) is not None]  # fmt: skip
    return sum(result.counters[name] == row[name] for name in both), len(both)


def error_table(results: Path, measured: Path) -> Table:
    """Table of all result files under `results` that have a measured row."""
    rows = read_measured(measured).rows
    files = sorted(results.rglob("[!.]*.json")) if results.is_dir() else [results]
    if not files:
        raise SsmsimError("no result files", results, "name a folder with files that `ssmsim simulate --json` wrote")
    table = plain(f"{results} against {measured}")
    titles = ["cycles", *RATES, *BYTES]
    for title in ("launch", "cache", "simulated", "measured", *titles, "exact"):
        table.add_column(title, justify="left" if title == "launch" else "right", no_wrap=True)
    cycles: list[float] = []
    for file in files:
        result = read_result(file)
        row = rows.get((result.launch, result.cache))
        if row is None:
            continue
        found = errors(result, row)
        if found["cycles"] is not None and (row.get(TIME_NS) or LONG_NS) >= LONG_NS:
            cycles.append(abs(found["cycles"]))
        agree, both = agreement(result, row)
        table.add_row(
            Text(result.launch), result.cache, _whole(result.counters.get(CYCLES)), _whole(row.get(CYCLES)),
            *("" if (error := found[t]) is None else f"{error:+.1f}{' p' if t in RATES else ' %'}" for t in titles),
            f"{agree} of {both}",
        )  # fmt: skip
    if not table.rows:
        raise SsmsimError("no result has a measured row", results, "compare results of the workload that was measured")
    if cycles:
        table.caption = Text(f"cycles, {len(cycles)} launches of {LONG_NS // 1000} us or more: mean absolute error "
                             f"{sum(cycles) / len(cycles):.1f} %, worst {max(cycles):.1f} %")  # fmt: skip
    return table


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
