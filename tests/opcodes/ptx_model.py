"""What scalar PTX instructions compute, in exact rational arithmetic: the oracle that knows nothing of the emulator.

From the PTX ISA's descriptions alone; one value at a time, slow on purpose. `model("fma.rz.ftz.f32")` gives a function
of bit patterns. None as a result means: any value will do (PTX leaves it open, or only an approximation is promised).
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction

FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
INTEGERS = {f"{s}{b}": (s == "s", b) for s in "su" for b in (8, 16, 32, 64)}
INF = math.inf
Number = tuple[int, Fraction | float]  # sign bit, magnitude: a Fraction, or inf; NaN is None


def decode(bits: int, kind: str, ftz: bool = False) -> Number | None:
    exponent_bits, fraction_bits = FLOATS[kind]
    sign = bits >> (exponent_bits + fraction_bits) & 1
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    fraction = bits & (1 << fraction_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        return None if fraction else (sign, INF)
    if exponent == 0:
        return sign, Fraction(0) if ftz else Fraction(fraction) * Fraction(2) ** (1 - bias - fraction_bits)
    return sign, Fraction((1 << fraction_bits) + fraction) * Fraction(2) ** (exponent - bias - fraction_bits)


def whole(value: Fraction, mode: str, sign: int) -> int:
    """A magnitude to an integer: rn to even, rz, rm (down), rp (up) as seen from the signed value."""
    floor = value.numerator // value.denominator
    rest = value - floor
    if mode == "rn":
        return floor + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1))
    away = mode == ("rm" if sign else "rp")
    return floor + (1 if away and rest else 0)


def encode(number: Number | None, kind: str, mode: str = "rn", ftz: bool = False, sat: bool = False) -> int:
    exponent_bits, fraction_bits = FLOATS[kind]
    top = (1 << exponent_bits) - 1
    if sat:
        if number is None or number[0] or number[1] == 0:
            number = (0, Fraction(0))
        elif number[1] > 1:
            number = (0, Fraction(1))
    if number is None:
        return {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000}[kind]
    sign, value = number
    word = sign << (exponent_bits + fraction_bits)
    if value == INF:
        return word | top << fraction_bits
    value = Fraction(value)
    bias = (1 << exponent_bits - 1) - 1
    if value == 0:
        return word
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    steps = whole(value / Fraction(2) ** (exponent - fraction_bits), mode, sign)
    if steps >> fraction_bits + 1:
        steps, exponent = steps >> 1, exponent + 1
    if exponent > bias:
        infinite = mode == "rn" or mode == ("rm" if sign else "rp")
        return word | (top << fraction_bits if infinite else (top << fraction_bits) - 1)
    if steps >> fraction_bits == 0:
        return word if ftz else word | steps
    return word | exponent + bias << fraction_bits | steps & (1 << fraction_bits) - 1


def plus(a: Number | None, b: Number | None, mode: str) -> Number | None:
    if a is None or b is None:
        return None
    if INF in (a[1], b[1]):
        if a[1] == b[1] and a[0] != b[0]:
            return None
        return a if a[1] == INF else b
    total = (-1) ** a[0] * Fraction(a[1]) + (-1) ** b[0] * Fraction(b[1])
    if total == 0:
        same = a[0] if a[0] == b[0] else int(mode == "rm")
        return same, Fraction(0)
    return int(total < 0), abs(total)


def times(a: Number | None, b: Number | None) -> Number | None:
    if a is None or b is None or {a[1], b[1]} == {INF, 0}:
        return None
    sign = a[0] ^ b[0]
    return (sign, INF) if INF in (a[1], b[1]) else (sign, Fraction(a[1]) * Fraction(b[1]))


def over(a: Number | None, b: Number | None) -> Number | None:
    if a is None or b is None or (a[1] == b[1] and a[1] in (0, INF)):
        return None
    sign = a[0] ^ b[0]
    if a[1] == INF or b[1] == 0:
        return sign, INF
    return (sign, Fraction(0)) if b[1] == INF else (sign, Fraction(a[1]) / Fraction(b[1]))


def root(a: Number | None) -> Number | None:
    """Square root with 40 bits more than float64 needs, an odd last bit when inexact."""
    if a is None or (a[0] and a[1] != 0):
        return None
    if a[1] in (0, INF):
        return a
    shift = 2400
    scaled = Fraction(a[1]) * Fraction(2) ** shift
    steps = math.isqrt(math.floor(scaled))
    exact = steps * steps == scaled
    return 0, (Fraction(2 * steps) + (not exact)) / 2 / Fraction(2) ** (shift // 2)


def signed(number: Number) -> Fraction | float:
    return -number[1] if number[0] else number[1]


def extreme(a: Number | None, b: Number | None, smaller: bool) -> Number | None:
    if a is None or b is None:
        return a or b
    if signed(a) == signed(b):
        return a if (a[0] == 1) == smaller else b
    return a if (signed(a) < signed(b)) == smaller else b


def holds(test: str, a: Number | None, b: Number | None) -> bool:
    if test in ("num", "nan"):
        return (a is None or b is None) == (test == "nan")
    if a is None or b is None:
        return len(test) == 3  # ltu and the like also hold for NaN
    x, y = signed(a), signed(b)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[test[:2]]


def to_integer(number: Number | None, source: str, target: str, mode: str) -> int:
    is_signed, bits = INTEGERS[target]
    if number is None:
        return 0 if source != "f64" and bits < 64 else 1 << bits - 1
    lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    if number[1] == INF:
        value = lowest if number[0] else highest
    else:
        value = whole(Fraction(number[1]), mode, number[0]) * (-1) ** number[0]
    return min(max(value, lowest), highest) & (1 << bits) - 1


def parts_of(kind: str) -> tuple[str, int]:
    """Element type and how many lie in a register."""
    return (kind[:-2], 2) if kind.endswith("x2") else (kind, 1)


def width_of(kind: str) -> int:
    element, count = parts_of(kind)
    return 1 if kind == "pred" else count * (sum(FLOATS[element]) + 1 if element in FLOATS else int(element[1:]))


def signature(op: str) -> tuple[str, list[str]]:
    """Type of the result and types of the sources of a PTX opcode."""
    name, *mods = op.split(".")
    types = [m for m in mods if parts_of(m)[0] in FLOATS or m in INTEGERS or m == "b32"]
    if name == "cvt":
        return types[0], types[1:] * (2 if types[0].endswith("x2") else 1)
    if name == "setp":
        return "pred", types * 2
    if name == "set":
        return types[0], [types[1]] * 2
    return types[-1], [types[-1]] * {"fma": 3, "add": 2, "sub": 2, "mul": 2, "div": 2, "min": 2, "max": 2}.get(name, 1)


def model(op: str) -> Callable[..., int | None]:
    """Function of the sources' bit patterns that gives the result's."""
    name, *mods = op.split(".")
    result, sources = signature(op)
    ftz, sat, relu = "ftz" in mods, "sat" in mods, "relu" in mods
    mode = next((m for m in mods if m in ("rn", "rz", "rm", "rp")), "rn")

    def scalar(element: str, values: list[int]) -> int | None:
        kinds = [parts_of(s)[0] for s in sources]
        a, *rest = [decode(v, k, ftz and k in ("f32", "f16")) for v, k in zip(values, kinds, strict=True)]
        if name in ("add", "sub"):
            b = rest[0] if name == "add" or rest[0] is None else (1 - rest[0][0], rest[0][1])
            number = plus(a, b, mode)
        elif name == "mul":
            number = times(a, rest[0])
        elif name == "fma":
            number = plus(times(a, rest[0]), rest[1], mode)
        elif name == "div":
            number = over(a, rest[0])
        elif name == "sqrt":
            number = root(a)
        elif name == "rcp":
            number = over((0, Fraction(1)), a)
        elif name in ("min", "max"):
            number = extreme(a, rest[0], name == "min")
            if "NaN" in mods and None in (a, rest[0]):
                number = None
            if "xorsign" in mods:
                bare = [n and (0, n[1]) for n in (a, rest[0])]
                number = extreme(bare[0], bare[1], name == "min")
                number = number and ((values[0] ^ values[1]) >> width_of(element) - 1, number[1])
        else:
            raise ValueError(op)
        if relu and number is not None and number[0]:
            number = (0, Fraction(0))
        smallest = Fraction(2) ** (2 - (1 << FLOATS[element][0] - 1))
        if ftz and number is not None and number[1] != INF and number[1] < smallest:
            number = number[0], Fraction(0)  # tiny before rounding, as an H200 decides it
        return encode(number, element, mode, ftz, sat)

    def convert(values: list[int]) -> int | None:
        source = sources[0]
        if source in INTEGERS:
            is_signed, bits = INTEGERS[source]
            value = values[0] & (1 << bits) - 1
            value -= (value >> bits - 1 << bits) if is_signed else 0
            return encode((int(value < 0), Fraction(abs(value))), result, mode)
        number = decode(values[0], source, ftz)
        integral = next((m for m in mods if re.fullmatch("r[nzmp]i", m)), "")
        if result in INTEGERS:
            return to_integer(number, source, result, integral[:2])
        if integral and number is not None and number[1] != INF:
            number = number[0], Fraction(whole(Fraction(number[1]), integral[:2], number[0]))
        if relu and number is not None and number[0]:
            number = (0, Fraction(0))
        return encode(number, parts_of(result)[0], mode, ftz, sat)

    def run(*values: int) -> int | None:
        if "approx" in mods:
            return None
        if name == "cvt" and result.endswith("x2"):
            high, low = convert([values[0]]), convert([values[1]])
            return high << 16 | low
        if name == "cvt":
            return convert(list(values))
        if name in ("setp", "set"):
            a, b = (decode(v, sources[0], ftz) for v in values)
            test = holds(mods[0], a, b)
            return int(test) if name == "setp" else (0x3F800000 if result == "f32" else 0xFFFFFFFF) * test
        element, count = parts_of(result)
        size = width_of(element)
        halves = [scalar(element, [v >> size * i & (1 << size) - 1 for v in values]) for i in range(count)]
        return sum(h << size * i for i, h in enumerate(halves))

    return run
