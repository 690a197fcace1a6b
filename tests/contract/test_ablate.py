"""`ssmsim ablate`: the same launch with some instructions off, and nothing else changed."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ssmsim.capture.ablate import ablate, parse_variants
from ssmsim.cli import build_app
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

CAPTURE = Path(__file__).parents[1] / "data/captures/ssd-small"
LAUNCH = next(CAPTURE.glob("*chunk_state_fwd*"))


def test_only_the_guards_of_what_is_off_change(tmp_path):
    names = ablate(read_launch(LAUNCH), {"nostores": ("STG",), "bare": ("STG", "LDGSTS.E [")}, tmp_path / "out")
    assert names == ["00-as-captured", "01-nostores", "02-bare"]
    before, off, bare = (decode_launch(read_launch(tmp_path / "out" / name)).program.text for name in names)
    changed = [(old, new) for old, new in zip(before, off, strict=True) if old != new]
    assert changed and all(
        new.startswith("@!PT STG") and old.endswith(new.removeprefix("@!PT ")) for old, new in changed
    )
    assert {line for line in before if "STG" in line} == {old for old, _ in changed}
    assert not [line for line in bare if "LDGSTS.E [" in line and not line.startswith("@!PT ")]
    assert [line for line in bare if "LDGSTS.E.BYPASS" in line] == [
        line for line in before if "LDGSTS.E.BYPASS" in line
    ]


def test_the_variant_runs_and_stores_nothing(tmp_path):
    ablate(read_launch(LAUNCH), {"nostores": ("STG",)}, tmp_path / "out")
    sequence = json.loads((tmp_path / "out/sequence.json").read_text())
    assert [step["launch"] for step in sequence["operations"]] == ["00-as-captured", "01-nostores"]
    stored = {}
    for name in ("00-as-captured", "01-nostores"):
        launch = read_launch(tmp_path / "out" / name)
        program = decode_launch(launch).program
        block = open_tracer("emulated").blocks(launch, program).next_blocks(1)
        store = np.array(["STG" in line for line in program.text])[block.index]
        stored[name] = int(store.sum()), int(np.count_nonzero(block.mask[store]))
    executed, on = stored["00-as-captured"]
    assert executed >= on > 0
    assert stored["01-nostores"] == (executed, 0)


@pytest.mark.parametrize(("off", "told"), [
    ("nobar=BAR", "steers a warp"), ("none=FROB", "no instruction begins with 'FROB'"), ("all=", "no instruction begins with ''"),
    ("STG", "no new NAME=BEGINNING"), ("as-captured=STG", "no new NAME=BEGINNING"),
])  # fmt: skip
def test_one_line_says_what_is_wrong_and_nothing_is_left(tmp_path, off, told):
    result = CliRunner().invoke(build_app(), ["ablate", str(LAUNCH), "-o", str(tmp_path / "out"), "--off", off])
    assert isinstance(result.exception, SsmsimError) and told in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_a_variant_has_one_name():
    with pytest.raises(SsmsimError, match="no new NAME"):
        parse_variants(["a=STG", "a=LDS"])


def test_contents_of_two_folders_with_one_name_stay_apart(tmp_path):
    launch = read_launch(LAUNCH)
    for k, folder in enumerate("ab"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.bin").write_bytes(bytes([k]) * 8)
    buffers = [
        buffer.model_copy(update={"contents": str(tmp_path / "ab"[k % 2] / "x.bin")})
        for k, buffer in enumerate(launch.buffers)
    ]
    changed = launch.model_copy(update={"buffers": buffers})
    changed._folder = launch.folder
    ablate(changed, {"nostores": ("STG",)}, tmp_path / "out")
    for name in ("00-as-captured", "01-nostores"):
        written = read_launch(tmp_path / "out" / name)
        got = [(written.folder / str(buffer.contents)).read_bytes()[0] for buffer in written.buffers]
        assert got == [k % 2 for k in range(len(buffers))]
