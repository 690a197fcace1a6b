"""`ssmsim coverage`: how much of a captured program can be replayed."""

import json as writer
import sys
from pathlib import Path
from typing import Annotated

import typer

from ssmsim import options as take

BLOCKS = 4
PROCESSES = 1024


def register(app: typer.Typer) -> None:
    app.command()(coverage)


def coverage(
    folder: Annotated[Path, typer.Argument(help="a folder that `ssmsim capture` wrote, or one above such folders")],
    json: Annotated[bool, typer.Option("--json", help="print one JSON object in place of the tables")] = False,
    config: Annotated[Path, typer.Option(help="a file of simconfigs/")] = Path("simconfigs/h100.yaml"),
    blocks: Annotated[
        int, take.whole("blocks of each launch to emulate, spread over its grid; 0: all", 0, take.BLOCKS, "blocks")
    ] = BLOCKS,
    workers: Annotated[
        int | None,
        take.whole("processes that check launches; one for each core when not given", 1, PROCESSES, "processes"),
    ] = None,
) -> None:
    """Say which share of a captured program's launches, time and opcodes can be replayed, and what is missing."""
    from ssmsim.config.load import load
    from ssmsim.coverage.beside import each
    from ssmsim.coverage.check import Checked
    from ssmsim.coverage.occurrences import occurrences
    from ssmsim.coverage.summary import as_json, summarise, tables
    from ssmsim.engines.summary import show

    ran = occurrences(folder)
    folders = list(dict.fromkeys(one.folder for one in ran if one.folder is not None))
    checked = dict(zip(folders, each(folders, load(config), blocks, workers), strict=True))
    broken = [found for found in checked.values() if isinstance(found, str)]
    for message in broken:
        print(message, file=sys.stderr)
    pairs = []
    for one in ran:
        found = Checked(one.name, f"not captured: {one.reason}") if one.folder is None else checked[one.folder]
        pairs.append((one, Checked(one.name, "not a whole launch") if isinstance(found, str) else found))
    shares = summarise(pairs)
    if json:
        print(writer.dumps(as_json(folder, shares), indent=1))
    else:
        for table in tables(folder, shares):
            show(table, sys.stdout)
    if broken:
        raise typer.Exit(1)
