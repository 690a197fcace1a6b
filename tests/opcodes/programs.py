"""Programs of one PTX instruction after another, all on the same inputs: sources and cubins of tests/data/opcodes.

A kernel reads three 64-bit words per thread, cuts them to the instruction's types, and stores each result as 64 bits:
out[k * threads + thread] for instruction k. `python tests/opcodes/programs.py` writes the .cu files and compiles them
with nvcc.
"""

import subprocess
from pathlib import Path

from ptx_model import signature, width_of

DATA = Path(__file__).parents[1] / "data" / "opcodes"
MODES = ("rn", "rz", "rm", "rp")
TESTS = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def _float32() -> list[str]:
    plain = [f"{op}.{mode}{ftz}.f32" for op in ("add", "mul", "fma") for mode in MODES for ftz in ("", ".ftz")]
    plain += [f"{op}.rn.ftz.sat.f32" for op in ("add", "mul", "fma")] + ["fma.rn.sat.f32", "sub.rn.f32"]
    plain += [f"{op}{m}.f32" for op in ("min", "max") for m in ("", ".ftz", ".NaN", ".xorsign.abs")]
    return plain


PROGRAMS: dict[str, list[str]] = {
    "float32": _float32(),
    "compare32": [f"setp.{t}.f32" for t in TESTS] + ["set.lt.ftz.f32.f32", "set.neu.ftz.f32.f32"]
    + ["setp.gtu.ftz.f32"],
    "divide32": ["div.rn.f32", "rcp.rn.f32", "sqrt.rn.f32"],
    "special32": [f"{op}.approx.ftz.f32" for op in ("rcp", "rsqrt", "sqrt", "ex2", "lg2", "sin", "cos")]
    + ["tanh.approx.f32", "ex2.approx.f32", "rcp.approx.f32", "lg2.approx.f32"],
    "float64": [f"{op}.{mode}.f64" for op in ("add", "mul", "fma") for mode in MODES]
    + [f"setp.{t}.f64" for t in TESTS] + ["min.f64", "max.f64"],
    "divide64": ["div.rn.f64", "rcp.rn.f64", "sqrt.rn.f64"],
    "half2": [f"{op}.rn{m}.f16x2" for op in ("add", "mul", "fma") for m in ("", ".ftz", ".sat")]
    + ["fma.rn.relu.f16x2", "sub.rn.f16x2"]
    + [f"{op}{m}.f16x2" for op in ("min", "max") for m in ("", ".NaN", ".xorsign.abs")],
    "bfloat2": [f"{op}.rn.bf16x2" for op in ("add", "mul", "fma", "sub")]
    + ["fma.rn.relu.bf16x2"] + [f"{op}{m}.bf16x2" for op in ("min", "max") for m in ("", ".NaN", ".xorsign.abs")],
    "half": [f"{op}.rn.f16" for op in ("add", "mul", "fma")] + [f"setp.{t}.f16" for t in TESTS]
    + [f"{op}.rn.bf16" for op in ("add", "mul", "fma")] + [f"setp.{t}.bf16" for t in ("lt", "geu", "nan")],
    "special16": ["ex2.approx.f16", "tanh.approx.f16", "tanh.approx.f16x2", "ex2.approx.ftz.bf16", "tanh.approx.bf16"],
    "narrow": ["cvt.rn.f16.f32", "cvt.rz.f16.f32", "cvt.rn.bf16.f32", "cvt.rz.bf16.f32", "cvt.rn.relu.bf16.f32",
               "cvt.rn.f16x2.f32", "cvt.rz.f16x2.f32", "cvt.rn.bf16x2.f32", "cvt.rz.bf16x2.f32",
               "cvt.rn.relu.f16x2.f32", "cvt.f32.f16", "cvt.f32.bf16", "cvt.f64.f32", "cvt.f64.f16", "cvt.rn.f16.f64"]
    + [f"cvt.{mode}.f32.f64" for mode in MODES] + ["cvt.sat.f32.f32", "cvt.rn.ftz.f32.f64"],
    "whole": [f"cvt.{mode}i.f32.f32" for mode in MODES] + [f"cvt.{mode}i.ftz.f32.f32" for mode in MODES]
    + [f"cvt.{mode}i.f64.f64" for mode in MODES] + [f"cvt.{mode}i.f16.f16" for mode in MODES],
    "to_integer": [f"cvt.{mode}i.{t}.f32" for mode in MODES for t in ("s32", "u32")]
    + [f"cvt.rzi.{t}.f32" for t in ("s64", "u64", "s16", "u16", "s8", "u8")]
    + [f"cvt.{mode}i.{t}.f64" for mode in ("rn", "rz") for t in ("s32", "u32", "s64", "u64")]
    + ["cvt.rzi.ftz.u32.f32", "cvt.rni.s32.f16", "cvt.rzi.s64.f16"],
    "from_integer": [f"cvt.{mode}.f32.{t}" for mode in MODES for t in ("s32", "u32", "s64", "u64")]
    + [f"cvt.rn.f32.{t}" for t in ("s16", "u16", "s8", "u8")]
    + [f"cvt.rn.f64.{t}" for t in ("s32", "u32", "s64", "u64")]
    + [f"cvt.{mode}.f64.s64" for mode in MODES[1:]] + ["cvt.rn.f16.s32", "cvt.rn.f16.u64"],
}  # fmt: skip


def _register(kind: str) -> str:
    return f".b{max(16, width_of(kind))}"


def statement(op: str) -> str:
    """One asm block: cut the words x, y, z to the sources, compute, widen the result into r."""
    result, sources = signature(op)
    names = ["p", "q", "s"][: len(sources)]
    lines = [f".reg {_register(kind)} {name};" for name, kind in zip(names, sources, strict=True)]
    for i, (name, kind) in enumerate(zip(names, sources, strict=True)):
        bits = _register(kind)[2:]
        lines.append(f"mov.b64 {name}, %{i + 1};" if bits == "64" else f"cvt.u{bits}.u64 {name}, %{i + 1};")
    if result == "pred":
        lines += [".reg .pred d;", f"{op} d, {', '.join(names)};", "selp.u64 %0, 1, 0, d;"]
    else:
        bits = _register(result)[2:]
        widen = "mov.b64 %0, d;" if bits == "64" else f"cvt.u64.u{bits} %0, d;"
        lines += [f".reg {_register(result)} d;", f"{op} d, {', '.join(names)};", widen]
    text = " ".join(lines)
    return f'    asm volatile("{{ {text} }}" : "=l"(r) : "l"(x), "l"(y), "l"(z));'


def source(name: str) -> str:
    """CUDA C++ of one program."""
    lines = [
        "// Made by tests/opcodes/programs.py: each PTX instruction on the same words, results one after another.",
        f'extern "C" __global__ void {name}(const unsigned long long *a, const unsigned long long *b,',
        "                          const unsigned long long *c, unsigned long long *out) {",
        "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;",
        "    unsigned long long x = a[i], y = b[i], z = c[i], r;",
    ]
    for k, op in enumerate(PROGRAMS[name]):
        lines += [statement(op), f"    out[{k} * n + i] = r;"]
    return "\n".join([*lines, "}", ""])


def compile_program(path: Path) -> None:
    command = ["nvcc", "-arch=sm_90a", "-cubin", "-O3", str(path), "-o", str(path.with_suffix(".cubin"))]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    DATA.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        path = DATA / f"{program}.cu"
        path.write_text(source(program))
        compile_program(path)
    for path in sorted(DATA.glob("warp_*.cu")):
        compile_program(path)
