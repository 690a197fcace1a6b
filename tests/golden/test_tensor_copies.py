"""Triton's kernels with tensor copies (TMA): they compute what they should, and trace mode sees what full mode executes."""

import struct
from pathlib import Path

import numpy as np
import pytest

from ssmsim.config.load import load
from ssmsim.coverage.check import check
from ssmsim.engines.run_launch import replay
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.full import run_full
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.emulated.tensor_map import tensor_map
from ssmsim.tracers.emulated.totals import emulate_totals

ROOT = Path(__file__).parents[2]
TMA = ROOT / "tests/data/captures/tma"
M, N, K, TILE = 2048, 2048, 1024, 128


def launch_of(number: str) -> Launch:
    return read_launch(next(TMA.glob(f"{number}-*")))


def bfloat16(value: np.ndarray) -> np.ndarray:
    """Bits, rounded to the nearest, ties to even."""
    bits = value.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def addresses(launch: Launch) -> list[int]:
    """Of the tensors that the parameters name, by tensor maps or by pointers."""
    data = launch.param_bytes
    if "device" in launch.kernel:
        return list(struct.unpack_from("<3Q", data))
    return [tensor_map(data[at : at + 64], "").address for at in (0x30, 0xF0, 0x1B0) if at + 64 <= len(data)]


# (launch, is B transposed in memory, a block, its tiles of C by row and column)
PRODUCTS = [
    ("00", False, 16 * 3 + 5, [(5, 3)]),
    ("01", False, 16 * 2 + 7, [(7, 2)]),
    ("02", True, 37, [(2, 5), (10, 9)]),
]


@pytest.mark.parametrize(("number", "transposed", "block", "tiles"), PRODUCTS)
def test_products(number: str, transposed: bool, block: int, tiles: list[tuple[int, int]]) -> None:
    launch = launch_of(number)
    rng = np.random.default_rng(3)
    a, b = rng.integers(-3, 4, (M, K)).astype(np.float32), rng.integers(-3, 4, (K, N)).astype(np.float32)
    at_a, at_b, at_c = addresses(launch)
    memory = Image.of([launch], kernel=decode_launch(launch).kernel)
    memory.write(at_a, bfloat16(a))
    memory.write(at_b, bfloat16(b.T if transposed else b))
    (full,) = run_full(launch, memory, [block], keep_trace=True)
    c = memory.read(at_c, 2 * M * N).view(np.uint16).reshape(M, N)
    for row, column in tiles:
        rows, columns = (slice(TILE * k, TILE * (k + 1)) for k in (row, column))
        np.testing.assert_array_equal(c[rows, columns], bfloat16(a[rows] @ b[:, columns]))
    assert np.count_nonzero(c) <= len(tiles) * TILE * TILE

    traced = EmulatedBlocks(launch, [block]).next_blocks(1)
    assert traced is not None
    for name in ("first", "index", "mask", "active", "first_access"):
        np.testing.assert_array_equal(getattr(traced, name), getattr(full, name))


def test_a_reduction_into_a_tensor() -> None:
    launch = launch_of("03")
    a, b = (np.random.default_rng(k).normal(size=(4096, 128)).astype(np.float32) for k in (1, 2))
    at_a, at_b = addresses(launch)
    memory = Image.of([launch], kernel=decode_launch(launch).kernel)
    memory.write(at_a, a)
    memory.write(at_b, b)
    run_full(launch, memory)
    np.testing.assert_array_equal(memory.read(at_b, b.nbytes).view(np.float32).reshape(b.shape), a + b)


def test_totals() -> None:
    assert emulate_totals(launch_of("03")).warp_instructions == 23552


def test_a_simulation_gives_the_instructions_that_were_emulated() -> None:
    config = ROOT / "simconfigs/h200.yaml"
    found = check(launch_of("03").folder, load(config), 0)
    assert found.reason == "" and found.executed["UTMALDG.2D"] > 0
    assert replay(launch_of("03").folder, config).counters["smsp__inst_executed.sum"] == found.executed.total()
