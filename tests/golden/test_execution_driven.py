"""Streams made hand in hand with an engine (tests/data/kernels/cross_block.cu): memory afterwards against numpy, for orders of
accesses drawn at random and for those of the embedded engine.
"""

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from emulator import CUBIN, make_launch

from ssmsim.config.load import load
from ssmsim.coverage.check import check
from ssmsim.engines import open_engine
from ssmsim.engines.embedded import simulate as driver
from ssmsim.engines.request import NO_VIEWS, Request, Views
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.trace.types import ExecutionDriven as Driven
from ssmsim.trace.types import Pieces, StartAgain
from ssmsim.tracers import open_tracer
from ssmsim.tracers.emulated.execution_driven import ExecutionDriven
from ssmsim.tracers.emulated.source import EmulatedBlocks
from tests.opcodes.compiled import compile_ptx

KERNELS = CUBIN.parent / "cross_block.cubin"
H200 = load(Path(__file__).parents[2] / "simconfigs/h200.yaml")
U32 = np.uint32
INPUT = np.arange(6 * 64, dtype=U32) % 97


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, U32)


def grid_sums(blocks: int, rounds: int) -> np.ndarray:
    """out of grid_barrier."""
    of = [sum((r + 1) * ((b + r + 1) % blocks + 1) for r in range(rounds)) for b in range(blocks)]
    return np.repeat(np.array(of, U32), 64)


def chained(blocks: int) -> np.ndarray:
    """sum of semaphore: blocks in their order."""
    value = 0
    for b in range(blocks):
        value = value * 3 + b
    return np.full(64, value, U32)


# kernel, arguments, blocks, {argument: what it holds afterwards}
CASES: list[tuple[str, list, int, dict[int, np.ndarray]]] = [
    ("lock", [zeros(1), zeros(1)], 7, {0: zeros(1), 1: np.array([28], U32)}),
    ("lookback", [INPUT, zeros(12), zeros(6 * 64), zeros(1)], 6, {2: np.cumsum(INPUT, dtype=U32), 3: np.array([6], U32)}),
    ("grid_barrier", [zeros(1), zeros(3 * 5), zeros(5 * 64), 3], 5, {0: np.array([15], U32), 2: grid_sums(5, 3)}),
    ("semaphore", [zeros(1), zeros(64)], 4, {0: zeros(1), 1: chained(4)}),
    ("last_block", [INPUT, zeros(6), zeros(1), zeros(1)], 6, {2: zeros(1), 3: np.array([INPUT.reshape(6, 64)[:, :32].sum()], U32)}),
    ("handover", [zeros(1), zeros(1), zeros(64)], 5, {2: 77 + np.arange(64, dtype=U32)}),
]  # fmt: skip
NAMES = [case[0] for case in CASES]


def launch_of(folder: Path, kernel: str, arguments: list, blocks: int) -> tuple[Launch, list]:
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    return make_launch(folder, kernel, arguments, (blocks, 1, 1), (64, 1, 1), cubin=KERNELS)


def memory(driven: ExecutionDriven, launch: Launch, number: int, size: int) -> np.ndarray:
    """Argument `number` as the launch has left it."""
    buffer = launch.buffers[number]
    return driven.image.read(buffer.address, size).view(U32)


def in_order(driven: Driven, blocks: int, choose: Callable[[list[int]], int]) -> dict[tuple[int, int], list[int]]:
    """Perform one pending access after the other, as `choose` picks it of those that are each warp's oldest; the
    instructions of each warp."""
    while True:
        try:
            return _in_order(driven, blocks, choose)
        except StartAgain:
            driven.begin(1000.0)


def _in_order(driven: Driven, blocks: int, choose: Callable[[list[int]], int]) -> dict[tuple[int, int], list[int]]:
    streams: dict[tuple[int, int], list[int]] = {}
    pending: dict[tuple[int, int], list[int]] = {}

    def note(pieces: Pieces) -> None:
        warps = list(zip(pieces.block.tolist(), pieces.warp.tolist(), strict=True))
        for k, w in enumerate(warps):
            streams.setdefault(w, []).extend(pieces.index[pieces.first[k] : pieces.first[k + 1]].tolist())
        for k, _, number, _ in pieces.performs.tolist():
            pending.setdefault(warps[k], []).append(number)

    note(driven.start(np.arange(blocks)))
    while heads := [found[0] for found in pending.values() if found]:
        number = choose(heads)
        next(found for found in pending.values() if found and found[0] == number).pop(0)
        note(driven.perform(np.array([number]), np.zeros(1, np.int64), np.zeros(1, np.int64)))
    return streams


@pytest.mark.parametrize("case", CASES, ids=NAMES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_memory_is_right_in_any_order(tmp_path: Path, case: tuple, seed: int) -> None:
    kernel, arguments, blocks, expected = case
    launch, _ = launch_of(tmp_path, kernel, arguments, blocks)
    driven = ExecutionDriven(decode_launch(launch), launch, everything=True)
    draw = np.random.default_rng(seed)
    streams = in_order(driven, blocks, lambda heads: heads[int(draw.integers(len(heads)))])
    for number, wanted in expected.items():
        assert (memory(driven, launch, number, wanted.nbytes) == wanted).all(), number
    code = decode_launch(launch)
    assert all(code.instructions[stream[-1]].base == "EXIT" for stream in streams.values())


@pytest.mark.parametrize(("kernel", "arguments"), [
    ("tickets", [zeros(1), zeros(10 * 64), 10]), ("last_block", [INPUT, zeros(6), zeros(1), zeros(1)]),
])  # fmt: skip
def test_control_alone_executes_the_same(tmp_path: Path, kernel: str, arguments: list) -> None:
    """Only what control hangs on is computed; the streams are those of all computed, by the same order of accesses."""
    launch, _ = launch_of(tmp_path, kernel, arguments, 6)
    code = decode_launch(launch)
    few, all_ = (in_order(ExecutionDriven(code, launch, everything), 6, min) for everything in (False, True))
    assert few == all_


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_engine_leaves_memory_right(tmp_path: Path, case: tuple) -> None:
    kernel, arguments, blocks, expected = case
    launch, _ = launch_of(tmp_path, kernel, arguments, blocks)
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    request = Request(program, tracer.blocks(launch, program), launch, H200, tracer)
    driven = ExecutionDriven(decode_launch(launch), launch, everything=True)
    whole = driver.timed_with(request, driven)
    for number, wanted in expected.items():
        assert (memory(driven, launch, number, wanted.nbytes) == wanted).all(), number
    sliced = driver.timed_with(request, ExecutionDriven(decode_launch(launch), launch))
    issued = "smsp__inst_executed.sum"
    assert sliced.counters[issued] == pytest.approx(
        whole.counters[issued], rel=0.1
    )  # more accesses are timed in the one


def test_tickets_are_dealt_once_each(tmp_path: Path) -> None:
    launch, _ = launch_of(tmp_path, "tickets", [zeros(1), zeros(10 * 64), 10], 4)
    driven = ExecutionDriven(decode_launch(launch), launch, everything=True)
    in_order(driven, 4, max)
    owner = memory(driven, launch, 1, 10 * 64 * 4).reshape(10, 64)
    assert (owner % 1000 == np.arange(64)).all() and (owner // 1000 == owner[:, :1] // 1000).all()
    assert memory(driven, launch, 0, 4)[0] == 14  # ten tiles, and four that found no more


def test_a_flag_that_never_comes_is_a_deadlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssmsim.tracers.emulated.execution_driven.IN_VAIN", 20)
    launch, _ = launch_of(tmp_path, "forsaken", [zeros(1), zeros(4)], 3)
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    with pytest.raises(
        SsmsimError, match=r"deadlock: warp 0 of block 1 reads the same value .*LDG.* blocks that poll: 1"
    ):
        open_engine("embedded").simulate(Request(program, tracer.blocks(launch, program), launch, H200, tracer))


def test_streams_that_hang_on_nothing_are_not_made_so(tmp_path: Path) -> None:
    launch, _ = make_launch(
        tmp_path, "loops", [zeros(64), 9], (1, 1, 1), (64, 1, 1), cubin=CUBIN.parent / "control.cubin"
    )
    assert EmulatedBlocks(launch, None).execution_driven() is None


def test_a_part_of_a_launch_has_one_order(tmp_path: Path) -> None:
    launch, _ = launch_of(tmp_path, "tickets", [zeros(1), zeros(10 * 64), 10], 4)
    assert EmulatedBlocks(launch, [0, 1]).execution_driven() is None
    assert EmulatedBlocks(launch, None).execution_driven() is not None


CLOCKS = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry waits(.param .u64 out, .param .u32 least) {
  .reg .pred p; .reg .b32 r<8>; .reg .b64 a<4>;
  ld.param.u64 a0, [out]; ld.param.u32 r0, [least];
  mov.u32 r1, %clock;
again:
  mov.u32 r2, %clock; sub.u32 r3, r2, r1; setp.lt.u32 p, r3, r0;
  @p bra again;
  mov.u32 r4, %smid; mov.u32 r5, %ctaid.x; mul.wide.u32 a1, r5, 8; add.u64 a1, a0, a1;
  st.global.v2.u32 [a1], {r3, r4};
  ret;
}
"""


def test_a_wait_for_the_clock_ends_when_it_is_time(tmp_path: Path) -> None:
    cubin = compile_ptx(CLOCKS, tmp_path / "clocks.cubin")
    cycles = []
    for least in (500, 4500):
        launch, _ = make_launch(
            tmp_path / str(least), "waits", [zeros(5 * 2), least], (5, 1, 1), (32, 1, 1), cubin=cubin
        )
        program, tracer = decode_launch(launch).program, open_tracer("emulated")
        request = Request(program, tracer.blocks(launch, program), launch, H200, tracer)
        driven = ExecutionDriven(decode_launch(launch), launch, everything=True)
        driver.timed_with(request, driven)
        waited, sm = memory(driven, launch, 0, 40).reshape(5, 2).T
        assert (waited >= least).all() and (waited < least + 100).all()
        assert len(np.unique(sm)) == 5
        cycles.append(open_engine("embedded").simulate(request).counters["gpc__cycles_elapsed.max"] or 0)
        assert check(launch.folder, H200, 3).reason == ""
    assert cycles[1] - cycles[0] == pytest.approx(4000, abs=100)


def test_views_name_the_instructions_that_marks_stand_for(tmp_path: Path) -> None:
    launch, _ = launch_of(tmp_path, "grid_barrier", [zeros(1), zeros(3 * 132), zeros(132 * 64), 3], 132)
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    views = Views(tmp_path / "timeline.json", 0, tmp_path / "stalls.csv", tmp_path / "samples.csv")
    request = Request(program, tracer.blocks(launch, program), launch, H200, tracer, views=views)
    result = open_engine("embedded").simulate(request)
    plain = open_engine("embedded").simulate(replace(request, views=NO_VIEWS, blocks=tracer.blocks(launch, program)))
    assert result.counters == plain.counters
    rows = list(csv.DictReader((tmp_path / "stalls.csv").open()))
    assert sum(int(row["executed"]) for row in rows) == result.counters["smsp__inst_executed.sum"]
    polls = [row for row in rows if "LDG.E.STRONG" in row["text"]]
    first_use = next(row for row in rows[rows.index(polls[0]) :] if " R4, " in row["text"] and "LDG" not in row["text"])
    assert int(first_use["long_scoreboard"]) > 500
    events = json.loads((tmp_path / "timeline.json").read_text())["traceEvents"]
    shown = sum(e["name"].startswith("LDG.E.STRONG") for e in events)
    assert 0 < shown <= int(polls[0]["executed"])


def test_a_sleep_takes_the_next_power_of_two_of_nanoseconds(tmp_path: Path) -> None:
    """As on an H200 (microbenchmark sm/nanosleep_duration)."""
    kernel = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry sleeps(.param .u64 out) { %s ret; }
"""
    cycles = []
    for number, sleep in enumerate(("", "nanosleep.u32 648;", "nanosleep.u32 1245;")):
        cubin = compile_ptx(kernel % sleep, tmp_path / f"{number}.cubin")
        launch, _ = make_launch(tmp_path / str(number), "sleeps", [zeros(1)], (1, 1, 1), (32, 1, 1), cubin=cubin)
        program, tracer = decode_launch(launch).program, open_tracer("emulated")
        request = Request(program, tracer.blocks(launch, program), launch, H200, tracer)
        cycles.append(open_engine("embedded").simulate(request).counters["gpc__cycles_elapsed.max"] or 0)
    assert cycles[1] - cycles[0] == pytest.approx(1024 * 1.98, rel=0.02)
    assert cycles[2] - cycles[0] == pytest.approx(2048 * 1.98, rel=0.02)


GRID_SYNC = """.version 8.0
.target sm_90
.address_size 64
.visible .entry synced(.param .u64 in, .param .u64 out) {
  .reg .b64 %a<9>; .reg .b32 %r<20>; .reg .pred %p<4>;
  ld.param.u64 %a0, [in]; ld.param.u64 %a1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;
  mov.b32 %r3, %envreg1; mov.b32 %r4, %envreg2; mov.b64 %a2, {%r4, %r3};
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra arrived;
  mul.wide.u32 %a3, %r1, 4; add.s64 %a3, %a0, %a3; add.u32 %r5, %r1, 5; st.global.u32 [%a3], %r5;
  membar.gl;
  mov.u32 %r6, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra add; sub.u32 %r6, 0x80000001, %r2;  // the last arrival turns the top bit
add:
  atom.global.add.u32 %r7, [%a2+4], %r6;
again:
  ld.volatile.global.u32 %r8, [%a2+4]; xor.b32 %r9, %r8, %r7; setp.ge.s32 %p2, %r9, 0; @%p2 bra again;
  membar.gl;
arrived:
  bar.sync 0;
  add.u32 %r10, %r1, 1; setp.lt.u32 %p3, %r10, %r2; selp.u32 %r10, %r10, 0, %p3;
  mul.wide.u32 %a4, %r10, 4; add.s64 %a4, %a0, %a4; ld.volatile.global.u32 %r11, [%a4];
  mad.lo.u32 %r12, %r1, 64, %r0; mul.wide.u32 %a5, %r12, 4; add.s64 %a5, %a1, %a5; st.global.u32 [%a5], %r11;
  ret;
}
"""


def test_a_cooperative_launch_finds_a_workspace_to_synchronise_in(tmp_path: Path) -> None:
    """As the driver gives it, at the address in %envreg1 and 2."""
    cubin = compile_ptx(GRID_SYNC, tmp_path / "synced.cubin")
    launch, _ = make_launch(
        tmp_path / "launch", "synced", [zeros(4), zeros(4 * 64)], (4, 1, 1), (64, 1, 1), cubin=cubin
    )
    launch = launch.model_copy(update={"cooperative": True})
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    driven = ExecutionDriven(decode_launch(launch), launch, everything=True)
    request = Request(program, tracer.blocks(launch, program), launch, H200, tracer)
    driver.timed_with(request, driven)
    assert (memory(driven, launch, 1, 4 * 64 * 4).reshape(4, 64) == [[6], [7], [8], [5]]).all()
    alone = launch.model_copy(update={"cooperative": False})
    with pytest.raises(SsmsimError, match="outside every buffer"):
        open_engine("embedded").simulate(Request(program, tracer.blocks(alone, program), alone, H200, tracer))
