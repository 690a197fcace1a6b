# ruff: noqa: E501  a statement of PTX stays on its line
"""PTX of every family of instructions that sm_90a has, statement by statement: what the survey of opcodes compiles.

FAMILIES: family -> statements. A statement may use the registers that KERNEL declares: a, b, c, e (32 bits), x, y, z
(64 bits), h, k (16 bits) and p, q (predicates) hold values of the thread's own; t, u, v, w, r, s are stored behind it.
in and out are global addresses, at the thread's place; sa is a shared address, ga its generic one; n is a parameter.
"""

from collections.abc import Iterator

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
KERNEL = """
.visible .entry {name}(.param .u64 pin, .param .u64 pout, .param .u32 pn, .param .align 64 .b8 pmap[128]){attributes}
{{
.reg .b16 h, k, h1, h2; .reg .b32 a, b, c, e, t, u, v, w, n, i, sa; .reg .b64 x, y, z, r, s, in, out, ga, map;
.reg .pred p, q, o; .shared .align 1024 .b8 sm[4096];
ld.param.u64 in, [pin]; ld.param.u64 out, [pout]; ld.param.u32 n, [pn]; mov.u32 i, %tid.x;
mad.wide.u32 in, i, 1024, in; mad.wide.u32 out, i, 1024, out; mov.b64 map, pmap; cvta.param.u64 map, map;
{bodies}
ret;
}}
"""
INPUTS = """
ld.global.b32 a, [in]; ld.global.b32 b, [in+4]; ld.global.b32 c, [in+8]; ld.global.b32 e, [in+12];
ld.global.b64 x, [in+16]; ld.global.b64 y, [in+24]; ld.global.b64 z, [in+32];
cvt.u16.u32 h, a; cvt.u16.u32 k, b; setp.lt.s32 p, a, b; setp.lt.s32 q, b, c;
mov.b32 sa, sm; mad.lo.u32 sa, i, 16, sa; cvt.u64.u32 ga, sa; cvta.shared.u64 ga, ga;
mov.b32 t, 0; mov.b32 u, 0; mov.b32 v, 0; mov.b32 w, 0; mov.b64 r, 0; mov.b64 s, 0;
"""
ATTRIBUTES = {"bulk_cluster": " .explicitcluster .reqnctapercluster 2, 1, 1", "registers": " .reqntid 384 .maxnreg 168"}
TOGETHER = 16  # statements of a kernel


def kernel(name: str, statements: list[str], attributes: str = "", step: int = 4096) -> str:
    """Statement j stores t, u, v, w, r and s from out + j * step on."""
    bodies = "".join(
        f"{INPUTS}{{ {body} }}\nst.global.v4.b32 [out+{j * step}], {{t, u, v, w}}; "
        f"st.global.v2.b64 [out+{j * step + 16}], {{r, s}};\n"
        for j, body in enumerate(statements)
    )
    return KERNEL.format(name=name, bodies=bodies, attributes=attributes)


def module(statements: list[str], name: str) -> str:
    """PTX of a family, some statements after another in each kernel NAME_i."""
    functions = "".join(FUNCTIONS[f] for f in FUNCTIONS if any(f in s for s in statements))
    groups = [statements[i : i + TOGETHER] for i in range(0, len(statements), TOGETHER)]
    return HEAD + functions + "".join(
        kernel(f"{name}_{i}", group, ATTRIBUTES.get(name, "")) for i, group in enumerate(groups)
    )  # fmt: skip


FUNCTIONS = {
    "texture0": ".global .texref texture0;\n",
    "surface0": ".global .surfref surface0;\n",
    "twice": """
.func (.param .b32 result) twice(.param .b32 value) { .reg .b32 a; ld.param.b32 a, [value]; mul.lo.s32 a, a, a;
add.s32 a, a, 7; st.param.b32 [result], a; ret; }
""",
    "other": """
.func (.param .b32 result) other(.param .b32 value) { .reg .b32 a; ld.param.b32 a, [value]; xor.b32 a, a, 3;
st.param.b32 [result], a; ret; }
.global .u64 functions[2] = {twice, other};
""",
    "fibonacci": """
.func (.param .b32 result) fibonacci(.param .b32 value);
.func (.param .b32 result) fibonacci(.param .b32 value) { .reg .b32 a, b, c; .reg .pred p; .param .b32 v, r;
ld.param.b32 a, [value]; setp.lt.s32 p, a, 2; @p bra DONE; add.s32 b, a, -1; st.param.b32 [v], b;
call (r), fibonacci, (v); ld.param.b32 c, [r]; add.s32 b, a, -2; st.param.b32 [v], b; call (r), fibonacci, (v);
ld.param.b32 a, [r]; add.s32 a, a, c; DONE: st.param.b32 [result], a; ret; }
""",
}  # fmt: skip


def names(prefix: str, count: int) -> str:
    return "{" + ", ".join(f"{prefix}{i}" for i in range(count)) + "}"


def _registers(prefix: str, count: int, kind: str = "b32") -> str:
    """Declared and loaded from in."""
    size = 8 if kind.endswith("64") else 4
    loads = " ".join(f"ld.global.{kind} {prefix}{i}, [in+{size * i}];" for i in range(count))
    return f".reg .{kind} {prefix}<{count}>; {loads}"


def _stores(prefix: str, count: int, kind: str = "b32") -> str:
    size = 8 if kind.endswith("64") else 4
    return " ".join(f"st.global.{kind} [out+{64 + size * i}], {prefix}{i};" for i in range(count))


def _mma(op: str, d: int, a: int, b: int, kind: str = "b32", result: str = "b32", tail: str = "") -> str:
    """mma.sync of so many registers each."""
    text = _registers("A", a, kind) + _registers("B", b, kind) + _registers("C", d, result)
    return f"{text} {op} {names('C', d)}, {names('A', a)}, {names('B', b)}, {names('C', d)}{tail}; {_stores('C', d, result)}"


def _mma_statements() -> Iterator[str]:
    for ab in ("f16", "bf16"):
        yield _mma(f"mma.sync.aligned.m16n8k16.row.col.f32.{ab}.{ab}.f32", 4, 4, 2)
        yield _mma(f"mma.sync.aligned.m16n8k8.row.col.f32.{ab}.{ab}.f32", 4, 2, 1)
        meta = ", a, 0x0"
        yield _mma(f"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.{ab}.{ab}.f32", 4, 2, 2, tail=meta)
        yield _mma(f"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.{ab}.{ab}.f32", 4, 4, 4, tail=meta)
    yield _mma("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2)
    yield _mma("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1)
    yield _mma("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 8, 2, 2)
    yield _mma("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1)
    yield _mma("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2)
    yield _mma("mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 2, tail=", a, 0x0")
    yield _mma("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, tail=", a, 0x0")
    for left in ("e4m3", "e5m2"):
        for right in ("e4m3", "e5m2"):
            yield _mma(f"mma.sync.aligned.m16n8k32.row.col.f32.{left}.{right}.f32", 4, 4, 2)
    for left in ("s8", "u8"):
        for right in ("s8", "u8"):
            yield _mma(f"mma.sync.aligned.m8n8k16.row.col.s32.{left}.{right}.s32", 2, 1, 1)
            yield _mma(f"mma.sync.aligned.m16n8k16.row.col.s32.{left}.{right}.s32", 4, 2, 1)
            yield _mma(f"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.{left}.{right}.s32", 4, 4, 2)
    yield _mma("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 2, tail=", a, 0x0")
    yield _mma("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32", 4, 4, 4, tail=", a, 0x0")
    for left, right in (("s4", "s4"), ("u4", "u4"), ("s4", "u4")):
        yield _mma(f"mma.sync.aligned.m8n8k32.row.col.s32.{left}.{right}.s32", 2, 1, 1)
        yield _mma(f"mma.sync.aligned.m16n8k32.row.col.s32.{left}.{right}.s32", 4, 2, 1)
        yield _mma(f"mma.sync.aligned.m16n8k64.row.col.s32.{left}.{right}.s32", 4, 4, 2)
    for op in ("and", "xor"):
        yield _mma(f"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{op}.popc", 2, 1, 1)
        yield _mma(f"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.{op}.popc", 4, 2, 1)
        yield _mma(f"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.{op}.popc", 4, 4, 2)
    yield _mma("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, "f64", "f64")
    yield _mma("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1, "f64", "f64")
    yield _mma("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2, "f64", "f64")
    yield _mma("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, "f64", "f64")


def _wgmma(types: str, k: int, n: int, registers: int, tail: str, scale: str = "1, 1, 1", sparse: bool = False,
           in_registers: bool = False) -> str:  # fmt: skip
    text = _registers("C", registers) + (_registers("A", 4) if in_registers else "")
    left = names("A", 4) if in_registers else "x"
    meta = ", a, 0" if sparse else ""
    op = "wgmma.mma_async.sp" if sparse else "wgmma.mma_async"
    flag = scale.split(", ", 1)[1] if ", " in scale else ""
    rest = f", {flag}{tail}" if flag else tail
    return (
        f"{text} wgmma.fence.sync.aligned; {op}.sync.aligned.m64n{n}k{k}.{types} {names('C', registers)}, {left}, y{meta}, "
        f"p{rest}; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; {_stores('C', registers)}"
    )


def _wgmma_statements() -> Iterator[str]:
    for sparse in (False, True):
        for in_registers in (False, True):

            def one(types: str, k: int, n: int, registers: int, tail: str = "", scale: str = "1, 1, 1",
                    sparse: bool = sparse, in_registers: bool = in_registers) -> str:  # fmt: skip
                return _wgmma(types, k * (1 + sparse), n, registers, tail, scale, sparse, in_registers)

            transposed = ", 0" if in_registers else ", 0, 0"
            for ab in ("f16", "bf16"):
                yield one(f"f32.{ab}.{ab}", 16, 16, 8, transposed)
            yield one("f16.f16.f16", 16, 16, 4, transposed)
            yield one("f32.tf32.tf32", 8, 16, 8)
            for ab in ("e4m3.e4m3", "e4m3.e5m2", "e5m2.e4m3", "e5m2.e5m2"):
                yield one(f"f32.{ab}", 32, 16, 8)
            yield one("f16.e4m3.e4m3", 32, 16, 4)
            for ab in ("s8.s8", "s8.u8", "u8.s8", "u8.u8"):
                yield one(f"s32.{ab}", 32, 16, 8, scale="")
            yield one("s32.s8.s8", 32, 16, 8, scale="").replace("mma_async.sync.aligned.m64n16k32.s32.s8.s8",
                                                              "mma_async.sync.aligned.m64n16k32.s32.s8.s8")  # fmt: skip
            yield one("f32.bf16.bf16", 16, 8, 4, transposed)
            yield one("f32.f16.f16", 16, 256, 128, transposed)
            if not sparse:
                yield one("s32.b1.b1.and.popc", 256, 16, 8, scale="").replace(".and.popc ", " ").replace(
                    "s32.b1.b1", "s32.b1.b1.and.popc", 1)  # fmt: skip
    yield _wgmma("f32.bf16.bf16", 16, 16, 8, ", 1, 1", "1, -1, 1")
    yield _wgmma("f32.bf16.bf16", 16, 16, 8, ", 0, 1", "1, 1, -1", in_registers=False)
    yield "wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 2;"


INTEGER_TYPES = ("s32", "u32", "s64", "u64")


def _wide(kind: str) -> tuple[str, str, str, str]:
    """Result and sources of a type."""
    return ("r", "x", "y", "z") if kind.endswith("64") else ("t", "a", "b", "c")


def _integer_statements() -> Iterator[str]:
    for kind in INTEGER_TYPES:
        d, a, b, c = _wide(kind)
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield f"{op}.{kind} {d}, {a}, {b};"
        yield f"mad.lo.{kind} {d}, {a}, {b}, {c};"
        yield f"mad.hi.{kind} {d}, {a}, {b}, {c};"
        yield f"bfe.{kind} {d}, {a}, b, c;"
        yield f"bfind.{kind} t, {a};"
        yield f"bfind.shiftamt.{kind} t, {a};"
        yield f"shr.{kind} {d}, {a}, b;"
        yield f"setp.lt.{kind} o, {a}, {b}; selp.b32 t, 1, 0, o;"
        yield f"setp.ge.and.{kind} o|q, {a}, {b}, p; selp.b32 t, 1, 0, o; selp.b32 u, 1, 0, q;"
        yield f"set.gt.u32.{kind} t, {a}, {b};"
        yield f"div.{kind} {d}, {a}, 13; rem.{kind} {d}, {d}, 7;"
    for kind in ("s32", "u32"):
        yield f"mul.wide.{kind} r, a, b;"
        yield f"mad.wide.{kind} r, a, b, z;"
        yield f"mul24.lo.{kind} t, a, b;"
        yield f"mul24.hi.{kind} t, a, b;"
        yield f"mad24.lo.{kind} t, a, b, c;"
        yield f"sad.{kind} t, a, b, c;"
        yield f"dp4a.{kind}.{kind} t, a, b, c;"
        yield f"dp4a.{kind}.u32 t, a, b, c;"
        yield f"dp2a.lo.{kind}.{kind} t, a, b, c;"
        yield f"dp2a.hi.{kind}.s32 t, a, b, c;"
        yield f"szext.wrap.{kind} t, a, b;"
        yield f"szext.clamp.{kind} t, a, b;"
        yield f"add.{kind} t, a, b; min.{kind} t, t, c;"
        yield f"min.{kind} t, a, b; max.{kind} t, t, c;"
        yield f"min.relu.s32 t, a, b; max.{kind} u, t, 0;"
        yield f"max.{kind} t, a, b; max.{kind} t, t, c;"
    for kind in ("s16", "u16"):
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield f"{op}.{kind} h, h, k; cvt.u32.u16 t, h;"
        yield f"mul.wide.{kind} t, h, k;"
        yield f"mad.wide.{kind} t, h, k, c;"
        yield f"shr.{kind} h, h, b; cvt.u32.u16 t, h;"
    for kind in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            yield f"{op}.{kind} t, a, b;"
        yield f"min.{kind} t, a, b; min.{kind} t, t, c;"
    yield "min.relu.s16x2 t, a, b;"
    for bits, d, a in (("b32", "t", "a"), ("b64", "r", "x")):
        for op in ("not", "cnot", "brev"):
            yield f"{op}.{bits} {d}, {a};"
        for op in ("popc", "clz"):
            yield f"{op}.{bits} t, {a};"
        for op in ("and", "or", "xor"):
            yield f"{op}.{bits} {d}, {a}, {'y' if bits == 'b64' else 'b'};"
        yield f"shl.{bits} {d}, {a}, b;"
        yield f"bfi.{bits} {d}, {a}, {'y' if bits == 'b64' else 'b'}, c, e;"
        yield f"selp.{bits} {d}, {a}, {'y' if bits == 'b64' else 'b'}, p;"
    yield from ("abs.s32 t, a;", "abs.s64 r, x;", "neg.s32 t, a;", "neg.s64 r, x;", "lop3.b32 t, a, b, c, 0x1e;",
                "lop3.or.b32 t|o, a, b, c, 0x3f, q; selp.b32 u, 1, 0, o;", "lop3.and.b32 t|o, a, b, c, 0x80, q; selp.b32 u, 1, 0, o;",
                "fns.b32 t, a, b, c;", "slct.s32.s32 t, a, b, c;", "slct.f32.f32 t, a, b, c;", "bmsk.clamp.b32 t, a, b;",
                "bmsk.wrap.b32 t, a, b;", "prmt.b32 t, a, b, 0x5410;", "xor.pred o, p, q; selp.b32 t, 1, 0, o;",
                "and.pred o, p, q; not.pred o, o; selp.b32 t, 1, 0, o;", "add.cc.u32 t, a, b; addc.cc.u32 u, b, c; addc.u32 v, 0, 0;",
                "sub.cc.u32 t, a, b; subc.cc.u32 u, b, c; subc.u32 v, 0, 0;", "mad.lo.cc.u32 t, a, b, c; madc.hi.u32 u, a, b, e;",
                "add.cc.u64 r, x, y; addc.u64 s, y, z;", "mad.hi.cc.u32 t, a, b, c; addc.u32 u, 0, 0;",
                "madc.lo.cc.u64 r, x, y, z; addc.u64 s, 0, 0;", "isspacep.shared p, x; selp.b32 t, 1, 0, p;")  # fmt: skip
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield f"prmt.b32{mode} t, a, b, c;"
    for way in ("l", "r"):
        for mode in ("wrap", "clamp"):
            yield f"shf.{way}.{mode}.b32 t, a, b, c;"


def _video_statements() -> Iterator[str]:
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        yield f"{op}.s32.s32.s32 t, a, b;"
        yield f"{op}.u32.u32.s32.sat t, a.b1, b.h0;"
        yield f"{op}.s32.u32.u32.add t, a.b3, b, c;"
    yield from ("vshl.u32.u32.u32.clamp t, a, b;", "vshr.s32.s32.u32.wrap t, a, b;", "vmad.s32.s32.s32 t, a.h0, b.h1, c;",
                "vmad.u32.u32.u32.shr15 t, a.b0, b.b1, c;", "vset.s32.u32.lt t, a, b;", "vset.u32.u32.ge.add t, a.b0, b.b1, c;")  # fmt: skip
    for op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
        for width in ("2", "4"):
            yield f"{op}{width}.s32.s32.s32 t, a, b, c;"
            yield f"{op}{width}.u32.u32.u32.add t, a, b, c;"
    yield from ("vset2.s32.s32.lt t, a, b, c;", "vset4.u32.u32.ge.add t, a, b, c;")


def _float_statements() -> Iterator[str]:
    for kind, d, a, b, c in (("f32", "t", "a", "b", "c"), ("f64", "r", "x", "y", "z")):
        for mode in ("rn", "rz", "rm", "rp"):
            for op in ("add", "sub", "mul"):
                yield f"{op}.{mode}.{kind} {d}, {a}, {b};"
            yield f"fma.{mode}.{kind} {d}, {a}, {b}, {c};"
            yield f"div.{mode}.{kind} {d}, {a}, {b};"
            yield f"rcp.{mode}.{kind} {d}, {a};"
            yield f"sqrt.{mode}.{kind} {d}, {a};"
        for op in ("abs", "neg"):
            yield f"{op}.{kind} {d}, {a};"
        for op in ("min", "max", "copysign"):
            yield f"{op}.{kind} {d}, {a}, {b};"
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield f"testp.{test}.{kind} o, {a}; selp.b32 t, 1, 0, o;"
        yield f"setp.ltu.{kind} o, {a}, {b}; selp.b32 t, 1, 0, o;"
        yield f"setp.ge.xor.{kind} o|q, {a}, {b}, p; selp.b32 t, 1, 0, o; selp.b32 u, 1, 0, q;"
        yield f"set.lt.f32.{kind} t, {a}, {b};"
        yield f"set.neu.u32.{kind} t, {a}, {b};"
    for op in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
        yield f"{op}.approx.f32 t, a;"
        yield f"{op}.approx.ftz.f32 t, a;"
    yield from ("tanh.approx.f32 t, a;", "rcp.approx.ftz.f64 r, x;", "rsqrt.approx.f64 r, x;", "rsqrt.approx.ftz.f64 r, x;",
                "div.approx.f32 t, a, b;", "div.full.f32 t, a, b;", "min.NaN.f32 t, a, b;", "max.xorsign.abs.f32 t, a, b;",
                "add.sat.f32 t, a, b;", "fma.rn.ftz.sat.f32 t, a, b, c;",
                "mul.ftz.f32 t, a, b;", "selp.f32 t, a, b, p;")  # fmt: skip
    yield from ("ex2.approx.f16 h, h; cvt.u32.u16 t, h;", "ex2.approx.f16x2 t, a;", "ex2.approx.ftz.bf16 h, h; cvt.u32.u16 t, h;",
                "ex2.approx.ftz.bf16x2 t, a;", "tanh.approx.f16 h, h; cvt.u32.u16 t, h;", "tanh.approx.f16x2 t, a;",
                "tanh.approx.bf16 h, h; cvt.u32.u16 t, h;", "tanh.approx.bf16x2 t, a;")  # fmt: skip
    for kind in ("f16", "bf16"):
        for op in ("add", "sub", "mul"):
            yield f"{op}.rn.{kind} h, h, k; cvt.u32.u16 t, h;"
            yield f"{op}.rn.{kind}x2 t, a, b;"
        yield f"fma.rn.{kind} h, h, k, h; cvt.u32.u16 t, h;"
        for mode in ("", ".relu", ".oob"):
            yield f"fma.rn{mode}.{kind}x2 t, a, b, c;"
        for op in ("min", "max"):
            for mode in ("", ".NaN", ".xorsign.abs"):
                yield f"{op}{mode}.{kind} h, h, k; cvt.u32.u16 t, h;"
                yield f"{op}{mode}.{kind}x2 t, a, b;"
                yield f"{op}{mode}.{kind}x2 t, a, b; {op}{mode}.{kind}x2 t, t, c;"
                yield f"{op}{mode}.{kind} h, h, k; cvt.u16.u32 k, c; {op}{mode}.{kind} h, h, k; cvt.u32.u16 t, h;"
        for op in ("abs", "neg"):
            yield f"{op}.{kind} h, h; cvt.u32.u16 t, h;"
            yield f"{op}.{kind}x2 t, a;"
        yield f"setp.lt.{kind} o, h, k; selp.b32 t, 1, 0, o;"
        yield f"setp.geu.and.{kind}x2 o|q, a, b, p; selp.b32 t, 1, 0, o; selp.b32 u, 1, 0, q;"
        yield f"set.lt.{kind}x2.{kind}x2 t, a, b;"
        yield f"set.lt.{kind}.{kind} h, h, k; cvt.u32.u16 t, h;"
        yield f"set.ge.u32.{kind}x2 t, a, b;"
    yield from (
        "add.ftz.f16x2 t, a, b;",
        "mul.ftz.sat.f16x2 t, a, b;",
        "fma.rn.ftz.f16x2 t, a, b, c;",
        "mul.rn.sat.f16x2 t, a, b;",
    )


def _convert_statements() -> Iterator[str]:
    integers = {"s8": ("a", "t"), "u8": ("a", "t"), "s16": ("h", "h"), "u16": ("h", "h"), "s32": ("a", "t"), "u32": ("a", "t"),
                "s64": ("x", "r"), "u64": ("x", "r")}  # fmt: skip
    floats = {"f16": ("h", "h"), "bf16": ("h", "h"), "f32": ("a", "t"), "f64": ("x", "r")}
    keep = {"h": " cvt.u32.u16 t, h;"}
    for to, (_, d) in integers.items():
        for of, (a, _) in integers.items():
            if to != of:
                yield f"cvt.{to}.{of} {d}, {a};" + keep.get(d, "")
            if int(to[1:]) < int(of[1:]) or (to[1:] == of[1:] and to != of) or (to[0], of[0]) == ("u", "s"):
                yield f"cvt.sat.{to}.{of} {d}, {a};" + keep.get(d, "")
        byte = to in ("s8", "u8")  # not from or to bf16
        for of, (a, _) in (item for item in floats.items() if not byte or item[0] != "bf16"):
            for mode in ("rni", "rzi", "rmi", "rpi"):
                yield f"cvt.{mode}.{to}.{of} {d}, {a};" + keep.get(d, "")
        yield f"cvt.rzi.ftz.{to}.f32 {d}, a;" + keep.get(d, "")
        for of, (_, d2) in (item for item in floats.items() if not byte or item[0] != "bf16"):
            for mode in ("rn", "rz"):
                yield f"cvt.{mode}.{of}.{to} {d2}, {integers[to][0]};" + keep.get(d2, "")
        yield f"cvt.rp.f32.{to} t, {integers[to][0]};"
    for to, (_, d) in floats.items():
        for mode in ("rni", "rzi", "rmi", "rpi"):
            if to != "bf16":
                yield f"cvt.{mode}.{to}.{to} {d}, {floats[to][0]};" + keep.get(d, "")
    for mode in ("rn", "rz", "rm", "rp"):
        yield f"cvt.{mode}.f32.f64 t, x;"
        yield f"cvt.{mode}.ftz.f32.f64 t, x;"
        yield f"cvt.{mode}.f16.f32 h, a; cvt.u32.u16 t, h;"
        yield f"cvt.{mode}.f16.f64 h, x; cvt.u32.u16 t, h;"
        yield f"cvt.{mode}.bf16.f32 h, a; cvt.u32.u16 t, h;"
        yield f"cvt.{mode}.bf16.f64 h, x; cvt.u32.u16 t, h;"
    yield from ("cvt.f32.f16 t, h;", "cvt.f64.f16 r, h;", "cvt.f32.bf16 t, h;", "cvt.f64.bf16 r, h;", "cvt.f64.f32 r, a;",
                "cvt.rn.bf16.f16 h, h; cvt.u32.u16 t, h;", "cvt.rn.f16.bf16 h, h; cvt.u32.u16 t, h;", "cvt.sat.f32.f32 t, a;",
                "cvt.rn.sat.f16.f32 h, a; cvt.u32.u16 t, h;", "cvt.sat.f64.f64 r, x;")  # fmt: skip
    for mode in ("rn", "rz"):
        for relu in ("", ".relu"):
            for kind in ("f16", "bf16"):
                yield f"cvt.{mode}{relu}.{kind}x2.f32 t, a, b;"
                yield f"cvt.{mode}{relu}.{kind}.f32 h, a; cvt.u32.u16 t, h;"
            yield f"cvt.{mode}{relu}.tf32.f32 t, a;"
    yield "cvt.rna.tf32.f32 t, a;"
    yield "cvt.rn.satfinite.f16x2.f32 t, a, b;"
    yield "cvt.rna.satfinite.tf32.f32 t, a;"
    for kind in ("e4m3", "e5m2"):
        for relu in ("", ".relu"):
            yield f"cvt.rn.satfinite{relu}.{kind}x2.f32 h, a, b; cvt.u32.u16 t, h;"
            yield f"cvt.rn.satfinite{relu}.{kind}x2.f16x2 h, a; cvt.u32.u16 t, h;"
            yield f"cvt.rn{relu}.f16x2.{kind}x2 t, h;"
    for kind in ("s8", "u8", "s16", "u16"):
        yield f"cvt.pack.sat.{kind}.s32{'.b32' if kind[1:] == '8' else ''} t, a, b{', c' if kind[1:] == '8' else ''};"
    yield from (
        "cvt.pack.sat.s4.s32.b32 t, a, b, c;",
        "cvt.pack.sat.u4.s32.b32 t, a, b, c;",
        "cvt.pack.sat.s2.s32.b32 t, a, b, c;",
        "cvt.pack.sat.u2.s32.b32 t, a, b, c;",
        "cvt.s32.s8 t, a; cvt.rn.f32.s32 t, t;",
        "shr.u32 t, a, 8; cvt.rn.f32.u8 t, t;",
        "shr.u32 t, a, 16; cvt.rn.f32.s16 t, h;",
    )


def _atomic_statements() -> Iterator[str]:
    places = {"global": ("out", "in"), "shared": ("sa", "sa"), "": ("out", "ga")}
    for space, addresses in places.items():
        dot = f".{space}" if space else ""
        for address in dict.fromkeys(addresses) if not space else addresses[:1]:
            for op, kinds in (("add", ("s32", "u32", "u64", "f32", "f64", "noftz.f16", "noftz.f16x2", "noftz.bf16", "noftz.bf16x2")),
                              ("min", ("s32", "u32", "s64", "u64")), ("max", ("s32", "u32", "s64", "u64")), ("inc", ("u32",)),
                              ("dec", ("u32",)), ("and", ("b32", "b64")), ("or", ("b32", "b64")), ("xor", ("b32", "b64")),
                              ("exch", ("b32", "b64", "b128"))):  # fmt: skip
                for kind in kinds:
                    bits = kind.rsplit(".", 1)[-1][1:]
                    d, value = {"64": ("r", "x"), "16": ("h", "k"), "f16": ("h", "k")}.get(bits, ("t", "a"))
                    if kind in ("noftz.bf16",):
                        d, value = "h", "k"
                    keep = " cvt.u32.u16 t, h;" if d == "h" else ""
                    if kind == "b128":
                        if space != "shared":
                            yield (f"{{ .reg .b128 l, m; mov.b128 l, {{x, y}}; atom{dot}.exch.b128 m, [{address}], l; "
                                   "mov.b128 {r, s}, m; }")  # fmt: skip
                        continue
                    yield f"atom{dot}.{op}.{kind} {d}, [{address}], {value};{keep}"
                    if op != "exch":
                        yield f"red{dot}.{op}.{kind} [{address}], {value};"
            yield f"atom{dot}.cas.b32 t, [{address}], a, b;"
            yield f"atom{dot}.cas.b64 r, [{address}], x, y;"
            yield f"atom{dot}.cas.b16 h, [{address}], h, k; cvt.u32.u16 t, h;"
            yield (f"{{ .reg .b128 l, m, o1; mov.b128 l, {{x, y}}; mov.b128 m, {{y, z}}; atom{dot}.cas.b128 o1, [{address}], l, m; "
                   "mov.b128 {r, s}, o1; }") if space != "shared" else "mov.b32 t, a;"  # fmt: skip
            yield f"atom{dot}.add.u32 t, [{address}], 1;"
            yield f"red{dot}.add.u32 [{address}], 1;"
            yield f"atom{dot}.inc.u32 t, [{address}], -1;"
    for order in ("relaxed", "acquire", "release", "acq_rel"):
        for scope in ("cta", "gpu", "sys"):
            yield f"atom.{order}.{scope}.global.add.u32 t, [out], a;"
            if order in ("relaxed", "release"):
                yield f"red.{order}.{scope}.global.add.f32 [out], a;"
    for kind, registers in (("v2.f32", "{t, u}"), ("v4.f32", "{t, u, v, w}")):
        given = "{a, b}" if "v2" in kind else "{a, b, c, e}"
        yield f"atom.global.{kind[:2]}.f32.add {registers}, [out], {given};"
        yield f"red.global.{kind[:2]}.f32.add [out], {given};"
    for kind in ("f16x2", "bf16x2"):
        for op in ("add", "min", "max"):
            yield f"red.global.v2.{kind}.{op}.noftz [out], {{a, b}};"
            yield f"red.global.v4.{kind}.{op}.noftz [out], {{a, b, c, e}};"
            yield f"atom.global.v2.{kind}.{op}.noftz {{t, u}}, [out], {{a, b}};"
            yield f"atom.global.v4.{kind}.{op}.noftz {{t, u, v, w}}, [out], {{a, b, c, e}};"
    for kind in ("f16", "bf16"):
        for count, given, got in ((2, "{h, k}", "{h1, h2}"), (4, "{h, k, h, k}", "{h1, h2, h, k}")):
            yield f"red.global.v{count}.{kind}.add.noftz [out], {given};"
            yield f"atom.global.v{count}.{kind}.add.noftz {got}, [out], {given}; cvt.u32.u16 t, h1;"
        yield f"red.global.v8.{kind}.max.noftz [out], {{h, k, h, k, h, k, h, k}};"
    yield "{ .reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 1.0; red.global.add.L2::cache_hint.f32 [out], a, policy; }"
    yield "{ .reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 0.5; atom.global.add.L2::cache_hint.u32 t, [out], a, policy; }"
    yield "atom.sys.global.exch.b32 t, [out], a;"


def _memory_statements() -> Iterator[str]:
    for kind, d in (("u8", "t"), ("s8", "t"), ("u16", "t"), ("s16", "t"), ("b32", "t"), ("b64", "r")):
        for space, address in (("global", "in"), ("shared", "sa"), ("global.nc", "in"), ("local", "la"), ("const", "ca"), ("", "in"),
                               ("param", "")):  # fmt: skip
            if space == "param":
                continue
            dot = f".{space}" if space else ""
            if space == "const":
                yield f"{{ .const .align 8 .b8 bank[256]; .reg .b64 ca; mov.b64 ca, bank; and.b32 a, a, 240; cvt.u64.u32 y, a; add.u64 ca, ca, y; ld.const.{kind} {d}, [ca]; }}"
            elif space == "local":
                yield (
                    f"{{ .local .align 8 .b8 stack[256]; .reg .b64 la; mov.b64 la, stack; and.b32 a, a, 120; cvt.u64.u32 y, a; "
                    f"add.u64 la, la, y; st.local.b64 [la], x; st.local.b64 [la+8], z; and.b32 b, b, 120; cvt.u64.u32 y, b; "
                    f"mov.b64 la, stack; add.u64 la, la, y; ld.local.{kind} {d}, [la]; st.local.{kind} [la+8], {d}; ld.local.b32 u, [la+8]; }}"
                )
            else:
                yield f"ld{dot}.{kind} {d}, [{address}+{40 if address != 'sa' else 0}];"
        for space, address in (("global", "out"), ("shared", "sa"), ("", "out")):
            yield f"st{'.' + space if space else ''}.{kind.replace('s', 'u') if kind[0] == 's' else kind} [{address}+40], {'x' if d == 'r' else 'a'};"
    for vector, registers, kind in (
        ("v2", "{t, u}", "b32"),
        ("v4", "{t, u, v, w}", "b32"),
        ("v2", "{r, s}", "b64"),
        ("v2", "{h, k}", "b16"),
    ):
        keep = " cvt.u32.u16 t, h;" if kind == "b16" else ""
        yield f"ld.global.{vector}.{kind} {registers}, [in+48];{keep}"
        yield f"ld.shared.{vector}.{kind} {registers}, [sa];{keep}"
    for op in ("ca", "cg", "cs", "lu", "cv"):
        yield f"ld.global.{op}.b32 t, [in];"
        yield f"ld.global.{op}.v4.b32 {{t, u, v, w}}, [in];"
    for op in ("wb", "cg", "cs", "wt"):
        yield f"st.global.{op}.b32 [out+40], a;"
    for hint in (
        "L1::evict_normal",
        "L1::evict_unchanged",
        "L1::evict_first",
        "L1::evict_last",
        "L1::no_allocate",
        "L2::64B",
        "L2::128B",
        "L2::256B",
    ):
        yield f"ld.global.{hint}.b32 t, [in];"
        if "L1" in hint:
            yield f"st.global.{hint}.b32 [out+40], a;"
        yield f"ld.global.nc.{hint}.b32 t, [in];"
    yield "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {t, u, v, w}, [in];"
    for order in (
        "weak",
        "volatile",
        "relaxed.cta",
        "relaxed.gpu",
        "relaxed.sys",
        "acquire.cta",
        "acquire.gpu",
        "acquire.sys",
        "mmio.relaxed.sys",
    ):
        yield f"ld.{order}.global.b32 t, [in];"
    for order in (
        "weak",
        "volatile",
        "relaxed.cta",
        "relaxed.gpu",
        "relaxed.sys",
        "release.cta",
        "release.gpu",
        "release.sys",
        "mmio.relaxed.sys",
    ):
        yield f"st.{order}.global.b32 [out+40], a;"
    yield "ld.volatile.shared.b32 t, [sa]; st.volatile.shared.b32 [sa], a;"
    for kind in ("L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"):
        yield (f"{{ .reg .b64 policy; createpolicy.fractional.{kind}.b64 policy, 0.25; ld.global.L2::cache_hint.b32 t, [in], policy; "
               "st.global.L2::cache_hint.b32 [out+40], t, policy; }")  # fmt: skip
    yield "{ .reg .b64 policy; createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 policy, [in], a, b; mov.b64 r, policy; }"
    yield "{ .reg .b64 policy; createpolicy.cvt.L2.b64 policy, x; mov.b64 r, policy; }"
    for what in ("global.L1", "global.L2", "global.L2::evict_last", "global.L2::evict_normal"):
        yield f"prefetch.{what} [in];"
    yield from (
        "prefetchu.L1 [in];",
        "applypriority.global.L2::evict_normal [in], 128;",
        "discard.global.L2 [out], 128;",
        "prefetch.L2 [in];",
    )
    for space in ("global", "shared", "local", "const", "param", "shared::cta", "shared::cluster"):
        yield f"isspacep.{space} o, x; selp.b32 t, 1, 0, o;"
        if space in ("global", "shared", "local", "const"):
            yield f"cvta.{space}.u64 r, x; cvta.to.{space}.u64 s, y;"
    yield from (
        "st.b32 [ga], a; ld.b32 t, [ga];",
        "ld.v4.b32 {t, u, v, w}, [ga]; st.v2.b32 [ga], {t, u};",
        "ldu.global.b32 t, [in];",
    )
    for size in (4, 8, 16):
        yield f"cp.async.ca.shared.global [sa], [in], {size}; cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all;"
    yield from (
        "cp.async.cg.shared.global [sa], [in], 16, n; cp.async.wait_all;",
        "cp.async.ca.shared.global.L2::128B [sa], [in], 8, p; cp.async.commit_group;",
        "cp.async.cg.shared.global.L2::256B [sa], [in], 16; cp.async.wait_group 3;",
        "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; cp.async.cg.shared.global.L2::cache_hint [sa], [in], 16, policy; }",
    )
    for fence in ("membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.acq_rel.cluster",
                  "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys", "fence.sc.cluster", "fence.proxy.alias", "fence.proxy.async",
                  "fence.proxy.async.global", "fence.proxy.async.shared::cta", "fence.mbarrier_init.release.cluster"):  # fmt: skip
        yield f"st.global.b32 [out+40], a; {fence}; st.shared.b32 [sa], a;"
    yield "{ .reg .b64 top, place; stacksave.u64 top; alloca.u64 place, x; st.local.b32 [place], a; ld.local.b32 t, [place]; stackrestore.u64 top; }"


def _matrix_move_statements() -> Iterator[str]:
    for count, registers in ((1, "{t}"), (2, "{t, u}"), (4, "{t, u, v, w}")):
        for trans in ("", ".trans"):
            yield f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {registers}, [sa];"
            yield f"mov.b32 t, a; mov.b32 u, b; mov.b32 v, c; mov.b32 w, e; stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [sa], {registers};"
    yield "movmatrix.sync.aligned.m8n8.trans.b16 t, a;"


def _lane_statements() -> Iterator[str]:
    yield from ("activemask.b32 t;", "elect.sync t|o, -1; selp.b32 u, 1, 0, o;", "elect.sync t|o, a; selp.b32 u, 1, 0, o;",
                "@p bra L; elect.sync t|o, 0xff; selp.b32 u, 1, 0, o; L:", "bar.warp.sync -1;", "bar.warp.sync a;",
                "@p bra L; bar.warp.sync 0xf0f0; L: st.shared.b32 [sa], a;")  # fmt: skip
    for mode in ("up", "down", "bfly", "idx"):
        yield f"shfl.sync.{mode}.b32 t|o, a, b, c, -1; selp.b32 u, 1, 0, o;"
        yield f"shfl.sync.{mode}.b32 t, a, 3, 0x1f, e;"
    for mode in ("all", "any", "uni"):
        for mask in ("-1", "b"):
            yield f"vote.sync.{mode}.pred o, p, {mask}; selp.b32 t, 1, 0, o;"
    yield from (
        "vote.sync.ballot.b32 t, p, -1;",
        "vote.sync.ballot.b32 t, p, b;",
        "vote.sync.ballot.b32 t, !p, 0xffff;",
    )
    for bits, a in (("b32", "a"), ("b64", "x")):
        for mask in ("-1", "b"):
            yield f"match.any.sync.{bits} t, {a}, {mask};"
            yield f"match.all.sync.{bits} t|o, {a}, {mask}; selp.b32 u, 1, 0, o;"
    for op in ("add", "min", "max"):
        for kind in ("u32", "s32"):
            yield f"redux.sync.{op}.{kind} t, a, -1;"
    for op in ("and", "or", "xor"):
        yield f"redux.sync.{op}.b32 t, a, -1;"
        yield f"redux.sync.{op}.b32 t, a, b;"


def _control_statements() -> Iterator[str]:
    yield from ("nanosleep.u32 20;", "nanosleep.u32 a;", "mov.u32 t, %clock;", "mov.u64 r, %clock64;", "mov.u32 t, %clock_hi;",
                "mov.u64 r, %globaltimer;", "@p trap;", "@p brkpt;", "@p exit;", "pmevent 3;", "pmevent.mask 7;")  # fmt: skip
    for count in ("", ", 64"):
        yield f"bar.sync 1{count};"
    yield from ("barrier.sync 0;", "barrier.sync 3, 64;", "bar.sync a;", "bar.sync a, b;", "bar.sync 2, b;", "bar.sync a, 64;", "bar.arrive 4, 64;",
                "bar.arrive a, b;", "bar.arrive a, 64;", "barrier.sync a, b;", "barrier.arrive 2, 64;", "barrier.sync.aligned 5;")  # fmt: skip
    for number, count in (("0", ""), ("a", ""), ("1", ", 64"), ("a", ", b")):
        yield f"bar.red.popc.u32 t, {number}{count}, p;"
        yield f"bar.red.and.pred o, {number}{count}, p; selp.b32 t, 1, 0, o;"
        yield f"bar.red.or.pred o, {number}{count}, !p; selp.b32 t, 1, 0, o;"
    yield "{ and.b32 a, a, 3; table: .branchtargets L0, L1, L2, L3; brx.idx a, table; L0: add.s32 t, b, 1; bra E; L1: mul.lo.s32 t, b, 5; bra E; L2: xor.b32 t, b, 9; bra E; L3: popc.b32 t, b; E: }"
    yield "{ setp.eq.u32 o, n, 7; @o bra.uni L; add.s32 t, a, b; L: }"
    yield "{ L: shr.u32 a, a, 1; add.s32 t, t, 1; setp.ne.u32 o, a, 0; @o bra L; }"
    yield "{ @p bra L; bar.warp.sync -1; @q bra L; vote.sync.ballot.b32 t, p, -1; L: st.shared.b32 [sa], t; }"


def _call_statements() -> Iterator[str]:
    yield "{ .param .b32 g, o1; st.param.b32 [g], a; call (o1), twice, (g); ld.param.b32 t, [o1]; }"
    yield "{ .param .b32 g, o1; st.param.b32 [g], a; @p call (o1), twice, (g); ld.param.b32 t, [o1]; }"
    yield ("{ .param .b32 g, o1; .reg .b64 f; kind: .callprototype (.param .b32 _) _ (.param .b32 _); and.b32 b, b, 1; mul.wide.u32 f, b, 8; "
           "mov.b64 y, functions; add.u64 f, f, y; ld.global.u64 f, [f]; st.param.b32 [g], a; call (o1), f, (g), kind; "
           "ld.param.b32 t, [o1]; // other twice\n }")  # fmt: skip
    yield "{ .param .b32 g, o1; and.b32 a, a, 7; st.param.b32 [g], a; call (o1), fibonacci, (g); ld.param.b32 t, [o1]; }"


SPECIAL = [
    "tid.x",
    "tid.y",
    "tid.z",
    "ntid.x",
    "ntid.y",
    "ntid.z",
    "laneid",
    "warpid",
    "nwarpid",
    "ctaid.x",
    "ctaid.y",
    "ctaid.z",
    "nctaid.x",
    "nctaid.y",
    "nctaid.z",
    "smid",
    "nsmid",
    "lanemask_eq",
    "lanemask_le",
    "lanemask_lt",
    "lanemask_ge",
    "lanemask_gt",
    "clock",
    "clock_hi",
    "total_smem_size",
    "aggr_smem_size",
    "dynamic_smem_size",
    "clusterid.x",
    "clusterid.y",
    "clusterid.z",
    "nclusterid.x",
    "nclusterid.y",
    "nclusterid.z",
    "cluster_ctaid.x",
    "cluster_ctaid.y",
    "cluster_ctaid.z",
    "cluster_nctaid.x",
    "cluster_nctaid.y",
    "cluster_nctaid.z",
    "cluster_ctarank",
    "cluster_nctarank",
    "envreg0",
    "envreg7",
    "pm0",
    "pm7",
    "globaltimer_lo",
    "globaltimer_hi",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
]


def _special_statements() -> Iterator[str]:
    for name in SPECIAL:
        yield f"mov.u32 t, %{name};"
    for name in ("gridid", "globaltimer", "clock64", "pm0_64", "current_graph_exec"):
        yield f"mov.u64 r, %{name};"
    yield "mov.pred o, %is_explicit_cluster; selp.b32 t, 1, 0, o;"


def _mbarrier_statements() -> Iterator[str]:
    yield from ("mbarrier.init.shared.b64 [sa], a;", "mbarrier.inval.shared.b64 [sa];", "mbarrier.init.shared.b64 [sm], 32;",
                "mbarrier.arrive.shared.b64 r, [sa];", "mbarrier.arrive.shared.b64 _, [sa];", "mbarrier.arrive.shared.b64 r, [sa], a;",
                "mbarrier.arrive.noComplete.shared.b64 r, [sa], a;", "mbarrier.arrive_drop.shared.b64 r, [sa];",
                "mbarrier.arrive_drop.shared.b64 r, [sa], a;", "mbarrier.arrive_drop.noComplete.shared.b64 r, [sa], a;",
                "mbarrier.arrive.expect_tx.shared.b64 r, [sa], a;", "mbarrier.arrive.expect_tx.shared.b64 _, [sa], 1024;",
                "mbarrier.expect_tx.relaxed.cta.shared.b64 [sa], a;", "mbarrier.complete_tx.relaxed.cta.shared.b64 [sa], a;",
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a];", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a], b;",
                "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [a], b;",
                "mbarrier.test_wait.shared.b64 o, [sa], x; selp.b32 t, 1, 0, o;", "mbarrier.test_wait.parity.shared.b64 o, [sa], a; selp.b32 t, 1, 0, o;",
                "mbarrier.try_wait.shared.b64 o, [sa], x; selp.b32 t, 1, 0, o;", "mbarrier.try_wait.parity.shared.b64 o, [sa], a; selp.b32 t, 1, 0, o;",
                "mbarrier.try_wait.parity.shared.b64 o, [sa], a, b; selp.b32 t, 1, 0, o;",
                "mbarrier.try_wait.parity.acquire.cluster.shared.b64 o, [sa], a; selp.b32 t, 1, 0, o;",
                "{ L: mbarrier.try_wait.parity.shared.b64 o, [sa], a; @!o bra L; }", "mbarrier.pending_count.b64 t, x;",
                "cp.async.mbarrier.arrive.shared.b64 [sa];", "cp.async.mbarrier.arrive.noinc.shared.b64 [sa];",
                "mbarrier.arrive.b64 r, [ga];", "mbarrier.init.b64 [ga], 1;")  # fmt: skip


COORDINATES = ("{a}", "{a, b}", "{a, b, c}", "{a, b, c, e}", "{a, b, c, e, n}")


def _bulk_statements() -> Iterator[str]:
    policy = "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; "
    yield "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sa], [in], a, [sa];"
    yield "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sm], [in], 1024, [sm+1024];"
    yield "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [sa], [in], a, [sa], h;"
    yield (
        policy
        + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [sa], [in], a, [sa], policy; }"
    )
    yield "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [a], [sa], b, [c];"
    yield "cp.async.bulk.global.shared::cta.bulk_group [out], [sa], a; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    yield "cp.async.bulk.global.shared::cta.bulk_group [out], [sa], a; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;"
    for op, kind in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "s32"), ("max", "u32"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"),
                     ("or", "b64"), ("xor", "b32"), ("add", "f32"), ("add", "f64"), ("add.noftz", "f16"), ("add.noftz", "bf16"), ("min", "f16"), ("max", "bf16")):  # fmt: skip
        yield f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{kind} [out], [sa], a;"
    for op, kind in (("add", "u32"), ("min", "s32"), ("and", "b32"), ("add", "u64")):
        yield f"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{kind} [a], [sa], b, [c];"
    yield "cp.async.bulk.prefetch.L2.global [in], a;"
    for i, at in enumerate(COORDINATES):
        d = i + 1
        load = f"cp.async.bulk.tensor.{d}d.shared::cluster.global"
        yield f"{load}.tile.mbarrier::complete_tx::bytes [sa], [map, {at}], [sa];"
        yield f"{load}.tile.mbarrier::complete_tx::bytes.multicast::cluster [sa], [x, {at}], [sa], h;"
        yield (
            policy + f"{load}.tile.mbarrier::complete_tx::bytes.L2::cache_hint [sm], [map, {at}], [sm+1024], policy; }}"
        )
        yield f"cp.async.bulk.tensor.{d}d.global.shared::cta.tile.bulk_group [map, {at}], [sa]; cp.async.bulk.commit_group;"
        yield f"cp.reduce.async.bulk.tensor.{d}d.global.shared::cta.add.tile.bulk_group [map, {at}], [sa];"
        yield f"cp.async.bulk.prefetch.tensor.{d}d.L2.global.tile [map, {at}];"
        if d >= 3:
            offsets = ("{h}", "{h, k}", "{h, k, h}")[d - 3]
            yield f"{load}.im2col.mbarrier::complete_tx::bytes [sa], [map, {at}], [sa], {offsets};"
            yield f"{load}.im2col.mbarrier::complete_tx::bytes.multicast::cluster [sa], [map, {at}], [sa], {offsets}, h;"
            yield f"cp.async.bulk.tensor.{d}d.global.shared::cta.im2col_no_offs.bulk_group [map, {at}], [sa];"
            yield f"cp.async.bulk.prefetch.tensor.{d}d.L2.global.im2col [map, {at}], {offsets};"
    for op in ("min", "max", "inc", "dec", "and", "or", "xor"):
        yield f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [map, {{a, b}}], [sa];"
    yield "prefetch.tensormap [map];"
    yield "prefetch.tensormap [x];"
    yield "prefetch.const.tensormap [x];"
    yield "fence.proxy.tensormap::generic.acquire.gpu [x], 128;"
    yield "fence.proxy.tensormap::generic.release.gpu;"
    for field, value in (("global_address", "x"), ("rank", "1"), ("box_dim", "a"), ("global_dim", "a"), ("global_stride", "x"), ("element_stride", "a"),
                         ("elemtype", "6"), ("interleave_layout", "0"), ("swizzle_mode", "3"), ("fill_mode", "0")):  # fmt: skip
        bits = "b64" if value == "x" else "b32"
        ordinal = " 1," if field in ("box_dim", "global_dim", "global_stride", "element_stride") else ""
        for space, address in (("global", "out"), ("shared::cta", "sa")):
            yield f"tensormap.replace.tile.{field}.{space}.b1024.{bits} [{address}],{ordinal} {value};"
    yield "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [out], [sa], 128;"


def _cluster_statements() -> Iterator[str]:
    yield from (
        "barrier.cluster.arrive; barrier.cluster.wait;",
        "barrier.cluster.arrive.relaxed; barrier.cluster.wait.acquire;",
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "mapa.shared::cluster.u32 t, sa, 1;",
        "mapa.u64 r, ga, a;",
        "mapa.shared::cluster.u32 t, sa, a;",
        "getctarank.shared::cluster.u32 t, a;",
        "getctarank.u64 t, x;",
        "ld.shared::cluster.b32 t, [a];",
        "ld.shared::cluster.v4.b32 {t, u, v, w}, [a];",
        "st.shared::cluster.b32 [a], b;",
        "st.shared::cluster.v4.b32 [a], {b, c, e, n};",
        "atom.shared::cluster.add.u32 t, [a], b;",
        "red.shared::cluster.add.u32 [a], b;",
        "atom.shared::cluster.add.f32 t, [a], b;",
        "atom.shared::cluster.cas.b32 t, [a], b, c;",
        "atom.shared::cluster.exch.b64 r, [a], x;",
        "atom.shared::cluster.add.noftz.f16x2 t, [a], b;",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], b, [c];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [a], x, [c];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], {b, c, e, n}, [c];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [a], b, [c];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [a], b, [c];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.and.b32 [a], b, [c];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [a], b, [c];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [a], x, [c];",
        "mov.u32 t, %cluster_ctarank; mov.u32 u, %cluster_nctaid.x; mov.u32 v, %clusterid.x;",
        "mov.u32 t, %cluster_ctaid.x;",
        "isspacep.shared::cluster o, x; selp.b32 t, 1, 0, o;",
        "ld.acquire.cluster.global.b32 t, [in]; st.release.cluster.global.b32 [out+40], a;",
    )


def _grid_statements() -> Iterator[str]:
    yield from (
        "griddepcontrol.launch_dependents;",
        "griddepcontrol.wait;",
        "griddepcontrol.wait; ld.global.b32 t, [in]; griddepcontrol.launch_dependents;",
    )


def _texture_statements() -> Iterator[str]:
    four = "{t, u, v, w}"
    for geometry, at in (
        ("1d", "{a}"),
        ("2d", "{a, b}"),
        ("3d", "{a, b, c, e}"),
        ("a1d", "{a, b}"),
        ("a2d", "{a, b, c, e}"),
        ("cube", "{a, b, c, e}"),
    ):
        if geometry[0] != "c":
            yield f"tex.{geometry}.v4.f32.s32 {four}, [x, {at}];"
        yield f"tex.{geometry}.v4.f32.f32 {four}, [x, {at}];"
        yield f"tex.{geometry}.v4.u32.f32 {four}, [texture0, {at}];"
        yield f"tex.level.{geometry}.v4.f32.f32 {four}, [x, {at}], b;"
    yield f"tex.2dms.v4.f32.s32 {four}, [x, {{a, b, c, e}}];"
    yield f"tex.grad.2d.v4.f32.f32 {four}, [x, {{a, b}}], {{c, e}}, {{a, c}};"
    for part in "rgba":
        yield f"tld4.{part}.2d.v4.f32.f32 {four}, [x, {{a, b}}];"
    for query in ("width", "height", "depth"):
        yield f"txq.{query}.b32 t, [x];"
    yield "txq.level.width.b32 t, [x], a;"
    for clamp in ("trap", "clamp", "zero"):
        yield f"suld.b.1d.b32.{clamp} t, [x, {{a}}];"
        yield f"suld.b.2d.v4.b32.{clamp} {four}, [x, {{a, b}}];"
        yield f"suld.b.3d.b64.{clamp} r, [x, {{a, b, c, e}}];"
        yield f"sust.b.1d.b32.{clamp} [x, {{a}}], b;"
        yield f"sust.b.2d.v4.b32.{clamp} [x, {{a, b}}], {{a, b, c, e}};"
        yield f"sust.b.a2d.b8.{clamp} [x, {{a, b, c, e}}], h;"
    yield "sust.p.2d.v4.b32.trap [x, {a, b}], {a, b, c, e};"
    yield "sured.b.add.2d.u32.trap [x, {a, b}], c;"
    yield "sured.p.min.1d.b32.clamp [x, {a}], c;"
    yield "suq.width.b32 t, [x];"
    yield f"suld.b.2d.v4.b32.trap {four}, [surface0, {{a, b}}];"
    yield "istypep.texref o, x; selp.b32 t, 1, 0, o;"


def _multimem_statements() -> Iterator[str]:
    for op, kind in (("add", "u32"), ("min", "s32"), ("max", "u64"), ("and", "b32"), ("or", "b64"), ("xor", "b32"), ("add", "f32"),
                     ("add", "f64"), ("add", "f16x2"), ("add", "bf16x2")):  # fmt: skip
        d, value = ("r", "x") if kind.endswith("64") else ("t", "a")
        yield f"multimem.ld_reduce.relaxed.sys.global.{op}.{kind} {d}, [in];"
        yield f"multimem.red.relaxed.sys.global.{op}.{kind} [in], {value};"
    yield "multimem.ld_reduce.relaxed.sys.global.add.acc::f32.f16x2 t, [in];"
    yield "multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {t, u, v, w}, [in];"
    yield "multimem.ld_reduce.relaxed.sys.global.max.v4.f16x2 {t, u, v, w}, [in];"
    yield "multimem.ld_reduce.relaxed.sys.global.min.bf16x2 t, [in];"
    yield "multimem.st.relaxed.sys.global.b32 [in], a;"


def _register_statements() -> Iterator[str]:
    yield from ("setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 240;")


FAMILIES: dict[str, list[str]] = {
    "integer": list(_integer_statements()),
    "video": list(_video_statements()),
    "float": list(_float_statements()),
    "convert": list(_convert_statements()),
    "atomic": list(_atomic_statements()),
    "memory": list(_memory_statements()),
    "matrix_move": list(_matrix_move_statements()),
    "mma": list(_mma_statements()),
    "wgmma": list(_wgmma_statements()),
    "lanes": list(_lane_statements()),
    "control": list(_control_statements()),
    "calls": list(_call_statements()),
    "special": list(_special_statements()),
    "mbarrier": list(_mbarrier_statements()),
    "bulk_cluster": list(_bulk_statements()),
    "cluster": list(_cluster_statements()),
    "grid": list(_grid_statements()),
    "texture": list(_texture_statements()),
    "multimem": list(_multimem_statements()),
    "registers": list(_register_statements()),
}
