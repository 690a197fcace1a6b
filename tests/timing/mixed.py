"""Programs that use every unit: one fixed, others drawn at random by hypothesis."""

from typing import Any

from hypothesis import strategies as st
from streams import EXIT, FULL, Op, op

BASE = 1 << 24
HGMMA = "HGMMA.64x64x16.F32.BF16 R24, R100, gdesc[UR4], R24, gsb0"


def make(kind: str, counter: int, lanes: list[int], shared: list[int], **given: Any) -> Op:
    """One instruction of a kind; what it answers goes to `counter`. lanes, shared: byte addresses of the 32 lanes."""
    write, read = {"write": counter, **given}, {"read": counter, **given}
    match kind:
        case "fadd":
            return op("FADD R0, R1, R2", **given)
        case "imad":
            return op("IMAD R0, R1, R2, R3", **given)
        case "mufu":
            return op("MUFU.EX2 R0, R1", **write)
        case "hmma":
            return op("HMMA.16816.F32.BF16 R0, R4, R8, R0", **given)
        case "ldc":
            return op("LDC R0, c[0x0][0x210]", **write)
        case "operand":
            return op("IADD3 R0, R1, c[0x0][0x230], R3", **given)
        case "ldg":
            return op("LDG.E R0, desc[UR4][R2.64]", rows=[lanes], **write)
        case "stg":
            return op("STG.E desc[UR4][R2.64], R0", rows=[lanes], **read)
        case "atomg":
            return op("ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R2.64], R4", rows=[lanes], **write)
        case "red":
            return op("RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R4", rows=[lanes], **read)
        case "lds":
            return op("LDS R0, [R2]", rows=[shared], **write)
        case "ldsm":
            return op("LDSM.16.M88.4 R0, [R2]", rows=[shared], **write)
        case "sts":
            return op("STS [R2], R0", rows=[shared], **read)
        case "stl":
            return op("STL [R2], R0", rows=[shared], **read)
        case "ldl":
            return op("LDL R0, [R2]", rows=[shared], **write)
        case "copy":
            return op("LDGSTS.E [R4], desc[UR4][R2.64]", rows=[shared, lanes], **given)
        case "bypass":
            return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[shared, lanes], **given)
        case "close":
            return op("LDGDEPBAR", write=0, **given)
        case "wait":
            return op("DEPBAR.LE SB0, 0x0", depth=0, **given)
        case "shfl":
            return op("SHFL.BFLY PT, R0, R1, 0x1, 0x1f", **write)
        case "bar":
            return op("BAR.SYNC 0x0", barrier=0, **given)
        case "defer":
            return op("BAR.SYNC.DEFER_BLOCKING 0x0", barrier=0, **given)
        case "arrive":
            return op("WARPGROUP.ARRIVE", **given)
        case "membar":
            return op("MEMBAR.SC.GPU", **given)
        case "hgmma":
            return op(HGMMA, gmma_n=64, gmma_k=16, gmma_commits=1, rows=[[0] * 32], **given)
        case _:
            assert kind == "arrived"
            return op("WARPGROUP.DEPBAR.LE gsb0, 0x0", depth=0, **given)


KINDS = ["fadd", "imad", "mufu", "hmma", "ldc", "operand", "ldg", "stg", "atomg", "red", "lds", "ldsm", "sts", "stl",
         "ldl", "copy", "bypass", "close", "wait", "shfl", "bar", "defer",
         "membar", "arrive", "hgmma", "arrived"]  # fmt: skip


def everything() -> list[Op]:
    """Every kind once, with addresses that miss, hit, conflict and cross the partitions."""
    ops = []
    for i, kind in enumerate(KINDS):
        lanes = [BASE + 4096 * (i % 7) + (4, 16, 260)[i % 3] * lane for lane in range(32)]
        shared = [(4, 16, 128)[i % 3] * lane % 4096 for lane in range(32)]
        ops.append(make(kind, i % 6, lanes, shared, stall=1 + i % 5, wait=[(i + 3) % 6]))
    return [*ops, EXIT]


@st.composite
def programs(draw: st.DrawFn) -> list[Op]:
    """Straight-line code of any kinds; every warp runs all of it, so barriers and warpgroups are complete."""
    ops = []
    for _ in range(draw(st.integers(1, 24))):
        base, stride = draw(st.integers(0, 1 << 16)) * 128, draw(st.sampled_from([0, 4, 16, 128, 1000 * 4]))
        lanes = [base + stride * lane for lane in range(32)]
        given = {"stall": draw(st.integers(1, 15)), "wait": draw(st.lists(st.integers(0, 5), max_size=2))}
        given["mask"] = draw(st.sampled_from([FULL, FULL, 1, 0, 0xF0F0]))
        kind, counter = draw(st.sampled_from(KINDS)), draw(st.integers(0, 5))
        ops.append(make(kind, counter, lanes, [16 * (lane % 256) for lane in lanes], **given))
    return [*ops, EXIT]
