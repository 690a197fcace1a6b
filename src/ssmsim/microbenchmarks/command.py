"""`ssmsim microbench`: measure what the baseline configuration needs, on this machine's GPU."""

from pathlib import Path

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def microbench(
        names: list[str] = typer.Argument(None, help="programs to run; all when none is named"),
        out: Path = typer.Option(..., "-o", help="folder for one JSON per program"),
        cubins: Path = typer.Option(Path("build/microbench"), help="folder for compiled programs"),
    ) -> None:
        """Run the microbenchmarks (needs a GPU; nvcc unless the cubins are there, ncu for counted programs)."""
        from ssmsim.errors import SsmsimError
        from ssmsim.microbenchmarks.build import programs
        from ssmsim.microbenchmarks.run import run

        for name in names or []:
            if name not in programs():
                raise SsmsimError(f"no program {name!r}", "microbench", f"choose from {', '.join(programs())}")
        try:
            run(out, cubins, names or [])
        except RuntimeError as error:
            raise SsmsimError(str(error), "microbench", "see the message of nvcc or of the driver") from None
