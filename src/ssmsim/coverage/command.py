"""`ssmsim coverage`: how much of a captured program can be replayed."""

import json as writer
import sys
from pathlib import Path
from typing import Annotated

import typer

from ssmsim import options as take

BLOCKS = 4


def register(app: typer.Typer) -> None:
    app.command()(coverage)


def coverage(
    folder: Annotated[Path, typer.Argument(help="a folder that `ssmsim capture` wrote, or one above such folders")],
    json: Annotated[bool, typer.Option("--json", help="print one JSON object in place of the tables")] = False,
    config: Annotated[Path, typer.Option(help="a file of simconfigs/")] = Path("simconfigs/h100.yaml"),
    blocks: Annotated[
        int, take.whole("blocks of each launch to emulate, spread over its grid; 0: all", 0, take.BLOCKS, "blocks")
    ] = BLOCKS,
) -> None:
    """Say which share of a captured program's launches, time and opcodes can be replayed, and what is missing."""
    from ssmsim.config.load import load
    from ssmsim.coverage.check import Checked, check
    from ssmsim.coverage.occurrences import occurrences
    from ssmsim.coverage.summary import as_json, summarise, tables
    from ssmsim.engines.summary import show
    from ssmsim.errors import SsmsimError, one_line

    machine, broken, pairs = load(config), 0, []
    for one in occurrences(folder):
        if one.folder is None:
            pairs.append((one, Checked(one.name, f"not captured: {one.reason}")))
            continue
        try:
            pairs.append((one, check(one.folder, machine, blocks)))
        except SsmsimError as error:
            broken += 1
            print(one_line(str(error)), file=sys.stderr)
            pairs.append((one, Checked(one.name, "not a whole launch")))
    found = summarise(pairs)
    if json:
        print(writer.dumps(as_json(folder, found), indent=1))
    else:
        for table in tables(folder, found):
            show(table, sys.stdout)
    if broken:
        raise typer.Exit(1)
