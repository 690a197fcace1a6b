"""Launches that were once replayed wrong or refused without need: what each executes, counted by hand, or its refusal.

Sources and launches lie in tests/data/cases. Sectors: a warp that touches 128 bytes in a row takes 4.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ssmsim.contents import write_contents
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, Variable, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.full import run_full
from ssmsim.tracers.emulated.reshape import reshape
from ssmsim.tracers.emulated.totals import Totals, emulate_totals

CASES = Path(__file__).parents[1] / "data" / "cases"


def case(name: str) -> Launch:
    return read_launch(CASES / name)


def executed(totals: Totals, start: str) -> int:
    """Warp instructions whose opcode begins so."""
    return sum(n for opcode, n in totals.per_opcode().items() if opcode.startswith(start))


def sectors(totals: Totals) -> tuple[int, int]:
    """Sectors of loads from and stores to global memory."""
    counters = totals.counters()
    stem = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
    return counters[f"{stem}ld.sum"], counters[f"{stem}st.sum"]


def changed(launch: Launch, **fields: object) -> Launch:
    other = launch.model_copy(update=fields)
    other._folder = launch.folder
    return other


SECTORS = {
    "barrier-handoff": (0, 16 * 4),  # 4 blocks of 4 warps, a row of floats each
    "device-variable": (32 * 4, 32 * 4),  # 8 blocks of 4 warps; where the table lies matters, its values do not
    "dynamic-shared-size": (16 * 4, 16 * 4),
    "pair-in-shared": (32 * 4, 32 * 4),
    "rdc-linked-call": (0, 32 * 4),
    "atomic-shared-float": (0, 4 * 4),  # the first warp of 4 blocks stores
    "spin-lock": (2, 2),  # 2 blocks, one after the other
}


@pytest.mark.parametrize(("name", "wanted"), SECTORS.items())
def test_sectors(name: str, wanted: tuple[int, int]) -> None:
    assert sectors(emulate_totals(case(name))) == wanted


REFUSALS = {
    "clock-wait": r"BRA .*its branch depends on the clock, which PC 0x0040 CS2R R4, SR_CLOCKLO reads",
    "constant-symbol": r"its branch depends on __constant__ variable taps, whose value at launch is not recorded",
    "device-malloc": r"own PC .*CALL.*: it calls malloc, which the driver provides",
    "device-printf": r"hello PC .*CALL.*: it calls vprintf, which the driver provides",
    "trap-taken": r"BPT\.TRAP.*warp 0 of block 0 traps, a fault on a GPU",
}


@pytest.mark.parametrize(("name", "message"), REFUSALS.items())
def test_refusals(name: str, message: str) -> None:
    with pytest.raises(SsmsimError, match=message):
        emulate_totals(case(name))


def test_a_trap_that_is_not_taken_is_no_fault() -> None:
    totals = emulate_totals(reshape(case("trap-taken"), parameters={8: 50}))
    assert sectors(totals) == (0, 2 * 4)


def test_a_recorded_constant_counts(tmp_path: Path) -> None:
    launch = case("constant-symbol")
    write_contents(tmp_path / "taps.bin", np.int32(9).tobytes())
    taps = Variable(name="taps", kind="constant", bytes=4, contents=str(tmp_path / "taps.bin"))
    assert sectors(emulate_totals(changed(launch, variables=[taps]))) == (9 * 32 * 4, 32 * 4)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_generic_atomic_says_that_its_address_was_global(recorded: bool) -> None:
    launch = case("atomic-bf16x2")
    if not recorded:
        (buffer,) = launch.buffers
        launch = changed(launch, buffers=[buffer.model_copy(update={"contents": None})])
    totals = emulate_totals(launch)
    assert totals.warps == executed(totals, "ATOM.E.ADD.BF16x2") == executed(totals, "EXIT") == 64
    assert executed(totals, "QSPC") == 0


def test_a_vector_atomic_is_as_wide_as_its_vector() -> None:
    launch = case("atomic-float4")
    records = decode_launch(launch).program.instructions
    assert records["width"][records["is_store"] == 1].tolist() == [16]
    (buffer,) = launch.buffers
    short = changed(launch, buffers=[buffer.model_copy(update={"bytes": buffer.bytes - 12})])
    with pytest.raises(SsmsimError, match=r"REDG\.E\.ADD\.F32x4.*: address 0x7f3000007ff0 lies outside every buffer"):
        emulate_totals(short)


def test_warps_add_to_a_float_in_shared_memory_once_each() -> None:
    """Its lanes add to 32 floats, so that none meets another; rounds by other warps depend on the time."""
    totals = emulate_totals(case("atomic-shared-float"))
    assert executed(totals, "ATOMS.CAST.SPIN") == totals.warps == 16


def test_a_device_linked_function_computes() -> None:
    launch = case("rdc-linked-call")
    image = Image.of([launch])
    run_full(launch, image)
    x, wanted = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    for k in range(9):
        wanted = wanted * x + np.float32(k)  # fused on the GPU: equal up to rounding
    got = image.read(launch.buffers[0].address, 4096).view(np.float32)
    np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_a_parameter_behind_the_first_4_kb() -> None:
    launch = reshape(case("big-parameter"), parameters={6008: 4})
    assert launch.param_bytes[6008:6012] == (4).to_bytes(4, "little")
    assert launch.param_bytes[:6008] == case("big-parameter").param_bytes[:6008]


IMPOSSIBLE: dict[str, tuple[Callable[[Launch], Launch], str]] = {
    "grid y": (lambda x: reshape(x, (1, 70000, 1)), r"grid .* has 70000 in y, no GPU launches more than 65535"),
    "grid z": (lambda x: reshape(x, (1, 1, 65536)), r"has 65536 in z"),
    "grid x": (lambda x: reshape(x, (2**32, 1, 1)), r"has 4294967296 in x, no GPU launches more than 2147483647"),
    "grid of none": (lambda x: reshape(x, (0, 1, 1)), r"grid \(0, 1, 1\) has a dimension below 1"),
    "buffer of less than nothing": (lambda x: reshape(x, buffers={"out": -5}), r"buffers\.0\.bytes.*greater"),
}


@pytest.mark.parametrize(("change", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_reshape_refuses_what_no_gpu_launches(change: Callable[[Launch], Launch], message: str) -> None:
    with pytest.raises(SsmsimError, match=message):
        change(case("atomic-float4"))
