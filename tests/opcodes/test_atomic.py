"""Atomics with lanes that collide: the cells hold what any order of the updates leaves (float sums here are exact)."""

from collections.abc import Callable

import numpy as np
import pytest
from oracles import emulate, on_gpu

RUNS = [pytest.param(emulate, id="emulator"), pytest.param(on_gpu, id="gpu", marks=pytest.mark.gpu)]
LOW = (1 << 32) - 1
OPERATIONS = 20


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def word(value: np.generic) -> int:
    return int.from_bytes(value.tobytes(), "little")


def expected(values: list[int], starts: list[int]) -> list[list[int]]:
    """Cells of every operation, one cell after another, one lane after another."""
    cells = [list(starts) for _ in range(OPERATIONS)]
    for c, start in enumerate(starts):
        mine, low = values[c::8], start & LOW
        narrow = [v & LOW for v in mine]

        def put(k: int, value: int, c: int = c, start: int = start) -> None:
            cells[k][c] = start & ~LOW | value & LOW

        put(0, low + sum(narrow))
        put(1, min((low, *narrow), key=lambda v: signed(v, 32)))
        put(2, max((low, *narrow), key=lambda v: signed(v, 32)))
        put(3, min(low, *narrow))
        put(4, int(np.bitwise_and.reduce([low, *narrow])))
        put(5, int(np.bitwise_or.reduce([low, *narrow])))
        put(6, int(np.bitwise_xor.reduce([low, *narrow])))
        up = down = low
        for v in narrow:
            up = 0 if up >= v else up + 1
            down = v if down == 0 or down > v else down - 1
        put(7, up)
        put(8, down)
        cells[9][c] = (start + sum(mine)) & (1 << 64) - 1
        cells[10][c] = max((start, *mine), key=lambda v: signed(v, 64))
        put(11, word(np.float32(np.uint32(low).view(np.float32) + sum(v % 64 for v in mine))))
        cells[12][c] = word(np.uint64(start).view(np.float64) + sum(v % 64 for v in mine))
        put(13, word(np.float16(8.0)) << 16 | word(np.float16(16.0)))
        put(14, 0x4100 << 16 | 0x4180)  # 8 and 16 in bfloat16
        put(15, narrow[0])
        put(16, narrow[0])
        put(17, low)
        cells[18][c] = low << 32 | low
        cells[19][c] = (low + sum(narrow)) & LOW
    return cells


@pytest.mark.parametrize("run", RUNS)
def test_cells_after_colliding_updates(run: Callable) -> None:
    generator = np.random.default_rng(11)
    values = generator.integers(0, 1 << 63, 64, np.uint64) * np.uint64(2)
    values[:8] = values[8:16] = np.arange(8) + 5  # INC and DEC: equal limits, so that their order does not matter
    values[16:] = np.tile(values[:8], 6)
    got = run("warp_atomic", [np.concatenate([values, np.zeros(8, np.uint64)])], 8 * 8 * OPERATIONS, 64)
    assert got.view(np.uint64).reshape(OPERATIONS, 8).tolist() == expected([int(v) for v in values], [0] * 8)


@pytest.mark.parametrize("run", RUNS)
def test_integer_cells_with_any_values(run: Callable) -> None:
    generator = np.random.default_rng(12)
    values, starts = (generator.integers(0, 1 << 63, n, np.uint64) * np.uint64(2) + np.uint64(1) for n in (64, 8))
    got = run("warp_atomic", [np.concatenate([values, starts])], 8 * 8 * OPERATIONS, 64).view(np.uint64)
    exact = expected([int(v) for v in values], [int(v) for v in starts])
    for k in (0, 1, 2, 3, 4, 5, 6, 9, 10, 15, 16, 17, 18, 19):
        assert got.reshape(OPERATIONS, 8)[k].tolist() == exact[k], k
