"""Commands `simulate` and `compare`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ssmsim.errors import SsmsimError


def register(app: typer.Typer) -> None:
    app.command()(simulate)
    app.command()(compare)


def simulate(
    launch: Annotated[Path, typer.Argument(help="a launch/1 folder, or an Accel-Sim kernelslist.g")],
    config: Annotated[Path, typer.Option(help="a file of simconfigs/")],
    engine: Annotated[str, typer.Option(help="embedded or accelsim")] = "embedded",
    tracer: Annotated[str, typer.Option(help="where the instruction streams come from")] = "emulated",
    json: Annotated[Path | None, typer.Option(help="write the result row here")] = None,
    timeline: Annotated[Path | None, typer.Option(help="write a Perfetto trace of one SM here")] = None,
    stalls: Annotated[Path | None, typer.Option(help="write what each instruction waited for here, as CSV")] = None,
    warp_samples: Annotated[
        Path | None, typer.Option(help="write what ncu's warp sampler would see here, as CSV")
    ] = None,
    warm: Annotated[list[Path] | None, typer.Option(help="a launch that ran before; again: oldest first")] = None,
    timeline_sm: Annotated[str, typer.Option(help="number of that SM, or 'all' for the blocks of the GPU")] = "0",
    sample: Annotated[bool, typer.Option(help="a few waves of blocks, the whole estimated")] = False,
    sample_instructions: Annotated[int, typer.Option(help="warp instructions to time when sampling; 0: default")] = 0,
    sm_clock_mhz: Annotated[int, typer.Option(help="SM clock of the measurement compared with; 0: the config's")] = 0,
) -> None:
    """Replay one launch under a configuration and give the counters that Nsight Compute would have given."""
    from rich.console import Console

    from ssmsim.engines.run_launch import replay

    before = warm[0] if warm and len(warm) == 1 else warm
    options: dict[str, Any] = {"timeline": timeline, "stalls": stalls, "samples": warp_samples, "warm": before,
                               "sample": sample_instructions or sample, "sm_clock_mhz": sm_clock_mhz}  # fmt: skip
    options = {name: value for name, value in options.items() if value}
    if timeline is not None:
        options["timeline_sm"] = sm_number(timeline_sm)
    result = replay(launch, config, engine, tracer, **options)
    if json is not None:
        result.write(json)
    from ssmsim.engines.summary import table

    Console().print(table(result))


def sm_number(text: str) -> int | None:
    """'all' is None. Raises SsmsimError for what is not a number."""
    if text == "all":
        return None
    if not text.isdigit():
        raise SsmsimError(f"--timeline-sm {text!r} is not the number of an SM", "", "give a number, or all")
    return int(text)


def compare(
    results: Annotated[Path, typer.Argument(help="a result file, or a folder of them")],
    measured: Annotated[Path, typer.Option(help="measured.csv as `ssmsim measure` wrote it")],
) -> None:
    """Table of the errors of simulated against measured counters."""
    from rich.console import Console

    from ssmsim.engines.compare import error_table

    Console(width=180).print(error_table(results, measured))
