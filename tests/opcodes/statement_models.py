"""What statements of PTX leave, by the PTX ISA, in plain numpy: CASES, statement -> model.

A model takes uint32[threads, 256] of inputs and gives uint32[threads, n], the results from `first` on (0: t, u, v, w, r, s;
16: what the statement stores itself, see ptx_families).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from ptx_families import _mma

U32 = np.uint32
Model = Callable[[np.ndarray], np.ndarray]
LANE = np.arange(32)


@dataclass(frozen=True)
class Case:
    """One statement. threads: of the block. masks: input b names the lanes that take part: all, or those of one parity;
    parted: always those of one parity.
    """

    model: Model
    first: int = 0
    threads: int = 64
    masks: bool = False
    parted: bool = False


CASES: dict[str, Case] = {}


def word(function: Callable[..., np.ndarray]) -> Model:
    """A model of t alone, of the words a, b, c."""
    return lambda x: np.asarray(function(x[:, 0], x[:, 1], x[:, 2])).astype(np.int64).astype(U32)[:, None]


# ---- permutes, halves, narrow conversions ---------------------------------------------------------------------------

PERMUTED = {  # PTX ISA, prmt: bytes of the result from the highest down, by the selector
    "f4e": ("3210", "4321", "5432", "6543"), "b4e": ("5670", "6701", "7012", "0123"), "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"), "ecr": ("0000", "1110", "2210", "3210"), "rc16": ("1010", "3232", "1010", "3232"),
}  # fmt: skip


def _permuted(mode: str) -> Model:
    def model(x: np.ndarray) -> np.ndarray:
        out = []
        for a, b, c in x[:, :3].tolist():
            digits = PERMUTED[mode][c & 3]
            value = b << 32 | a
            out.append(sum((value >> 8 * int(d) & 255) << 8 * k for k, d in enumerate(reversed(digits))))
        return np.array(out, U32)[:, None]

    return model


for mode in PERMUTED:
    CASES[f"prmt.b32.{mode} t, a, b, c;"] = Case(_permuted(mode))


def _halves(kind: str, function: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Model:
    def model(x: np.ndarray) -> np.ndarray:
        a, b = (np.ascontiguousarray(x[:, k]).view(kind).reshape(-1, 2) for k in (0, 1))
        return np.ascontiguousarray(function(a, b).astype(kind)).view(U32)

    return model


for kind in ("u16", "s16"):
    numpy_kind = {"u16": "<u2", "s16": "<i2"}[kind]
    CASES[f"min.{kind}x2 t, a, b;"] = Case(_halves(numpy_kind, np.minimum))
    CASES[f"max.{kind}x2 t, a, b;"] = Case(_halves(numpy_kind, np.maximum))
    CASES[f"add.{kind}x2 t, a, b;"] = Case(_halves(numpy_kind, np.add))
CASES["min.relu.s16x2 t, a, b;"] = Case(_halves("<i2", lambda a, b: np.maximum(np.minimum(a, b), 0)))


def _three(kind: str, largest: bool, relu: bool) -> Model:
    """The largest or smallest of each element of a, b and c, or 0 if it is below."""

    def model(x: np.ndarray) -> np.ndarray:
        parts = np.stack([np.ascontiguousarray(x[:, k]).view(kind).reshape(len(x), -1) for k in (0, 1, 2)])
        chosen = parts.max(axis=0) if largest else parts.min(axis=0)
        chosen = np.maximum(chosen, 0) if relu else chosen
        return np.ascontiguousarray(chosen.astype(kind)).view(U32)

    return model


for kind, numpy_kind in (("s32", "<i4"), ("u32", "<u4"), ("s16x2", "<i2"), ("u16x2", "<u2")):
    for name in ("max", "min"):
        CASES[f"{name}.{kind} t, a, b; {name}.{kind} t, t, c;"] = Case(_three(numpy_kind, name == "max", False))
for kind, numpy_kind in (("s32", "<i4"), ("s16x2", "<i2")):
    for name in ("max", "min"):
        CASES[f"{name}.{kind} t, a, b; {name}.relu.{kind} t, t, c;"] = Case(_three(numpy_kind, name == "max", True))


def _which(kind: str, largest: bool) -> Model:
    """As __vibmax_s16x2 and its kin: is the result of each half that of a?"""

    def model(x: np.ndarray) -> np.ndarray:
        a, b = (np.ascontiguousarray(x[:, k]).view(kind).reshape(-1, 2) for k in (0, 1))
        chosen = np.maximum(a, b) if largest else np.minimum(a, b)
        return np.concatenate([np.ascontiguousarray(chosen).view(U32), (chosen == a).astype(U32)], 1)

    return model


WHICH = ("{ .reg .b16 l0, l1, m0, m1; %s.%sx2 t, a, b; mov.b32 {l0, l1}, t; mov.b32 {m0, m1}, a; setp.eq.s16 o, l0, m0; selp.b32 u, 1, 0, o; "
         "setp.eq.s16 o, l1, m1; selp.b32 v, 1, 0, o; }")  # fmt: skip
for kind, numpy_kind in (("s16", "<i2"), ("u16", "<u2")):
    for name in ("max", "min"):
        CASES[WHICH % (name, kind)] = Case(_which(numpy_kind, name == "max"))


def _three_halves(kind: str, largest: bool, keeps_nan: bool, change: Callable[[np.ndarray], np.ndarray]) -> Model:
    """The same of 16-bit floats, by the order of their bit patterns: -0 below 0, a number before a NaN or (NaN) after."""
    infinity = {"f16": 0x7C00, "bf16": 0x7F80}[kind]

    def model(x: np.ndarray) -> np.ndarray:
        bits = change(np.ascontiguousarray(x[:, :3]).view("<u2").reshape(len(x), 3, 2)).astype(np.int64)
        nan = (bits & 0x7FFF) > infinity
        rank = np.where(bits & 0x8000, -1 - (bits & 0x7FFF), bits)
        rank = np.where(nan, -(1 << 20) if largest else 1 << 20, rank)
        best = rank.argmax(axis=1) if largest else rank.argmin(axis=1)
        chosen = np.take_along_axis(bits, best[:, None], 1)[:, 0]
        lost = nan.any(axis=1) if keeps_nan else nan.all(axis=1)
        return np.ascontiguousarray(np.where(lost, 0x7FFF, chosen).astype("<u2")).view(U32)

    return model


HALVES_OF_THREE = set()  # a random half is a NaN once in 32 times (f16): two and three of them must meet
for kind in ("f16", "bf16"):
    for name in ("max", "min"):
        for nan in ("", ".NaN"):
            HALVES_OF_THREE |= {f"{name}{nan}.{kind}x2 t, a, b; {name}{nan}.{kind}x2 t, t, c;"}
            CASES[f"{name}{nan}.{kind}x2 t, a, b; {name}{nan}.{kind}x2 t, t, c;"] = Case(
                _three_halves(kind, name == "max", bool(nan), lambda bits: bits)
            )
ABSOLUTE = "abs.f16x2 a, a; abs.f16x2 b, b; abs.f16x2 c, c; max.f16x2 t, a, b; max.f16x2 t, t, c;"
CASES[ABSOLUTE] = Case(_three_halves("f16", True, False, lambda bits: bits & 0x7FFF))
HALVES_OF_THREE |= {ABSOLUTE}


def _to_byte(function: Callable[[np.ndarray], np.ndarray]) -> Model:
    def model(x: np.ndarray) -> np.ndarray:
        value = x[:, 0].view(np.float32).astype(np.float64)
        return np.clip(function(np.where(np.isnan(value), 0, value)), 0, 255).astype(U32)[:, None]

    return model


CASES["cvt.rni.u8.f32 t, a; and.b32 t, t, 255;"] = Case(_to_byte(np.rint))
CASES["cvt.rzi.u8.f32 t, a; and.b32 t, t, 255;"] = Case(_to_byte(np.trunc))


def _pack(kind: str, bits: int) -> Model:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "s" else (0, (1 << bits) - 1)

    def model(x: np.ndarray) -> np.ndarray:
        a, b = (np.clip(x[:, k].view(np.int32).astype(np.int64), low, high) & (1 << bits) - 1 for k in (0, 1))
        return ((a << bits | b | x[:, 2].astype(np.int64) << 2 * bits) & 0xFFFFFFFF).astype(U32)[:, None]

    return model


for kind in "su":
    for bits in (2, 4, 8):
        CASES[f"cvt.pack.sat.{kind}{bits}.s32.b32 t, a, b, c;"] = Case(_pack(kind, bits))


def _directed(kind: str, up: bool) -> Model:
    """float32 to the next 16-bit float up or down, by search among all of them."""
    every = np.arange(1 << 16, dtype=U32)
    single = (
        (every << U32(16)).view(np.float32)
        if kind == "bf16"
        else every.astype(np.uint16).view(np.float16).astype(np.float32)
    )
    order = np.argsort(np.where(np.isnan(single), np.inf, single), kind="stable")
    order = order[~np.isnan(single[order])]
    values = single[order].astype(np.float64)

    def model(x: np.ndarray) -> np.ndarray:
        value = x[:, 0].view(np.float32).astype(np.float64)
        known = np.where(np.isnan(value), 0.0, value)
        place = np.searchsorted(values, known, "left") if up else np.searchsorted(values, known, "right") - 1
        found = single[order[np.clip(place, 0, len(order) - 1)]]
        bits = np.where(found == 0, np.where(np.signbit(known), 0x8000, 0), order[np.clip(place, 0, len(order) - 1)])
        return np.where(np.isnan(value), 0x7FFF, bits).astype(U32)[:, None]

    return model


for kind in ("f16", "bf16"):
    for mode in ("rm", "rp"):
        CASES[f"cvt.{mode}.{kind}.f32 h, a; cvt.u32.u16 t, h;"] = Case(_directed(kind, mode == "rp"))


# ---- comparisons as values, bytes -----------------------------------------------------------------------------------


def _set(kind: str, one: int, zero: int, test: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Model:
    """Each float of a word against its counterpart: the bits of `one` or of `zero`."""
    size = {"<f4": "<u4", "<f2": "<u2"}[kind]

    def model(x: np.ndarray) -> np.ndarray:
        a, b = (np.ascontiguousarray(x[:, k]).view(kind).reshape(len(x), -1) for k in (0, 1))
        bits = np.where(test(a, b), one, zero).astype(size)
        return np.ascontiguousarray(bits).view(U32)

    return model


CASES["set.lt.f32.f32 t, a, b;"] = Case(_set("<f4", 0x3F800000, 0, np.less))
CASES["set.neu.u32.f32 t, a, b;"] = Case(_set("<f4", 0xFFFFFFFF, 0, np.not_equal))
CASES["set.lt.f16x2.f16x2 t, a, b;"] = Case(_set("<f2", 0x3C00, 0, np.less))
CASES["set.ge.u32.f16x2 t, a, b;"] = Case(_set("<f2", 0xFFFF, 0, np.greater_equal))
for kind, low, high in (("s8", -128, 127), ("s16", -32768, 32767)):
    CASES[
        f"cvt.sat.{kind}.s32 t, a; cvt.s32.{kind} t, t;"
        if kind == "s8"
        else f"cvt.sat.{kind}.s32 h, a; cvt.s32.s16 t, h;"
    ] = Case(
        lambda x, low=low, high=high: np.clip(x[:, :1].view(np.int32), low, high).view(U32)  # type: ignore[misc]
    )


def _byte_differences(x: np.ndarray) -> np.ndarray:
    a, b = (np.ascontiguousarray(x[:, k]).view(np.uint8).reshape(-1, 4).astype(np.int64) for k in (0, 1))
    return (np.abs(a - b).sum(axis=1) + x[:, 2]).astype(np.uint64).astype(U32)[:, None]


CASES["vabsdiff4.u32.u32.u32.add t, a, b, c;"] = Case(_byte_differences)
CASES["st.shared.b32 [sa], b; atom.add.u32 t, [ga], a; ld.shared.b32 u, [sa];"] = Case(
    lambda x: np.stack([x[:, 1], x[:, 0] + x[:, 1]], 1)
)

# ---- between lanes, each set of lanes apart --------------------------------------------------------------------------


def _of_sets(function: Callable[[np.ndarray, int], np.ndarray]) -> Model:
    """function(words a of the lanes of one set, their warp's first lane) for each set that b names."""

    def model(x: np.ndarray) -> np.ndarray:
        out = np.zeros(len(x), np.int64)
        for first in range(0, len(x), 32):
            warp = x[first : first + 32]
            for mask in np.unique(warp[:, 1]):
                lanes = np.flatnonzero(mask >> LANE.astype(U32) & U32(1))
                out[first + lanes] = function(warp[lanes, 0], lanes)
        return (out & 0xFFFFFFFF).astype(U32)[:, None]

    return model


def _same(a: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    return np.array([sum(1 << int(k) for k, v in zip(lanes, a, strict=True) if v == mine) for mine in a])


def as_signed(a: np.ndarray) -> np.ndarray:
    return a.view(np.int32).astype(np.int64)


REDUCED: dict[str, Callable[[np.ndarray], int]] = {
    "add.u32": lambda a: int(a.astype(np.int64).sum()), "add.s32": lambda a: int(as_signed(a).sum()),
    "min.u32": lambda a: int(a.min()), "max.u32": lambda a: int(a.max()), "min.s32": lambda a: int(as_signed(a).min()),
    "max.s32": lambda a: int(as_signed(a).max()), "and.b32": lambda a: int(np.bitwise_and.reduce(a)),
    "or.b32": lambda a: int(np.bitwise_or.reduce(a)), "xor.b32": lambda a: int(np.bitwise_xor.reduce(a)),
}  # fmt: skip
for name, reduced in REDUCED.items():
    model = _of_sets(lambda a, lanes, f=reduced: np.full(len(a), f(np.ascontiguousarray(a))))  # type: ignore[misc]
    CASES[f"redux.sync.{name} t, a, b;"] = Case(model, masks=True)
CASES["match.any.sync.b32 t, a, b;"] = Case(_of_sets(_same), masks=True)
CASES["match.all.sync.b32 t, a, b;"] = Case(
    _of_sets(lambda a, lanes: np.full(len(a), (a == a[0]).all() * sum(1 << int(k) for k in lanes))), masks=True
)
CASES["shfl.sync.bfly.b32 t, a, 2, 0x1f, b;"] = Case(
    _of_sets(lambda a, lanes: np.array([a[list(lanes).index(k ^ 2)] for k in lanes])), masks=True
)
ODD = "{ .reg .b32 l; and.b32 l, a, 1; setp.eq.u32 o, l, 1; vote.sync.%s; }"
BALLOT = _of_sets(lambda a, lanes: np.full(len(a), sum(1 << int(k) for k, v in zip(lanes, a, strict=True) if v & 1)))
CASES[ODD % "ballot.b32 t, o, b"] = Case(BALLOT, masks=True)
FLAG = " selp.b32 t, 1, 0, q"
CASES[ODD % ("all.pred q, o, b;" + FLAG)] = Case(_of_sets(lambda a, lanes: np.full(len(a), (a & 1).all())), masks=True)
CASES[ODD % ("any.pred q, o, b;" + FLAG)] = Case(_of_sets(lambda a, lanes: np.full(len(a), (a & 1).any())), masks=True)
CASES[ODD % ("uni.pred q, o, b;" + FLAG)] = Case(
    _of_sets(lambda a, lanes: np.full(len(a), (a & 1).all() or not (a & 1).any())), masks=True
)
CASES[
    "{ and.b32 c, i, 1; setp.eq.u32 o, c, 1; @o bra L; redux.sync.add.u32 t, a, b; bra E; L: redux.sync.add.u32 t, a, b; E: }"
] = Case(_of_sets(lambda a, lanes: np.full(len(a), int(a.astype(np.int64).sum()))), masks=True, parted=True)
CASES["elect.sync t|o, -1; selp.b32 u, 1, 0, o;"] = Case(
    lambda x: np.stack([np.zeros(len(x)), np.arange(len(x)) % 32 == 0], 1).astype(U32)
)
CASES["{ and.b32 c, i, 3; setp.eq.u32 o, c, 1; @!o bra L; activemask.b32 t; L: }"] = Case(
    lambda x: np.where(np.arange(len(x)) % 4 == 1, 0x22222222, 0).astype(U32)[:, None]
)

# ---- control and memory ----------------------------------------------------------------------------------------------


def _fibonacci(n: int) -> int:
    return n if n < 2 else _fibonacci(n - 1) + _fibonacci(n - 2)


CASES[
    "{ .param .b32 g, o1; and.b32 a, a, 7; st.param.b32 [g], a; call (o1), fibonacci, (g); ld.param.b32 t, [o1]; }"
] = Case(word(lambda a, b, c: np.array([_fibonacci(int(v) & 7) for v in a])))
CASES["{ .reg .b64 top, place; and.b32 b, b, 255; add.u32 b, b, 8; cvt.u64.u32 x, b; stacksave.u64 top; alloca.u64 place, x; "
      "st.local.b32 [place], a; ld.local.b32 t, [place]; stackrestore.u64 top; }"] = Case(word(lambda a, b, c: a))  # fmt: skip
CASES["ld.mmio.relaxed.sys.global.b32 t, [in+8];"] = Case(word(lambda a, b, c: c))
CASES["{ and.b32 a, a, 3; table: .branchtargets L0, L1, L2, L3; brx.idx a, table; L0: add.s32 t, b, 1; bra E; L1: mul.lo.s32 t, b, 5; "
      "bra E; L2: xor.b32 t, b, 9; bra E; L3: popc.b32 t, b; E: }"] = Case(
    lambda x: np.array([(lambda b: (b + 1, b * 5, b ^ 9, b.bit_count())[int(a) & 3] & 0xFFFFFFFF)(int(b)) for a, b in x[:, :2]], U32)[:, None]
)  # fmt: skip
CASES[
    "isspacep.shared o, ga; selp.b32 t, 1, 0, o; isspacep.shared o, in; selp.b32 u, 1, 0, o; isspacep.local o, ga; selp.b32 v, 1, 0, o;"
] = Case(lambda x: np.tile(np.array([1, 0, 0], U32), (len(x), 1)))
CASES["st.b32 [ga], a; ld.b32 t, [ga]; ld.shared.b32 u, [sa];"] = Case(lambda x: x[:, [0, 0]])
CASES[
    "{ .reg .b128 l, m; st.global.v2.b64 [out+64], {y, z}; mov.b128 l, {x, y}; atom.global.exch.b128 m, [out+64], l; mov.b128 {r, s}, m; }"
] = Case(lambda x: np.concatenate([np.zeros((len(x), 4), U32), x[:, 6:10]], 1))
CASES["{ .reg .b128 l, m, d; st.global.v2.b64 [out+64], {x, y}; mov.b128 l, {x, y}; mov.b128 m, {y, z}; "
      "atom.global.cas.b128 d, [out+64], l, m; mov.b128 {r, s}, d; ld.global.v4.b32 {t, u, v, w}, [out+64]; }"] = Case(
    lambda x: np.concatenate([x[:, 6:10], x[:, 4:8]], 1)
)  # fmt: skip
CASES[
    "st.global.b32 [out+64], b; cvt.u16.u32 h, b; atom.global.cas.b16 h, [out+64], h, k; cvt.u32.u16 t, h; ld.global.b32 u, [out+64];"
] = Case(lambda x: np.stack([x[:, 1] & 0xFFFF, x[:, 1]], 1))
# lanes that meet at one counter, as in the histogram of a sort: ATOMS.POPC.INC
CASES[
    "and.b32 t, a, 7; shl.b32 t, t, 2; mov.b32 v, sm; add.u32 v, v, t; mov.b32 t, 0; st.shared.b32 [v], 0; bar.sync 0; "
    "red.shared.add.u32 [v], 1; bar.sync 0; ld.shared.b32 t, [v]; bar.sync 0; mov.b32 v, 0;"
] = Case(word(lambda a, b, c: np.bincount(a & 7, minlength=8)[a & 7]))
CASES["st.shared.b32 [sa], 0; red.shared.add.u32 [sa], 1; ld.shared.b32 t, [sa];"] = Case(
    word(lambda a, b, c: np.ones(len(a)))
)
CASES["bar.red.popc.u32 t, 1, 64, p;"] = Case(
    lambda x: np.full((len(x), 1), (x[:, 0].view(np.int32) < x[:, 1].view(np.int32)).sum(), U32)
)
for number, count in (("u", ""), ("u", ", v"), ("3", ", v"), ("u", ", 64")):
    CASES[f"mov.b32 v, 64; add.u32 u, n, 2; st.shared.b32 [sa], a; bar.sync {number}{count}; xor.b32 e, sa, 16; ld.shared.b32 t, [e]; "
          "mov.b32 u, 0; mov.b32 v, 0;"] = Case(lambda x: x[np.arange(len(x)) ^ 1][:, :1])  # fmt: skip

# lanes that leave two regions at once where two conditions hold: @!P0 BREAK P1, B1, and @!P0 BRA P1 behind it


def _leaves_two() -> str:
    steps = "".join(
        f"mov.b32 u, {j}; and.b32 g, b, {1 << j}; setp.eq.s32 l, g, 0; setp.eq.s32 m, d, f; and.pred o, l, m; @o bra FOUND; "
        f"mov.b32 t, {2 * j}; and.b32 g, b, {256 << j}; setp.eq.s32 l, g, 0; add.s32 g, f, 1; setp.eq.s32 m, d, g; "
        f"and.pred o, l, m; @o bra OUT; shr.u32 g, b, {j}; and.b32 g, g, 1; add.s32 f, f, g; "
        for j in range(6)
    )
    return ("{ .reg .pred l, m; .reg .b32 d, f, g; and.b32 d, a, 7; or.b32 f, d, b; setp.eq.s32 o, f, 0; @o bra OUT; "
            f"setp.ne.s32 o, b, 0; selp.b32 f, 1, 0, o; {steps} mov.b32 u, 99; FOUND: ld.global.b32 g, [in+64]; add.s32 t, u, g; "
            "OUT: mov.b32 u, 0; activemask.b32 v; }")  # fmt: skip


def _left(x: np.ndarray) -> np.ndarray:
    def one(a: int, b: int, far: int) -> int:
        d, f = a & 7, int(b != 0)
        for j in range(6):
            if not b >> j & 1 and d == f:
                return j + far & 0xFFFFFFFF
            if not b >> j + 8 & 1 and d == f + 1:
                return 2 * j
            f += b >> j & 1
        return 99 + far & 0xFFFFFFFF

    return np.array([[one(int(r[0]), int(r[1]), int(r[16])), 0, 0xFFFFFFFF] for r in x], U32)


LEAVES_TWO = _leaves_two()
CASES[LEAVES_TWO] = Case(_left)

# ---- matrices --------------------------------------------------------------------------------------------------------


def fragment(registers: np.ndarray, rows: int, per: int, unpack: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """[rows, k] of one warp's registers uint32[32, n]: lane l holds row l / 4 and `per` neighbours from per * (l % 4) on."""
    down = rows // 8
    count = registers.shape[1]
    matrix = np.zeros((rows, 4 * per * count // down))
    for i in range(count):
        values = unpack(np.ascontiguousarray(registers[:, i]))
        for lane in range(32):
            at = per * (lane % 4) + 4 * per * (i // down)
            matrix[lane // 4 + 8 * (i % down), at : at + per] = values[lane]
    return matrix


def cells(rows: int, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(row, column) of each accumulator register of a warp, as arrays over its lanes."""
    return [
        (LANE // 4 + 8 * r, 2 * (LANE % 4) + 8 * g + e) for g in range(n // 8) for r in range(rows // 8) for e in (0, 1)
    ]


UNPACK: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "s8": lambda v: v.view(np.int8).reshape(32, 4), "u8": lambda v: v.view(np.uint8).reshape(32, 4),
    "b1": lambda v: np.unpackbits(v.view(np.uint8).reshape(32, 4), axis=1, bitorder="little"),
}  # fmt: skip


def _integers(rows: int, a: int, b: int, left: str, right: str, saturate: bool = False) -> Model:
    per = 32 if left == "b1" else 4

    def model(x: np.ndarray) -> np.ndarray:
        out = []
        for first in range(0, len(x), 32):
            warp = x[first : first + 32]
            product = fragment(warp[:, :a], rows, per, UNPACK[left]) @ fragment(warp[:, :b], 8, per, UNPACK[right]).T
            total = [product[where] + warp[:, i].view(np.int32) for i, where in enumerate(cells(rows, 8))]
            whole = np.stack(total, 1).astype(np.int64)
            out.append(np.clip(whole, -(1 << 31), (1 << 31) - 1) if saturate else whole)
        return (np.concatenate(out) & 0xFFFFFFFF).astype(U32)

    return model


for left, right in (("s8", "s8"), ("s8", "u8"), ("u8", "s8"), ("u8", "u8")):
    tail = f"row.col.s32.{left}.{right}.s32"
    CASES[_mma(f"mma.sync.aligned.m8n8k16.{tail}", 2, 1, 1)] = Case(_integers(8, 1, 1, left, right), 16)
    CASES[_mma(f"mma.sync.aligned.m16n8k16.{tail}", 4, 2, 1)] = Case(_integers(16, 2, 1, left, right), 16)
    tail = f"row.col.satfinite.s32.{left}.{right}.s32"
    CASES[_mma(f"mma.sync.aligned.m16n8k32.{tail}", 4, 4, 2)] = Case(_integers(16, 4, 2, left, right, True), 16)
for shape, rows, d, a, b in (("m8n8k128", 8, 2, 1, 1), ("m16n8k128", 16, 4, 2, 1), ("m16n8k256", 16, 4, 4, 2)):
    CASES[_mma(f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.and.popc", d, a, b)] = Case(
        _integers(rows, a, b, "b1", "b1"), 16
    )


def _doubles(rows: int, a: int, b: int) -> Model:
    def model(x: np.ndarray) -> np.ndarray:
        out = []
        values = np.ascontiguousarray(x).view(np.float64)
        for first in range(0, len(x), 32):
            warp = values[first : first + 32]
            down = rows // 8
            left, right = np.zeros((rows, 4 * a // down)), np.zeros((4 * b, 8))
            for i in range(a):
                left[LANE // 4 + 8 * (i % down), LANE % 4 + 4 * (i // down)] = warp[:, i]
            for i in range(b):
                right[LANE % 4 + 4 * i, LANE // 4] = warp[:, i]
            product = left @ right
            out.append(np.stack([product[where] + warp[:, i] for i, where in enumerate(cells(rows, 8))], 1))
        return np.ascontiguousarray(np.concatenate(out)).view(U32)

    return model


DOUBLES = {}
for shape, rows, d, a, b in (
    ("m8n8k4", 8, 2, 1, 1),
    ("m16n8k4", 16, 4, 2, 1),
    ("m16n8k8", 16, 4, 4, 2),
    ("m16n8k16", 16, 4, 8, 4),
):
    statement = _mma(f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64", d, a, b, "f64", "f64")
    DOUBLES[statement] = CASES[statement] = Case(_doubles(rows, a, b), 16)


# ---- warp groups: A of 64 rows and B of 16 as tiles of 8 rows of 16 bytes, one behind another ---------------------------

FILL = (
    "mov.b32 v, sm; mad.lo.u32 e, i, 16, v; st.shared.v4.b32 [e], {a, b, c, e1}; setp.lt.u32 o, i, 32; "
    "@o st.shared.v2.b64 [e+2048], {x, y}; bar.sync 0; shr.u32 v, v, 4; cvt.u64.u32 x, v; "
    "or.b64 x, x, 0x1000080000; add.u64 y, x, 128; mov.b32 v, 0; setp.ne.u32 q, n, 0; "
)  # descriptors: leading 128 and stride 256 bytes (fields in units of 16), B 2 KB behind A


def _group(op: str, tail: str, in_registers: bool) -> str:
    results = ", ".join(f"C{i}" for i in range(8))
    loads = " ".join(f"ld.global.b32 C{i}, [in+{64 + 4 * i}];" for i in range(8))
    loads += " ".join(f"ld.global.b32 A{i}, [in+{128 + 4 * i}];" for i in range(4)) if in_registers else ""
    stores = " ".join(f"st.global.b32 [out+{64 + 4 * i}], C{i};" for i in range(8))
    left = "{A0, A1, A2, A3}" if in_registers else "x"
    return (
        f"{{ .reg .b32 C<8>, A<4>, e1; mov.b32 e1, e; {loads} {FILL} wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.{op} "
        f"{{{results}}}, {left}, y, q{tail}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; {stores} }}"
    )


def _tile(data: np.ndarray, rows: int) -> np.ndarray:
    """uint8[rows, 32] of a tile's bytes."""
    row, byte = np.arange(rows)[:, None], np.arange(32)[None, :]
    return data[row // 8 * 256 + row % 8 * 16 + byte // 16 * 128 + byte % 16]


def _value_of(byte: int, kind: str) -> float:
    """OCP 8-bit floating point."""
    bits, bias = (3, 7) if kind == "e4m3" else (2, 15)
    sign, exponent, fraction = byte >> 7, byte >> bits & ((1 << 7 - bits) - 1), byte & ((1 << bits) - 1)
    size = (fraction / (1 << bits) + (exponent > 0)) * 2.0 ** (max(exponent, 1) - bias)
    return -size if sign else size


def _decoded(bytes_: np.ndarray, kind: str) -> np.ndarray:
    if kind[0] == "e":
        return np.array([_value_of(b, kind) for b in range(256)])[bytes_]
    if kind == "b1":
        return np.unpackbits(bytes_, axis=-1, bitorder="little").astype(float)
    return bytes_.view(np.int8).astype(float) if kind == "s8" else bytes_.astype(float)


def _warp_group(left: str, right: str, in_registers: bool, saturate: bool = False) -> Model:
    def model(x: np.ndarray) -> np.ndarray:
        shared = np.ascontiguousarray(x[:, :4]).view(np.uint8).ravel()
        b = _decoded(_tile(np.ascontiguousarray(x[:32, 4:8]).view(np.uint8).ravel(), 16), right)
        a = _decoded(_tile(shared, 64), left)
        if in_registers:
            held = [
                fragment(x[w : w + 32, 32:36], 16, 4, lambda v: v.view(np.uint8).reshape(32, 4))
                for w in range(0, 128, 32)
            ]
            a = _decoded(np.concatenate(held).astype(np.uint8), left)
        product = a @ b.T
        out = []
        for warp in range(4):
            rows = product[16 * warp : 16 * warp + 16]
            old = x[32 * warp : 32 * warp + 32, 16:24]
            for_lanes = np.stack([rows[where] for where in cells(16, 16)], 1)
            if left[0] == "e":
                out.append((for_lanes + old.view(np.float32)).astype(np.float32).view(U32))
            else:
                total = for_lanes.astype(np.int64) + old.view(np.int32)
                out.append(
                    (np.clip(total, -(1 << 31), (1 << 31) - 1) if saturate else total).astype(np.int64).astype(U32)
                )
        return np.concatenate(out)

    return model


SMALL = {}  # bytes and accumulators that keep sums of products exact
for left, right in (("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2")):
    for held in (False, True):
        statement = _group(f"m64n16k32.f32.{left}.{right}", ", 1, 1", held)
        SMALL[statement] = CASES[statement] = Case(_warp_group(left, right, held), 16, 128)
for left, right in (("s8", "s8"), ("s8", "u8"), ("u8", "s8"), ("u8", "u8")):
    for held in (False, True):
        statement = _group(f"m64n16k32.s32.{left}.{right}", "", held)
        CASES[statement] = Case(_warp_group(left, right, held), 16, 128)
CASES[_group("m64n16k32.satfinite.s32.s8.s8", "", False)] = Case(_warp_group("s8", "s8", False, True), 16, 128)
CASES[_group("m64n16k256.s32.b1.b1.and.popc", "", False)] = Case(_warp_group("b1", "b1", False), 16, 128)

# 64-bit subtraction of a shifted word: LEA with a negated operand carries where what it subtracts is 0.


def _difference(x: np.ndarray) -> np.ndarray:
    exact = x[:, 1].astype(np.int64) - (x[:, 0].astype(np.int64) << 30)
    return np.ascontiguousarray(exact).view(U32).reshape(-1, 2)


CASES["{ .reg .b64 m; cvt.u64.u32 m, a; shl.b64 m, m, 30; cvt.u64.u32 s, b; sub.s64 s, s, m; }"] = Case(_difference, 6)
