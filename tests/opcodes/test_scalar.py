"""Scalar instructions: our own cubins, run by the emulator and, on request, by the GPU, against exact rationals.

`pytest -m gpu tests/opcodes` runs the same inputs through a Hopper GPU and compares it with the emulator bit for bit.
"""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from oracles import emulate, on_gpu
from programs import PROGRAMS
from ptx_model import FLOATS, model, parts_of, signature, width_of
from values import patterns

EXACT = [name for name in PROGRAMS if not name.startswith("special")]
COUNT = 256  # values per program: two warps in four blocks

# Largest relative (with True, absolute below 1) error that the PTX ISA promises for the approximations.
PROMISED = {
    "rcp": (2.0**-23, False),
    "rsqrt": (2.0**-22.9, False),
    "sqrt": (2.0**-23, False),
    "ex2": (2.0**-22, False),
    "lg2": (2.0**-22, True),
    "sin": (2.0**-20.5, True),
    "cos": (2.0**-20.5, True),
    "tanh": (2.0**-11, False),
}


def sources(name: str) -> list[str]:
    """The types that fit all instructions of a program: those of the one with most sources."""
    return max((signature(op)[1] for op in PROGRAMS[name]), key=len)


def results(run: object, name: str, columns: list[np.ndarray]) -> np.ndarray:
    """uint64[instructions, values] of a program on three columns of words."""
    padded = [*columns, *(np.zeros_like(columns[0]) for _ in range(3 - len(columns)))]
    count, n = len(columns[0]), len(PROGRAMS[name])
    return run(name, padded, 8 * n * count, 64, count // 64).view(np.uint64).reshape(n, count)  # type: ignore[operator]


def is_nan(bits: int, kind: str) -> bool:
    element, count = parts_of(kind)
    if element not in FLOATS:
        return False
    exponent_bits, fraction_bits = FLOATS[element]
    return (
        count == 1 and bits & ((1 << exponent_bits + fraction_bits) - 1) > ((1 << exponent_bits) - 1) << fraction_bits
    )


def check(name: str, columns: list[np.ndarray], found: np.ndarray) -> None:
    """Every result equals the exact model's; NaNs may carry any payload in float64 and where bfloat16 is shifted up."""
    for op, row in zip(PROGRAMS[name], found, strict=True):
        kind, types = signature(op)
        any_nan = kind == "f64" or op == "cvt.f32.bf16"
        compute, mask = model(op), (1 << width_of(kind)) - 1
        cut = [[int(v) & (1 << width_of(t)) - 1 for v in c] for c, t in zip(columns, types, strict=False)]
        for values, value in zip(zip(*cut, strict=True), row, strict=True):
            expected, got = compute(*values), int(value) & mask
            same = expected is None or expected == got or (any_nan and is_nan(expected, kind) and is_nan(got, kind))
            assert same, f"{op} {[hex(v) for v in values]}: {got:#x}, exact is {expected:#x}"


@pytest.mark.parametrize("name", EXACT)
def test_edges_and_random_values(name: str) -> None:
    columns = patterns(sources(name), COUNT, seed=1)
    check(name, columns, results(emulate, name, columns))


WORD = st.integers(0, (1 << 64) - 1)


@pytest.mark.parametrize("name", ["float32", "float64", "bfloat2"])
@settings(max_examples=4, deadline=None, phases=[Phase.generate])
@given(words=st.lists(st.tuples(WORD, WORD, WORD), min_size=64, max_size=64))
def test_any_values(name: str, words: list[tuple[int, int, int]]) -> None:
    columns = [np.array(c, np.uint64) for c in zip(*words, strict=True)]
    check(name, columns, results(emulate, name, columns))


def as_float(bits: np.ndarray, kind: str) -> np.ndarray:
    """float64 of patterns of one 16- or 32-bit type."""
    if kind == "f32":
        return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    if kind == "bf16":
        return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    return bits.astype(np.uint16).view(np.float16).astype(np.float64)


def special_values(kind: str) -> np.ndarray:
    """Patterns of numbers from 2**-10 to 2**10 of both signs, and some far ones."""
    generator = np.random.default_rng(3)
    value = np.exp2(generator.uniform(-10, 10, COUNT)) * np.where(np.arange(COUNT) % 2, 1, -1)
    value[:8] = [0.5, 1, 2, 4, 100, -100, 120, -120]
    if kind == "f32":
        return value.astype(np.float32).view(np.uint32).astype(np.uint64)
    if kind == "bf16":
        return (value.astype(np.float32).view(np.uint32) >> 16).astype(np.uint64)
    return value.astype(np.float16).view(np.uint16).astype(np.uint64)


FUNCTIONS = {"rcp": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt, "ex2": np.exp2, "lg2": np.log2,
             "sin": np.sin, "cos": np.cos, "tanh": np.tanh}  # fmt: skip


def check_special(name: str, op: str, run: object) -> None:
    kind, _ = parts_of(signature(op)[0])
    words = special_values(kind)
    row = results(run, name, [words])[PROGRAMS[name].index(op)] & np.uint64((1 << width_of(kind)) - 1)
    with np.errstate(all="ignore"):
        x = as_float(words, kind)
        exact = FUNCTIONS[op.split(".")[0]](x)
    bound, absolute = PROMISED[op.split(".")[0]]
    if op.split(".")[0] in ("sin", "cos"):  # promised between -pi and pi
        exact = np.where(np.abs(x) < np.pi, exact, np.nan)
    step = {"f32": 0.0, "f16": 2.0**-10, "bf16": 2.0**-7}[kind]  # PTX ISA: ex2 and tanh in bf16 promise no more
    limits = {"f32": (2.0**-126, 3.4e38), "f16": (2.0**-14, 65504.0), "bf16": (2.0**-126, 3.3e38)}[kind]
    inside = np.isfinite(exact) & (np.abs(exact) >= limits[0]) & (np.abs(exact) <= limits[1])
    error = np.abs(as_float(row, kind) - exact)[inside]
    scale = np.maximum(1.0 if absolute else 0.0, np.abs(exact[inside]))
    assert inside.sum() > 40
    assert (error <= scale * bound + np.abs(exact[inside]) * step + 2.0**-149).all()


SPECIAL = [(name, op) for name in ("special32", "special16") for op in PROGRAMS[name]]


@pytest.mark.parametrize(("name", "op"), SPECIAL)
def test_special_functions_are_within_their_promised_error(name: str, op: str) -> None:
    check_special(name, op, emulate)


@pytest.mark.gpu
@pytest.mark.parametrize("name", EXACT)
def test_gpu_equals_the_emulator(name: str) -> None:
    for seed in range(2, 6):
        columns = patterns(sources(name), 4 * COUNT, seed)
        silicon, emulated = results(on_gpu, name, columns), results(emulate, name, columns)
        for op, ours, theirs in zip(PROGRAMS[name], emulated, silicon, strict=True):
            wrong = np.flatnonzero(ours != theirs)
            first = [hex(int(c[wrong[0]])) for c in columns] if wrong.size else []
            message = f"{op}: {wrong.size} of {ours.size} differ, first {first}"
            assert not wrong.size, f"{message}: emulator {int(ours[wrong[0]]):#x}, GPU {int(theirs[wrong[0]]):#x}"


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "op"), SPECIAL)
def test_gpu_special_functions_are_within_their_promised_error(name: str, op: str) -> None:
    check_special(name, op, on_gpu)
