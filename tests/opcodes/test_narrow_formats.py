"""8-bit floats, TF32 and clamped integers of F2FP, I2I and I2IP against their definitions, value by value."""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from ssmsim.sass.opcodes import Mods
from ssmsim.tracers.emulated.semantics.convert import f2fp, i2i, i2ip


@dataclass
class Ins:
    """As much of an instruction as a semantics function looks at."""

    opcode: str
    selectors: tuple[str, ...] = ("", "", "")
    wants: tuple[bool, ...] = (True,)
    mods: Mods = field(init=False)

    def __post_init__(self) -> None:
        self.mods = Mods(tuple(self.opcode.split(".")[1:]))

    def has(self, modifier: str) -> bool:
        return modifier in self.mods


def value_of(byte: int, kind: str) -> float:
    """OCP 8-bit floating point: sign, exponent, fraction; E5M2 has infinities, E4M3 has NaN at 0x7f alone."""
    bits, bias = (3, 7) if kind == "E4M3" else (2, 15)
    sign, exponent, fraction = byte >> 7, byte >> bits & ((1 << 7 - bits) - 1), byte & ((1 << bits) - 1)
    if kind == "E4M3" and byte & 0x7F == 0x7F:
        return math.nan
    if kind == "E5M2" and exponent == 31:
        return math.nan if fraction else (-math.inf if sign else math.inf)
    size = (fraction / (1 << bits) + (exponent > 0)) * 2.0 ** (max(exponent, 1) - bias)
    return -size if sign else size


def one(values: list[int]) -> np.ndarray:
    return np.array(values, np.uint32)[None, :]


@pytest.mark.parametrize("kind", ["E4M3", "E5M2"])
@pytest.mark.parametrize("selector", ["", "H1"])
def test_every_byte_unpacks_to_its_value(kind: str, selector: str) -> None:
    words = one([b | 0x3C << 8 for b in range(256)]) << np.uint32(16 if selector else 0)
    got = f2fp(Ins(f"F2FP.F16.{kind}.UNPACK_B", (selector, "", "")), words)[0]
    low, high = (got & 0xFFFF).astype(np.uint16), (got >> 16).astype(np.uint16)
    wanted = np.array([value_of(b, kind) for b in range(256)]).astype(np.float16)
    np.testing.assert_array_equal(low.view(np.float16), wanted)
    np.testing.assert_array_equal(high.view(np.float16), np.float16(value_of(0x3C, kind)))


@pytest.mark.parametrize("kind", ["E4M3", "E5M2"])
def test_floats_round_to_the_nearest_byte_and_saturate(kind: str) -> None:
    finite = sorted({value_of(b, kind) for b in range(256) if math.isfinite(value_of(b, kind))})
    values = np.random.default_rng(3).normal(size=400) * 10.0 ** np.random.default_rng(4).integers(-7, 6, 400)
    middles = [(a + b) / 2 for a, b in itertools.pairwise(finite)]
    values = np.concatenate([values, middles, finite, [1e30, -1e30, np.inf, -np.inf, 0.0, -0.0]]).astype(np.float32)
    c = np.full((1, len(values)), 0xABCD1234, np.uint32)
    bits = values.view(np.uint32)[None, :]
    got = f2fp(Ins(f"F2FP.SATFINITE.{kind}.F32.PACK_AB_MERGE_C"), bits, np.roll(bits, 1, axis=1), c)[0]
    assert (got >> 16 == 0x1234).all()
    for word, value in zip(got, values, strict=True):
        byte = int(word) >> 8 & 0xFF
        size = min(abs(float(value)), max(finite))
        near = min(abs(f - size) for f in finite)
        result = value_of(byte, kind)
        assert abs(abs(result) - size) == near and (math.copysign(1, result) == math.copysign(1, value))
        ties = [f for f in finite if f >= 0 and abs(f - size) == near]
        assert len(ties) < 2 or byte & 1 == 0, (value, byte)
    np.testing.assert_array_equal(got & 0xFF, np.roll(got >> 8 & 0xFF, 1))
    nan = f2fp(Ins(f"F2FP.SATFINITE.{kind}.F32.PACK_AB_MERGE_C"), one([0x7FC00000]), one([0]), one([0]))
    assert int(nan[0, 0]) == 0x7F00


def test_halves_to_bytes() -> None:
    pair = np.array([1.5, -448.0], np.float16).view(np.uint32)[None, :]
    got = f2fp(Ins("F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C"), pair, one([0xFFFF5678]))
    assert int(got[0, 0]) == 0x5678_FE3C


def test_tf32() -> None:
    bits = one([0x3F801000, 0x3F803000, 0x3F801001, 0xBF802FFF, 0x7F800000, 0x7FC12345, 0x7F7FFFFF])
    near = f2fp(Ins("F2FP.TF32.F32.PACK_B"), bits)[0].tolist()
    assert near == [0x3F800000, 0x3F804000, 0x3F802000, 0xBF802000, 0x7F800000, 0x7FFFFFFF, 0x7F800000]
    cut = f2fp(Ins("F2FP.TF32.F32.PACK_B.RZ"), bits)[0].tolist()
    assert cut[:4] == [0x3F800000, 0x3F802000, 0x3F800000, 0xBF802000]
    relu = f2fp(Ins("F2FP.RELU.TF32.F32.PACK_B"), one([0xBF800000, 0x3F800000]))[0].tolist()
    assert relu == [0, 0x3F800000]


@pytest.mark.parametrize(("opcode", "low", "high"), [
    ("I2I.S8.S32.SAT", -128, 127), ("I2I.U8.S32.SAT", 0, 255), ("I2I.U16.S32.SAT", 0, 65535),
    ("I2I.S16.S32.SAT", -32768, 32767),
])  # fmt: skip
def test_integers_are_clamped(opcode: str, low: int, high: int) -> None:
    values = np.array([[-(2**31), -40000, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, 65536, 2**31 - 1]], np.int32)
    got = i2i(Ins(opcode), values.view(np.uint32)).view(np.int32)
    np.testing.assert_array_equal(got, np.clip(values, low, high))


def test_clamped_integers_are_packed() -> None:
    a, b = one([300, 2**32 - 300]), one([5, 2**32 - 1])
    assert i2ip(Ins("I2IP.S8.S32.SAT"), a, b, one([0x1234, 0x1234]))[0].tolist() == [0x12347F05, 0x123480FF]
    assert i2ip(Ins("I2IP.U16.S32.SAT"), a, b, one([0, 0]))[0].tolist() == [300 << 16 | 5, 0]
