"""What the emulator refuses, each with one line that says what, where and what to do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from emulator import BLOCK, CUBIN, GRID, full, make_launch, traced

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass import decode as decoding
from ssmsim.sass.decode import decode
from ssmsim.sass.opcodes import OPCODES
from ssmsim.tracers.emulated import run
from ssmsim.tracers.emulated.source import EmulatedBlocks


@pytest.fixture(autouse=True)
def _fresh_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "_cache", {})


def chase(folder: Path, **options: bool) -> Launch:
    arguments = [np.zeros(192, np.int32), np.arange(192, dtype=np.int32)[::-1].copy(), 3]
    return make_launch(folder, "chase", arguments, GRID, BLOCK, **options)[0]


def test_another_architecture() -> None:
    with pytest.raises(SsmsimError, match=r"sm_80\.cubin: made for sm_80; only sm_90 is understood"):
        decode(CUBIN.parent / "sm_80.cubin", "other")


@pytest.mark.parametrize("part", [0, 3, 64, 5000, 30000])
def test_a_cubin_cut_short(part: int, tmp_path: Path) -> None:
    path = tmp_path / "short.cubin"
    path.write_bytes(CUBIN.read_bytes()[:part])
    with pytest.raises(SsmsimError, match=r"short\.cubin: (not a whole cubin|cut short)"):
        decode(path, "calls")


def test_not_a_cubin(tmp_path: Path) -> None:
    path = tmp_path / "text.cubin"
    path.write_text("no machine code here\n" * 99)
    with pytest.raises(SsmsimError, match=r"text\.cubin: not a whole cubin"):
        decode(path, "calls")


def test_no_such_kernel() -> None:
    with pytest.raises(SsmsimError, match="no kernel absent"):
        decode(CUBIN, "absent")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(SsmsimError, match="no such cubin"):
        decode(tmp_path / "gone.cubin", "calls")


def test_an_opcode_that_the_table_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(OPCODES, "BREV")
    with pytest.raises(SsmsimError, match=r"jumps PC 0x0[0-9a-f]{3} BREV.*: unknown opcode BREV"):
        decode(CUBIN, "jumps")


def test_an_opcode_without_semantics_matters_only_in_the_slice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    launch, _ = make_launch(tmp_path, "jumps", [np.zeros(192, np.int32), 9], GRID, BLOCK)
    monkeypatch.setitem(OPCODES, "BREV", replace(OPCODES["BREV"], semantics="bits.absent"))
    traced(launch)  # only its result would need it
    monkeypatch.setitem(OPCODES, "IMAD", replace(OPCODES["IMAD"], semantics="integer.absent"))
    monkeypatch.setattr(decoding, "_cache", {})
    with pytest.raises(SsmsimError, match=r"PC 0x0[0-9a-f]{3} IMAD.*: no semantics integer\.absent"):
        traced(launch)


def test_parameters_that_are_too_short(tmp_path: Path) -> None:
    launch = chase(tmp_path)
    short = launch.model_copy(update={"params": launch.params[:16]})
    short._folder = launch.folder
    with pytest.raises(SsmsimError, match=r"launch\.json: .*8 bytes.* wants 20"):
        traced(short)


def test_an_access_outside_every_buffer(tmp_path: Path) -> None:
    launch, _ = make_launch(tmp_path, "jumps", [np.zeros(150, np.int32), 9], GRID, BLOCK)
    with pytest.raises(SsmsimError, match=r"PC 0x0[0-9a-f]{3} STG.*: address 0x7e0000000258 lies outside every buffer"):
        traced(launch)


def test_full_mode_refuses_it_too(tmp_path: Path) -> None:
    launch, arrays = make_launch(tmp_path, "jumps", [np.zeros(150, np.int32), 9], GRID, BLOCK)
    with pytest.raises(SsmsimError, match="lies outside every buffer"):
        full(launch, arrays)


def test_a_loop_that_never_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "MAX_INSTRUCTIONS", 5000)
    launch, _ = make_launch(tmp_path, "endless", [np.zeros(64, np.int32), 3], (1, 1, 1), (32, 1, 1))
    with pytest.raises(SsmsimError, match=r"PC 0x0[0-9a-f]{3} .*BRA.*: a loop that never ends"):
        traced(launch)


def test_warps_that_wait_for_ever(tmp_path: Path) -> None:
    launch, _ = make_launch(tmp_path, "forsaken", [np.zeros(96, np.int32)], (1, 1, 1), BLOCK)
    with pytest.raises(SsmsimError, match=r"BAR\.SYNC.* 0x1, 0x40: deadlock: warp 0 of block 0 waits"):
        traced(launch)


def test_addresses_that_hang_on_data_nobody_recorded(tmp_path: Path) -> None:
    with pytest.raises(
        SsmsimError, match=r"PC 0x0[0-9a-f]{3} LDG.*: its address depends on data that PC .* loads from array 1"
    ):
        traced(chase(tmp_path, record=False))


def test_recorded_data_are_read(tmp_path: Path) -> None:
    launch = chase(tmp_path)
    code, trace = traced(launch)
    loads = [i.index for i in code.instructions if i.base == "LDG"]
    assert np.isin(trace.index, loads).sum() == 3 * 6  # three steps of six warps


def test_addresses_that_hang_on_data_the_kernel_stores(tmp_path: Path) -> None:
    """The second block chases through what the first one stored, which is computed when that shows."""
    launch = chase(tmp_path)
    second = launch.params[16:32]
    launch = launch.model_copy(update={"params": second + launch.params[16:]})
    launch._folder = tmp_path
    source = EmulatedBlocks(launch, [0, 1])
    first, later = source.next_blocks(1), source.next_blocks(1)
    assert first is not None and later is not None
    assert len(first.index) == len(later.index)
    assert any("LDG" in place for place in source.timing_dependent)
