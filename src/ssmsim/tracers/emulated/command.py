"""`ssmsim inspect`, `agree`, `count`: what a launch executes, against traces and counters of the GPU."""

from pathlib import Path
from typing import Annotated

import typer

from ssmsim import options
from ssmsim.errors import SsmsimError

MOST_INSTRUCTIONS, MOST_BYTES = 10**15, 1 << 40
LaunchFolder = Annotated[Path, typer.Argument(help="A launch/1 folder.")]


def register(app: typer.Typer) -> None:
    @app.command()
    def inspect(
        launch: LaunchFolder,
        blocks: Annotated[
            int, options.whole("Thread blocks to run, spread over the grid; 0: all.", 0, options.BLOCKS, "blocks")
        ] = 0,
        code: Annotated[bool, typer.Option(help="Print each instruction with its control field and count.")] = False,
    ) -> None:
        """Emulate a launch and print its totals per pipe and per opcode."""
        from ssmsim.launch import read_launch
        from ssmsim.tracers.emulated.report import inspection

        print(inspection(read_launch(launch), blocks, code))

    @app.command()
    def opcodes() -> None:
        """List the SASS opcodes that are supported: the pipe that executes each, and whether its values are carried out."""
        from ssmsim.tracers.emulated.report import opcode_table

        print(opcode_table())

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

    @app.command()
    def count(
        launches: Annotated[list[Path], typer.Argument(help="Launch folders with measured.csv in the folder above.")],
        most: Annotated[
            int,
            options.whole("Leave out launches that execute more; 0: none.", 0, MOST_INSTRUCTIONS, "warp instructions"),
        ] = 0,
    ) -> None:
        """Emulate whole launches and compare their exact counters with measured ones; exit code 1 when one differs."""
        from ssmsim.tracers.emulated.measured import compare_with_measured, measured_row

        failed = False
        for folder in launches:
            if most and measured_row(folder)["smsp__inst_executed.sum"] > most:
                continue
            equal, other = compare_with_measured(folder)
            typer.echo(
                f"{folder}: {equal.get('smsp__inst_executed.sum', '-')} instructions, {len(equal)} counters equal"
            )
            for name, (emulated, measured) in other.items():
                typer.echo(f"    {name}: emulated {emulated}, measured {measured:.0f}")
            failed |= bool(other)
        if failed:
            raise typer.Exit(1)

    @app.command()
    def reshape(
        launch: LaunchFolder,
        output: Annotated[
            Path, typer.Option("-o", "--output", help="Folder to write: a new one, or one that this command wrote.")
        ],
        grid: Annotated[str, typer.Option(help="New grid, as x,y,z.")] = "",
        param: Annotated[list[str] | None, typer.Option(help="OFFSET=VALUE or NAME=VALUE; may be repeated.")] = None,
        buffer: Annotated[list[str] | None, typer.Option(help="NAME=BYTES; may be repeated.")] = None,
    ) -> None:
        """Write a launch with another grid, parameters and buffer sizes, for other sequence lengths or batches."""
        from ssmsim.launch import read_launch
        from ssmsim.tracers.emulated.reshape import parse_change, parse_grid, write_reshaped
        from ssmsim.tracers.emulated.reshape import reshape as reshaped

        sizes = {str(name): _bytes(name, size) for name, size in parse_change(buffer or []).items()}
        write_reshaped(reshaped(read_launch(launch), parse_grid(grid), parse_change(param or []), sizes), output)


def _bytes(name: int | str, size: int) -> int:
    if not 0 <= size <= MOST_BYTES:
        raise SsmsimError(f"{name}={size} must be from 0 to {MOST_BYTES} bytes", "--buffer", "give another size")
    return size
