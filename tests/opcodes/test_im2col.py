"""Tensor copies in im2col mode: convolutions in numpy, and the rows of traces."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from async_programs import INPUT
from hypothesis import given
from hypothesis import strategies as st
from tensor_programs import MARKER, SHARED, TENSOR, UNTOUCHED, Copies, numbers

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.im2col import CHANNEL, PIXELS, RUN, pixel_addresses
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers.emulated.im2col import Im2colMap
from ssmsim.tracers.emulated.tensor_map import tensor_map

BITS = {3: 16, 4: 8, 5: 5}
RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return Copies(tmp_path_factory.mktemp("im2col"))


@dataclass
class Convolution:
    """Spatial values innermost first (W, H, D)."""

    channels: int
    sizes: tuple[int, ...]
    images: int
    filters: tuple[int, ...]
    pads: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.sizes) + 2

    @property
    def outputs(self) -> tuple[int, ...]:
        spatial = zip(self.sizes, self.filters, self.pads, self.strides, self.dilations, strict=True)
        return tuple((n + 2 * p - d * (f - 1) - 1) // s + 1 for n, f, p, s, d in spatial)

    def map(self, pixels: int, channels: int, swizzle: int = 0) -> bytes:
        """The tensor map of its input, 16-bit numbers, at INPUT."""
        bits, words = BITS[self.rank], np.zeros(32, np.uint32)
        words[0], words[1] = INPUT & 0xFFFFFFFF, INPUT >> 32
        words[2] = 1 | (self.rank - 1) << 4 | 1 << 7 | swizzle << 13
        dims = (self.channels, *self.sizes, self.images)
        words[3 : 2 + self.rank] = [2 * int(np.prod(dims[: i + 1])) >> 4 for i in range(self.rank - 1)]
        words[8 : 8 + self.rank] = [n - 1 for n in dims]
        words[13] = (channels - 1) << 24 | sum((s - 1) << 3 * i for i, s in enumerate((1, *self.strides, 1)))
        mask = (1 << bits) - 1
        for i, (pad, size, dilation) in enumerate(zip(self.pads, self.filters, self.dilations, strict=True)):
            words[14] |= (-pad & mask) << bits * i | (pad - (size - 1) * dilation & mask) << 16 + bits * i
        words[15] = pixels - 1
        return words.tobytes()

    def start(self, output: int) -> list[int]:
        """W, H, D, N of the input's pixel under the first tap of the filter, of the output pixel with a number."""
        found = []
        for count, stride, pad in zip(self.outputs, self.strides, self.pads, strict=True):
            found.append(output % count * stride - pad)
            output //= count
        return [*found, output]

    def column(self, data: np.ndarray, first: int, pixels: int, tap: Sequence[int], channels: range) -> np.ndarray:
        """[pixels, channels] of the im2col matrix for one tap; 0 beyond the last image."""
        padded = np.pad(data, [(0, 0), *((p, p) for p in self.pads[::-1]), (0, 0)])
        cut = tuple(
            slice(t * d, t * d + s * (n - 1) + 1, s)
            for t, d, s, n in zip(tap, self.dilations, self.strides, self.outputs, strict=True)
        )[::-1]
        matrix = padded[(slice(None), *cut)].reshape(-1, self.channels)
        found = np.zeros((pixels, len(channels)), data.dtype)
        rows = matrix[first : first + pixels]
        inside = [c for c in channels if 0 <= c < self.channels]
        found[: len(rows), [c - channels.start for c in inside]] = rows[:, inside]
        return found


CONVOLUTIONS = [
    Convolution(16, (20,), 3, (3,), (1,), (1,), (1,)),
    Convolution(24, (31,), 2, (5,), (4,), (3,), (2,)),
    Convolution(8, (10,), 4, (1,), (0,), (1,), (1,)),
    Convolution(16, (9, 7), 2, (3, 3), (1, 1), (1, 1), (1, 1)),
    Convolution(40, (14, 11), 2, (3, 5), (2, 0), (2, 3), (1, 2)),
    Convolution(16, (8, 8), 3, (1, 1), (0, 0), (2, 2), (1, 1)),
    Convolution(8, (12, 12), 1, (7, 7), (3, 3), (2, 2), (1, 1)),
    Convolution(16, (6, 5, 4), 2, (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
    Convolution(24, (9, 6, 7), 2, (3, 2, 3), (2, 1, 0), (2, 1, 3), (2, 1, 1)),
    Convolution(16, (8, 8, 1), 3, (3, 3, 1), (1, 1, 0), (1, 1, 1), (1, 1, 1)),
]


def swizzled(data: np.ndarray, swizzle: int) -> np.ndarray:
    """Rows of bytes as they lie in shared memory, from an address that is a multiple of 1024 on; 0xCD between them."""
    pitch = max(data.shape[1], (0, 32, 64, 128)[swizzle])
    place = np.arange(len(data))[:, None] * pitch + np.arange(data.shape[1])
    found = np.full(len(data) * pitch, UNTOUCHED, np.uint8)
    found[place ^ (place >> 3 & (0, 0x10, 0x30, 0x70)[swizzle])] = data
    return found


def same_trace(full: BlockTrace, traced: BlockTrace) -> None:
    for name in ("blocks", "first", "index", "mask", "active", "first_access"):
        np.testing.assert_array_equal(getattr(full, name), getattr(traced, name), name)


def copy_row(programs: Copies, op: str, trace: BlockTrace, rank: int) -> np.ndarray:
    """The row of addresses of the only tensor copy."""
    program = decode_launch(programs.launch(op, bytes(128), [0] * rank, [], 0, 0)).program
    names = np.array(program.opcodes)[program.instructions["opcode"][trace.index]]
    rows = np.cumsum(program.instructions["accesses"][trace.index])
    (k,) = [k for k in np.flatnonzero(trace.mask) if ".IM2COL" in names[k]]
    return trace.addresses[rows[k] - 1]


@pytest.mark.parametrize("swizzle", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", CONVOLUTIONS, ids=str)
def test_columns_of_a_convolution(programs: Copies, shape: Convolution, swizzle: int) -> None:
    data = RNG.integers(0, 1 << 16, (shape.images, *shape.sizes[::-1], shape.channels), np.uint16)
    pixels, channels = int(RNG.integers(1, 90)), (24, 16, 32, 64)[swizzle]
    total = int(np.prod(shape.outputs)) * shape.images
    for first in {0, int(RNG.integers(0, total)), total - 1}:
        tap = [int(RNG.integers(0, f)) for f in shape.filters]
        channel = int(RNG.integers(-1, shape.channels // 8)) * 8
        offsets = [t * d for t, d in zip(tap, shape.dilations, strict=True)]
        size = 2 * channels * pixels
        launch = programs.launch(
            "load", shape.map(pixels, channels, swizzle), [channel, *shape.start(first)], offsets, size, SHARED // 4
        )
        run = programs.run(launch, data)
        expected = shape.column(data, first, pixels, tap, range(channel, channel + channels))
        place = swizzled(expected.view(np.uint8).reshape(pixels, -1), swizzle)
        np.testing.assert_array_equal(run.out[: len(place)], place)
        assert (run.out[len(place) : SHARED] == UNTOUCHED).all()
        same_trace(run.trace, programs.traced(launch))


def test_a_store_moves_whole_units_of_16_bytes(programs: Copies) -> None:
    """The tensor has 6 channels of 16 bits in rows of 16 bytes: its pixels 1 to 3 get what shared memory holds."""
    shape = Convolution(8, (5,), 1, (1,), (0,), (1,), (1,))
    data = bytearray(shape.map(3, 8))
    data[32] = 5  # channels - 1
    launch = programs.launch("store", bytes(data), [0, 1, 0], [], 0, 64)
    memory = np.zeros(20, np.uint32)
    found = programs.run(launch, memory).image.read(INPUT, memory.nbytes).view(np.uint32)
    np.testing.assert_array_equal(found, [0] * 4 + [MARKER + k for k in range(12)] + [0] * 4)


# ---- rows of traces ------------------------------------------------------------------------------------------------


@st.composite
def copies(draw: st.DrawFn) -> tuple[Im2colMap, np.ndarray, np.ndarray]:
    """(map, coordinates int64 [rank], offsets int64 [rank - 2]) of a copy that a GPU carries out."""
    inner = draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 9)) for _ in range(inner)]
    lower = [draw(st.integers(-4, size - 1)) for size in sizes]
    upper = [draw(st.integers(low - size + 1, 4)) for low, size in zip(lower, sizes, strict=True)]
    dims = (draw(st.integers(1, 20)), *sizes, draw(st.integers(1, 3)))
    strides = [4]
    for size in dims[:-1]:
        strides.append(-(-strides[-1] * size // 16) * 16 + 16 * draw(st.integers(0, 1)))
    layout = Im2colMap(
        1 << 40, "f32", 4, dims, tuple(strides), (1, *(draw(st.integers(1, 8)) for _ in range(inner + 1))), 0, False,
        tuple(lower), tuple(upper), 4 * draw(st.integers(1, 5)), draw(st.integers(1, 1024)),
    )  # fmt: skip
    start = [draw(st.integers(low, high)) for low, high in zip(lower, layout.last, strict=True)]
    at = [4 * draw(st.integers(-2, 6)), *start, draw(st.integers(-2, 4))]
    return layout, np.array(at), np.array([draw(st.integers(0, 5)) for _ in range(inner)])


def stepwise(layout: Im2colMap, at: np.ndarray, offsets: np.ndarray) -> list[int]:
    """Addresses of the pixels' first channel inside the tensor, one pixel after the other; -1: outside."""
    place, found, channel = list(at[1:]), [], max(int(at[0]), 0)
    some = channel < min(int(at[0]) + layout.channels, layout.dims[0])
    for _ in range(layout.pixels):
        now = [int(p) + int(o) for p, o in zip(place, [*offsets, 0], strict=True)]
        inside = some and all(0 <= p < size for p, size in zip(now, layout.dims[1:], strict=True))
        offset = sum(p * stride for p, stride in zip([channel, *now], layout.strides, strict=True))
        found.append(layout.address + offset if inside else -1)
        for i, (low, high) in enumerate(zip(layout.lower, layout.last, strict=True)):
            place[i] += layout.steps[1 + i]
            if place[i] <= high:
                break
            place[i] = low
        else:
            place[-1] += layout.steps[-1]
    return found


@given(copies())
def test_a_row_describes_the_walk(copy: tuple[Im2colMap, np.ndarray, np.ndarray]) -> None:
    layout, at, offsets = copy
    row, found = np.full(32, -1), np.zeros(1024, np.int64)
    row[PIXELS:] = layout.row(at[:, None], offsets[:, None])[:, 0]
    assert pixel_addresses(row, found) == layout.pixels
    found = found[: layout.pixels]
    assert found.tolist() == stepwise(layout, at, offsets)

    address, inside = (each.reshape(layout.pixels, -1) for each in layout.places(at, offsets))
    run = np.arange(int(row[RUN]) // layout.element) * layout.element
    for k in range(layout.pixels):
        assert address[k, inside[k]].tolist() == ([] if found[k] < 0 else (found[k] + run).tolist())
    first, last = layout.span(at[:, None], offsets[:, None])[:, 0]
    assert (first, last) == ((address[inside].min(), address[inside].max()) if inside.any() else (-1, -1))
    assert (row[CHANNEL] >= 0) == inside.any()


@pytest.mark.parametrize("op", ["load", "store", "red", "prefetch"])
@pytest.mark.parametrize("shape", CONVOLUTIONS[1::3], ids=str)
def test_trace_mode_keeps_the_walk(programs: Copies, shape: Convolution, op: str) -> None:
    if op in ("store", "red"):
        shape = Convolution(shape.channels, shape.sizes, shape.images, *((n,) * len(shape.sizes) for n in (1, 0, 1, 1)))
    offsets = [1] * len(shape.sizes) if op in ("load", "prefetch") else []
    at, pixels = [8, *shape.start(7)], 50
    launch = programs.launch(op, shape.map(pixels, 16), at, offsets, 32 * pixels, 8 * pixels)
    full, traced = programs.run(launch, numbers()).trace, programs.traced(launch)
    same_trace(full, traced)
    row = copy_row(programs, op, traced, shape.rank)
    np.testing.assert_array_equal(row, copy_row(programs, op, full, shape.rank))
    assert row[3] == 32 * pixels
    assert row[5 : 5 + shape.rank].tolist() == at
    layout, found = tensor_map(shape.map(pixels, 16), ""), np.zeros(1024, np.int64)
    assert isinstance(layout, Im2colMap)
    assert pixel_addresses(row, found) == pixels
    assert found[:pixels].tolist() == stepwise(layout, np.array(at), np.array(offsets or [0] * (shape.rank - 2)))


# ---- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "at", "message"),
    [
        ("load", [8, -2, 0, 0], "W of the first pixel is -2, outside its box, -1 to 7"),
        ("load", [8, 0, 6, 0], "H of the first pixel is 6, outside its box, -1 to 5"),
        ("prefetch", [8, 8, 0, 0], "W of the first pixel is 8"),
        ("load", [4, 0, 0, 0], "from element 4 of the innermost dimension on, not a multiple of 16 bytes"),
        ("store", [8, 0, 0, 0], "a store in im2col mode with a box that leaves the tensor"),
    ],
)
def test_copies_that_fault(programs: Copies, op: str, at: list[int], message: str) -> None:
    shape = Convolution(16, (9, 7), 2, (3, 3), (1, 1), (1, 1), (1, 1))
    launch = programs.launch(op, shape.map(9, 8), at, [0, 0], 144, 64)
    for run in (lambda: programs.run(launch, numbers()), lambda: programs.traced(launch)):
        with pytest.raises(SsmsimError, match=message):
            run()


@pytest.mark.parametrize(
    ("word", "value", "message"),
    [
        (2, 2 << 4 | 1 << 7, "one of im2col mode, the instruction is not"),
        (2, 1 | 2 << 4 | 1 << 7 | 1 << 11, "interleave is not emulated"),
        (15, 1024, "1025 pixels is not emulated"),
        (0, TENSOR, "lies outside every buffer"),
    ],
)
def test_maps_that_are_refused(programs: Copies, word: int, value: int, message: str) -> None:
    shape = Convolution(16, (9,), 2, (3,), (1,), (1,), (1,))
    data = np.frombuffer(shape.map(9, 8), np.uint32).copy()
    data[word] = value
    launch = programs.launch("load", data.tobytes(), [0, 0, 0], [0], 144, 64)
    with pytest.raises(SsmsimError, match=message):
        programs.traced(launch)
