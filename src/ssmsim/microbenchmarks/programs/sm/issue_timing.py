"""Issue to the cycle: when each instruction of a short straight line can issue, one warp in every sub-core.

In the loop of the kernel FFMAs are replaced by 32 NOPs, a clock read, the first k instructions of a sequence, a second
clock read, the rest of the sequence and NOPs. What the two reads of the last round differ by, less 2, is when instruction
k could issue after the first. Each k is a launch of its own. Names of the sequences give the banks that FFMAs and FMULs
read (words.py); numbers are stall counts.
"""

import itertools
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.microbenchmarks import machine_code
from ssmsim.microbenchmarks.case import f32, i32, u64
from ssmsim.microbenchmarks.gpu import RECORD
from ssmsim.microbenchmarks.instruction_words import NOP, Step, clock, ffma, fmul, place, stalling, word

ARCHITECTURE = "90a"
FFMA, FTZ = 0x223, 1 << 80
LEAD, LEAD_STALL = 32, 6  # NOPs in front, long enough to have the sequence fetched
ROUNDS, LAUNCHES, WARPS = 10, 16, 4

MOVE, LOGIC = Step("IMAD.MOV.U32", ("Me",)), Step("LOP3.LUT", ("z", "e", "o"))
WIDE = Step("IMAD.WIDE", ("e", "e", "o", "z"))
HMMA, MUFU = Step("HMMA.16816.F32.BF16", ("e", "e", "e", "e")), Step("MUFU.EX2", ("e", "o"))


def _kept(first: str, flags: str, factors: tuple[str, ...] = ("Ae",), n: int = 12) -> list[Step]:
    """FMULs of a fresh register and one of `factors` in turn, marked for reuse where flags has a 1."""
    return [fmul((first, factors[i % len(factors)]), reuse=2 * int(flags[i % len(flags)])) for i in range(n)]


def _spaced(name: str, counts: tuple[int, ...], make: Any) -> dict[str, list[Step]]:
    return {f"{name}.{n}": make(n) for n in counts}


def _fed(registers: tuple[str, ...], stall: int, writer: Step = MOVE) -> list[Step]:
    """A wide multiplication that reads what `writer` left in register Me, `stall` cycles behind it."""
    return [NOP] * 4 + [stalling(writer, stall), Step("IMAD.WIDE", registers, 4)] + [NOP] * 4


SLOTS = ("eee", "eeo", "eoe", "oee")  # banks by operand position
MIXES = ("FFFIFIIIIFFIFF", "IFFFIFFIIFIIII", "IFIIIIFFFIFFFF", "FFFFIIIFIIIIII")  # FFMA and IMAD


def _drawn(seed: int) -> list[Step]:
    """Twelve FFMAs whose banks are drawn at random: no rule was made for them."""
    draw = random.Random(seed)
    return [ffma("".join(draw.choice("eoeoz") for _ in range(3))) for _ in range(12)]


SEQUENCES: dict[str, list[Step]] = {
    "eeo": [ffma("eeo")] * 12,
    "oee": [ffma("oee")] * 12,
    "eee": [ffma("eee")] * 8,
    "pairs": [ffma(p) for p in ("eeo", "eeo", "ooe", "ooe") * 4],
    "alt": [ffma(p) for p in ("eeo", "ooe") * 7],
    "triples": [ffma(p) for p in (("eeo",) * 3 + ("ooe",) * 3) * 3],
    "stall3": [ffma(p, s) for p, s in (("oee", 1), ("oee", 3), ("eoo", 1), ("eoo", 3)) * 3],
    "mul_ee": [fmul("ee")] * 10,
    "mul_eo": [fmul("eo")] * 10,
    "mul_ee_oo": [fmul(p) for p in ("ee", "oo") * 5],
    "mul_ee_eo": [fmul(p) for p in ("ee", "eo") * 6],
    "ffma2_mul_eo": [ffma("oee")] * 2 + [fmul("eo")] * 8,
    "ffma3_mul_eo": [ffma("oee")] * 3 + [fmul("eo")] * 8,
    "ffma2_mul_oo": [ffma("oee")] * 2 + [fmul("oo")] * 8,
    "eee_nop": [ffma("eee")] + [NOP] * 6,
    "eee2_nop": [ffma("eee")] * 2 + [NOP] * 6,
    "eee_eeo": [ffma("eee"), ffma("eeo")] + [NOP] * 6,
    **{f"slots.{p}_{q}": [ffma(p), ffma(q)] + [NOP] * 2 for p in SLOTS for q in SLOTS},
    **_spaced("random", tuple(range(10)), _drawn),
    "re_none": _kept("e", "0"),
    "re_all": _kept("e", "1"),
    "re_alt": _kept("e", "10"),
    "re_1of3": _kept("e", "100"),
    "re_2of3": _kept("e", "110"),
    "rab_same": _kept("e", "1100", ("Ae", "Be"), 16),
    "rab_e": _kept("e", "1100", ("Ae", "Bo"), 16),
    "rab_e_none": _kept("e", "0", ("Ae", "Bo"), 16),
    "rab_e_all": _kept("e", "1", ("Ae", "Bo"), 16),
    "yield": [ffma("eoz", yields=True)] * 8,
    "lop.four": [NOP] * 3 + [LOGIC] * 4 + [NOP] * 5,
    "mul_ee_lop": [NOP] * 3 + [fmul("ee"), LOGIC] * 5 + [NOP] * 3,
    "imad.four": [NOP] * 3 + [MOVE] * 4 + [NOP] * 5,
    "imad.ffma": [NOP] * 3 + [ffma("eoz"), MOVE] * 5 + [NOP] * 3,
    "imad.ffma2": [NOP] * 3 + [ffma("eoz"), ffma("eoz"), MOVE] * 5 + [NOP] * 3,
    "imad.ffma3": [NOP] * 3 + [ffma("eoz"), ffma("eoz"), ffma("eoz"), MOVE] * 4 + [NOP] * 3,
    **{f"mix.{mix}": [ffma("zzz") if letter == "F" else MOVE for letter in mix] for mix in MIXES},
    **_spaced("wide.one", (1, 2, 4, 8), lambda n: [NOP] * 4 + [stalling(WIDE, n)] + [NOP] * 6),
    "wide.two": [NOP] * 4 + [WIDE] * 2 + [NOP] * 6,
    "wide.four": [NOP] * 4 + [stalling(WIDE, 4)] * 4 + [NOP] * 4,
    "wide.imad": [NOP] * 4 + [stalling(MOVE, 1), WIDE] + [NOP] * 6,
    "wide.behind_ffma": [ffma("eoz")] * 4 + [WIDE] + [NOP] * 6,
    "wide.lop": [NOP] * 4 + [WIDE] + [stalling(LOGIC, 2)] * 4,
    **_spaced("wide.fed", (1, 2, 3, 4, 5, 6, 7, 8), lambda n: _fed(("e", "e", "Me", "z"), n)),
    **_spaced("wide.fed_first", (4, 6), lambda n: _fed(("e", "Me", "e", "z"), n)),
    **_spaced("wide.fed_addend", (4, 6), lambda n: _fed(("e", "e", "e", "Me"), n)),
    **_spaced("wide.fed_lop", (4, 6), lambda n: _fed(("e", "e", "Me", "z"), n, Step("LOP3.LUT", ("Me", "e", "o")))),
    **_spaced("wide.fed_fmul", (4, 6), lambda n: _fed(("e", "e", "Me", "z"), n, Step("FMUL", ("Me", "e", "o")))),
    "mufu.four": [NOP] * 3 + [MUFU] * 4 + [NOP] * 5,
    "mufu.ffma": [NOP] * 3 + [MUFU] + [ffma("eoz")] * 6,
    "mufu.ffma_none": [NOP] * 3 + [MUFU] + [ffma("zzz")] * 6,
    **_spaced("hmma.one", (1, 2), lambda n: [NOP] * 3 + [stalling(HMMA, n)] + [NOP] * 8),
    **_spaced("hmma.four", (1, 8), lambda n: [NOP] * 3 + [stalling(HMMA, n)] * 4 + [NOP] * 8),
    "hmma.ffma": [NOP] * 3 + [HMMA] + [ffma("eoz")] * 10,
    "hmma.ffma_eeo": [NOP] * 3 + [HMMA] + [ffma("eeo")] * 8,
    "hmma.lop": [NOP] * 3 + [HMMA] + [stalling(LOGIC, 2)] * 6,
    **_spaced("hmma.ff", (1, 2, 3, 4, 6, 8, 10), lambda n: ([HMMA] + [ffma("eoz")] * n) * 3),
}  # fmt: skip


def _host(code: list[int]) -> tuple[int, int, list[int]]:
    """(first FFMA of the longest run, their number, registers of their results).

    The source makes FFMA k add to its own register the product with those of the next two; with that order the first
    two registers are the ones that the kernel returns. Raises RuntimeError when the compiler did otherwise.
    """
    found = [word & 0xFFF == FFMA and bool(word & FTZ) for word in code] + [False]
    ends = [i for i in range(1, len(found)) if found[i - 1] and not found[i]]
    runs = [(end - max((i + 1 for i in range(end) if not found[i]), default=0), end) for end in ends]
    length, end = max(runs, default=(0, 0))
    run = code[end - length : end]
    fields = [tuple(word >> bit & 0xFF for bit in (16, 24, 32, 64)) for word in run]
    chain = all({a[1], a[2]} == {a[0], b[0]} for a, b in itertools.pairwise(fields))
    registers = [of[0] for of in fields]
    if length < 128 or not chain or len(set(registers)) != length:
        raise RuntimeError(f"the compiler changed the order or the registers of the FFMAs ({length} in a row)")
    return end - length, length, registers


def variant(image: bytes, sequence: list[Step], k: int) -> bytes:
    """The cubin with the second clock read before instruction k."""
    data = bytearray(image)
    [(_, start, words)] = [kernel for kernel in machine_code.kernels(image) if kernel[0] == "timeline"]
    first, length, registers = _host(machine_code.read(data, start, words))
    body = [word(placed) for placed in place(sequence, registers[2:])]
    nops = word(place([NOP], registers)[0])
    lead = [word(place([stalling(NOP, LEAD_STALL)], registers)[0])] * LEAD
    new = [*lead, clock(registers[0], 2), *body[:k], clock(registers[1], 2), *body[k:]]
    if len(new) > length:
        raise RuntimeError(f"{len(new)} instructions, room for {length}")
    for i, value in enumerate(new + [nops] * (length - len(new))):
        machine_code.write(data, start, first + i, value)
    return bytes(data)


def _between(session: Any, cubin: Path, out: int) -> list[int]:
    """Cycles between the two clock reads of the last round: of each launch, the first warp to get there."""
    module = session.gpu.load(cubin)
    function = session.gpu.function(module, "timeline")
    spans = []
    for _ in range(LAUNCHES):
        session.gpu.launch(function, (1, 1, 1), (32 * WARPS, 1, 1), 0, [u64(out), i32(ROUNDS), f32(1)])
        session.gpu.synchronize()
        records = session.gpu.download(out, WARPS, RECORD)
        spans.append(int(((records["end"] - records["start"]) & u64(0xFFFFFFFF)).min()))
    session.gpu.call("cuModuleUnload", module)
    return spans


def issue(session: Any) -> dict[str, dict[str, list[int]]]:
    """Per sequence: cycles[k] between the reads with k instructions (the least of the launches), and their median."""
    image, out = session.cubin.read_bytes(), session.buffer(WARPS * RECORD.itemsize)
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "variant.cubin"
        for name, sequence in SEQUENCES.items():
            spans = []
            for k in range(len(sequence) + 1):
                cubin.write_bytes(variant(image, sequence, k))
                spans.append(_between(session, cubin, out))
            least = [min(span) for span in spans]
            result[name] = {"cycles": least, "median": [int(np.median(span)) for span in spans]}
    return result


MEASUREMENTS = [issue]
SECONDS = 240
