"""When blocks side by side on an SM end, against what the microbenchmark sm/block_issue_priority measured, and the rule by hand."""

import itertools
import json
import struct
from pathlib import Path

import pytest
from measured_bounds import bounds
from streams import EXIT, one_sm, op, run

from ssmsim.elf_attributes import kernel_info
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request, Views
from ssmsim.launch import Buffer, Device, Launch
from ssmsim.microbenchmarks.programs.sm import block_issue_priority as benchmark
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

HERE = Path(__file__).parents[2] / "traces/h100/microbenchmarks"
MEASURED = json.loads((HERE / "sm/block_issue_priority.json").read_text())["samples"]
OUT = 0x7F0000000000
PROGRAM = "sm/block_issue_priority"
# KERNEL.WARPS and the largest difference of an end, in parts of the last one.
ENDS = bounds("h100", "block_ends", f"{PROGRAM}.ends")
REUSED = bounds("h100", "block_ends", f"{PROGRAM}.reused")


def ends(kernel: str, warps: int, blocks: int, folder: Path) -> list[int]:
    """Cycles from the first block's start to each one's end, on one SM that has run it before."""
    cubin = HERE / f"launches/sm/cubins/block_issue_priority.{kernel}.cubin"
    launch = Launch(
        format="launch/1", kernel=kernel, device=Device(name="NVIDIA H100", compute_capability=(9, 0)), grid=(blocks, 1, 1),
        block=(32 * warps, 1, 1), shared_memory_bytes=benchmark.SHARED, registers_per_thread=kernel_info(cubin.read_bytes(), kernel).registers,
        cubin=str(cubin), buffers=[Buffer(name="out", address=OUT, bytes=1 << 12)],
        params=struct.pack("<Qii", OUT, benchmark.ROUNDS, blocks > benchmark.RESIDENT).hex(), provenance={},
    )  # fmt: skip
    launch.write(folder)
    program = decode_launch(launch).program
    tracer, views = open_tracer("emulated"), Views(timeline=folder / "line.json", timeline_sm=None)
    request = Request(program, tracer.blocks(launch, program), launch, one_sm(), tracer, (folder,), views=views)
    open_engine("embedded").simulate(request)
    line = json.loads((folder / "line.json").read_text())
    spans = [(event["ts"], event["ts"] + event["dur"]) for event in line["traceEvents"] if event["ph"] == "X"]
    return [end - min(spans)[0] for _, end in sorted(spans)]


@pytest.mark.parametrize("name", ENDS)
def test_blocks_end_as_on_the_gpu(name: str, tmp_path: Path):
    kernel, warps = name.split(".")
    measured = MEASURED["ends"][name]["ends"]
    simulated = ends(kernel, int(warps), benchmark.RESIDENT, tmp_path)
    assert simulated == pytest.approx(measured, abs=ENDS[name] * measured[-1])


@pytest.mark.parametrize("kernel", benchmark.KEPT)
def test_a_place_counts_from_the_launch_of_its_block(kernel: str, tmp_path: Path):
    """The fifth block has the place of the first, and goes last."""
    measured = MEASURED["reused"][f"{kernel}.4"]["ends"]
    simulated = ends(kernel, 4, benchmark.RESIDENT + 1, tmp_path)
    assert sorted(simulated) == simulated
    assert simulated == pytest.approx(measured, abs=REUSED[f"{kernel}.4"] * measured[-1])


LOGIC = op("LOP3.LUT R0, R1, R2, R3, 0x0, !PT", stall=2, yields=True)


def test_at_a_pipe_the_older_block_goes_first():
    """Two blocks of a warp per sub-core: the younger, launched 24 cycles later, waits until the older is through."""
    cycles = run([*[LOGIC] * 40, EXIT], [list(range(41))] * 4, blocks=2).cycles
    older, younger = cycles[0, 0], cycles[1, 0]
    assert older[:40] == [2 * i for i in range(40)]
    assert younger[0] > older[39]


def test_of_five_chains_the_youngest_block_s_waits():
    """Four blocks of a warp per sub-core, an instruction every four cycles, fill the issue slots (microbenchmark sm/tile_pipeline_throughput)."""
    chain = op("FMUL R0, R0, R1", stall=4, yields=True)
    cycles = run([*[chain] * 200, EXIT], [list(range(201))] * 4, blocks=5).cycles
    took = [cycles[block, 0][199] - cycles[block, 0][0] for block in range(5)]
    assert all(cycles[4, 0][150] > cycles[block, 0][199] for block in range(4))
    assert max(took[:4]) < 1.05 * 4 * 199


def test_at_a_pipe_warps_of_a_block_have_turns():
    cycles = run([op("BAR.SYNC 0x0", barrier=0), *[LOGIC] * 12, EXIT], [list(range(14))] * 8).cycles
    order = sorted((cycle, w) for w in (0, 4) for cycle in cycles[0, w][1:13])
    assert all(a != b for (_, a), (_, b) in itertools.pairwise(order))
    assert order[-1][0] - order[0][0] == 2 * 23


def test_in_a_loop_who_took_a_branch_longer_ago_goes_through_its_run_first():
    """Two warps of a sub-core: turns in the first round, one run behind the other in the second (microbenchmark sm/pipe_arbitration)."""
    length = 12
    loop = [*[LOGIC] * length, op("BRA 0x0", stall=5), EXIT]
    cycles = run(loop, [[*range(length + 1)] * 2 + [length + 1]] * 8).cycles
    one, other = sorted((cycles[0, w] for w in (0, 4)), key=lambda issued: issued[length])
    first, second = slice(0, length), slice(length + 1, 2 * length + 1)
    assert max(abs(a - b) for a, b in zip(one[first], other[first], strict=True)) == 2
    assert other[second][1] > one[second][-1]
