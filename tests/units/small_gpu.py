"""A GPU of four SMs, on which small launches fill many waves, and runs of committed launches on it."""

from pathlib import Path
from typing import Any

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import Launch, read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
CAPTURES = ROOT / "tests/data/captures"
BENCHMARKS = ROOT / "traces/h200/microbenchmarks/launches"
CYCLES, ACTIVE = "gpc__cycles_elapsed.max", "sm__cycles_active.max"


def whole_gpu(**changes: Any) -> SimConfig:
    """The H200 with some fields changed: whole_gpu(sm__blocks=1)."""
    values = load(ROOT / "simconfigs/h200.yaml").model_dump()
    for name, value in changes.items():
        group, field = name.split("__")
        assert field in values[group]
        values[group][field] = value
    return SimConfig.model_validate(values)


def small_gpu(**changes: Any) -> SimConfig:
    """Four SMs in two GPCs, 1/32 of the L2 and of the DRAM's bandwidth."""
    share = {"gpu__sms_per_gpc": (2, 2), "l2__bytes": 60 << 15, "l2__slices": 6, "dram__channels": 6,
             "dram__peak_gb_per_s": 150.0, "noc__partition_link_bytes_per_cycle": 64.0}  # fmt: skip
    return whole_gpu(**(share | changes))


def simulate(launch: Launch | Path, config: SimConfig, **more: Any) -> Result:
    """A whole run, all blocks emulated. more: of Request."""
    given = launch if isinstance(launch, Launch) else read_launch(launch)
    program = decode_launch(given).program
    tracer = open_tracer("emulated")
    request = Request(program, tracer.blocks(given, program), given, config, tracer, **more)
    return open_engine("embedded").simulate(request)
