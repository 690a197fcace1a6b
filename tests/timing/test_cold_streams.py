"""Streams through a cold L2: the engine's elapsed cycles and bytes to DRAM against those counted on an H200."""

import json
import struct
from functools import cache
from pathlib import Path

import pytest
from measured_bounds import bounds

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.contents import write_contents
from ssmsim.elf_attributes import kernel_info
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.launch import Buffer, Device, Launch
from ssmsim.microbenchmarks.programs.l2.cold_stream_traffic import GRID, MB, THREADS, stream_bytes
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "traces/h200/microbenchmarks"
SINK, STREAMS = 1 << 33, 1 << 34  # addresses
ELAPSED = "gpc__cycles_elapsed.max"

CASES = bounds("h200", "elapsed_cycles", "l2/cold_stream_traffic")


@cache
def measured() -> dict[str, dict[str, float]]:
    return {row["label"]: row for row in json.loads((RESULTS / "l2/cold_stream_traffic.json").read_text())["counted"]}


def parts(case: str) -> tuple[int, int, int, int]:
    """Reads, writes, depth, bytes of a stream."""
    ratio, size = case.split(".")
    reads, writes, depth = (int(part) for part in ratio.split("_"))
    return reads, writes, depth, int(size.removesuffix("MB")) * MB


def counters(case: str, folder: Path, config: SimConfig) -> dict[str, float | None]:
    """Of the case's launch, with an empty L2."""
    reads, writes, _, size = parts(case)
    kernel = f"stream_{case.split('.')[0]}"
    cubin = RESULTS / f"launches/l2/cubins/cold_stream_traffic.{kernel}.cubin"
    write_contents(folder / "zeros.bin.zst", bytes((reads + writes) * size))
    launch = Launch(
        format="launch/1",
        kernel=kernel,
        device=Device(name="NVIDIA H200", compute_capability=(9, 0)),
        grid=(GRID, 1, 1),
        block=(THREADS, 1, 1),
        shared_memory_bytes=0,
        registers_per_thread=kernel_info(cubin.read_bytes(), kernel).registers,
        cubin=str(cubin),
        params=struct.pack("<QQQ", SINK, STREAMS, size).hex(),
        buffers=[
            Buffer(name="sink", address=SINK, bytes=256),
            Buffer(name="streams", address=STREAMS, bytes=(reads + writes) * size, contents="zeros.bin.zst"),
        ],
    )
    launch.write(folder)
    program = decode_launch(launch).program
    blocks = open_tracer("emulated").blocks(launch, program)
    return open_engine("embedded").simulate(Request(program, blocks, launch, config)).counters


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Counters by case, each simulated once."""
    h200 = load(ROOT / "simconfigs/h200.yaml")
    return cache(lambda case: counters(case, tmp_path_factory.mktemp("cold"), h200))


@pytest.mark.parametrize("case", CASES)
def test_elapsed_cycles_are_those_of_the_gpu(simulated, case):
    assert simulated(case)[ELAPSED] == pytest.approx(measured()[case][ELAPSED], rel=CASES[case])


@pytest.mark.parametrize("case", CASES)
def test_both_move_every_byte_once(simulated, case):
    """Half of the stores are to lines of the other partition and count in both."""
    reads, writes, depth, size = parts(case)
    stream = stream_bytes(size, depth)
    for found in (measured()[case], simulated(case)):
        assert found["dram__bytes_read.sum"] == pytest.approx(reads * stream, rel=0.01, abs=8192)
        assert found["lts__t_sectors_op_write.sum"] == pytest.approx(1.5 * writes * stream / 32, rel=0.01)


@pytest.mark.parametrize("case", CASES)
def test_as_much_stays_dirty(simulated, case):
    _, writes, depth, size = parts(case)
    gpu, model = (
        writes * stream_bytes(size, depth) - found["dram__bytes_write.sum"]
        for found in (measured()[case], simulated(case))
    )
    assert model == pytest.approx(gpu, rel=0.05)


@pytest.mark.parametrize("case", ["1_1_4.32MB", "2_1_2.12MB"])
def test_reads_and_writes_at_once_take_longer_than_with_a_wide_link_and_ports_of_their_own(simulated, tmp_path, case):
    """The link between the partitions holds them up, and the port of a slice that takes stores and what DRAM brings.

    Either gives the GPU's time by itself; with neither the model is too fast.
    """
    wide = {"l2": {"slice_fill_bytes_per_cycle": 1e6}, "noc": {"partition_link_bytes_per_cycle": 4096}}
    config = load(ROOT / "simconfigs/h200.yaml").model_dump()
    for group, fields in wide.items():
        config[group] |= fields
    apart = counters(case, tmp_path, SimConfig.model_validate(config))[ELAPSED]
    assert apart < 0.95 * simulated(case)[ELAPSED] and apart < 0.9 * measured()[case][ELAPSED]
