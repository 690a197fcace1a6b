"""A result row for people."""

from rich.table import Table

from ssmsim.counters import COUNTERS
from ssmsim.results import Result


def table(result: Result) -> Table:
    """Counters that the engine had, with their units."""
    speed = result.warp_instructions / max(result.wall_seconds, 1e-9) / 1e6
    out = Table(title=f"{result.launch} on {result.config}, {result.engine}, {result.cache} L2")
    for column in ("counter", "value", "unit"):
        out.add_column(column, justify="right" if column == "value" else "left")
    for name, counter in COUNTERS.items():
        value = result.counters.get(name)
        if value is not None:
            out.add_row(name, f"{value:,.2f}".removesuffix(".00"), counter.unit)
    out.caption = (
        f"{result.warp_instructions:,} warp instructions in {result.wall_seconds:.1f} s: {speed:.2f} million/s"
    )
    for note in result.notes:
        out.caption += f"\n{note}"
    return out
