"""Matrix instructions and tile moves: our own cubins against plain matrix products, on the emulator and on the GPU.

Whole numbers make every product and sum exact, so that emulator and GPU must give the same bits; fractions are compared
within the accumulator's rounding.
"""

from collections.abc import Callable

import numpy as np
import pytest
from oracles import emulate, on_gpu

RUNS = [pytest.param(emulate, id="emulator"), pytest.param(on_gpu, id="gpu", marks=pytest.mark.gpu)]
LANE = np.arange(32)
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "f32": 4}


def to_bits(values: np.ndarray, kind: str) -> np.ndarray:
    """uint8[..., size] of values that the format holds exactly."""
    if kind == "f16":
        return values.astype(np.float16)[..., None].view(np.uint8)
    single = values.astype(np.float32)
    if kind == "bf16":
        return (single.view(np.uint32) >> np.uint32(16)).astype(np.uint16)[..., None].view(np.uint8)
    return single[..., None].view(np.uint8)


def matrices(m: int, n: int, k: int, fractions: bool, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A, B, C of small whole numbers, or of eighths up to 16 (5 to 8 bits: every format holds them)."""
    generator = np.random.default_rng(seed)
    step = 0.125 if fractions else 1.0
    return tuple(generator.integers(-15, 16, shape) * step for shape in ((m, k), (k, n), (m, n)))  # type: ignore[return-value]


def words(rows: list[np.ndarray]) -> np.ndarray:
    """Registers, each the bytes of 32 lanes side by side, as uint32[registers * 32]."""
    return np.ascontiguousarray(np.concatenate([r.reshape(32, 4) for r in rows])).view(np.uint32).ravel()


def fragments(a: np.ndarray, b: np.ndarray, c: np.ndarray, kind: str, half: bool) -> np.ndarray:
    """uint32 of the ten registers that the kernels read: A (4), B (2), C (4), as the PTX ISA's figures lay them out."""
    per = 4 // BYTES[kind]  # elements side by side in a register
    group, within = LANE // 4, LANE % 4
    k = a.shape[1]
    steps = k // (4 * per)
    columns = [within * per + 4 * per * s for s in range(steps)]

    def gather(matrix: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        return to_bits(np.stack([matrix[row, column + e] for e in range(per)], 1), kind)

    left = [gather(a, group + 8 * r, column) for column in columns for r in (0, 1)]
    right = [gather(b.T, group, column) for column in columns]
    if half:
        accumulator = [to_bits(np.stack([c[group + 8 * r, 2 * within + e] for e in (0, 1)], 1), "f16") for r in (0, 1)]
    else:
        accumulator = [to_bits(c[group + 8 * r, 2 * within + e], "f32") for r in (0, 1) for e in (0, 1)]
    blank = [np.zeros((32, 4), np.uint8)] * 4
    return words((left + blank)[:4] + (right + blank)[:2] + (accumulator + blank)[:4])


WARP = [
    ("mma_16816_f16", "f16", 16),
    ("mma_16816_bf16", "bf16", 16),
    ("mma_1688_tf32", "tf32", 8),
    ("mma_1688_f16", "f16", 8),
    ("mma_1688_bf16", "bf16", 8),
    ("mma_1684_tf32", "tf32", 4),
    ("mma_16816_half", "f16", 16),
]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("fractions", [False, True])
@pytest.mark.parametrize(("kernel", "kind", "k"), WARP)
def test_warp_product(kernel: str, kind: str, k: int, fractions: bool, run: Callable) -> None:
    half = kernel.endswith("half")
    a, b, c = matrices(16, 8, k, fractions, seed=k)
    got = run("warp_matrix", [fragments(a, b, c, kind, half)], 4 * 128, 32, kernel=kernel)
    group, within = LANE // 4, LANE % 4
    exact, found = a @ b + c, np.empty((16, 8))
    if half:
        pairs = got.view(np.float16).reshape(4, 32, 2)
        for r in (0, 1):
            found[group + 8 * r, 2 * within], found[group + 8 * r, 2 * within + 1] = pairs[r].T
    else:
        for i, row in enumerate(got.view(np.float32).reshape(4, 32)):
            found[group + 8 * (i >> 1), 2 * within + (i & 1)] = row
    assert np.array_equal(found, exact)  # eighths too stay below the accumulators' 11 and 24 bits


def packed_tiles(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1 << 16, (4, 8, 8)).astype(np.uint16)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    "kernel", ["ldsm_1", "ldsm_2", "ldsm_4", "ldsm_1t", "ldsm_4t", "stsm_1", "stsm_2t", "stsm_4", "movm"]
)
def test_tiles(kernel: str, run: Callable) -> None:
    """Memory holds tiles row by row; lane l of a register elements 2l and 2l + 1 of a tile (or of its transpose)."""
    tiles = packed_tiles(5)
    count = 4 if kernel == "movm" else int(kernel[5])
    turned = tiles.transpose(0, 2, 1) if kernel.endswith("t") or kernel == "movm" else tiles
    expected = np.where(np.arange(4)[:, None, None] < count, turned, 0).astype(np.uint16)
    source = np.ascontiguousarray(tiles).view(np.uint32).ravel()
    got = run("warp_matrix", [source], 4 * 128, 32, kernel=kernel).view(np.uint16).reshape(4, 8, 8)
    assert np.array_equal(got, expected)


def place(memory: np.ndarray, matrix: np.ndarray, start: int, kind: str, swizzle: int, along_k: bool) -> int:
    """Lay out an operand (rows x k) in shared memory as the PTX ISA's canonical layouts; returns its descriptor.

    swizzle: 16 (none), 32, 64 or 128 bytes. along_k: k is contiguous, else the rows are ("transposed").
    The 16-byte pieces of line i of eight lines are permuted by i (by i / 2, i / 4 with narrower swizzles).
    """
    size = BYTES[kind]
    lines = matrix if along_k else matrix.T  # contiguous direction last
    content = to_bits(np.ascontiguousarray(lines), kind).reshape(lines.shape[0], lines.shape[1] * size)
    pieces = swizzle // 16
    across = lines.shape[0] // 8 * swizzle * 8  # from one span of `swizzle` bytes to the next
    for line in range(lines.shape[0]):
        for piece in range(content.shape[1] // 16):
            span, inside = divmod(piece, pieces)
            moved = inside ^ (line % 8) * pieces // 8 % pieces
            at = start + span * across + line // 8 * swizzle * 8 + line % 8 * swizzle + moved * 16
            memory[at : at + 16] = content[line, 16 * piece : 16 * piece + 16]
    groups = swizzle * 8
    if along_k:
        leading, stride = (across, groups) if swizzle == 16 else (16, groups)
    else:
        leading, stride = (groups, across) if swizzle == 16 else (across, groups)
    code = {16: 0, 128: 1, 64: 2, 32: 3}[swizzle]
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | code << 62


LAYOUTS = ["bf16_nn", "bf16_tn", "bf16_nt", "bf16_tt", "f16_nn", "f16_tt", "tf32_nn", "bf16_rn", "bf16_rt", "tf32_rn"]
GROUP = (
    [  # kernel, format, A and B (n: along k, t: transposed, r: registers), their swizzles in bytes
        (name, name[:-3], name[-2], name[-1], *swizzles)
        for name in LAYOUTS
        for swizzles in [(16, 16), (32, 32)] + ([(128, 16), (64, 32)] if name[-2] == "t" else [])
    ]
    + [("half_nn", "f16", "n", "n", 32, 16)]
)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize(("kernel", "kind", "left", "right", "sa", "sb"), GROUP)
def test_warp_group_product(
    kernel: str, kind: str, left: str, right: str, sa: int, sb: int, keep: int, run: Callable
) -> None:
    k = 8 if kind == "tf32" else 16
    a, b, c = matrices(64, 16, k, fractions=True, seed=7)
    memory = np.random.default_rng(1).integers(0, 60, 32768).astype(np.uint8)  # rubbish around the operands
    da = 0 if left == "r" else place(memory, a, 1024, kind, sa, left == "n")
    db = place(memory, b.T, 16384, kind, sb, right == "n")
    registers, accumulator = np.zeros((128, 8), np.uint32), np.zeros((128, 8), np.uint32)
    group, within = LANE // 4, LANE % 4
    half = kernel.startswith("half")
    cells = [(r, 2 * within + 8 * j + e) for j in (0, 1) for r in (0, 8) for e in (0, 1)]
    for warp in range(4):
        lanes, top = slice(32 * warp, 32 * warp + 32), 16 * warp
        if left == "r":
            registers[lanes, :4] = fragments(a[top : top + 16], b[:, :8], c[:16, :8], kind, False).reshape(10, 32)[:4].T
        values = np.stack([c[top + group + r, column] for r, column in cells], 1)
        if half:
            accumulator[lanes, :4] = np.ascontiguousarray(values.astype(np.float16)).view(np.uint32)
        else:
            accumulator[lanes] = values.astype(np.float32).view(np.uint32)
    source = np.concatenate([memory.view(np.uint32), registers.ravel(), accumulator.ravel()])
    where = np.array([da, db, keep], np.uint64)
    got = run("warp_group", [source, where], 4 * 1024, 128, kernel=kernel).view(np.uint32).reshape(128, 8)
    found = np.empty((64, 16))
    for warp in range(4):
        part = np.ascontiguousarray(got[32 * warp : 32 * warp + 32])
        values = part[:, :4].copy().view(np.float16).astype(float) if half else part.view(np.float32).astype(float)
        for i, (r, column) in enumerate(cells):
            found[16 * warp + group + r, column] = values[:, i]
    assert np.array_equal(found, a @ b + keep * c)
