"""One launch through a tracer and an engine."""

from pathlib import Path
from typing import Any

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer


def replay(launch_path: Path, config_path: Path, engine: str, tracer: str = "emulated", **options: Any) -> Result:
    """The result row of a launch/1 folder under a configuration. Options are the engine's."""
    chosen, config = open_engine(engine), load(config_path)
    launch = read_launch(launch_path)
    program = decode_launch(launch).program
    return chosen.simulate(program, open_tracer(tracer).blocks(launch, program), launch, config, **options)
