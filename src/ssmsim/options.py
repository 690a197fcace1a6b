"""Numbers on the command line: whole numbers with a range and a unit, both in the help and in the error."""

import re
from typing import Any

import typer

DIGITS = 30  # more are no number that any option takes
BLOCKS = (1 << 31) - 1 << 32  # beyond the blocks of any grid
CLOCK_MHZ = (100, 4000)  # of SMs; see ssmsim.config


def whole_number(text: str, low: int, high: int, unit: str) -> int:
    """A decimal number from low to high. Raises ValueError that says what it must be."""
    must = f"must be a whole number from {low} to {high}{' ' if unit else ''}{unit}"
    if not re.fullmatch(rf"[+-]?[0-9]{{1,{DIGITS}}}", text):
        raise ValueError(f"{text[:40]!r} {must}")
    if not low <= int(text) <= high:
        raise ValueError(f"{text} {must}")
    return int(text)


def whole(help_: str, low: int, high: int, unit: str = "", default: int | None = None) -> Any:
    """A typer option for a number from low to high; `default` is allowed besides, whatever it is."""

    def parse(text: str | int) -> int:
        if default is not None and str(text) == str(default):
            return default
        try:
            return whole_number(str(text), low, high, unit)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return typer.Option(help=f"{help_} [{low} to {high}{' ' if unit else ''}{unit}]", parser=parse, metavar="INTEGER")
