"""One launch through a tracer and an engine."""

from pathlib import Path
from typing import Any

from ssmsim.config.device import check_device
from ssmsim.config.load import load, without_effect
from ssmsim.engines import open_engine
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer


def replay(
    launch_path: Path,
    config_path: Path,
    engine: str,
    tracer: str = "emulated",
    cross_device: bool = False,
    **options: Any,
) -> Result:
    """The result row under a configuration of a launch/1 folder, or of a kernelslist where the engine reads one.

    cross_device: also where the launch was captured on another GPU than the configuration describes, which is otherwise
    refused. Options are the engine's.
    """
    chosen, config = open_engine(engine), load(config_path)
    if launch_path.is_file():
        if not hasattr(chosen, "simulate_list"):
            todo = "use --engine accelsim, or name the launch/1 folder, whose cubin has them"
            raise SsmsimError(f"a trace has no control bits, which engine {engine} needs", launch_path, todo)
        return chosen.simulate_list(launch_path, config, **options)
    launch = read_launch(launch_path)
    if not cross_device:
        check_device(launch, config)
    program = decode_launch(launch).program
    result = chosen.simulate(program, open_tracer(tracer).blocks(launch, program), launch, config, **options)
    if engine == "embedded":
        result.notes += without_effect(config)
    return result
