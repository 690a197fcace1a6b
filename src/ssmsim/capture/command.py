"""`ssmsim capture`, `ssmsim measure` and `ssmsim ablate`."""

from pathlib import Path
from typing import Annotated

import typer

from ssmsim import options
from ssmsim.capture.modes import LIMIT_MIB, MODES

Out = Annotated[
    Path, typer.Option("-o", "--out", help="folder of the capture: a new one, or one that this command wrote")
]
Program = Annotated[list[str], typer.Argument(help="python SCRIPT ..., after --")]


def register(app: typer.Typer) -> None:
    @app.command()
    def capture(
        program: Program,
        out: Out,
        contents: Annotated[
            str,
            typer.Option(
                help="bytes of buffers to record at each launch: needed (those that addresses, masks and branches hang on), "
                "all, none"
            ),
        ] = "needed",
        contents_limit: Annotated[
            int, options.whole("MiB of a needed buffer: a larger one is not recorded", 0, 1 << 20, "MiB")
        ] = LIMIT_MIB,
        every_launch: Annotated[
            bool, typer.Option("--every-launch", help="a folder for each launch, also where launches are equal")
        ] = False,
        workers: Annotated[
            int | None,
            options.whole(
                "processes that try launches beside the program; 0: none, the program waits; one less than the cores when "
                "not given",
                0,
                1024,
                "processes",
            ),
        ] = None,
        tracer: Annotated[
            str, typer.Option(help="nvbit: run once more under Accel-Sim's tracer, keep its traces")
        ] = "",
        tracer_tool: Annotated[Path, typer.Option(help="Accel-Sim's tracer", envvar="ACCELSIM_TRACER_TOOL")] = Path(
            "tracer_tool.so"
        ),
    ) -> None:
        """Write a launch/1 folder for every kernel launched between cudaProfilerStart and cudaProfilerStop (GPU).

        Kernels of CUDA graphs are launches, too. Equal launches are stored once.
        """
        from ssmsim.capture.child import run_inside
        from ssmsim.capture.nvbit import summary, trace_capture
        from ssmsim.capture.refused import summary as refusals
        from ssmsim.errors import SsmsimError
        from ssmsim.files import whole_folder

        if contents not in MODES:
            raise SsmsimError(f"no {contents!r} of contents", "--contents", f"one of {', '.join(MODES)}")
        if tracer not in ("", "nvbit"):
            raise SsmsimError(f"no tracer {tracer!r} that runs on a GPU", "--tracer", "the one is nvbit")
        with whole_folder(out, "capture") as folder:
            wish = {"out": str(folder), "mode": "capture", "contents": contents, "limit_mib": contents_limit}
            run_inside(program, wish | {"every": every_launch, "workers": workers})
            typer.echo(refusals(folder))
            if tracer:
                typer.echo(summary(trace_capture(program, folder, tracer_tool)))

    @app.command()
    def measure(
        out: Out,
        program: Annotated[list[str] | None, typer.Argument(help="python SCRIPT ..., after --")] = None,
        captured: Annotated[
            Path | None,
            typer.Option(help="in place of a program: launches of this capture, from their cubins, on this GPU; cold"),
        ] = None,
        repeat: Annotated[
            int, options.whole("how often a program, or each launch of --captured", 1, 1000, "times")
        ] = 5,
        cold: Annotated[
            bool, typer.Option(help="a program with cold caches alone: with --repeat 1 it runs three times")
        ] = False,
        again: Annotated[
            list[str] | None,
            typer.Option(help="a counter to measure anew, cold and in one pass, in the table that is there"),
        ] = None,
        warm: Annotated[
            bool, typer.Option(help="with --again: with the caches as the launch before left them")
        ] = False,
        stall_samples: Annotated[
            bool,
            typer.Option(help="in place of a program: warp samples of the launches in the folder, from their cubins"),
        ] = False,
        energy: Annotated[
            bool,
            typer.Option(help="in place of a program: energy of the launches in the folder, or of --captured, by NVML"),
        ] = False,
        only: Annotated[
            list[str] | None, typer.Option(help="with --energy: launches named like this, such as '0[0-4]-*'")
        ] = None,
    ) -> None:
        """Measure the launches of a capture: ncu's counters with cold and warm caches, and event times (GPU, ncu)."""
        from ssmsim.capture.again import measure_again
        from ssmsim.capture.elsewhere import measure_captured
        from ssmsim.capture.measure import CACHES
        from ssmsim.capture.measure import measure as run
        from ssmsim.errors import SsmsimError

        if energy:
            if program or again or warm or stall_samples:
                raise SsmsimError(
                    "--energy takes nothing but -o and --captured", "ssmsim measure", "leave the rest out"
                )
            from ssmsim.capture.energy import measure_energy

            measure_energy(captured or out, out, only)
            return
        if only:
            raise SsmsimError("--only goes with --energy", "ssmsim measure", "leave it out")
        if stall_samples:
            if captured is not None or program or again or warm:
                raise SsmsimError("--stall-samples takes nothing but -o", "ssmsim measure", "leave the rest out")
            _sample_stalls(out)
            return
        if captured is not None and (program or again or warm):
            raise SsmsimError("--captured takes no program, --again or --warm", "ssmsim measure", "leave one out")
        if captured is not None:
            measure_captured(captured, out, repeat)
            return
        if not program:
            raise SsmsimError(
                "no program to run", "ssmsim measure", "give `-- python SCRIPT ...`, or --captured FOLDER"
            )
        if warm and not again:
            raise SsmsimError("--warm says how to measure --again", "ssmsim measure", "name a counter with --again")
        if cold and again:
            raise SsmsimError(
                "--cold goes without --again", "ssmsim measure", "--again is cold unless --warm says otherwise"
            )
        if again:
            measure_again(program, out, again, "warm" if warm else "cold")
        else:
            run(program, out, repeat, ("cold",) if cold else CACHES)

    @app.command()
    def ablate(
        launch: Annotated[Path, typer.Argument(help="a launch/1 folder")],
        out: Out,
        off: Annotated[list[str], typer.Option(help="NAME=BEGINNING,...: a variant without these instructions")],
    ) -> None:
        """Write a capture of variants of a launch whose instructions are off: what do they cost, on a GPU and in the model?"""
        from ssmsim.capture.ablate import ablate as write
        from ssmsim.capture.ablate import parse_variants
        from ssmsim.launch import read_launch

        for name in write(read_launch(launch), parse_variants(off), out):
            typer.echo(out / name)


def _sample_stalls(folder: Path) -> None:
    """ncu's own report goes where temporary files go, and away again."""
    import tempfile

    from ssmsim.capture.stall_samples import sample_stalls

    with tempfile.TemporaryDirectory() as temporary:
        sample_stalls(folder, Path(temporary) / "samples.ncu-rep")
