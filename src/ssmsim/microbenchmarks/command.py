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

    @app.command()
    def microbench_compare(
        launches: Path = typer.Argument(
            Path("traces/h200/microbenchmarks/launches"), help="folder of saved microbenchmarks"
        ),
        config: Path = typer.Option(Path("simconfigs/h200.yaml"), help="a file of simconfigs/"),
        only: list[str] = typer.Option(None, help="part of a name; may be given again"),
        csv: Path = typer.Option(None, help="write the table here"),
    ) -> None:
        """Replay the saved microbenchmarks and compare cycles per loop round with what was measured."""
        from ssmsim.files import whole_file
        from ssmsim.microbenchmarks.replay import compare

        lines = ["name,measured,simulated,error,failed"]
        for row in compare(launches, config, only):
            error = "" if row.error is None else f"{row.error:+.3f}"
            simulated = "" if row.simulated is None else f"{row.simulated:.2f}"
            print(
                f"{row.name:44s} measured {row.measured:10.2f} simulated {simulated:>10s} {error:>7s} {row.failed[:90]}",
                flush=True,
            )
            lines.append(f"{row.name},{row.measured:.2f},{simulated},{error},{row.failed.replace(',', ';')}")
        if csv is not None:
            with whole_file(csv) as temporary:
                temporary.write_text("\n".join(lines) + "\n")
