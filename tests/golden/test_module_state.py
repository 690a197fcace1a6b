"""Module variables, function pointers, virtual functions and device-linked code of tests/data/kernels."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from ssmsim.capture.reduce import reduce_cubin
from ssmsim.elf_attributes import kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode, decode_launch
from ssmsim.sass.kernel_elf import read_kernel
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.full import run_full
from ssmsim.tracers.emulated.module import banks_of, own
from ssmsim.tracers.emulated.totals import emulate_totals

KERNELS = Path(__file__).parents[1] / "data" / "kernels"
OUT, BYTES = 0x7E0000000000, 4096


def make(folder: Path, cubin: str, kernel: str, n: int | None, variables: dict[str, tuple[str, bytes]]) -> Launch:
    """A launch of one block of 32 threads with (out) or (out, n). variables: name to kind and recorded bytes."""
    data = (KERNELS / cubin).read_bytes()
    found = read_kernel(data, kernel, cubin)
    (folder / "kernel.cubin").write_bytes(data)
    listed = []
    for name, (kind, value) in variables.items():
        (folder / f"{name}.bin").write_bytes(value)
        listed.append({"name": name, "kind": kind, "bytes": len(value), "contents": f"{name}.bin"})
    params = struct.pack("<Q", OUT) if n is None else struct.pack("<Qi", OUT, n)
    fields = {
        "format": "launch/1", "kernel": kernel, "device": {"name": "none", "compute_capability": [9, 0]},
        "grid": [1, 1, 1], "block": [32, 1, 1], "cubin": "kernel.cubin", "params": params.hex(),
        "buffers": [{"name": "out", "address": OUT, "bytes": BYTES}], "shared_memory_bytes": 0,
        "registers_per_thread": found.registers, "variables": listed,
    }  # fmt: skip
    (folder / "launch.json").write_text(json.dumps(fields))
    return read_launch(folder)


def out_of(launch: Launch) -> np.ndarray:
    """What full mode leaves in the first 32 words of `out`."""
    image = Image.of([launch], kernel=decode_launch(launch).kernel)
    image.write(OUT, bytes(BYTES))
    run_full(launch, image)
    return image.read(OUT, 128)


def words(*values: int) -> bytes:
    return np.array(values, np.int32).tobytes()


STATE = {
    "ci": ("constant", words(1, 2, 3, 4)), "cz": ("constant", words(10, 20, 30, 40)), "dv": ("device", words(500)),
    "dz": ("device", words(6000)), "ktab": ("device", np.float32([1, 2, 3, 4]).tobytes()),
    "lut": ("device", words(5, 4, 3, 2, 1)),
}  # fmt: skip


def test_recorded_variables_are_what_the_kernel_reads(tmp_path: Path) -> None:
    launch = make(tmp_path, "module.cubin", "vars", 2, STATE)
    image = Image.of([launch], kernel=decode_launch(launch).kernel)
    banks = banks_of(launch, decode_launch(launch).kernel)
    assert banks[3].words[:8].tolist() == [1, 2, 3, 4, 10, 20, 30, 40] and not banks[3].unknown[:8].any()
    addresses = banks[4].words[:-4].view("<u8")
    for address, name in zip(addresses[:4], ("dv", "dz", "ktab", "lut"), strict=True):
        value = STATE[name][1]
        assert image.read(int(address), len(value)).tobytes() == value


def test_a_variable_of_another_length_is_refused(tmp_path: Path) -> None:
    launch = make(tmp_path, "module.cubin", "vars", 2, {"ci": ("constant", words(1, 2, 3))})
    with pytest.raises(SsmsimError, match=r"variable ci: 12 bytes of contents where the cubin has 16"):
        emulate_totals(launch)


def test_only_what_no_source_can_name_is_sure_to_be_as_the_cubin_has_it() -> None:
    kernel = read_kernel((KERNELS / "module.cubin").read_bytes(), "vars", "")
    mine = {v.name for v in kernel.variables if own(v)}
    assert {"_ZTV1A", "_ZTV1B", "__cudart_i2opi_f", "$str", "__unnamed_1"} <= mine
    assert not mine & {"dv", "dz", "ci", "cz", "ktab", "lut", "ptr", "tab"}


def test_a_pointer_that_nobody_recorded_is_named(tmp_path: Path) -> None:
    launch = make(tmp_path, "module.cubin", "funcs", 3, {})
    with pytest.raises(SsmsimError, match=r"its address depends on data that .* loads from __device__ variable ptr"):
        emulate_totals(launch)


def test_calls_through_a_table_that_nobody_recorded_are_named(tmp_path: Path) -> None:
    launch = make(tmp_path, "module.cubin", "funcs", 9, {})
    with pytest.raises(SsmsimError, match=r"depends on data that .* loads from __device__ variable (tab|ptr)"):
        emulate_totals(launch)


def test_virtual_functions_are_found_through_the_compilers_tables(tmp_path: Path) -> None:
    launch = make(tmp_path, "module.cubin", "virt", 1, {})
    lane = np.arange(32)
    np.testing.assert_array_equal(out_of(launch).view(np.int32), np.where(lane & 1, 1, 2))
    totals = emulate_totals(launch)
    assert sum(n for op, n in totals.per_opcode().items() if op.startswith("CALL")) == 1
    assert sum(n for op, n in totals.per_opcode().items() if op.startswith("RET")) == 2  # once for each class


def test_an_assert_that_holds_is_no_call(tmp_path: Path) -> None:
    launch = make(tmp_path, "module.cubin", "asserts", 4, {})
    np.testing.assert_array_equal(out_of(launch).view(np.int32), 4)
    emulate_totals(launch)
    (tmp_path / "failed").mkdir()
    failed = make(tmp_path / "failed", "module.cubin", "asserts", 5, {})
    with pytest.raises(SsmsimError, match=r"it calls __assertfail, which the driver provides \(a failed assert\)"):
        emulate_totals(failed)


LINKED = {
    "tabl": ("device", words(*range(100, 164))), "far": ("device", words(*range(1, 9))),
    "cfar": ("constant", words(7, 8, 9, 10)),
}  # fmt: skip


def test_device_linked_functions_and_variables(tmp_path: Path) -> None:
    """k2: out[i] = tabl[n] + 3, through a call into another section."""
    launch = make(tmp_path, "linked.cubin", "k2", 5, LINKED)
    np.testing.assert_array_equal(out_of(launch).view(np.float32), 108)
    emulate_totals(launch)


def test_a_function_pointer_that_nobody_recorded_is_named(tmp_path: Path) -> None:
    launch = make(tmp_path, "linked.cubin", "k1", 2, LINKED)
    with pytest.raises(SsmsimError, match=r"its operand depends on data that .* loads from __device__ variable fp"):
        emulate_totals(launch)


def test_a_recorded_function_pointer_is_of_the_gpus_code(tmp_path: Path) -> None:
    pointer = (0x7FC341000000).to_bytes(8, "little")
    launch = make(tmp_path, "linked.cubin", "k1", 2, {**LINKED, "fp": ("device", pointer)})
    with pytest.raises(SsmsimError, match=r"it jumps to 0x41000000, outside of the kernel's code"):
        emulate_totals(launch)


def test_reducing_keeps_the_functions_that_a_kernel_calls() -> None:
    image = (KERNELS / "linked.cubin").read_bytes()
    cut = read_kernel(reduce_cubin(image, {"k1"}), "k1", "")
    whole = read_kernel(image, "k1", "")
    assert cut.symbols.keys() == whole.symbols.keys() and (cut.words == whole.words).all()
    with pytest.raises(SsmsimError, match="no kernel k2"):
        read_kernel(reduce_cubin(image, {"k1"}), "k2", "")


def test_what_is_not_linked_is_one_line() -> None:
    with pytest.raises(SsmsimError, match=r"unlinked\.cubin: relocatable device code .* that is not linked"):
        decode(KERNELS / "unlinked.cubin", "k1")


def test_unlinked_code_is_told_before_its_length(tmp_path: Path) -> None:
    """Sections of debug builds, .nv_debug.shared, end behind the file though nothing is missing."""
    image = bytearray((KERNELS / "unlinked.cubin").read_bytes())
    table, entry = struct.unpack_from("<Q", image, 40)[0], struct.unpack_from("<H", image, 58)[0]
    struct.pack_into("<Q", image, table + entry + 32, 1 << 30)  # the size of a section
    (tmp_path / "short.cubin").write_bytes(image)
    with pytest.raises(SsmsimError, match="relocatable device code"):
        decode(tmp_path / "short.cubin", "k1")
    with pytest.raises(SsmsimError, match="relocatable device code"):
        kernel_info(bytes(image), "k1")
