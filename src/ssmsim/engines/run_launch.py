"""One launch through a tracer and an engine."""

from collections.abc import Sequence
from pathlib import Path

from ssmsim.config.load import load, without_effect
from ssmsim.engines import Engine, open_engine
from ssmsim.engines.request import NO_VIEWS, Request, Views
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer


def replay(launch_path: Path, config_path: Path, engine: str | Engine = "embedded", tracer: str = "emulated", *,
           warm: Sequence[Path] = (), sample: bool | int = False, sm_clock_mhz: float | None = None,
           views: Views = NO_VIEWS) -> Result:  # fmt: skip
    """The result row under a configuration of a launch/1 folder, or of a kernelslist where the engine reads one.

    engine: a name, or an engine made with options of its own. The rest is as in engines.request.Request.
    """
    chosen, config = open_engine(engine) if isinstance(engine, str) else engine, load(config_path)
    if launch_path.is_file():
        for name, given in (("warm", warm), ("sm_clock_mhz", sm_clock_mhz), *((view, True) for view in views.wanted())):
            if given:
                raise SsmsimError(f"{name} does not go with a trace", launch_path, "name the launch/1 folder")
        return chosen.simulate_list(launch_path, config, sample)
    launch, streams = read_launch(launch_path), open_tracer(tracer)
    program = decode_launch(launch).program
    blocks = streams.blocks(launch, program)
    result = chosen.simulate(
        Request(program, blocks, launch, config, streams, tuple(warm), sample, sm_clock_mhz, views=views)
    )
    if result.engine == "embedded":
        result.notes += without_effect(config)
    return result
