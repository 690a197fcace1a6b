"""The emulated streams against traces that NVBit took on an H200: same instructions, masks and lane addresses."""

from pathlib import Path

import pytest

from ssmsim.launch import read_launch
from ssmsim.tracers.emulated.report import agreement_row, agreement_table

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
FOLDERS = sorted(folder.name for folder in ORACLE.iterdir())
# guards of range reduction before MUFU.EX2 and of softplus's special cases: they depend on floating-point inputs
DATA_GUARDED = {"FMUL", "MOV", "IMAD.MOV.U32", "FFMA.FTZ"}


@pytest.mark.parametrize("name", FOLDERS)
def test_agrees_with_nvbit(name: str) -> None:
    row = agreement_row(read_launch(ORACLE / name))
    print(agreement_table([row]))
    assert row.found.warps and row.found.instructions and row.found.lanes
    assert row.faults == 0, agreement_table([row])


@pytest.mark.parametrize("name", ["00-chunk_cumsum_fwd_kernel", "01-chunk_state_fwd_kernel"])
def test_unknown_guards_are_of_arithmetic_on_loaded_data(name: str) -> None:
    row = agreement_row(read_launch(ORACLE / name))
    opcodes = {row.program.opcodes[row.program.instructions["opcode"][i]] for i in row.found.masks}
    assert opcodes and opcodes <= DATA_GUARDED
    assert not any(row.program.instructions["control"][i] or row.program.instructions["space"][i] for i in row.unknown)


def test_a_planted_difference_is_a_fault() -> None:
    """The comparison itself can fail: one address, one mask, one instruction changed in the reference."""
    from dataclasses import replace

    import numpy as np

    from ssmsim.sass.decode import decode_launch
    from ssmsim.trace.compare import compare
    from ssmsim.tracers.emulated.source import EmulatedBlocks

    launch = read_launch(ORACLE / "00-chunk_cumsum_fwd_kernel")
    program, trace = decode_launch(launch).program, EmulatedBlocks(launch, [0]).next_blocks(1)
    assert trace is not None
    addresses, mask, index = trace.addresses.copy(), trace.mask.copy(), trace.index.copy()
    rows = program.instructions["accesses"][trace.index[: trace.first[1]]]
    owner = np.repeat(np.arange(len(rows)), rows)
    held = next(i for i, k in enumerate(owner) if trace.mask[k])
    lane = int(trace.mask[owner[held]]).bit_length() - 1
    addresses[held, lane] += 4
    mask[0] ^= 1
    index[1] += 1
    assert sum(compare(program, trace, replace(trace, addresses=addresses)).addresses.values()) == 1
    assert sum(compare(program, trace, replace(trace, mask=mask)).masks.values()) == 1
    assert compare(program, trace, replace(trace, index=index)).other_path == [(0, 0)]
