"""Reads of special registers: latency, rate by warps, and what one takes of the units of shared memory and exponentials.

wait.REGISTER: cycles from one read to the next, through a branch on what was read (sm/instruction_pair_throughput:
register_wait has that without the read). none.REGISTER.8.WARPS: cycles per round of 8 reads; uniform: S2UR.
A.REGISTER.E.16: of 8 A and E reads between them from each of 16 warps; A.none.0.16: of A alone. The cost of a read is
(A.REGISTER.8 - A.REGISTER.4) / 64.
"""

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import Loop, f32, i32

REGISTERS = {"tid": 0x21, "ctaid": 0x25, "laneid": 0x00, "smid": 0x43}  # numbers of S2R's field, as nvdisasm reads them
WARPS = (1, 4, 8, 16)
SHARED = 32 << 10
S2R, NUMBER, VIRTID = 0x919, 72, 0x03


def patch(image: bytes) -> bytes:
    """The cubin with each kernel's register in place of SR_VIRTID."""
    data = bytearray(image)
    for name, start, words in machine_code.kernels(image):
        number = next((n for register, n in REGISTERS.items() if register in name.split("_")), VIRTID)
        for i, word in enumerate(machine_code.read(data, start, words)):
            if word & 0xFFF == S2R and word >> NUMBER & 0xFF == VIRTID:
                machine_code.write(data, start, i, word ^ (number ^ VIRTID) << NUMBER)
    return bytes(data)


def loop(a: str, b: str, e: int, warps: int) -> Loop:
    return Loop(f"{a}.{b}.{e}.{warps}", f"special_{a}_{b}_{e}", 1, threads=32 * warps, shared=SHARED,
                args=(i32(0), f32(1.5)), replay=f"{a}.{b}" in ("none.tid", "lds128.tid") and warps in (1, 16) and e == 8)  # fmt: skip


LOOPS = [
    *(Loop(f"wait.{b}", f"special_wait_{b}", 16, args=(i32(0), f32(1.5)), replay=b == "tid") for b in REGISTERS),
    *(loop("none", b, 8, warps) for b in (*REGISTERS, "uniform") for warps in WARPS),
    *(loop(a, "none", 0, 16) for a in ("lds128", "ex2")),
    *(loop(a, b, e, 16) for a in ("lds128", "ex2") for b in REGISTERS for e in (4, 8)),
]
