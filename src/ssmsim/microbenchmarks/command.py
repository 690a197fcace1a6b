"""`ssmsim microbench` measures on this machine's GPU; `ssmsim microbench-compare` simulates what was measured."""

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

LAUNCHES, BASELINE = Path("traces/h200/microbenchmarks/launches"), Path("simconfigs/h200.yaml")


def register(app: typer.Typer) -> None:
    app.command()(microbench)
    app.command()(microbench_compare)


def _listing(asked: bool) -> None:
    """Print every program below its group, with what it measures, and end."""
    if not asked:
        return
    from ssmsim.microbenchmarks.build import load_program, programs

    for group, names in groupby(programs(), lambda name: name.split("/")[0]):
        print(f"{group}/")
        for name in names:
            print(f"  {name:44s} {(load_program(name).__doc__ or '').splitlines()[0]}")
    raise typer.Exit


def microbench(
    out: Annotated[Path, typer.Option("-o", help="folder for GROUP/NAME.json of each program")],
    names: Annotated[
        list[str] | None, typer.Argument(help="GROUP/NAME or GROUP, such as l2/atomic_throughput or l2; all when none")
    ] = None,
    cubins: Annotated[Path, typer.Option(help="folder for compiled programs")] = Path("build/microbench"),
    _list: Annotated[
        bool, typer.Option("--list", is_eager=True, callback=_listing, help="print the programs by group and end")
    ] = False,
) -> None:
    """Run the microbenchmarks (needs a GPU; nvcc unless the cubins are there, ncu for counted programs)."""
    from ssmsim.errors import SsmsimError
    from ssmsim.microbenchmarks.build import choose
    from ssmsim.microbenchmarks.run import run

    try:
        chosen = choose(names or [])
    except KeyError as error:
        raise SsmsimError(f"no program {error}", "microbench", "see `ssmsim microbench --list`") from None
    try:
        run(out, cubins, chosen)
    except RuntimeError as error:
        raise SsmsimError(str(error), "microbench", "see the message of nvcc or of the driver") from None


def microbench_compare(
    launches: Annotated[Path, typer.Argument(help="folder of saved microbenchmarks")] = LAUNCHES,
    config: Annotated[Path, typer.Option(help="a file of simconfigs/")] = BASELINE,
    only: Annotated[list[str] | None, typer.Option(help="part of GROUP/NAME.CASE; may be given again")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the table here")] = None,
    measured: Annotated[
        Path | None, typer.Option(help="folder of another GPU's results, such as traces/h100/microbenchmarks")
    ] = None,
) -> None:
    """Simulate the saved microbenchmarks and compare cycles per loop round with what was measured."""
    from ssmsim.files import check_output, csv_format, whole_file
    from ssmsim.microbenchmarks.simulate import compare

    format_ = csv_format("table of microbenchmarks", "name", "measured", "simulated")
    if csv is not None:
        check_output(csv, format_)
    lines = ["name,measured,simulated,error,failed"]
    for row in compare(launches, config, only, results=measured):
        error = "" if row.error is None else f"{row.error:+.3f}"
        simulated = "" if row.simulated is None else f"{row.simulated:.2f}"
        print(f"{row.name:64s} {row.measured:10.2f} {simulated:>10s} {error:>7s} {row.failed[:90]}", flush=True)
        lines.append(f"{row.name},{row.measured:.2f},{simulated},{error},{row.failed.replace(',', ';')}")
    if csv is not None:
        with whole_file(csv, format_) as temporary:
            temporary.write_text("\n".join(lines) + "\n")
