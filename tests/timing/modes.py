"""Counters of two launches, for comparison between processes: `python modes.py` prints them."""

import json
from pathlib import Path

from mixed import everything
from streams import Streams, assemble, launch, one_sm

from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

REDUCE = Path(__file__).parents[2] / "traces/h200/mamba2-2.7b/17-reduce_kernel"  # 495 warp instructions


def counters() -> list[dict[str, float | None]]:
    """Of hand-made warps that use every unit on three SMs, and of a captured launch, emulated."""
    three = {"gpu__sms_per_gpc": (2, 1), "l2__partitions": 2, "dram__refresh_interval_ns": 500.0}
    config, engine, ops = one_sm(**three), open_engine("embedded"), everything()
    source = Streams(ops, [list(range(len(ops)))] * 4, blocks=4)
    mixed = engine.simulate(Request(assemble(ops), source, launch(4), config))
    given = read_launch(REDUCE)
    program = decode_launch(given).program
    real = engine.simulate(Request(program, open_tracer("emulated").blocks(given, program), given, config))
    return [mixed.counters, real.counters]


if __name__ == "__main__":
    print(json.dumps(counters()))
