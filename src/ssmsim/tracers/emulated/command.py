"""`ssmsim inspect` and `ssmsim agree`: what a launch executes, and whether the emulator agrees with a trace of the
GPU.
"""

from pathlib import Path
from typing import Annotated

import typer

LaunchFolder = Annotated[Path, typer.Argument(help="A launch/1 folder.")]


def register(app: typer.Typer) -> None:
    @app.command()
    def inspect(
        launch: LaunchFolder,
        blocks: Annotated[int, typer.Option(help="Thread blocks to run, spread over the grid; 0: all.")] = 0,
        code: Annotated[bool, typer.Option(help="Print each instruction with its control field and count.")] = False,
    ) -> None:
        """Emulate a launch and print its totals per pipe and per opcode."""
        from ssmsim.launch import read_launch
        from ssmsim.tracers.emulated.report import inspection

        print(inspection(read_launch(launch), blocks, code))

    @app.command()
    def agree(
        launches: Annotated[list[Path], typer.Argument(help="Launch folders with an NVBit trace beside.")],
    ) -> None:
        """Compare the emulated streams of launches with the traces that a GPU gave; exit code 1 when a fault is
        found.
        """
        from ssmsim.launch import read_launch
        from ssmsim.tracers.emulated.report import agreement_row, agreement_table

        rows = [agreement_row(read_launch(folder)) for folder in launches]
        print(agreement_table(rows))
        if any(row.faults for row in rows):
            raise typer.Exit(1)
