"""`ssmsim trace`: a launch to files that Accel-Sim replays."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def trace(
        launch: Annotated[Path, typer.Argument(help="A launch/1 folder.")],
        output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write; replaced when it exists.")],
        blocks: Annotated[
            int, typer.Option(help="Only this many thread blocks, evenly spread over the grid; 0: all of them.", min=0)
        ] = 0,
        tracer: Annotated[str, typer.Option(help="Where the instruction streams come from.")] = "emulated",
        xz: Annotated[bool, typer.Option("--xz", help="Compress the trace.")] = False,
    ) -> None:
        """Write kernelslist.g and kernel-1.traceg (version 5) of a launch for Accel-Sim."""
        from ssmsim.launch import read_launch
        from ssmsim.sass.decode import decode_launch
        from ssmsim.trace.accelsim_writer import spread, write_folder
        from ssmsim.tracers import open_tracer

        captured = read_launch(launch)
        program = decode_launch(captured).program
        order = spread(captured.blocks, blocks) if blocks else None
        source = open_tracer(tracer).blocks(captured, program, order)
        written = write_folder(output, captured, program, source, xz)
        typer.echo(
            f"{written.instructions} warp instructions of {written.blocks} blocks, {written.bytes} bytes of text"
        )
