"""Kernels of the integer cases: sources and cubin of tests/data/opcodes. `python tests/opcodes/integer_programs.py`
makes them.

Every kernel runs some cases on the same three 64-bit words per thread: out[case * threads + thread].
"""

import subprocess

from integer_model import CASES
from programs import DATA

GROUP = 24
NAMES = list(CASES)
GROUPS = [NAMES[i : i + GROUP] for i in range(0, len(NAMES), GROUP)]


def statement(name: str) -> str:
    body = CASES[name][0]
    text = (
        "{ .reg .b64 x, y, z, r; .reg .b32 a, b, c, t, u; .reg .pred p; mov.b64 x, %1; mov.b64 y, %2; mov.b64 z, %3; "
    )
    text += f"cvt.u32.u64 a, x; cvt.u32.u64 b, y; cvt.u32.u64 c, z; {body} mov.b64 %0, r; }}"
    return f'    asm volatile("{text}" : "=l"(r) : "l"(x), "l"(y), "l"(z));'


def source() -> str:
    """CUDA C++ of all groups."""
    lines = ["// Made by tests/opcodes/integer_programs.py: PTX instructions on the same words, one after another.", ""]
    for i, names in enumerate(GROUPS):
        lines += [
            f'extern "C" __global__ void integer{i}(const unsigned long long *first, const unsigned long long *second,',
            "                         const unsigned long long *third, unsigned long long *out) {",
            "    unsigned threads = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;",
            "    unsigned long long x = first[i], y = second[i], z = third[i], r;",
        ]
        for k, name in enumerate(names):
            lines += [f"    // {name}", statement(name), f"    out[{k} * threads + i] = r;"]
        lines += ["}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    path = DATA / "integer.cu"
    path.write_text(source())
    subprocess.run(["nvcc", "-arch=sm_90", "-cubin", "-o", DATA / "integer.cubin", path], check=True)
