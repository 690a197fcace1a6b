"""Contents: recipes make the same bytes everywhere; damage is seen."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.contents import make, normal, ramp, read_contents, to_bfloat16, write_contents, write_recipe
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch

CAPTURES = Path(__file__).parents[1] / "data" / "captures"


def test_small_captures_have_every_input():
    sizes: dict[Path, int] = {}
    for file in sorted(CAPTURES.glob("*/*/launch.json")):
        for buffer in read_launch(file.parent).buffers:
            if buffer.contents:
                path = (file.parent / buffer.contents).resolve()
                if path not in sizes:
                    sizes[path] = len(read_contents(path))
                assert 0 < sizes[path] <= buffer.bytes
    recipes = {p.name.split(".")[0] for p in (CAPTURES / "mamba1-small" / "inputs").iterdir()}
    assert recipes == {"A", "B", "C", "D", "delta", "delta_bias", "dout", "u", "z"}


def test_recorded_hashes_of_the_first_kilobytes_never_change():
    data = make({"kind": "normal", "seed": 1, "count": 4096, "scale": 1.0, "offset": 0.0, "dtype": "bfloat16"})
    assert hashlib.sha256(data).hexdigest() == "b7da3dc6d1475f745b63ab21b0e96311139ff8d7cabd20e051633fc14ad66e90"


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("float16", 2), ("bfloat16", 2)])
@pytest.mark.parametrize(
    "kind", [{"kind": "normal", "seed": 1, "scale": 1.0}, {"kind": "ramp", "period": 7, "step": 1.0}]
)
def test_a_recipe_makes_numbers_of_its_type(kind, dtype, size):
    data = make(kind | {"count": 5000, "offset": 0.0, "dtype": dtype})
    assert len(data) == 5000 * size
    if dtype != "bfloat16":
        exact = np.frombuffer(make(kind | {"count": 5000, "offset": 0.0, "dtype": "float32"}), np.float32)
        assert np.array_equal(np.frombuffer(data, dtype), exact.astype(dtype))


def test_a_type_that_no_recipe_makes_is_named():
    with pytest.raises(SsmsimError, match="no recipe makes 'int32'; choose one of float32, float16, bfloat16"):
        make({"kind": "normal", "seed": 1, "count": 1, "scale": 1.0, "offset": 0.0, "dtype": "int32"})


def test_normal_is_near_normal():
    values = normal(3, 1 << 20, 2.0, -1.0)
    assert abs(values.mean() + 1.0) < 0.01 and abs(values.std() - 2.0) < 0.01


def test_ramp_counts_down_the_states():
    assert ramp(6, 3, -1.0, -1.0).tolist() == [-1, -2, -3, -1, -2, -3]


@given(st.floats(width=32, allow_nan=False, allow_infinity=False, max_value=2.0**120, min_value=-(2.0**120)))
def test_bfloat16_is_the_nearest(value: float):
    bits = to_bfloat16(np.array([value], np.float32))

    def back(pattern: int) -> float:
        return float(np.array([pattern & 0xFFFF], np.uint32).__lshift__(16).view(np.float32)[0])

    error = abs(back(int(bits[0])) - value)
    for neighbour in (int(bits[0]) - 1, int(bits[0]) + 1):
        if (neighbour ^ int(bits[0])) & 0x8000 == 0 and 0 <= neighbour & 0x7FFF < 0x7F80:
            assert error <= abs(back(neighbour) - value)


@given(st.binary(max_size=3000))
def test_compressed_contents_come_back(data: bytes):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "b.zst"
        write_contents(path, data)
        assert read_contents(path) == data


def test_damage_is_told(tmp_path: Path):
    write_contents(tmp_path / "x.zst", bytes(1000))
    (tmp_path / "x.zst").write_bytes((tmp_path / "x.zst").read_bytes()[:9])
    with pytest.raises(SsmsimError, match="damaged contents"):
        read_contents(tmp_path / "x.zst")
    recipe = {"kind": "ramp", "count": 8, "period": 4, "step": 1.0, "offset": 0.0, "dtype": "float32"}
    write_recipe(tmp_path / "y.recipe.json", recipe)
    (tmp_path / "z.recipe.json").write_text('{"kind": "ramp"}')
    with pytest.raises(SsmsimError, match="not a recipe"):
        read_contents(tmp_path / "z.recipe.json")
    changed = json.loads((tmp_path / "y.recipe.json").read_text()) | {"step": 2.0}
    (tmp_path / "y.recipe.json").write_text(json.dumps(changed))
    with pytest.raises(SsmsimError, match="does not give the recorded bytes"):
        read_contents(tmp_path / "y.recipe.json")


def test_what_expands_beyond_its_buffer_is_refused_before(tmp_path: Path):
    write_contents(tmp_path / "x.zst", bytes(1 << 20))
    stream = zstandard.ZstdCompressor(level=1).compressobj()  # no length in the frame
    (tmp_path / "y.zst").write_bytes(stream.compress(bytes(1 << 24)) + stream.flush())
    recipe = {"kind": "normal", "seed": 1, "count": 1 << 40, "scale": 1.0, "offset": 0.0, "dtype": "float32"}
    (tmp_path / "z.recipe.json").write_text(json.dumps(recipe | {"sha256": ""}))
    (tmp_path / "w.bin").write_bytes(bytes(600))
    for name in ("x.zst", "y.zst", "z.recipe.json", "w.bin"):
        with pytest.raises(SsmsimError, match="more than the 512 bytes of its buffer"):
            read_contents(tmp_path / name, 512)


@pytest.mark.parametrize("changed", [{"count": -1}, {"count": 1.5}, {"count": None}, {"period": 0}, {"dtype": []}])
def test_recipes_with_wrong_values_are_one_line(tmp_path: Path, changed: dict):
    recipe = {"kind": "ramp", "count": 8, "period": 4, "step": 1.0, "offset": 0.0, "dtype": "float32", "sha256": ""}
    (tmp_path / "y.recipe.json").write_text(json.dumps(recipe | changed))
    with pytest.raises(SsmsimError, match=r"recipe"):
        read_contents(tmp_path / "y.recipe.json")
