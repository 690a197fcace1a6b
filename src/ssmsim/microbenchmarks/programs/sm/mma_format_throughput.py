"""mma.sync of integers, bits, doubles, tf32, f16 sums, and sparse products: latency of a chain, rate by warps per SM.

FORMAT.chain.WARPS: 16 products, each on the accumulators of the one before. FORMAT.rate.WARPS: 16 products on eight
accumulators in turn. Formats are named by the types of the factors and the shape; sp: sparse, a half of A is left out.
Factors of 4 bits, sums of xor and m8n8k4 of halves are functions of other products on sm_90: they are not here.
"""

from dataclasses import dataclass

from ssmsim.microbenchmarks.case import Loop, u32

ARCHITECTURE = "90a"
Registers = tuple[int, int, int]  # of the sums, of A, of B
METADATA = 0x44444444  # elements 0 and 1 of each four


@dataclass(frozen=True)
class Format:
    """One instruction of PTX and how many registers its accumulators and factors have; kind: their constraint in asm."""

    text: str
    sums: int
    left: int
    right: int
    kind: str = "r"
    sparse: bool = False

    @property
    def types(self) -> tuple[str, str]:
        """C types of accumulators and of factors."""
        return {"r": ("u32", "u32"), "f": ("float", "u32"), "d": ("double", "double")}[self.kind]

    def product(self, sums: str) -> str:
        """One statement on the accumulators of this name."""
        numbers = iter(range(self.sums + self.left + self.right + 1))
        d, a, b = (
            "{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}"
            for count in (self.sums, self.left, self.right)
        )
        factor = "d" if self.kind == "d" else "r"
        outputs = ", ".join(f'"+{self.kind}"({sums}[{k}])' for k in range(self.sums))
        inputs = [f'"{factor}"(a[{k}])' for k in range(self.left)] + [f'"{factor}"(b[{k}])' for k in range(self.right)]
        tail = f", %{next(numbers)}, 0x0" if self.sparse else ""
        inputs += ['"r"(meta)'] if self.sparse else []
        return f'asm volatile("{self.text} {d}, {a}, {b}, {d}{tail};" : {outputs} : {", ".join(inputs)});'


def dense(shape: str, types: str, registers: Registers, kind: str = "r", tail: str = "") -> Format:
    return Format(f"mma.sync.aligned.{shape}.row.col.{types}{tail}", *registers, kind=kind)


def sparse(shape: str, types: str, registers: Registers, kind: str = "r") -> Format:
    return Format(f"mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.{types}", *registers, kind=kind, sparse=True)


FORMATS = {
    "s8.8816": dense("m8n8k16", "s32.s8.s8.s32", (2, 1, 1)),
    "s8.16816": dense("m16n8k16", "s32.s8.s8.s32", (4, 2, 1)),
    "s8.16832": dense("m16n8k32", "s32.s8.s8.s32", (4, 4, 2)),
    "b1.88128": dense("m8n8k128", "s32.b1.b1.s32", (2, 1, 1), tail=".and.popc"),
    "b1.168128": dense("m16n8k128", "s32.b1.b1.s32", (4, 2, 1), tail=".and.popc"),
    "b1.168256": dense("m16n8k256", "s32.b1.b1.s32", (4, 4, 2), tail=".and.popc"),
    "f64.884": dense("m8n8k4", "f64.f64.f64.f64", (2, 1, 1), kind="d"),
    "f64.1684": dense("m16n8k4", "f64.f64.f64.f64", (4, 2, 1), kind="d"),
    "f64.1688": dense("m16n8k8", "f64.f64.f64.f64", (4, 4, 2), kind="d"),
    "f64.16816": dense("m16n8k16", "f64.f64.f64.f64", (4, 8, 4), kind="d"),
    "tf32.1684": dense("m16n8k4", "f32.tf32.tf32.f32", (4, 2, 1), kind="f"),
    "tf32.1688": dense("m16n8k8", "f32.tf32.tf32.f32", (4, 4, 2), kind="f"),
    "f16.16816": dense("m16n8k16", "f32.f16.f16.f32", (4, 4, 2), kind="f"),
    "f16sum.1688": dense("m16n8k8", "f16.f16.f16.f16", (2, 2, 1)),
    "f16sum.16816": dense("m16n8k16", "f16.f16.f16.f16", (2, 4, 2)),
    "f16.sp.16816": sparse("m16n8k16", "f32.f16.f16.f32", (4, 2, 2), kind="f"),
    "f16.sp.16832": sparse("m16n8k32", "f32.f16.f16.f32", (4, 4, 4), kind="f"),
    "f16sum.sp.16832": sparse("m16n8k32", "f16.f16.f16.f16", (2, 4, 4)),
    "tf32.sp.1688": sparse("m16n8k8", "f32.tf32.tf32.f32", (4, 2, 2), kind="f"),
    "tf32.sp.16816": sparse("m16n8k16", "f32.tf32.tf32.f32", (4, 4, 4), kind="f"),
    "s8.sp.16832": sparse("m16n8k32", "s32.s8.s8.s32", (4, 2, 2)),
    "s8.sp.16864": sparse("m16n8k64", "s32.s8.s8.s32", (4, 4, 4)),
}
CHAINS, RATES = (1, 4, 8, 16), (1, 2, 4, 8, 16)
REPEATS = 16
INDEPENDENT = 8

KERNEL = """
KERNEL {name}(Record* out, int n, u32 x, u32 y, u32 meta) {{
    {factor} a[8], b[4];
    {sum} d[{chains}][{sums}];
#pragma unroll
    for (int k = 0; k < 8; k++) a[k] = {made}(x + k * threadIdx.x);
#pragma unroll
    for (int k = 0; k < 4; k++) b[k] = {made}(y + k * threadIdx.x);
#pragma unroll
    for (int k = 0; k < {chains}; k++)
#pragma unroll
        for (int j = 0; j < {sums}; j++) d[k][j] = 0;
    __syncthreads();
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {{
        {body}
    }}
    {sum} s = 0;
#pragma unroll
    for (int k = 0; k < {chains}; k++)
#pragma unroll
        for (int j = 0; j < {sums}; j++) s += d[k][j];
    leave(out, start, (u32)s);
}}
"""


def kernel_name(name: str, kind: str) -> str:
    return f"{name.replace('.', '_')}_{kind}"


def source() -> str:
    """The CUDA text: two kernels per format."""
    text = '// Written by mma_format_throughput.py.\n#include "common.cuh"\n'
    for name, form in FORMATS.items():
        sums, factors = form.types
        for kind, chains in (("chain", 1), ("rate", INDEPENDENT)):
            body = "\n        ".join(form.product(f"d[{k % chains}]") for k in range(REPEATS))
            text += KERNEL.format(
                name=kernel_name(name, kind), factor=factors, sum=sums, sums=form.sums, chains=chains, body=body,
                made="(double)" if factors == "double" else "",
            )  # fmt: skip
    return text


LOOPS = [
    Loop(
        f"{name}.{kind}.{warps}", kernel_name(name, kind), REPEATS, threads=32 * warps,
        args=(u32(0x3F803F80), u32(0x3F803F80), u32(METADATA)), replay=warps in replayed,
    )
    for name in FORMATS
    for kind, counts, replayed in (("chain", CHAINS, (1,)), ("rate", RATES, (1, 16)))
    for warps in counts
]  # fmt: skip
