"""What the driver and the hardware fill in: constant bank 0 as an H200 had it, special registers, named barriers."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.sass.kernel_elf import read_kernel
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.full import run_full
from ssmsim.tracers.emulated.hardware import bank0, special
from ssmsim.tracers.emulated.totals import emulate_totals

KERNELS = Path(__file__).parents[1] / "data" / "kernels"
OUT = 0x7E0000000000

# Words of constant bank 0 that a kernel copied on an H200 (driver of CUDA 13.0), the others below 0x210 apart from
# addresses and what the driver keeps for itself: grid (7, 2, 3), block 64, 4096 bytes of dynamic shared memory.
SEEN = {
    0x00: 64, 0x04: 1, 0x08: 1, 0x0C: 7, 0x10: 2, 0x14: 3, 0x2C: 4096, 0x10C: 132, 0x114: 0x400, 0x13C: 0x1400,
    0x140: 0, 0x144: 1, 0x148: 1, 0x14C: 1, 0x150: 0x3F800000, 0x154: 0x3F800000, 0x158: 0x3F800000, 0x15C: 7,
    0x160: 2, 0x164: 3, 0x188: 1, 0x208: 0, 0x20C: 0, 0x44: 0, 0x48: 0,
}  # fmt: skip


def make(folder: Path, cubin: str, kernel: str, params: bytes, **changed: object) -> Launch:
    data = (KERNELS / cubin).read_bytes()
    found = read_kernel(data, kernel, cubin)
    (folder / "kernel.cubin").write_bytes(data)
    fields = {
        "format": "launch/1", "kernel": kernel,
        "device": {"name": "none", "compute_capability": [9, 0], "multiprocessors": 132},
        "grid": [1, 1, 1], "block": [64, 1, 1], "cubin": "kernel.cubin", "params": params.hex(),
        "buffers": [{"name": "out", "address": OUT, "bytes": 1 << 20}] if params[:8] == struct.pack("<Q", OUT) else [],
        "shared_memory_bytes": 0, "registers_per_thread": found.registers, **changed,
    }  # fmt: skip
    (folder / "launch.json").write_text(json.dumps(fields))
    return read_launch(folder)


def special_launch(folder: Path, **changed: object) -> Launch:
    return make(folder, "special.cubin", "sr", struct.pack("<Q", OUT), **changed)


def test_bank_0_is_as_the_gpu_had_it(tmp_path: Path) -> None:
    facts = {"cooperative": False, "explicit_cluster": False, "shared_memory_bytes": 4096}
    launch = special_launch(tmp_path, grid=[7, 2, 3], **facts)
    bank = bank0(launch, decode_launch(launch).kernel)
    assert {at: int(bank.words[at // 4]) for at in SEEN} == SEEN
    assert not any(bank.unknown[at // 4] for at in SEEN)


@pytest.mark.parametrize(("offset", "name"), [
    (0x30, "%gridid"), (0x44, "workspace of grid.sync"), (0x68, "reserved_smem_offset"), (0x140, "%is_explicit_cluster"),
    (0x190, "%current_graph_exec"), (0x1A0, "the driver's own"), (0x40, "%envreg0"),
])  # fmt: skip
def test_what_a_launch_does_not_say_is_not_known(tmp_path: Path, offset: int, name: str) -> None:
    launch = special_launch(tmp_path)
    bank = bank0(launch, decode_launch(launch).kernel)
    number = int(bank.unknown[offset // 4])
    assert number and name in bank.reasons[number - 1][0]


def test_the_number_of_sms_is_the_devices_or_unknown(tmp_path: Path) -> None:
    launch = special_launch(tmp_path, device={"name": "none", "compute_capability": [9, 0]})
    assert bank0(launch, decode_launch(launch).kernel).unknown[0x10C // 4]


def test_special_registers_that_a_launch_fixes(tmp_path: Path) -> None:
    launch = special_launch(tmp_path, block=[4, 4, 4], shared_memory_bytes=100)
    threads = np.arange(64).reshape(2, 32)
    value = lambda name: special(launch, name, np.zeros(2, np.int64), threads)  # noqa: E731
    np.testing.assert_array_equal(value("SR_TID.Y"), threads // 4 % 4)
    np.testing.assert_array_equal(value("SR_GTMASK")[0], [(0xFFFFFFFF << k + 1) & 0xFFFFFFFF for k in range(32)])
    assert int(value("SR_SMEMSZ")[0, 0]) == 0x400 + 128 and int(value("SR_SWINLO")[0, 0]) == 0
    for name in ("SR_VIRTUALSMID", "SR_CLOCKLO", "SR_VIRTID", "SR_GLOBALTIMERLO", "SR_PM0"):
        assert value(name) is None


def test_storing_a_clock_is_no_matter_in_trace_mode(tmp_path: Path) -> None:
    launch = special_launch(tmp_path)
    totals = emulate_totals(launch)
    assert sum(n for op, n in totals.per_opcode().items() if op.startswith("STG")) == 2 * 33


def test_full_mode_refuses_values_that_no_launch_fixes(tmp_path: Path) -> None:
    launch = special_launch(tmp_path)
    with pytest.raises(SsmsimError, match=r"sr PC .*: it reads (%|constant c\[0x0\])"):
        run_full(launch, Image.of([launch]))


@pytest.mark.parametrize(("kernel", "number", "threads", "barriers"), [("pairs", 1, 64, 12), ("handover", 3, 128, 8)])
def test_barriers_with_number_and_count_in_registers(
    tmp_path: Path, kernel: str, number: int, threads: int, barriers: int
) -> None:
    """pairs: two pairs of warps, three barriers each. handover: two warps arrive where two others wait.

    In handover each warp also issues the other's BAR, with its guard off.
    """
    launch = make(tmp_path, "barriers.cubin", kernel, struct.pack("<Qii", OUT, number, threads), block=[128, 1, 1])
    totals = emulate_totals(launch)
    assert sum(n for op, n in totals.per_opcode().items() if op.startswith("BAR")) == barriers
    assert sum(n for op, n in totals.per_opcode().items() if op.startswith("STG")) == 4


def test_a_count_that_never_comes_is_a_deadlock(tmp_path: Path) -> None:
    launch = make(tmp_path, "barriers.cubin", "pairs", struct.pack("<Qii", OUT, 1, 96), block=[128, 1, 1])
    with pytest.raises(SsmsimError, match=r"pairs PC .*BAR\.SYNC.*: deadlock: warp 0 of block 0 waits for ever"):
        emulate_totals(launch)


def test_a_reduction_over_a_packed_barrier(tmp_path: Path) -> None:
    """popc over 64 threads of n != t, then whether any has n + 1 != t."""
    launch = make(tmp_path, "barriers.cubin", "votes", struct.pack("<Qii", OUT, 1, 64))
    image = Image.of([launch])
    run_full(launch, image)
    np.testing.assert_array_equal(image.read(OUT, 256).view(np.int32), 64 + 1)
