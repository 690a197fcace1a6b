"""Buffer contents on disk: raw bytes, zstd-compressed bytes, or a recipe that makes them again, with their hash.

A recipe is a few dozen bytes of JSON instead of hundreds of megabytes of random input. It uses only the raw stream
of PCG64, which NumPy keeps stable, integer arithmetic and one exact scaling, so every machine makes the same bytes.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file

MAX_BYTES = 1 << 40  # of contents whose buffer's size nobody gives
SMALL = 1 << 22  # bytes: level 19 takes a second for some MB
PIECE = 1 << 10  # bytes of a zstd file expanded at a time: 30 MB at the format's best ratio
MAX_WINDOW = 1 << 27  # bytes that a zstd frame may ask the reader to hold; level 19 writes 8 MB
WIDTHS = {"float32": 4, "float16": 2, "bfloat16": 2}
CHUNK = 1 << 20  # values per piece: bounds the memory of the integer stage


def normal(seed: int, count: int, scale: float = 1.0, offset: float = 0.0) -> np.ndarray:
    """float32[count], near normal (the sum of four uniform 16-bit numbers), mean `offset`, deviation `scale`."""
    values = np.empty(count, np.float32)
    for start, piece in _normal_pieces(seed, count, scale, offset):
        values[start : start + len(piece)] = piece
    return values


def _normal_pieces(seed: int, count: int, scale: float, offset: float) -> Iterator[tuple[int, np.ndarray]]:
    """(start, float32 values) of `normal`, CHUNK at a time."""
    generator = np.random.PCG64(seed)
    for start in range(0, count, CHUNK):
        length = min(CHUNK, count - start)
        raw = generator.random_raw(length).view(np.uint16).reshape(-1, 4).sum(1, dtype=np.int32)
        centred = raw.astype(np.float32) - np.float32(131070)  # exact; deviation 65536/sqrt(3)
        yield start, centred * np.float32(scale * 3**0.5 / 65536) + np.float32(offset)


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """uint16 bit patterns of float32 values rounded to nearest even; NaN is not expected."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16).astype(np.uint16)


NUMBERS = {
    "float32": lambda values: values,
    "float16": lambda values: values.astype(np.float16),
    "bfloat16": to_bfloat16,
}


def ramp(count: int, period: int, step: float = 1.0, offset: float = 0.0) -> np.ndarray:
    """float32[count]: offset + step * (i mod period), exact for whole numbers below 2**24."""
    return (np.arange(count) % period).astype(np.float32) * np.float32(step) + np.float32(offset)


def make(recipe: dict[str, Any]) -> bytes:
    """The bytes that a recipe stands for.

    {kind: normal, seed, count, scale, offset, dtype: float32 | float16 | bfloat16} or {kind: ramp, count, period, step,
    offset, dtype}; kind is normal when absent. Raises SsmsimError for another dtype.
    """
    if recipe["dtype"] not in NUMBERS:
        raise SsmsimError(f"no recipe makes {recipe['dtype']!r}", "", f"choose one of {', '.join(NUMBERS)}")
    convert = NUMBERS[recipe["dtype"]]
    if recipe.get("kind", "normal") == "ramp":
        if recipe["period"] < 1:
            raise ValueError(f"period {recipe['period']!r} is below 1")
        values = ramp(recipe["count"], recipe["period"], recipe["step"], recipe["offset"])
        return convert(values).tobytes()
    out = np.empty(recipe["count"], convert(np.zeros(0, np.float32)).dtype)
    for start, piece in _normal_pieces(recipe["seed"], recipe["count"], recipe["scale"], recipe["offset"]):
        out[start : start + len(piece)] = convert(piece)
    return out.tobytes()


def _too_long(path: Path, limit: int) -> SsmsimError:
    return SsmsimError(f"more than the {limit} bytes of its buffer", path, "capture the contents again")


def _from_recipe(path: Path, limit: int) -> bytes:
    try:
        recipe = json.loads(path.read_text())
        count = recipe["count"]
        if not isinstance(count, int) or count < 0 or isinstance(count, bool):
            raise ValueError(f"count {count!r} is no number of values")
        if count * WIDTHS.get(recipe["dtype"], 1) > limit:
            raise _too_long(path, limit)
        data, recorded = make(recipe), recipe["sha256"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ZeroDivisionError, OverflowError) as error:
        raise SsmsimError(f"not a recipe: {error!r}", path, "capture the contents again") from None
    if hashlib.sha256(data).hexdigest() != recorded:
        raise SsmsimError("the recipe does not give the recorded bytes", path, "capture the contents again")
    return data


def read_contents(path: Path | str, limit: int = MAX_BYTES) -> bytes:
    """Bytes of a contents file: `.recipe.json` is made again and checked, `.zst` decompressed, anything else raw.

    limit: most bytes that they may be, those of the buffer; checked before anything is expanded.
    """
    path = Path(path)
    try:
        if path.name.endswith(".recipe.json"):
            return _from_recipe(path, limit)
        if path.suffix != ".zst":
            if path.stat().st_size > limit:
                raise _too_long(path, limit)
            return path.read_bytes()
        return _decompress(path, limit)
    except OSError as error:
        raise SsmsimError(error.strerror or str(error), path, "name a file that can be read") from None
    except zstandard.ZstdError as error:
        raise SsmsimError(f"damaged contents: {error}", path, "capture the contents again") from None


def _decompress(path: Path, limit: int) -> bytes:
    """One frame, in pieces that cannot grow beyond some MB each before the limit is looked at."""
    stream = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW).decompressobj()
    parts, length = [], 0
    with path.open("rb") as file:
        size = zstandard.frame_content_size(file.read(32))
        if size > limit:
            raise _too_long(path, limit)
        file.seek(0)
        while not stream.eof and (piece := file.read(PIECE)):
            parts.append(stream.decompress(piece))
            length += len(parts[-1])
            if length > limit:
                raise _too_long(path, limit)
    if not stream.eof:
        raise zstandard.ZstdError("it ends early")
    return b"".join(parts)


def write_contents(path: Path | str, data: bytes) -> None:
    """Write bytes, zstd-compressed when the name ends in .zst: large ones fast, others well."""
    path = Path(path)
    compressor = zstandard.ZstdCompressor(level=19 if len(data) <= SMALL else 3)
    with whole_file(path) as temporary:
        temporary.write_bytes(compressor.compress(data) if path.suffix == ".zst" else data)


def write_recipe(path: Path | str, recipe: dict[str, Any]) -> bytes:
    """Write a recipe with the hash of what it makes; return the bytes."""
    data = make(recipe)
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps({**recipe, "sha256": hashlib.sha256(data).hexdigest()}, indent=1) + "\n")
    return data
