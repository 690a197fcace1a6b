"""mbarriers, tensor and bulk copies, clusters: results in full mode against numpy, and trace mode against full mode."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from async_programs import CLUSTERED, INPUT, OUTPUT, PROGRAMS, SIZE, Programs

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.accelsim import refuse
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.types import BlockTrace
from ssmsim.tracers import open_tracer
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.emulated.totals import emulate_totals

THREADS, UNIT = 64, 1 << 20
CODES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "f16": 6, "f32": 7, "f32.ftz": 8, "bf16": 10}
RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("async"))


def tensor(
    kind: str, at: int, dims: Sequence[int], strides: Sequence[int], box: Sequence[int], steps: Sequence[int] = (),
    swizzle: int = 0, flags: int = 0, column: tuple[int, int, int] | None = None,
) -> bytes:  # fmt: skip
    """A tensor map by hand. strides: bytes, of all dimensions but the first. flags: more bits of word 2. column: lower and
    upper corner and pixels of im2col mode with rank 3.
    """
    rank = len(dims)
    words = np.zeros(32, np.uint32)
    words[0], words[1] = at & 0xFFFFFFFF, at >> 32
    words[2] = (rank - 1) << 4 | CODES[kind] << 7 | swizzle << 13 | flags
    words[3 : 2 + rank] = [s >> 4 for s in strides]
    words[8 : 8 + rank] = [d - 1 for d in dims]
    words[13] = sum((s - 1) << 3 * i for i, s in enumerate(steps)) | (box[0] - 1) << 24
    words[14] = sum((b - 1) << 8 * i for i, b in enumerate(box[1:]))
    if column:
        words[14], words[15] = column[0] & 0xFFFF | (column[1] & 0xFFFF) << 16, column[2] - 1
    return words.tobytes()


def tile(
    array: np.ndarray, at: Sequence[int], box: Sequence[int], steps: Sequence[int] = (), fill: int = 0
) -> np.ndarray:
    """The tile of an array (outermost dimension first) at coordinates innermost first, as rows in memory."""
    steps = tuple(steps) or (1,) * len(box)
    index = [a + s * np.arange(-(-b // s)) for a, b, s in zip(at, box, steps, strict=True)][::-1]
    places = np.meshgrid(*index, indexing="ij")
    inside = np.all([(i >= 0) & (i < n) for i, n in zip(places, array.shape, strict=True)], axis=0)
    safe = tuple(np.clip(i, 0, n - 1) for i, n in zip(places, array.shape, strict=True))
    return np.where(inside, array[safe], array.dtype.type(fill))


def swizzled(data: np.ndarray, mask: int) -> np.ndarray:
    """Bytes of a tile as they lie in shared memory, from an address that is a multiple of 1024 on."""
    place = np.arange(data.nbytes)
    found = np.zeros(data.nbytes, np.uint8)
    found[place ^ (place >> 3 & mask)] = data.reshape(-1).view(np.uint8)
    return found


def words(count: int) -> np.ndarray:
    return RNG.integers(0, 1 << 32, count, np.uint32)


def test_a_pipeline_of_bulk_copies(programs: Programs) -> None:
    given = words(1024)
    out = programs.run(programs.launch("pipeline"), given).out.view(np.uint32)[:THREADS]
    np.testing.assert_array_equal(out, given.reshape(4, THREADS, 4).sum(axis=(0, 2), dtype=np.uint32))


def barrier(expected: int, pending: int, transactions: int, phase: int) -> int:
    """An mbarrier's word."""
    return (-expected % UNIT) << 1 | (transactions & (4 * UNIT - 1)) << 21 | (-pending % UNIT) << 43 | phase << 63


def test_words_of_an_mbarrier(programs: Programs) -> None:
    out = programs.run(programs.launch("word", threads=1), words(4)).out
    read, small = out.view(np.uint64), out.view(np.uint32)
    assert int(read[0]) == int(read[1]) == barrier(3, 3, 0, 0)
    assert int(read[2]) == barrier(3, 2, 0, 0)
    assert small[6] == 2  # mbarrier.pending_count
    assert int(read[4]) == barrier(3, 1, 100, 0)
    assert small[10] == 0  # all have arrived, 100 bytes are missing
    assert small[11] == 1
    assert int(read[6]) == barrier(3, 3, 0, 1)
    assert int(read[7]) == barrier(2, 2, 0, 0)  # one participant dropped out, and the phase completed


def test_warps_hand_over_through_two_barriers(programs: Programs) -> None:
    out = programs.run(programs.launch("ping_pong"), words(4)).out.view(np.uint32)[:160].reshape(5, 32)
    np.testing.assert_array_equal(out, 3 * np.arange(5)[:, None] + np.arange(32))


def test_lanes_wait_for_a_lane_of_their_own_warp(programs: Programs) -> None:
    given = words(4)
    out = programs.run(programs.launch("diverged", threads=32), given).out.view(np.uint32)[1:32]
    assert (out == given[0]).all()


def test_copies_of_a_thread_arrive(programs: Programs) -> None:
    given = words(4 * THREADS)
    out = programs.run(programs.launch("ldgsts"), given).out.view(np.uint32)[:THREADS]
    np.testing.assert_array_equal(out, given[::4][np.arange(THREADS) ^ 1])


def test_a_warp_that_drops_out_is_not_waited_for(programs: Programs) -> None:
    out = programs.run(programs.launch("drop"), words(4)).out.view(np.uint32)[:THREADS]
    np.testing.assert_array_equal(out, np.arange(THREADS) >= 32)


def test_a_deadlock_names_kernel_block_and_barrier(programs: Programs) -> None:
    message = r"deadlock PC .*PHASECHK.*: deadlock: warp 0 of block 0 waits for ever for the mbarrier at 0x4400, where 1 arrivals"
    with pytest.raises(SsmsimError, match=message):
        programs.run(programs.launch("deadlock"), words(4))
    with pytest.raises(SsmsimError, match=message):
        programs.traced(programs.launch("deadlock"))


def test_more_arrivals_than_expected_are_an_error(programs: Programs) -> None:
    with pytest.raises(SsmsimError, match="more arrivals than the phase of the mbarrier waits for"):
        programs.run(programs.launch("too_many"), words(4))


@pytest.mark.parametrize(("swizzle", "inner", "mask"), [(0, 32, 0), (1, 8, 0x10), (2, 16, 0x30), (3, 32, 0x70)])
@pytest.mark.parametrize("x", [0, 4, -4, 60, 200])
def test_tiles_of_two_dimensions(programs: Programs, swizzle: int, inner: int, mask: int, x: int) -> None:
    array, box = words(70 * 96).reshape(96, 70)[:, :70], (inner, 1024 // inner)
    padded = np.zeros((96, 72), np.uint32)
    padded[:, :70] = array
    launch = programs.launch("load_2d", x, tensor("u32", INPUT, (70, 96), (288,), box, swizzle=swizzle))
    out = programs.run(launch, padded).out[:4096]
    np.testing.assert_array_equal(out, swizzled(tile(array, (x, 3), box), mask))


def test_tiles_narrower_than_their_swizzle_lie_apart(programs: Programs) -> None:
    array, box = words(64 * 96).reshape(96, 64), (8, 32)
    launch = programs.launch("load_narrow", 4, tensor("u32", INPUT, (64, 96), (256,), box, swizzle=3))
    wide = np.zeros((32, 32), np.uint32)
    wide[:, :8] = tile(array, (4, 3), box)
    np.testing.assert_array_equal(programs.run(launch, array).out[:4096], swizzled(wide, 0x70))


@pytest.mark.parametrize("x", [-16, 16])
def test_tiles_of_three_and_five_dimensions(programs: Programs, x: int) -> None:
    array = RNG.integers(0, 1 << 16, (5, 20, 24), np.uint16)
    box = (16, 16, 8)
    launch = programs.launch("load_3d", x, tensor("u16", INPUT, (24, 20, 5), (48, 960), box))
    np.testing.assert_array_equal(
        programs.run(launch, array).out[:4096].view(np.uint16), tile(array, (x, -1, 2), box).reshape(-1)
    )
    array = RNG.integers(0, 256, (2, 3, 4, 5, 32), np.uint8)
    box = (32, 4, 4, 2, 2)
    launch = programs.launch("load_5d", x, tensor("u8", INPUT, (32, 5, 4, 3, 2), (32, 160, 640, 1920), box))
    np.testing.assert_array_equal(programs.run(launch, array).out[:2048], tile(array, (x, 0, 1, 0, 1), box).reshape(-1))


def test_one_dimension_steps_and_kinds_of_numbers(programs: Programs) -> None:
    given = words(256)
    launch = programs.launch("load_1d", 200, tensor("u32", INPUT, (250,), (), (64,)))
    np.testing.assert_array_equal(
        programs.run(launch, given).out[:256].view(np.uint32), tile(given[:250], (200,), (64,))
    )
    array, box, steps = words(64 * 96).reshape(96, 64), (32, 64), (1, 2)
    launch = programs.launch("load_2d", 4, tensor("u32", INPUT, (64, 96), (256,), box, steps))
    out = programs.run(launch, array).out[:4096].view(np.uint32)
    np.testing.assert_array_equal(out, tile(array, (4, 3), box, steps).reshape(-1))
    launch = programs.launch("load_2d", 4, tensor("u32", INPUT, (64, 96), (256,), (32, 16)))
    with pytest.raises(SsmsimError, match=r"waits for ever for .* 0 arrivals and 2048 bytes are missing"):
        programs.run(launch, array)
    launch = programs.launch("load_1d", 8, tensor("f32.ftz", INPUT, (64,), (), (64,), flags=1 << 15))
    small = np.array([1e-40, -1e-40, 2.5, -0.0] * 16, np.float32)
    out = programs.run(launch, small).out[:256].view(np.uint32)
    expected = np.append(small.view(np.uint32)[8:], np.full(8, 0x7FF77FF7, np.uint32))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("x", [0, 52])
def test_stores_leave_out_what_lies_outside(programs: Programs, x: int) -> None:
    given, before = words(1024), words(72 * 40).reshape(40, 72)
    launch = programs.launch("store_2d", x, tensor("u32", OUTPUT, (70, 40), (288,), (32, 32), swizzle=3))
    after = programs.run(launch, given, before).out[: before.nbytes].view(np.uint32).reshape(40, 72)
    place = np.arange(4096)
    moved = given.view(np.uint8)[place ^ (place >> 3 & 0x70)].view(np.uint32).reshape(32, 32)
    expected = before.copy()
    for row in range(32):
        for column in range(32):
            if x + column < 72 and 3 + row < 40:  # whole units of 16 bytes
                expected[3 + row, x + column] = moved[row, column]
    np.testing.assert_array_equal(after, expected)


REDUCTIONS = {
    ("add", "u32"): np.add, ("min", "s32"): np.minimum, ("max", "u32"): np.maximum, ("and", "u32"): np.bitwise_and,
    ("or", "u32"): np.bitwise_or, ("xor", "u64"): np.bitwise_xor, ("add", "f32"): np.add, ("max", "f16"): np.fmax,
    ("inc", "u32"): lambda a, b: np.where(a >= b, 0, a + np.uint32(1)),
    ("dec", "u32"): lambda a, b: np.where((a == 0) | (a > b), b, a - np.uint32(1)),
}  # fmt: skip


@pytest.mark.parametrize(("op", "kind"), REDUCTIONS)
def test_reductions_into_a_tensor(programs: Programs, op: str, kind: str) -> None:
    dtype = np.dtype({"u32": "<u4", "s32": "<i4", "u64": "<u8", "f32": "<f4", "f16": "<f2"}[kind])
    width = 128 // dtype.itemsize
    if dtype.kind == "f":
        given, before = (RNG.normal(size=(n, width)).astype(dtype) for n in (32, 40))
    else:
        given, before = (words(32 * n).view(dtype).reshape(n, width) for n in (32, 40))
    launch = programs.launch(f"reduce_{op}", 0, tensor(kind, OUTPUT, (width, 40), (128,), (width, 32)))
    after = programs.run(launch, given, before).out[: before.nbytes].view(dtype).reshape(40, width)
    expected = before.copy()
    expected[3:35] = REDUCTIONS[op, kind](before[3:35], given)
    np.testing.assert_array_equal(after, expected)


def widened(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def test_bulk_stores_and_reductions(programs: Programs) -> None:
    given = words(1024)
    np.testing.assert_array_equal(programs.run(programs.launch("bulk_store"), given).out[:4096].view(np.uint32), given)
    a, b = (RNG.normal(size=64).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(programs.run(programs.launch("bulk_add_f32"), a, b).out[:256].view(np.float32), a + b)
    i, j = (words(64).view(np.int32) for _ in range(2))
    got = programs.run(programs.launch("bulk_min_s32"), i, j).out[:256].view(np.int32)
    np.testing.assert_array_equal(got, np.minimum(i, j))
    h, k = (RNG.integers(0x3F00, 0x4080, 128, np.uint16) for _ in range(2))
    got = widened(programs.run(programs.launch("bulk_add_bf16"), h, k).out[:256].view(np.uint16))
    exact = widened(h).astype(np.float64) + widened(k)
    assert (np.abs(got - exact) <= np.abs(exact) / 256).all()


def test_prefetches_change_nothing(programs: Programs) -> None:
    launch = programs.launch("prefetches", 0, tensor("u32", INPUT, (64, 96), (256,), (32, 32)))
    assert not programs.run(launch, words(4)).out.any()


# ---- clusters: 4 x 4 blocks in four clusters of 2 x 2 -----------------------------------------------------------------

X, Y = np.arange(16) % 4, np.arange(16) // 4
RANK, CLUSTER = X % 2 + 2 * (Y % 2), X // 2 + 2 * (Y // 2)


def of_rank(cluster: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Linear ids of blocks."""
    return cluster % 2 * 2 + rank % 2 + 4 * (cluster // 2 * 2 + rank // 2)


AFTER, BEFORE = of_rank(CLUSTER, (RANK + 1) % 4), of_rank(CLUSTER, (RANK + 3) % 4)
THREAD = np.arange(THREADS)


def pairs(
    programs: Programs, name: str, n: int = 0, given: np.ndarray | None = None, tensor_: bytes = bytes(128)
) -> np.ndarray:
    """uint32 [block, thread, 2] that a program of clusters leaves."""
    launch = programs.launch(name, n, tensor_)
    out = programs.run(launch, words(4) if given is None else given).out.view(np.uint32)
    return out[: 16 * 256].reshape(16, 256)[:, : 2 * THREADS].reshape(16, THREADS, 2)


def test_blocks_of_a_cluster_reach_each_other(programs: Programs) -> None:
    out = pairs(programs, "neighbours")
    np.testing.assert_array_equal(out[:, :, 0], 1000 * AFTER[:, None] + THREAD)
    np.testing.assert_array_equal(out[:, :, 1], 1000 * np.arange(16)[:, None] + THREAD + 7 + RANK[BEFORE][:, None])


def test_numbers_of_clusters(programs: Programs) -> None:
    out = pairs(programs, "ranks")
    np.testing.assert_array_equal(out[:, 0, 0], RANK << 16 | (CLUSTER % 2) << 12 | 2 << 8 | (RANK // 2) << 4 | 2)
    np.testing.assert_array_equal(out[:, 0, 1], (RANK + 1) % 4)


def test_asynchronous_stores_into_the_next_block(programs: Programs) -> None:
    out = pairs(programs, "st_async")
    np.testing.assert_array_equal(out[:, :, 0], BEFORE[:, None] + 1000 * THREAD)
    assert not out[:, :, 1].any()


def test_asynchronous_reductions_into_the_next_block(programs: Programs) -> None:
    out, low = pairs(programs, "red_async"), np.arange(8)
    sums = 50 + 8 * low + 8 * 28 + 4 * low + 8 * 6  # of all threads of a residue, and of those below 32
    np.testing.assert_array_equal(out[:, :, 0], np.broadcast_to(np.tile(sums, 8), (16, THREADS)))
    least = np.minimum(50, 20 - (56 + low)).astype(np.int32).view(np.uint32)
    np.testing.assert_array_equal(out[:, :, 1], np.broadcast_to(np.tile(least, 8), (16, THREADS)))


def test_arrivals_at_the_next_block(programs: Programs) -> None:
    out = pairs(programs, "remote_arrive")
    assert (out[:, :, 0] == np.arange(16)[:, None]).all()
    assert (out[:, :, 1] == RANK[:, None]).all()


def test_one_load_for_the_blocks_of_a_mask(programs: Programs) -> None:
    given = words(64 * 96)
    out = pairs(programs, "multicast", 4, given, tensor("u32", INPUT, (64, 96), (256,), (64, 1)))
    for block in np.flatnonzero(RANK != 1):
        np.testing.assert_array_equal(out[block, :60, 0], given[68:128])
        assert not out[block, 60:, 0].any()


def test_one_column_of_pixels_for_the_blocks_of_a_mask(programs: Programs) -> None:
    given = words(2 * 80 * 8).reshape(2, 80, 8)
    layout = tensor("u32", INPUT, (8, 80, 2), (32, 2560), (4,), flags=1, column=(-1, -2, 64))
    out = pairs(programs, "multicast_im2col", 4, given, layout)
    place = (1 + np.arange(64)) + 2  # W from 1 on, offset 2
    for block in np.flatnonzero(RANK != 1):
        np.testing.assert_array_equal(out[block, :, 0], given[0, place, 4])


def test_bulk_copies_into_the_next_block(programs: Programs) -> None:
    out = pairs(programs, "bulk_remote")
    np.testing.assert_array_equal(out[:, :, 1], 1000 * BEFORE[:, None] + THREAD)


def test_bulk_reductions_into_the_next_block(programs: Programs) -> None:
    out = pairs(programs, "bulk_add_remote")
    np.testing.assert_array_equal(out[:, :, 1], 1000 * BEFORE[:, None] + THREAD + 5)


# ---- trace mode -------------------------------------------------------------------------------------------------------

MAPS = {
    "load_narrow": tensor("u32", INPUT, (64, 96), (256,), (8, 32), swizzle=3),
    "load_1d": tensor("u32", INPUT, (64,), (), (64,)), "load_2d": tensor("u32", INPUT, (64, 96), (256,), (32, 32), swizzle=3),
    "load_3d": tensor("u16", INPUT, (24, 20, 5), (48, 960), (16, 16, 8)), "multicast": tensor("u32", INPUT, (64, 96), (256,), (64, 1)),
    "multicast_im2col": tensor("u32", INPUT, (8, 80, 2), (32, 2560), (4,), flags=1, column=(-1, -2, 64)),
    "load_5d": tensor("u8", INPUT, (32, 5, 4, 3, 2), (32, 160, 640, 1920), (32, 4, 4, 2, 2)),
}  # fmt: skip
TILES = tensor("u32", OUTPUT, (64, 96), (256,), (32, 32))
FAULTY = ("branch", "read_back", "deadlock", "too_many", "no_complete")


def same(a: BlockTrace, b: BlockTrace) -> None:
    for name in ("blocks", "first", "index", "mask", "active", "first_access"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)


@pytest.mark.parametrize("name", [n for n in [*PROGRAMS, *CLUSTERED] if n not in FAULTY])
def test_trace_mode_sees_what_full_mode_executes(programs: Programs, name: str) -> None:
    launch = programs.launch(
        name, 0, MAPS.get(name, TILES), threads=1 if name == "word" else 32 if name == "diverged" else 64
    )
    full, traced = programs.run(launch, np.zeros(SIZE // 4, np.uint32)).trace, programs.traced(launch)
    same(full, traced)
    program = decode_launch(launch).program
    rows = program.instructions["accesses"][full.index]
    at = np.cumsum(rows) - rows
    for k in np.flatnonzero((rows == 1) & (full.mask > 0)):
        bulk = program.opcodes[program.instructions["opcode"][full.index[k]]].startswith(("UTM", "UBLK"))
        on = np.ones(32, bool) if bulk else (full.mask[k] >> np.arange(32) & 1) == 1
        np.testing.assert_array_equal(full.addresses[at[k], on], traced.addresses[at[k], on])


def recorded(launch: Launch, contents: dict[str, np.ndarray]) -> Launch:
    """The launch with some buffers' contents."""
    buffers = []
    for buffer in launch.buffers:
        if buffer.name in contents:
            data = np.zeros(SIZE, np.uint8)
            data[: contents[buffer.name].nbytes] = contents[buffer.name].view(np.uint8)
            (launch.folder / f"{launch.kernel}.{buffer.name}").write_bytes(data.tobytes())
            buffer = buffer.model_copy(update={"contents": f"{launch.kernel}.{buffer.name}"})
        buffers.append(buffer)
    changed = launch.model_copy(update={"buffers": buffers})
    changed._folder = launch.folder
    return changed


def test_control_by_copied_data_needs_the_contents(programs: Programs) -> None:
    launch, given = programs.launch("branch"), words(64)
    with pytest.raises(SsmsimError, match=r"depends on data that .*UBLKCP.* loads from in, which is not recorded"):
        programs.traced(launch)
    same(programs.run(launch, given).trace, programs.traced(recorded(launch, {"in": given})))


def test_control_by_what_a_copy_stored_is_refused(programs: Programs) -> None:
    launch, given = programs.launch("read_back"), words(64)
    out = programs.run(launch, given).out.view(np.uint32)
    np.testing.assert_array_equal(out[256:320], np.where(given.view(np.int32) > 0, given, 0))
    with pytest.raises(SsmsimError, match="loads from bytes that the kernel itself stores"):
        programs.traced(recorded(launch, {"in": given, "out": given}))


def test_rows_of_a_tensor_copy(programs: Programs) -> None:
    launch = programs.launch("load_2d", -4, MAPS["load_2d"])
    trace, program = programs.traced(launch), decode_launch(launch).program
    names = np.array(program.opcodes)[program.instructions["opcode"][trace.index]]
    rows = program.instructions["accesses"][trace.index]
    (k,) = np.flatnonzero((names == "UTMALDG.2D") & (trace.mask > 0))
    row = trace.addresses[np.cumsum(rows)[k] - 1]
    assert row[1] % 1024 == 0
    np.testing.assert_array_equal(row[3:8], [4096, -1, -4, 3, -1])


def test_blocks_of_one_cluster_alone(programs: Programs) -> None:
    launch = programs.launch("neighbours")
    everything, some = programs.traced(launch), np.array([10, 3])
    source = EmulatedBlocks(launch, some)
    found = [one for one in (source.next_blocks(1), source.next_blocks(1)) if one is not None]
    assert [int(f.blocks[0]) for f in found] == [10, 3]
    for one in found:
        w = 2 * int(np.flatnonzero(everything.blocks == one.blocks[0])[0])
        part = slice(everything.first[w], everything.first[w + 2])
        np.testing.assert_array_equal(one.index, everything.index[part])
        np.testing.assert_array_equal(one.mask, everything.mask[part])


# ---- what is refused ---------------------------------------------------------------------------------------------------


def test_forms_that_are_refused(programs: Programs) -> None:
    with pytest.raises(SsmsimError, match=r"\.noComplete is not emulated"):
        decode_launch(programs.launch("no_complete"))


@pytest.mark.parametrize(
    ("name", "x", "message"),
    [
        ("load_2d", 5, "from element 5 of the innermost dimension on, not a multiple of 16 bytes"),
        ("store_2d", 2, "from element 2 of the innermost dimension on"),
        ("store_2d", -4, "a tensor store with a negative coordinate"),
        ("reduce_add", -4, "a tensor store with a negative coordinate"),
    ],
)
def test_coordinates_that_fault(programs: Programs, name: str, x: int, message: str) -> None:
    launch = programs.launch(name, x, TILES)
    for run in (lambda: programs.run(launch, words(1024)), lambda: programs.traced(launch)):
        with pytest.raises(SsmsimError, match=message):
            run()


REFUSED_MAPS = {
    "im2col": {"flags": 1}, "interleave": {"flags": 1 << 11}, "its kind of swizzle": {"flags": 1 << 22},
    "inner dimension with a swizzle of 64 bytes": {"swizzle": 2},
}  # fmt: skip


@pytest.mark.parametrize(("message", "more"), REFUSED_MAPS.items(), ids=list(REFUSED_MAPS))
def test_tensor_maps_that_are_refused(programs: Programs, message: str, more: dict[str, int]) -> None:
    launch = programs.launch("load_2d", 0, tensor("f32", INPUT, (64, 96), (256,), (32, 32), **more))
    with pytest.raises(SsmsimError, match=re.escape(message)):
        programs.run(launch, words(64))


def test_a_load_rounds_to_tf32_as_an_h200_does(programs: Programs) -> None:
    lines = (Path(__file__).parents[1] / "data/tensor_copies/tf32_h200.csv").read_text().splitlines()[1:]
    given, wanted = (np.array([int(line.split(",")[k], 16) for line in lines], np.uint32) for k in (0, 1))
    memory = np.zeros(32 * 96, np.uint32)
    memory[3 * 32 :][: len(given)] = given  # the program copies from row 3 on
    launch = programs.launch("load_2d", 0, tensor("f32", INPUT, (32, 96), (128,), (32, 32), flags=1 << 16))
    assert (programs.run(launch, memory).out.view(np.uint32)[: len(given)] == wanted).all()


def test_a_store_that_rounds_to_tf32_is_refused(programs: Programs) -> None:
    launch = programs.launch("store_2d", 0, tensor("f32", INPUT, (64, 96), (256,), (32, 32), flags=1 << 16))
    with pytest.raises(SsmsimError, match="a tensor store that rounds to tf32"):
        programs.run(launch, words(64))


def test_a_tile_outside_of_every_buffer_is_refused(programs: Programs) -> None:
    launch = programs.launch("load_2d", 0, tensor("f32", INPUT + SIZE - 256, (64, 96), (256,), (32, 32)))
    with pytest.raises(SsmsimError, match="lies outside every buffer"):
        programs.traced(launch)


TIMED = ("pipeline", "neighbours", "ldgsts", "drop", "word", "prefetches", "bulk_add_remote")


@pytest.mark.parametrize("name", TIMED)
def test_the_engine_times_what_is_emulated(programs: Programs, name: str) -> None:
    """mbarriers, bulk copies and blocks of a cluster that reach each other: every instruction is issued once."""
    launch = programs.launch(name, 0, MAPS["load_2d"], threads=1 if name == "word" else 64)
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    config = load(Path(__file__).parents[2] / "simconfigs/h200.yaml")
    result = open_engine("embedded").simulate(Request(program, tracer.blocks(launch, program), launch, config, tracer))
    assert result.counters["smsp__inst_executed.sum"] == emulate_totals(launch).executed.sum()


def test_accel_sim_refuses_by_name(programs: Programs) -> None:
    config = load(Path(__file__).parents[2] / "simconfigs/h200.yaml")
    refused = {"pipeline": "no place for mbarriers and bulk copies", "neighbours": "Accel-Sim's traces know nothing"}
    for name, message in refused.items():
        launch = programs.launch(name)
        program, tracer = decode_launch(launch).program, open_tracer("emulated")
        request = Request(program, tracer.blocks(launch, program), launch, config)
        with pytest.raises(SsmsimError, match=message):
            refuse(request)
