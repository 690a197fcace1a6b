"""Accesses of 8 and 16 bytes a lane by which lanes use one address: how many wavefronts they take.

KIND.PLACE.BITS: cycles per access by each of 16 warps. Lanes that differ in one of the BITS of their number have different
addresses, all others the same one (none: all lanes). near: these lie side by side; far: 128 bytes apart, in the same banks.
"""

from itertools import combinations

from ssmsim.microbenchmarks.case import Loop, u32

WIDTHS = {"lds64": 8, "lds128": 16, "sts128": 16, "ldsm4": 16}
SUBSETS = [bits for count in range(6) for bits in combinations(range(5), count)]
FEW = [(), (0,), (4,), (0, 1), (0, 1, 2), (0, 3, 4)]
SHARED = 68 << 10
REPLAYED = ("lds64.near", "lds128.near", "lds128.far")


def strides(first: int, bits: tuple[int, ...]) -> list[int]:
    """Bytes by which each bit of a lane's number moves its address."""
    return [first << bits.index(bit) if bit in bits else 0 for bit in range(5)]


LOOPS = [
    Loop(f"{kind}.{place}.{''.join(map(str, bits)) or 'none'}", f"lanes_{kind}", 16, threads=512, shared=SHARED,
         args=tuple(map(u32, strides(width if place == "near" else 128, bits))),
         replay=f"{kind}.{place}" in REPLAYED and bits in ((0, 1, 2), (0, 3, 4)))
    for kind, width in WIDTHS.items() for place in ("near", "far")
    for bits in (SUBSETS if f"{kind}.{place}" in ("lds64.near", "lds128.near") else FEW)
]  # fmt: skip
