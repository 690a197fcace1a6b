"""A doubling that is balanced makes saturating loops 1.9 times as fast and more; one of its parts alone hardly does.

The loops are machine code that ran on a GPU: microbenchmarks sm/instruction_latency_throughput, sm/hmma_latency_throughput
and sm/hgmma_throughput. More loops and what each part gives: docs/configurations.md.
"""

from functools import cache
from pathlib import Path

import pytest

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import Launch, read_launch
from ssmsim.microbenchmarks.simulate import CYCLES, with_rounds
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
LAUNCHES = ROOT / "traces/h200/microbenchmarks/launches/sm"
FEW, MANY = 10, 40  # rounds: what a cold start takes is in both


def of(case: str, threads: int) -> Launch:
    """A saved loop with so many threads in its block."""
    launch = read_launch(LAUNCHES / case)
    buffers = [buffer.model_copy(update={"bytes": 8 * threads}) for buffer in launch.buffers]
    copy = launch.model_copy(update={"block": (threads, 1, 1), "buffers": buffers})
    copy._folder = launch.folder
    return copy


def cycles(launch: Launch, config: SimConfig) -> float:
    program = decode_launch(launch).program
    blocks = open_tracer("emulated").blocks(launch, program)
    return float(open_engine("embedded").simulate(Request(program, blocks, launch, config)).counters[CYCLES] or 0)


@cache
def round_of(case: str, threads: int, config: str) -> float:
    """Cycles of a round of the loop."""
    launch, values = of(case, threads), load(ROOT / f"simconfigs/{config}.yaml")
    few, many = (cycles(with_rounds(launch, rounds), values) for rounds in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def gain(case: str, threads: int, config: str) -> float:
    return round_of(case, threads, "h100") / round_of(case, threads, config)


VECTOR = [
    ("instruction_latency_throughput.ffma.rate.16", 1024),
    ("instruction_latency_throughput.iadd3.rate.16", 512),
    ("instruction_latency_throughput.mufu_ex2.rate.16", 512),
    ("instruction_latency_throughput.hfma2_bf16.rate.16", 1024),
]
TENSOR = [
    ("hmma_latency_throughput.bf16.rate.16", 512),
    *((f"hgmma_throughput.n{n}.ss.8.2", 384) for n in (32, 128)),
    *((f"hgmma_throughput.n{n}.rs.8.2", 256) for n in (64, 128)),
    ("hgmma_throughput.n32.rs.8.2", 512),
]


@pytest.mark.parametrize(("case", "threads"), VECTOR, ids=[case for case, _ in VECTOR])
def test_twice_the_vector_rate(case: str, threads: int) -> None:
    assert gain(case, threads, "balanced_vector_x2") >= 1.9


@pytest.mark.parametrize(("case", "threads"), TENSOR, ids=[case for case, _ in TENSOR])
def test_twice_the_tensor_rate(case: str, threads: int) -> None:
    assert gain(case, threads, "balanced_tensor_x2") >= 1.9


@pytest.mark.parametrize(
    ("case", "threads", "part", "most"),
    [
        (*VECTOR[0], "fp32_x2", 1.05),  # a warp instruction per cycle was issued already
        (*VECTOR[0], "issue_x2", 1.05),  # and the lanes took no more
        (*VECTOR[0], "vector_x2_issue_x2", 1.1),  # three operands a cycle are all that the register banks give
        ("hgmma_throughput.n128.ss.8.2", 384, "tensor_x2", 1.4),  # A and B come at the old rate
        ("hgmma_throughput.n128.ss.8.2", 384, "smem_x2", 1.05),
        ("hgmma_throughput.n32.ss.8.2", 384, "tensor_x2", 1.05),
    ],
)
def test_a_part_alone_does_not(case: str, threads: int, part: str, most: float) -> None:
    assert gain(case, threads, part) <= most
