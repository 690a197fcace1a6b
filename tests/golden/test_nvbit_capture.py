"""What `ssmsim capture --tracer nvbit` took of a whole step on an H200, against the emulation of the captured launches.

The launches are of one run of the program, the traces of another, under NVBit 1.7.7.1 and Accel-Sim's tracer of June
2026: the buffers lie elsewhere, and nvbit.json says how far.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers.emulated.report import agreement_row, agreement_table
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.nvbit import read_blocks

CAPTURE = Path(__file__).parents[1] / "data" / "captures" / "ssd-small"
MANIFEST = json.loads((CAPTURE / "nvbit.json").read_text())
CHECKED = (
    "04",
    "11",
    "15",
    "19",
    "21",
    "25",
    "30",
    "33",
    "39",
)  # those that the oracle does not have; `agree` does all
UNIFORM = "15-chunk_scan_chunk_state_bwd_dx_kernel"


def test_all_launches_of_the_step_were_traced() -> None:
    assert not MANIFEST["untraced"] and len(MANIFEST["traces"]) == 40
    assert all(about["moved"] for about in MANIFEST["traces"].values())


@pytest.mark.parametrize("name", [name for name in sorted(MANIFEST["traces"]) if name.startswith(CHECKED)])
def test_emulated_launch_agrees_with_the_trace_of_another_run(name: str) -> None:
    row = agreement_row(read_launch(CAPTURE / name))
    assert row.faults == 0, agreement_table([row])
    assert row.found.instructions == MANIFEST["traces"][name]["instructions"]
    assert row.found.lanes


@pytest.mark.parametrize("by", [16, -(1 << 21)])
def test_a_buffer_that_moved_by_another_distance_is_a_fault(tmp_path: Path, by: int) -> None:
    name = "00-chunk_cumsum_fwd_kernel"
    shutil.copytree(CAPTURE / name, tmp_path / name)
    for folder in ("cubins", "inputs"):
        shutil.copytree(CAPTURE / folder, tmp_path / folder)
    changed = json.loads(json.dumps(MANIFEST))
    changed["traces"][name]["moved"][0]["traced"] += by
    (tmp_path / "nvbit.json").write_text(json.dumps(changed))
    assert agreement_row(read_launch(tmp_path / name)).faults > 0


def test_a_false_uniform_guard_switches_all_lanes_off() -> None:
    """UIADD3 and ULOP3 under UP0 to UP4, in the integer division of the block's place: most are off for the warp."""
    launch = read_launch(CAPTURE / UNIFORM)
    program = decode_launch(launch).program
    theirs, ours = read_blocks(launch, program), EmulatedBlocks(launch, None)
    guarded = program.instructions["predicate"] >= 8
    assert guarded.sum() == 10 and all(program.text[i].startswith(("@UP", "@!UP")) for i in np.flatnonzero(guarded))
    masks = []
    while (batch := ours.next_blocks(launch.blocks)) is not None:
        masks.append(batch.mask[guarded[batch.index]])
    mask = np.concatenate(masks)
    assert np.array_equal(mask, theirs.mask[guarded[theirs.index]])
    assert (len(mask), (mask == 0).sum(), (mask == 0xFFFFFFFF).sum()) == (1280, 1056, 224)
