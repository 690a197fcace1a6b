"""Triton's grouped product, whose blocks write the tensor maps of each pair of matrices: its results, copies, and capture."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssmsim.capture import driver, inputs
from ssmsim.capture.inputs import Inputs
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.config.load import load
from ssmsim.contents import read_contents
from ssmsim.coverage.check import check
from ssmsim.elf_attributes import kernel_info
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.bulk_row import FIRST, GLOBAL
from ssmsim.tracers.emulated.full import run_full
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.emulated.totals import emulate_totals

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests/data/captures/triton-grouped/00-grouped_matmul_tma_kernel"
SIZES = [(512, 512, 512), (256, 256, 384), (128, 128, 512)]  # rows of A, rows of B, columns of both
TILE, TILE_DEPTH = 128, 64
TILES = 16 + 4 + 1
LISTS = ["group_a_ptrs", "group_b_ptrs", "group_c_ptrs", "group_gemm_sizes", "g_lds"]


@pytest.fixture(scope="module")
def launch() -> Launch:
    return read_launch(FOLDER)


def at(launch: Launch, name: str) -> int:
    return next(b.address for b in launch.buffers if b.name == name)


def test_products(launch: Launch) -> None:
    """Exact, as numbers are small; and trace mode sees what full mode executes."""
    rng, expected = np.random.default_rng(5), []
    memory = Image.of([launch], kernel=decode_launch(launch).kernel)
    for k, (rows, columns, depth) in enumerate(SIZES):
        a, b = (rng.integers(-3, 4, (n, depth)).astype(np.float16) for n in (rows, columns))
        memory.write(at(launch, f"a{k}"), a)
        memory.write(at(launch, f"b{k}"), b)
        expected.append(a.astype(np.float32) @ b.astype(np.float32).T)
    (full,) = run_full(launch, memory, list(range(TILES)), keep_trace=True)
    for k, product in enumerate(expected):
        found = memory.read(at(launch, f"c{k}"), 2 * product.size).view(np.float16).reshape(product.shape)
        np.testing.assert_array_equal(found, product.astype(np.float16))
    traced = EmulatedBlocks(launch, range(TILES), batch=TILES).next_blocks(TILES)
    assert traced is not None
    for name in ("first", "index", "mask", "active", "first_access"):
        np.testing.assert_array_equal(getattr(traced, name), getattr(full, name))


def test_copies_of_tiles_are_those_of_the_matrices(launch: Launch) -> None:
    traced = EmulatedBlocks(launch, range(TILES), batch=TILES).next_blocks(TILES)
    assert traced is not None
    scratch = next(b for b in launch.buffers if b.name is None)
    copies = traced.addresses[(traced.addresses[:, GLOBAL] >= scratch.address)
                              & (traced.addresses[:, GLOBAL] < scratch.address + scratch.bytes)
                              & (traced.addresses[:, FIRST] >= at(launch, "a0"))
                              & (traced.addresses[:, FIRST] < at(launch, "c2") + 2 * SIZES[2][0] * SIZES[2][1])]  # fmt: skip
    expected = []
    for k, (rows, columns, depth) in enumerate(SIZES):
        for row in range(0, rows, TILE):
            for column in range(0, columns, TILE):
                for each, start in (("a", row), ("b", column)):
                    expected += [
                        at(launch, f"{each}{k}") + 2 * (start * depth + d) for d in range(0, depth, TILE_DEPTH)
                    ]
                expected += [at(launch, f"c{k}") + 2 * (row * columns + column + half) for half in (0, TILE // 2)]
    assert sorted(copies[:, FIRST].tolist()) == sorted(expected)


def test_it_is_simulated_whole(launch: Launch) -> None:
    found = check(FOLDER, load(ROOT / "simconfigs/h200.yaml"), 0)
    assert found.reason == ""
    assert found.executed.total() == emulate_totals(launch).warp_instructions


@pytest.mark.parametrize("workers", [0, 1])
def test_a_capture_asks_for_the_lists_and_finds_the_matrices(
    workers: int, launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {b.address: b.bytes for b in launch.buffers}
    held = {b.address: read_contents(FOLDER / b.contents, b.bytes).ljust(b.bytes, b"\0")
            for b in launch.buffers if b.contents is not None}  # fmt: skip
    place = lambda p, _=0: next(((a, size) for a, size in sizes.items() if a <= p < a + size), None)  # noqa: E731
    monkeypatch.setattr(driver, "synchronize", lambda: None)
    monkeypatch.setattr(driver, "current_context", lambda: 1)
    monkeypatch.setattr(inputs.device, "current", lambda: launch.device.model_dump())
    monkeypatch.setattr(driver, "allocation_of", place)
    monkeypatch.setattr(driver, "read_memory", lambda address, count: held.get(address, bytes(count))[:count])
    passed: list[dict[str, Any]] = [
        b.model_dump(exclude_none=True, exclude={"contents", "pointers"})
        for b in launch.buffers if struct.pack("<Q", b.address) in launch.param_bytes
    ]  # fmt: skip
    image = launch.cubin_path.read_bytes()
    info = kernel_info(image, launch.kernel)
    recorded = Recorded(
        kernel=launch.kernel, cubin=Cubin(image, "image", (launch.kernel,)), code_sha256="", info=info, grid=launch.grid,
        block=launch.block, cluster=launch.cluster, shared=launch.shared_memory_bytes, registers=info.registers,
        params=launch.param_bytes, buffers=passed,
    )  # fmt: skip
    kept = Inputs(tmp_path, workers=workers)
    kept.fill(recorded)
    kept.finish()
    assert recorded.missing == ""
    assert set(recorded.contents) == {at(launch, name) for name in LISTS}
    assert {b["address"] for b in recorded.buffers} == set(sizes)
