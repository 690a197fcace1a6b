"""One launch through a tracer and an engine."""

from pathlib import Path
from typing import TypedDict, Unpack

from ssmsim.config.device import check_device
from ssmsim.config.load import load, without_effect
from ssmsim.engines import Engine, open_engine
from ssmsim.engines.request import NO_VIEWS, Request, Views
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer


class More(TypedDict, total=False):
    """Fields of Request that a caller may give."""

    warm: tuple[Path, ...]
    sample: bool | int
    sm_clock_mhz: float | None
    views: Views
    seed: int


def replay(launch_path: Path, config_path: Path, engine: str | Engine = "embedded", tracer: str = "emulated",
           cross_device: bool = False, **more: Unpack[More]) -> Result:  # fmt: skip
    """The result row under a configuration of a launch/1 folder, or of a kernelslist where the engine reads one.

    engine: a name, or an engine made with options of its own.
    cross_device: also where the launch was captured on another GPU than the configuration describes, which is otherwise
    refused.
    """
    chosen, config = open_engine(engine) if isinstance(engine, str) else engine, load(config_path)
    if launch_path.is_file():
        views = more.get("views", NO_VIEWS)
        given = [name for name in ("warm", "sm_clock_mhz") if more.get(name)]
        for name in (*given, *views.wanted()):
            raise SsmsimError(f"{name} does not go with a trace", launch_path, "name the launch/1 folder")
        return chosen.simulate_list(launch_path, config, more.get("sample", False))
    launch, streams = read_launch(launch_path), open_tracer(tracer)
    if not cross_device:
        check_device(launch, config)
    program = decode_launch(launch).program
    blocks = streams.blocks(launch, program)
    result = chosen.simulate(Request(program, blocks, launch, config, streams, **more))
    if result.engine == "embedded":
        result.notes += without_effect(config)
    return result
