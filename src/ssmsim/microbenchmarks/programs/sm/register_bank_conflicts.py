"""Register ports: FFMAs whose operands lie in chosen banks, alone, beside HGMMA and between HMMAs.

A pattern names the banks of destination and sources of successive FFMAs: e even, o odd, z the zero register. Each warp
issues 4 HGMMA m64n128k16 (ss128, rs128), then 64 x m FFMAs, then waits; hmma: 6 FFMAs behind each HMMA. The compiler
chooses registers; `patch` replaces them in its code by others of the same kernel (the values mean nothing).
"""

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import Loop, Zeros, f32, i32
from ssmsim.microbenchmarks.programs.sm import mma_arithmetic_overlap

ARCHITECTURE = "90a"
FFMA, FTZ = 0x223, 1 << 80
PATTERNS = {
    "none": ("zzzz",),
    "read_e": ("zezz",),
    "read_alternate": ("zezz", "zozz"),
    "read_eo": ("zeoz",),
    "read_ee": ("zeez",),
    "read_eeo": ("zeoe", "zoeo"),
    "read_eee": ("zeee",),
    "write_e": ("ezzz",),
    "write_alternate": ("ezzz", "ozzz"),
    "write_pairs": ("ezzz", "ezzz", "ozzz", "ozzz"),
    "same_e": ("eezz",),
    "same_alternate": ("eezz", "oozz"),
    "cross_e": ("oezz",),
    "cross_alternate": ("oezz", "eozz"),
    "two_e": ("eeoz",),
    "two_alternate": ("eeoz", "ooez"),
    "three_alternate": ("eeoe", "ooeo"),
}
FIELDS = (16, 24, 32, 64)  # first bit of destination and sources in the 128-bit word
REUSE = 15 << 122
ENGINES = ("alone", "ss32", "ss128", "rs128", "hmma6")


def source() -> str:
    """The CUDA text: one kernel per pattern and company; all alike until they are patched."""
    text = '// Written by banks.py.\n#include "common.cuh"\nextern __shared__ __align__(1024) char pool[];\n'
    one = 'asm volatile("fma.rn.ftz.f32 %0, %0, %1, %2;" : "+f"(f[j]) : "f"(g[j]), "f"(h[j]));'
    for pattern in PATTERNS:
        text += mma_arithmetic_overlap.kernels("banks", pattern, one, ENGINES)
    return text


def patch(image: bytes) -> bytes:
    """The cubin with the registers of each kernel's FFMA.FTZ replaced by its pattern."""
    data = bytearray(image)
    for name, start, words in machine_code.kernels(image):
        if name.startswith("banks_"):
            _patch_kernel(data, start, words, PATTERNS[name.split("_", 2)[2]])
    return bytes(data)


def _patch_kernel(data: bytearray, start: int, words: int, pattern: tuple[str, ...]) -> None:
    code = machine_code.read(data, start, words)
    places = [i for i, word in enumerate(code) if word & 0xFFF == FFMA and word & FTZ]
    used = sorted({code[i] >> bit & 0xFF for i in places for bit in FIELDS} - {0xFF})
    banks = {"e": [k for k in used if k % 2 == 0], "o": [k for k in used if k % 2], "z": [0xFF]}
    if min(len(banks["e"]), len(banks["o"])) < 6 or len(places) < 40:
        raise RuntimeError(f"only {len(used)} registers in {len(places)} FFMAs to choose from")
    for number, place in enumerate(places):
        word = code[place] & ~REUSE
        for field, (bit, bank) in enumerate(zip(FIELDS, pattern[number % len(pattern)], strict=True)):
            choice = banks[bank]
            word = word & ~(0xFF << bit) | choice[(number + 2 * field) % len(choice)] << bit
        machine_code.write(data, start, place, word)


REPLAYED = ("ss128.none", "ss128.read_eee", "ss128.same_e", "ss128.two_alternate", "ss32.three_alternate", "ss32.write_e",
            "hmma6.two_e", "hmma6.read_eee")  # fmt: skip
LOOPS = [
    Loop(
        f"{engine}.{pattern}.{m}.{threads // 128}",
        f"banks_{engine}_{pattern}",
        1,
        threads=threads,
        shared=98304,
        args=(i32(m), f32(1.0), Zeros(1 << 14)),
        replay=f"{engine}.{pattern}" in REPLAYED and m == 4 and threads == 128,
    )
    for engine in ENGINES
    for pattern in PATTERNS
    for m in ((4,) if engine in ("alone", "hmma6") else (4, 12))
    for threads in (128, 256)
]
