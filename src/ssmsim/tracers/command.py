"""`ssmsim trace`: a launch to files that Accel-Sim replays."""

from pathlib import Path
from typing import Annotated

import typer

from ssmsim import options


def register(app: typer.Typer) -> None:
    @app.command()
    def trace(
        launch: Annotated[Path, typer.Argument(help="A launch/1 folder.")],
        output: Annotated[
            Path, typer.Option("-o", "--output", help="Folder to write: a new one, or one that this command wrote.")
        ],
        blocks: Annotated[
            int,
            options.whole("Only so many, evenly spread over the grid; 0: all of them.", 0, options.BLOCKS, "blocks"),
        ] = 0,
        tracer: Annotated[str, typer.Option(help="Where the instruction streams come from.")] = "emulated",
        xz: Annotated[bool, typer.Option("--xz", help="Compress the trace.")] = False,
    ) -> None:
        """Write kernelslist.g and kernel-1.traceg (version 5) of a launch for Accel-Sim."""
        from ssmsim.files import check_folder
        from ssmsim.launch import read_launch
        from ssmsim.sass.decode import decode_launch
        from ssmsim.trace.accelsim_writer import FOLDER, spread, write_folder
        from ssmsim.tracers import open_tracer

        captured = read_launch(launch)
        check_folder(output, FOLDER, captured.inputs)
        program = decode_launch(captured).program
        order = spread(captured.blocks, blocks) if blocks else None
        source = open_tracer(tracer).blocks(captured, program, order)
        written = write_folder(output, captured, program, source, xz)
        typer.echo(
            f"{written.instructions} warp instructions of {written.blocks} blocks, {written.bytes} bytes of text"
        )
