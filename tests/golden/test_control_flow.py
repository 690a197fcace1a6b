"""Divergence, calls, jump tables, barriers, lane exchange, atomics and all memories: outputs against plain Python, and
trace mode against full mode, instruction for instruction."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from emulator import BLOCK, GRID, TABLE, full, make_launch, traced

from ssmsim.microbenchmarks import machine_code
from ssmsim.trace.compare import compare
from tests.opcodes.compiled import compile_ptx

N = 192


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def quotient(a: int, b: int) -> int:
    """C division: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def collatz(a: int, limit: int) -> int:
    steps = 0
    while a > 1 and steps < limit:
        a, steps = 3 * a + 1 if a & 1 else a // 2, steps + 1
    return steps


def calls(i: int) -> int:
    return (collatz(i, 20) if i % 3 == 0 else collatz(i + 5, 7)) + TABLE[i & 15]


def recursion(i: int) -> int:
    return [0, 1, 1, 2, 3, 5, 8, 13, 21][i % 96 % 9]


def jumps(i: int) -> int:
    v = 5 * i
    reverse = int(f"{v:032b}"[::-1], 2)
    cases = [v + 3, v * 7, quotient(v ^ 12345, 3), v // 3, v % 7, v << 3, v.bit_count(), 32 - v.bit_length(),
             signed(reverse), (v & -v).bit_length(), 9]  # fmt: skip
    return cases[i % 11]


def loops(i: int) -> int:
    s = 0
    for a in range(i % 13):
        if a == 3:
            continue
        for b in range(a, 9):
            if (a * b + i) % 7 == 6:
                break
            s += b
            if s > 500:
                return 0
        s = 3 * s + 1 & 1023
    return s


PER_THREAD: dict[str, tuple[list[object], Callable[[int], int]]] = {
    "calls": ([20], calls),
    "recursion": ([], recursion),
    "jumps": ([9], jumps),
    "loops": ([3], loops),
}


@pytest.mark.parametrize("name", PER_THREAD)
def test_each_thread_computes_what_python_does(name: str, tmp_path: Path) -> None:
    arguments, model = PER_THREAD[name]
    launch, arrays = make_launch(tmp_path, name, [np.zeros(N, np.int32), *arguments], GRID, BLOCK)
    (out,), _ = full(launch, arrays)
    assert out.tolist() == [model(i) for i in range(N)]


def test_lanes_exchange_values(tmp_path: Path) -> None:
    n = 7
    launch, arrays = make_launch(tmp_path, "exchange", [np.zeros(N, np.uint32), n], GRID, BLOCK)
    (out,), _ = full(launch, arrays)
    for warp in range(N // 32):
        ids = range(32 * warp, 32 * warp + 32)
        v = [i * 2654435761 & 0xFFFFFFFF for i in ids]
        for lane, i in enumerate(ids):
            down = v[lane + 3] if lane % 16 + 3 < 16 else v[lane]
            up = v[lane - 2] if lane >= 2 else v[lane]
            x = v[lane] ^ (v[lane ^ 5] + down + up + v[n & 31] & 0xFFFFFFFF)
            x += sum(1 << k for k, j in enumerate(ids) if j % 3 == 0) + sum(ids)
            x += sum(1 << k for k, j in enumerate(ids) if j % 5 == i % 5)
            x += (n in ids) + 2 + (16 if lane % 2 else 0)
            assert out[i] == x & 0xFFFFFFFF


def test_warps_of_a_block_meet(tmp_path: Path) -> None:
    """Counting, voting and named barriers: a warp that ran ahead would read a slot before it is written."""
    launch, arrays = make_launch(tmp_path, "meeting", [np.zeros(256, np.int32), 5], (2, 1, 1), (128, 1, 1))
    (out,), _ = full(launch, arrays)
    count = [sum(t % 3 == 0 for t in range(128))] * 128
    for step in (1, 2, 4):
        slot = [count[t] + t * step for t in range(128)]
        count = [count[t] + slot[(t + step) % 128] for t in range(128)]
    assert out.tolist() == [c + 1 + 2 for c in count] * 2


def test_generic_pointers_reach_all_memories(tmp_path: Path) -> None:
    given = np.arange(100, 164, dtype=np.int32)
    launch, arrays = make_launch(tmp_path, "anywhere", [np.zeros(64, np.int32), given, 3], (1, 1, 1), (64, 1, 1))
    (out, _), _ = full(launch, arrays)
    expected = []
    for t in range(64):
        own = [3 * k + t for k in range(8)]
        expected.append((range(64), given.tolist(), own)[t % 3][t & 7] + own[(t + 3) & 7])
    assert out.tolist() == expected


def test_atomics_lose_nothing(tmp_path: Path) -> None:
    arrays = [np.zeros(64, np.int32), np.zeros(1, np.uint64), np.zeros(1, np.float32)]
    launch, given = make_launch(tmp_path, "atomics", list(arrays), GRID, BLOCK)
    (out, wide, total), _ = full(launch, given)
    assert wide[0] == N << 30 and total[0] == N / 2
    assert out[32] == N - 1 and out[33] == 127
    assert out[8:13].tolist() == [2 * sum(t for t in range(96) if t % 5 == k) for k in range(5)]
    assert out[:8].tolist() == [2] * 8


def test_asynchronous_copies_fill_with_zeros(tmp_path: Path) -> None:
    given = np.arange(1, 513, dtype=np.float32)
    launch, arrays = make_launch(tmp_path, "copies", [np.zeros(128, np.float32), given, 50], (1, 1, 1), (128, 1, 1))
    (out, _), _ = full(launch, arrays)
    kept = [4 if t < 50 else t % 4 for t in range(128)]
    tile = [[given[4 * t + k] if k < kept[t] else 0 for k in range(4)] for t in range(128)]
    assert out.tolist() == [sum(x * 10**k for k, x in enumerate(tile[t ^ 1])) for t in range(128)]


def test_wide_integer_division(tmp_path: Path) -> None:
    a, b = -98765432109876, 17
    launch, arrays = make_launch(tmp_path, "divisions", [np.zeros(4 * N, np.int64), np.int64(a), b], GRID, BLOCK)
    (out,), _ = full(launch, arrays)
    for i, row in enumerate(out.reshape(-1, 4).tolist()):
        d = i - 40 or 9
        q, unsigned = quotient(a, d), a & (1 << 64) - 1
        shifted = (signed(a * d, 64) >> (i & 31)) + (unsigned << (i & 63)) + (a > d) + (a * d >> 64)
        expected = [q, a - q * d, unsigned // (b + i) + quotient(b - 7 * i, i + 1), shifted]
        assert row == [signed(x, 64) for x in expected]


def test_calls_through_pointers(tmp_path: Path) -> None:
    launch, arrays = make_launch(tmp_path, "pointers", [np.zeros(1, np.int32), np.zeros(N, np.int32), 2], GRID, BLOCK)
    (_, out), _ = full(launch, arrays)
    assert out.tolist() == [5 if i % 2 else 2 for i in range(N)]


CASES: dict[str, list[object]] = {
    "calls": [20], "recursion": [], "jumps": [9], "loops": [3], "exchange": [7],
    "chase": [np.arange(N, dtype=np.int32)[::-1].copy(), 5],
    "divisions": [np.int64(-98765432109876), 17],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("grid", "block"), [((2, 1, 1), (96, 1, 1)), ((1, 2, 2), (5, 3, 2)), ((1, 1, 1), (1, 1, 33))])
def test_trace_mode_follows_full_mode(
    name: str, grid: tuple[int, int, int], block: tuple[int, int, int], tmp_path: Path
) -> None:
    launch, arrays = make_launch(tmp_path, name, [np.zeros(4 * N, np.int64), *CASES[name]], grid, block)
    _, whole = full(launch, arrays)
    code, trace = traced(launch)
    found = compare(code.program, trace, whole)
    assert found.instructions == len(whole.index) and not found.rows(code.program)


BYPASS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry bypass(.param .u64 out, .param .u32 from) {
  .reg .b64 %a<4>; .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u64 %a0, [out]; ld.param.u32 %r3, [from]; mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, %r3;
  mul.wide.u32 %a1, %r0, 4; add.s64 %a1, %a0, %a1; mov.u32 %r1, 1; bar.sync 0;
  @%p0 bra past;
  add.u32 %r1, %r0, 7; bar.warp.sync 0xffffffff; st.global.u32 [%a1+512], %r1;
past:
  st.global.u32 [%a1], %r1;
  ret;
}
"""
BRANCH, UNANIMOUS = 0x947, 1 << 32  # BRA's opcode, and its bit .U


@pytest.mark.parametrize(("first", "gone"), [(0, 2), (5, 1), (32, 1), (40, 0), (64, 0)])
def test_a_unanimous_branch_is_taken_by_whole_warps(tmp_path: Path, first: int, gone: int) -> None:
    """BRA.U of lanes from `first` on, in two warps: a warp of which some lanes want to stays whole. gone: warps that go."""
    image = bytearray(compile_ptx(BYPASS, tmp_path / "plain.cubin").read_bytes())
    for _, start, words in machine_code.kernels(bytes(image)):
        code = machine_code.read(image, start, words)
        at = next(i for i, word in enumerate(code) if word & 0xFFF == BRANCH and word >> 12 & 15 != 7)
        machine_code.write(image, start, at, code[at] | UNANIMOUS)
    (tmp_path / "bypass.cubin").write_bytes(image)
    launch, arrays = make_launch(
        tmp_path / "launch",
        "bypass",
        [np.zeros(256, np.uint32), first],
        (1, 1, 1),
        (64, 1, 1),
        cubin=tmp_path / "bypass.cubin",
    )
    (out, *_), trace = full(launch, arrays)
    went = np.repeat([gone == 2, gone >= 1], 32)
    assert (out[:64] == np.where(went, 1, np.arange(64) + 7)).all() and (out[128:192] != 0).tolist() == (~went).tolist()
    code, ours = traced(launch)
    found = compare(code.program, ours, trace)
    assert found.instructions == len(trace.index) and not found.rows(code.program)
