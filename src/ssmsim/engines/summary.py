"""Result rows for people: plain tables that nothing is cut from, however narrow the terminal."""

from typing import TextIO

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ssmsim.counters import COUNTERS
from ssmsim.results import Result

WIDEST = 100_000  # columns; a line that a terminal has no room for is its to wrap


def table(result: Result) -> Table:
    """Counters that the engine had, with their units.

     value  unit   counter
    11,621  cycle  gpc__cycles_elapsed.max
    """
    speed = result.warp_instructions / max(result.wall_seconds, 1e-9) / 1e6
    out = plain(f"{result.launch} on {result.config}, {result.engine}, {result.cache} L2")
    for column in ("value", "unit", "counter"):
        out.add_column(column, justify="right" if column == "value" else "left", no_wrap=True)
    for name, counter in COUNTERS.items():
        value = result.counters.get(name)
        if value is not None:
            out.add_row(f"{value:,.2f}".removesuffix(".00"), counter.unit, name)
    lines = [f"{result.warp_instructions:,} warp instructions in {result.wall_seconds:.1f} s: {speed:.2f} million/s"]
    out.caption = Text("\n".join([*lines, *result.notes]))
    return out


def plain(title: str) -> Table:
    """A table without a frame; names in it are text, never markup."""
    return Table(title=Text(title), box=None, title_justify="left", caption_justify="left", pad_edge=False,
                 padding=(0, 2, 0, 0))  # fmt: skip


def show(out: Table, stream: TextIO) -> None:
    """Print a table as wide as it is, a row a line."""
    console = Console(file=stream, width=WIDEST, highlight=False)
    lines = [text.plain for text in (out.title, out.caption) if isinstance(text, Text)]
    widest = [len(line) for text in lines for line in text.splitlines()]
    width = max([Measurement.get(console, console.options, out).maximum, *widest])
    console.width = width
    with console.capture() as captured:
        console.print(out)
    stream.write("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")
