"""Integer and bit instructions of PTX in Python's unbounded integers, written from the PTX ISA alone.

CASES: name -> (PTX body, model). A body computes the 64-bit register r from x, y, z (64 bits) and their low words a,
b, c; a model does the same with Python integers. Register t, u (32 bits) and p (predicate) are free for use.
"""

from collections.abc import Callable

Model = Callable[[int, int, int], int]
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def quotient(a: int, b: int) -> int:
    """Division towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def low(model: Callable[..., int]) -> Model:
    """A model of the low words: result as 32 bits, zero-extended."""
    return lambda x, y, z: model(x & M32, y & M32, z & M32) & M32


def low_signed(model: Callable[..., int]) -> Model:
    return lambda x, y, z: model(signed(x), signed(y), signed(z)) & M32


def _to_word(line: str) -> str:
    return f"{line} cvt.u64.u32 r, t;"


def _flag(line: str) -> str:
    return f"{line} selp.u64 r, 1, 0, p;"


def permute(x: int, y: int, selector: int) -> int:
    value, result = y << 32 | x, 0
    for k in range(4):
        nibble = selector >> 4 * k & 15
        byte = value >> 8 * (nibble & 7) & 255
        result |= (255 if byte & 128 else 0 if nibble & 8 else byte) << 8 * k if nibble & 8 else byte << 8 * k
    return result


def leading(value: int, bits: int) -> int:
    return bits - value.bit_length()


def find(value: int) -> int:
    return value.bit_length() - 1 & M32


def logic(table: int) -> Model:
    def model(x: int, y: int, z: int) -> int:
        bits = 0
        for k in range(32):
            term = (x >> k & 1) << 2 | (y >> k & 1) << 1 | z >> k & 1
            bits |= (table >> term & 1) << k
        return bits

    return model


def dot(x: int, y: int, z: int, parts: tuple[int, int], kinds: str, first: int) -> int:
    """Sum of products of `parts` bits each: x from its start, y from element `first` on."""
    (w, v), total = parts, z
    for k in range(32 // w):
        p, q = x >> w * k, y >> v * (k + first)
        total += (signed(p, w) if kinds[0] == "s" else p & (1 << w) - 1) * (
            signed(q, v) if kinds[1] == "s" else q & (1 << v) - 1
        )
    return total


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
}
CASES: dict[str, tuple[str, Model]] = {}
for kind, bits in (("s32", 32), ("u32", 32), ("s64", 64), ("u64", 64)):
    names, wide = ("a, b", False) if bits == 32 else ("x, y", True)
    target, tail = ("r", "") if wide else ("t", " cvt.u64.u32 r, t;")
    read = (lambda v, n=bits: signed(v, n)) if kind[0] == "s" else (lambda v, n=bits: v & (1 << n) - 1)
    mask = (1 << bits) - 1

    def pair(f: Callable[[int, int], int], read: Callable[[int], int] = read, mask: int = mask) -> Model:
        return lambda x, y, z: f(read(x), read(y)) & mask

    CASES |= {
        f"{name}.{kind}": (f"{name}.{kind} {target}, {names};{tail}", pair(f))
        for name, f in {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "min": min, "max": max,
                        "mul.lo": lambda x, y: x * y, "mul.hi": lambda x, y, n=bits: x * y >> n}.items()
    }  # fmt: skip
    third = "z" if wide else "c"
    CASES[f"mad.lo.{kind}"] = (
        f"mad.lo.{kind} {target}, {names}, {third};{tail}",
        lambda x, y, z, read=read, mask=mask: read(x) * read(y) + read(z) & mask,
    )
    CASES[f"mad.hi.{kind}"] = (
        f"mad.hi.{kind} {target}, {names}, {third};{tail}",
        lambda x, y, z, read=read, mask=mask, n=bits: (read(x) * read(y) >> n) + read(z) & mask,
    )
    one = "1:u64" if wide else "1"
    CASES |= {
        f"{name}.{kind}": (
            f"{{ .reg .b{bits} d; or.b{bits} d, {names[3]}, 1; {name}.{kind} {target}, {names[0]}, d; }}{tail}",
            lambda x, y, z, read=read, mask=mask, f=f: f(read(x), read(y | 1)) & mask,
        )
        for name, f in {"div": quotient, "rem": lambda x, y: x - quotient(x, y) * y}.items()
    }
    for test, f in COMPARISONS.items():
        CASES[f"setp.{test}.{kind}"] = (_flag(f"setp.{test}.{kind} p, {names};"), pair(f))
    CASES[f"shr.{kind}"] = (
        f"shr.{kind} {target}, {names[0]}, b;{tail}",
        lambda x, y, z, read=read, mask=mask, n=bits: read(x) >> min(y & M32, n) & mask,
    )
    CASES[f"shr.small.{kind}"] = (
        f"and.b32 u, b, 63; shr.{kind} {target}, {names[0]}, u;{tail}",
        lambda x, y, z, read=read, mask=mask, n=bits: read(x) >> min(y & 63, n) & mask,
    )
    CASES[f"bfe.{kind}"] = (
        f"{{ .reg .b32 v; and.b32 u, b, 63; and.b32 v, c, 63; bfe.{kind} {target}, {names[0]}, u, v; }}{tail}",
        lambda x, y, z, n=bits, s=kind[0] == "s": _extract(x, y & 63, z & 63, n, s),
    )


def _extract(x: int, start: int, length: int, bits: int, is_signed: bool) -> int:
    """bfe of the PTX ISA: bits beyond the top repeat the sign (signed) or are zero."""
    value, result = x & (1 << bits) - 1, 0
    top = bits - 1
    sign = value >> min(start + length - 1, top) & 1 if is_signed and length else 0
    for k in range(bits):
        result |= (value >> start + k & 1 if k < length and start + k <= top else sign) << k
    return result


CASES |= {
    "mul.wide.s32": ("mul.wide.s32 r, a, b;", lambda x, y, z: signed(x) * signed(y) & M64),
    "mul.wide.u32": ("mul.wide.u32 r, a, b;", lambda x, y, z: (x & M32) * (y & M32)),
    "mad.wide.s32": ("mad.wide.s32 r, a, b, z;", lambda x, y, z: signed(x) * signed(y) + z & M64),
    "mad.wide.u32": ("mad.wide.u32 r, a, b, z;", lambda x, y, z: (x & M32) * (y & M32) + z & M64),
    "add.cc": ("{ .reg .b32 h, k, l; mov.b64 {h, k}, x; mov.b64 {l, t}, y; add.cc.u32 h, h, l; addc.u32 k, k, t; "
               "mov.b64 r, {h, k}; }", lambda x, y, z: x + y & M64),
    "sub.cc": ("{ .reg .b32 h, k, l; mov.b64 {h, k}, x; mov.b64 {l, t}, y; sub.cc.u32 h, h, l; subc.u32 k, k, t; "
               "mov.b64 r, {h, k}; }", lambda x, y, z: x - y & M64),
    "carry.out": ("{ .reg .b64 h; add.cc.u64 h, x, y; addc.u64 r, 0, 0; }", lambda x, y, z: x + y >> 64),
    "three.carries": ("{ .reg .b64 h, k; add.cc.u64 h, x, y; addc.u64 k, 0, 0; add.cc.u64 h, h, z; addc.u64 k, k, 0; "
                      "add.u64 r, h, k; }", lambda x, y, z: (x + y + z & M64) + (x + y + z >> 64) & M64),
    "madc": ("{ .reg .b32 h, k; mad.lo.cc.u32 h, a, b, c; madc.hi.u32 k, a, b, 7; mov.b64 r, {h, k}; }",
             lambda x, y, z: (x & M32) * (y & M32) + (z & M32) + (7 << 32) & M64),
    "abs.s32": (_to_word("abs.s32 t, a;"), low_signed(lambda x, y, z: abs(x))),
    "abs.s64": ("abs.s64 r, x;", lambda x, y, z: abs(signed(x, 64)) & M64),
    "neg.s32": (_to_word("neg.s32 t, a;"), low(lambda x, y, z: -x)),
    "neg.s64": ("neg.s64 r, x;", lambda x, y, z: -x & M64),
    "sad.s32": (_to_word("sad.s32 t, a, b, c;"), low_signed(lambda x, y, z: abs(x - y) + z)),
    "sad.u32": (_to_word("sad.u32 t, a, b, c;"), low(lambda x, y, z: abs(x - y) + z)),
    "shl.b32": (_to_word("shl.b32 t, a, b;"), low(lambda x, y, z: x << min(y, 32))),
    "shl.b64": ("shl.b64 r, x, b;", lambda x, y, z: x << min(y & M32, 64) & M64),
    "shl.small.b64": ("and.b32 u, b, 63; shl.b64 r, x, u;", lambda x, y, z: x << (y & 63) & M64),
    "shf.l.wrap": (_to_word("shf.l.wrap.b32 t, a, b, c;"), low(lambda x, y, z: (y << 32 | x) << (z & 31) >> 32)),
    "shf.r.wrap": (_to_word("shf.r.wrap.b32 t, a, b, c;"), low(lambda x, y, z: (y << 32 | x) >> (z & 31))),
    "shf.l.clamp": (_to_word("shf.l.clamp.b32 t, a, b, c;"), low(lambda x, y, z: (y << 32 | x) << min(z, 32) >> 32)),
    "shf.r.clamp": (_to_word("shf.r.clamp.b32 t, a, b, c;"), low(lambda x, y, z: (y << 32 | x) >> min(z, 32))),
    "bfi.b32": (_to_word("{ .reg .b32 v; and.b32 u, c, 31; shr.u32 v, c, 27; bfi.b32 t, a, b, u, v; }"),
                low(lambda x, y, z: y & ~(((1 << (z >> 27)) - 1) << (z & 31))
                    | (x & (1 << (z >> 27)) - 1) << (z & 31))),
    "brev.b32": (_to_word("brev.b32 t, a;"), low(lambda x, y, z: int(f"{x:032b}"[::-1], 2))),
    "brev.b64": ("brev.b64 r, x;", lambda x, y, z: int(f"{x:064b}"[::-1], 2)),
    "popc.b32": (_to_word("popc.b32 t, a;"), low(lambda x, y, z: x.bit_count())),
    "popc.b64": (_to_word("popc.b64 t, x;"), lambda x, y, z: x.bit_count()),
    "clz.b32": (_to_word("clz.b32 t, a;"), low(lambda x, y, z: leading(x, 32))),
    "clz.b64": (_to_word("clz.b64 t, x;"), lambda x, y, z: leading(x, 64)),
    "bfind.u32": (_to_word("bfind.u32 t, a;"), low(lambda x, y, z: find(x))),
    "bfind.s32": (_to_word("bfind.s32 t, a;"), low_signed(lambda x, y, z: find(~x if x < 0 else x))),
    "bfind.shiftamt.u32": (_to_word("bfind.shiftamt.u32 t, a;"), low(lambda x, y, z: 31 - find(x) if x else M32)),
    "prmt.b32": (_to_word("prmt.b32 t, a, b, c;"), low(permute)),
    "prmt.0x6541": (_to_word("prmt.b32 t, a, b, 0x6541;"), low(lambda x, y, z: permute(x, y, 0x6541))),
    "selp.b32": (_to_word("setp.lt.s32 p, a, b; selp.b32 t, b, c, p;"),
                 low_signed(lambda x, y, z: y if x < y else z)),
    "slct.s32": (_to_word("slct.s32.s32 t, a, b, c;"), low_signed(lambda x, y, z: x if z >= 0 else y)),
    "not.b64": ("not.b64 r, x;", lambda x, y, z: ~x & M64),
    "xor.b64": ("xor.b64 r, x, y;", lambda x, y, z: x ^ y),
    "and.pred": (_flag("{ .reg .pred q; setp.lt.s32 q, a, b; setp.gt.or.u32 p, b, c, q; }"),
                 lambda x, y, z: int(signed(x) < signed(y) or (y & M32) > (z & M32))),
    "xor.pred": (_flag("{ .reg .pred q; setp.lt.s32 q, a, b; setp.gt.xor.u32 p, b, c, q; }"),
                 lambda x, y, z: int((signed(x) < signed(y)) != ((y & M32) > (z & M32)))),
    "dp4a.u32.u32": (_to_word("dp4a.u32.u32 t, a, b, c;"), low(lambda x, y, z: dot(x, y, z, (8, 8), "uu", 0))),
    "dp4a.s32.s32": (_to_word("dp4a.s32.s32 t, a, b, c;"), low(lambda x, y, z: dot(x, y, z, (8, 8), "ss", 0))),
    "dp4a.s32.u32": (_to_word("dp4a.s32.u32 t, a, b, c;"), low(lambda x, y, z: dot(x, y, z, (8, 8), "su", 0))),
    "dp2a.lo.s32.s32": (_to_word("dp2a.lo.s32.s32 t, a, b, c;"), low(lambda x, y, z: dot(x, y, z, (16, 8), "ss", 0))),
    "dp2a.hi.u32.u32": (_to_word("dp2a.hi.u32.u32 t, a, b, c;"), low(lambda x, y, z: dot(x, y, z, (16, 8), "uu", 2))),
    "cvt.s32.s8": (_to_word("cvt.s32.s8 t, a;"), low(lambda x, y, z: signed(x, 8))),
    "cvt.s64.s16": ("cvt.s64.s16 r, x;", lambda x, y, z: signed(x, 16) & M64),
    "cvt.s64.s32": ("cvt.s64.s32 r, a;", lambda x, y, z: signed(x) & M64),
    "szext.clamp": (_to_word("and.b32 u, b, 63; szext.clamp.s32 t, a, u;"),
                    lambda x, y, z: (signed(x, min(y & 63, 32)) if y & 63 else 0) & M32),
    "szext.wrap.u32": (_to_word("szext.wrap.u32 t, a, b;"), lambda x, y, z: x & (1 << (y & 31)) - 1),
    "bmsk.clamp": (_to_word("and.b32 u, a, 63; { .reg .b32 v; and.b32 v, b, 63; bmsk.clamp.b32 t, u, v; }"),
                   lambda x, y, z: ((1 << min(y & 63, 32)) - 1) << min(x & 63, 32) & M32),
    "bmsk.wrap": (_to_word("bmsk.wrap.b32 t, a, b;"), lambda x, y, z: ((1 << (y & 31)) - 1) << (x & 31) & M32),
    "fused.min.add": (_to_word("add.s32 t, a, b; min.s32 t, t, c;"),
                      low(lambda x, y, z: min(signed(x + y), signed(z)))),
    "fused.max.add": (_to_word("add.u32 t, a, b; max.u32 t, t, c;"), low(lambda x, y, z: max(x + y & M32, z))),
    "lea": ("shl.b64 r, x, 3; add.u64 r, r, y;", lambda x, y, z: (x << 3) + y & M64),
    "lea.sx32": ("mul.wide.s32 r, a, 16; add.u64 r, r, y;", lambda x, y, z: (signed(x) << 4) + y & M64),
    "modulo.constant": (_to_word("rem.s32 t, a, 7;"), low_signed(lambda x, y, z: x - quotient(x, 7) * 7)),
    "divide.constant": (_to_word("div.u32 t, a, 11;"), low(lambda x, y, z: x // 11)),
}  # fmt: skip
for table in (0x01, 0x1E, 0x27, 0x2D, 0x40, 0x69, 0x96, 0xAC, 0xB8, 0xCA, 0xD8, 0xE2, 0xE8, 0xEA, 0xFE):
    CASES[f"lop3.{table:#04x}"] = (_to_word(f"lop3.b32 t, a, b, c, {table:#x};"), low(logic(table)))
