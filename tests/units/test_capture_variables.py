"""Module variables at capture: which are read, from where, and that a launch written with them replays."""

from pathlib import Path

import numpy as np
import pytest

from ssmsim.capture import driver, variables
from ssmsim.capture.recorded import Cubin, Recorded
from ssmsim.capture.writer import _write_launch
from ssmsim.elf_attributes import kernel_info
from ssmsim.launch import read_launch
from ssmsim.sass.kernel_elf import read_kernel
from ssmsim.tracers.emulated.totals import emulate_totals

DATA = Path(__file__).parents[1] / "data"
CASE = read_launch(DATA / "cases" / "constant-symbol")
MODULE = DATA / "kernels" / "module.cubin"


def test_a_kernel_can_read_all_constants_and_the_variables_whose_addresses_the_driver_fills_in() -> None:
    found = dict(variables.readable(read_kernel(MODULE.read_bytes(), "vars", MODULE)))
    assert {name for name, kind in found.items() if kind == "constant"} == {"ci", "cz"}
    assert {"dv", "dz", "ktab", "lut", "ptr"} <= {name for name, kind in found.items() if kind == "device"}


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, bytes]]:
    """A driver whose modules hold these variables."""
    held: dict[str, tuple[int, bytes]] = {}
    monkeypatch.setattr(driver, "synchronize", lambda: None)
    monkeypatch.setattr(
        driver, "global_of", lambda module, name: (held[name][0], len(held[name][1])) if name in held else None
    )
    by_address = lambda address, size: next(data[:size] for at, data in held.values() if at == address)  # noqa: E731
    monkeypatch.setattr(driver, "read_memory", by_address)
    return held


def test_contents_of_large_device_variables_are_left_out(memory: dict) -> None:
    memory |= {"dv": (0x1000, bytes(4)), "dz": (0x2000, bytes(variables.MOST_BYTES + 4)), "ci": (0x3000, bytes(16))}
    kernel = read_kernel(MODULE.read_bytes(), "vars", MODULE)
    held = {v.name: v.data is not None for v in variables.record(1, kernel, whole=False)}
    assert held == {"dv": True, "dz": False, "ci": True}
    assert all(v.data is not None for v in variables.record(1, kernel, whole=True))


def test_a_launch_written_with_its_constants_replays(memory: dict, tmp_path: Path) -> None:
    memory["taps"] = (0x7F0000000000, np.int32(3).tobytes())
    image = CASE.cubin_path.read_bytes()
    (tmp_path / "cubins").mkdir()
    (tmp_path / "cubins" / "x.cubin").write_bytes(image)
    kernel = read_kernel(image, CASE.kernel, "")
    recorded = Recorded(
        kernel=CASE.kernel, cubin=Cubin(image, "", (CASE.kernel,)), code_sha256="",
        info=kernel_info(image, CASE.kernel), grid=CASE.grid, block=CASE.block, cluster=(1, 1, 1), shared=0,
        registers=CASE.registers_per_thread, params=CASE.param_bytes,
        buffers=[b.model_dump(exclude_none=True) for b in CASE.buffers],
        variables=variables.record(1, kernel, whole=False),
    )  # fmt: skip
    _write_launch(tmp_path / "00-sum", "../cubins/x.cubin", recorded, CASE.device.model_dump(), {})
    launch = read_launch(tmp_path / "00-sum")
    assert launch.cooperative is False and launch.explicit_cluster is False
    counters = emulate_totals(launch).counters()
    assert counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 3 * 32 * 4
