"""Whether a memory instruction's answer waits for those of earlier ones: one that goes to DRAM, then a chain of fast ones.

SLOW.FAST.OTHER: cycles per round; OTHER is the warp with the slow one when that is not the warp of the chain. ldg: from
L2; hit: from L1; nc: through the read-only path from L2; copy: LDGSTS, awaited at once (slow: at the end of the round).
none.FAST and SLOW.none: each alone. The chain alone is longer than the slow one, so side by side they take as long as
the chain, in order they take three of its links more than the slow one.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, Zeros, u64

COLD = 4 << 30
KINDS = {
    "None": "none",
    "Ldg": "ldg",
    "Hit": "hit",
    "Nc": "nc",
    "Atom": "atom",
    "Copy": "copy",
    "Later": "copy",
    "Lds": "lds",
}
CASES = [
    *(("None", fast, 0) for fast in ("Ldg", "Nc", "Lds", "Hit", "Copy", "Atom")),
    *(("Ldg", fast, 0) for fast in ("None", "Ldg", "Nc", "Atom", "Copy", "Hit", "Lds")),
    *((slow, "Ldg", 4) for slow in ("Ldg", "Later")), ("Ldg", "Ldg", 1),
    *(("Later", fast, 0) for fast in ("None", "Ldg", "Atom", "Hit")),
    *(("Atom", fast, 0) for fast in ("None", "Ldg", "Atom", "Copy")),
]  # fmt: skip
LOOPS = [
    Loop(
        f"{KINDS[slow]}.{KINDS[fast]}" + (f".{other}" if other else ""),
        f"order_{slow}_{fast}_{other}",
        1,
        threads=32 * (1 + other),
        shared=4096,
        args=(Zeros(COLD) if slow == "Atom" else Unrecorded(COLD), u64(COLD - 1), Zeros(16384)),
        rounds=(60, 460),
        replay=slow != "Atom" and fast in ("None", "Ldg", "Hit", "Copy") and (slow, fast) != ("None", "Copy"),
        cold=True,
    )
    for slow, fast, other in CASES
]
