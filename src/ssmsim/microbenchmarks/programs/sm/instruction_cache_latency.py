"""Instruction caches by jumps: a ring of taken branches, each to a place far from the last, over a growing footprint.

The machine code is sm/instruction_fetch_throughput's straight line of FFMA with every fifth of 16 instructions replaced
by a branch. Each hop runs 4 FFMA and the branch, to a landing place some multiple of 256 bytes away, in an order that
no prefetch can follow: cycles per hop are the branch's cost plus the latency of the level that holds the footprint. (A
compiler would lay the blocks out in the order in which they run; hence the replaced words.)
"""

from math import gcd

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import Loop, f32

SOURCE = "sm/instruction_fetch_throughput"
SPAN, RUN = 16, 4  # instructions from one landing place to the next; FFMA run at each
LENGTHS = (64, 128, 192, 256, 384, 512, 1024, 1536, 2048, 3072, 4096, 6144, 7168, 8192, 10240, 12288, 16384, 32768)
FFMA, BRANCH = 0x223, 0x947  # low 12 bits of the instruction word
STALL_5 = 5 << 105 | 1 << 109  # stall count and inverted yield bit, as the compiler gives a taken branch
SELF = (1 << 56) - 4  # offset field of a branch to itself: -16 bytes, in units of 4


def patch(image: bytes) -> bytes:
    """The cubin of sm/instruction_fetch_throughput with the hops written into each code_N."""
    data = bytearray(image)
    for name, start, words in machine_code.kernels(image):
        if name.startswith("code_"):
            _patch_kernel(data, start, words, int(name.removeprefix("code_")))
    return bytes(data)


def _patch_kernel(data: bytearray, start: int, words: int, length: int) -> None:
    code = machine_code.read(data, start, words)
    body = next(i for i in range(words) if all(code[i + k] & 0xFFF == FFMA for k in range(length // 2)))
    end = max(i for i in range(words) if code[i] & 0xFFF == FFMA) + 1
    template = next(w for w in code if w & 0xFFF == BRANCH and _offset(w) == SELF)
    hops = (end - body) // SPAN - 1
    step = max(1, int(hops * 0.382) | 1)
    while gcd(step, hops) != 1:
        step += 2
    for place in range(hops):
        at = body + place * SPAN + RUN
        run = at - RUN
        for skipped in range(at, at + SPAN - RUN):  # the loop's counter and compare must stay among what is run
            if code[skipped] & 0xFFF != FFMA:
                code[run], code[skipped] = code[skipped], code[run]
                run += 1
        for i in range(at - RUN, at + SPAN - RUN):
            machine_code.write(data, start, i, code[i])
        following = (place + step) % hops
        target = body + (following if following else hops) * SPAN
        word = template & ~(0xFF << 16) & ~(((1 << 48) - 1) << 34) & ~(31 << 105) | STALL_5
        value = (target - at - 1) * 4 & ((1 << 56) - 1)
        word |= (value & 0xFF) << 16 | (value >> 8) << 34
        machine_code.write(data, start, at, word)


def _offset(word: int) -> int:
    return (word >> 34 & ((1 << 48) - 1)) << 8 | word >> 16 & 0xFF


LOOPS = [
    Loop(
        f"hops{length // SPAN - 1}.{threads // 32}.{blocks}",
        f"code_{length}",
        length // SPAN - 1,
        threads=threads,
        blocks=blocks,
        args=(f32(1),),
        rounds=(10, 50) if length < 2000 else (3, 9),
        replay=blocks == 1 and threads == 32 and length in (256, 1024),
    )
    for length in LENGTHS
    for threads, blocks in ((32, 1), (128, 1), (512, 1), (32, 132))
]
