"""One capture serves other sizes: reshaped to another captured launch of the same code, it gives that one's
measured counts.
"""

import struct
from pathlib import Path

import pytest

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.tracers.emulated.measured import measured_row
from ssmsim.tracers.emulated.reshape import reshape, write_reshaped
from ssmsim.tracers.emulated.totals import emulate_totals

CAPTURES = Path(__file__).parents[2] / "traces" / "h200"
ORACLE = Path(__file__).parents[1] / "data" / "oracle"
PAIRS = [
    ("mamba2-2.7b/03-bmm_chunk_fwd_kernel", "mamba2-780m-holdout/03-bmm_chunk_fwd_kernel"),
    ("mamba2-2.7b/02-state_passing_fwd_kernel", "mamba2-780m-holdout/02-state_passing_fwd_kernel"),
    ("mamba2-8b/29-elementwise_kernel", "mamba2-780m-holdout/29-elementwise_kernel"),
]


def differences(a: Launch, b: Launch) -> dict[int, int]:
    """Words of b's parameters that differ from a's, pointers left out."""
    pointers = {at for x in (a, b) for buffer in x.buffers for at in range(0, len(x.param_bytes) - 7, 4)
                if struct.unpack_from("<Q", x.param_bytes, at)[0] == buffer.passed}  # fmt: skip
    pointers |= {at + 4 for at in pointers}
    return {
        at: struct.unpack_from("<I", b.param_bytes, at)[0]
        for at in range(0, len(b.param_bytes) - 3, 4)
        if at not in pointers and a.param_bytes[at : at + 4] != b.param_bytes[at : at + 4]
    }


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_gives_the_counts_of_the_other_launch(source: str, target: str) -> None:
    have, want = read_launch(CAPTURES / source), read_launch(CAPTURES / target)
    sizes = {b.name: b.bytes for b in want.buffers if b.name}
    changed = reshape(have, want.grid, differences(have, want), {k: v for k, v in sizes.items() if k in _names(have)})
    assert changed.grid == want.grid != have.grid
    measured, counters = measured_row(CAPTURES / target), emulate_totals(changed).counters()
    assert counters["smsp__inst_executed.sum"] != measured_row(CAPTURES / source)["smsp__inst_executed.sum"]
    assert {k: measured[k] for k in counters if k in measured} == {k: v for k, v in counters.items() if k in measured}


def _names(launch: Launch) -> set[str | None]:
    return {b.name for b in launch.buffers}


def test_a_reshaped_launch_can_be_written_and_read(tmp_path: Path) -> None:
    launch = read_launch(ORACLE / "02-state_passing_fwd_kernel")
    grown = {b.name: 4 * b.bytes for b in launch.buffers if b.name}
    changed = reshape(launch, (launch.grid[0], 2 * launch.grid[1], launch.grid[2]), buffers=grown)
    write_reshaped(changed, tmp_path / "new")
    again = read_launch(tmp_path / "new")
    assert again.grid == changed.grid and again.params == changed.params != launch.params
    assert emulate_totals(again).warp_instructions == 2 * emulate_totals(launch).warp_instructions


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {3: 1}}, "no parameter at offset 0x3"),
        ({"parameters": {"absent": 1}}, "no parameter is named 'absent'"),
        ({"parameters": {0x38: 1 << 40}}, "does not fit into the 4 bytes"),
        ({"buffers": {"absent": 1}}, "no buffer is named 'absent'"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict, message: str) -> None:
    with pytest.raises(SsmsimError, match=message):
        reshape(read_launch(ORACLE / "02-state_passing_fwd_kernel"), **change)
