"""Commands `simulate` and `compare`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ssmsim import options as take
from ssmsim.errors import SsmsimError
from ssmsim.files import Format, check_outputs, csv_format, is_stdout
from ssmsim.results import RESULT

MOST_SMS, MOST_INSTRUCTIONS, MOST_SEEDS = 1024, 10**12, 2**31
OUTPUTS = {
    "--json": RESULT,
    "--timeline": Format("Perfetto trace", lambda head: head.startswith(b'{"traceEvents":')),
    "--stalls": csv_format("table of stalls", "pc", "executed"),
    "--warp-samples": csv_format("table of warp samples", "pc", "reason", "samples"),
}


def register(app: typer.Typer) -> None:
    app.command()(simulate)
    app.command()(compare)


def simulate(
    launch: Annotated[Path, typer.Argument(help="a launch/1 folder, or an Accel-Sim kernelslist.g")],
    config: Annotated[Path, typer.Option(help="a file of simconfigs/")],
    engine: Annotated[str, typer.Option(help="embedded or accelsim")] = "embedded",
    tracer: Annotated[str, typer.Option(help="where the instruction streams come from")] = "emulated",
    json: Annotated[Path | None, typer.Option(help="write the result row here; -: to standard output")] = None,
    timeline: Annotated[Path | None, typer.Option(help="write a Perfetto trace of one SM here")] = None,
    stalls: Annotated[Path | None, typer.Option(help="write what each instruction waited for here, as CSV")] = None,
    warp_samples: Annotated[
        Path | None, typer.Option(help="write what ncu's warp sampler would see here, as CSV")
    ] = None,
    warm: Annotated[list[Path] | None, typer.Option(help="a launch that ran before; again: oldest first")] = None,
    timeline_sm: Annotated[str, typer.Option(help="number of that SM, or 'all' for the blocks of the GPU")] = "0",
    sample: Annotated[bool, typer.Option(help="a few waves of blocks, the whole estimated")] = False,
    sample_instructions: Annotated[
        int, take.whole("how many to time when sampling; 0: default", 1, MOST_INSTRUCTIONS, "warp instructions", 0)
    ] = 0,
    sm_clock_mhz: Annotated[
        int, take.whole("SM clock of the measurement compared with; 0: the config's", *take.CLOCK_MHZ, "MHz", 0)
    ] = 0,
    cross_device: Annotated[
        bool, typer.Option(help="a launch that was captured on another GPU than the config's")
    ] = False,
    seed: Annotated[int, take.whole("draw of SMs' start and of sample places; 0: neither", 0, MOST_SEEDS, "")] = 0,
) -> None:
    """Replay one launch under a configuration and give the counters that Nsight Compute would have given."""
    from ssmsim.engines.request import Views
    from ssmsim.engines.run_launch import replay

    outputs = dict(zip(OUTPUTS, (json, timeline, stalls, warp_samples), strict=True))
    wanted = {option: (path, OUTPUTS[option]) for option, path in outputs.items() if path is not None}
    check_outputs(wanted, [launch, config])  # a result must not be lost for want of a place
    views = Views(timeline, 0 if timeline is None else sm_number(timeline_sm), stalls, warp_samples)
    result = replay(launch, config, engine, tracer, warm=tuple(warm or ()), sample=sample_instructions or sample,
                    sm_clock_mhz=sm_clock_mhz or None, views=views, cross_device=cross_device, seed=seed)  # fmt: skip
    from ssmsim.engines.summary import show, table

    piped = any(is_stdout(path) for path, _ in wanted.values())
    try:
        if json is not None:
            result.write(json)
    finally:
        show(table(result), sys.stderr if piped else sys.stdout)


def sm_number(text: str) -> int | None:
    """'all' is None. Raises SsmsimError for what is not the number of an SM."""
    if text == "all":
        return None
    try:
        return take.whole_number(text, 0, MOST_SMS - 1, "")
    except ValueError as error:
        raise SsmsimError(f"{error}, or all", "--timeline-sm", "give the number of an SM") from None


def compare(
    results: Annotated[Path, typer.Argument(help="a result file, or a folder of them")],
    measured: Annotated[Path, typer.Option(help="measured.csv as `ssmsim measure` wrote it")],
) -> None:
    """Table of the errors of simulated against measured counters."""
    from ssmsim.engines.compare import error_table
    from ssmsim.engines.summary import show

    show(error_table(results, measured), sys.stdout)
