"""Whether a memory instruction's answer waits for those of earlier ones: one that goes to DRAM, then a chain of fast ones.

SLOW.FAST.OTHER: cycles per round; OTHER is the warp with the slow one when that is not the warp of the chain. ldg: from
L2; hit: from L1; nc: through the read-only path from L2; copy: LDGSTS, awaited at once (slow: at the end of the round).
none.FAST and SLOW.none: each alone. The chain alone is longer than the slow one, so side by side they take as long as
the chain, in order they take three of its links more than the slow one.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, Zeros, u64

COLD = 4 << 30
KINDS = {"None": "none", "Ldg": "ldg", "Hit": "hit", "Nc": "nc", "Atom": "atom", "Copy": "copy", "Later": "copy", "Lds": "lds"}
CASES = [
    ("None", "Ldg", 0), ("None", "Nc", 0), ("None", "Lds", 0), ("None", "Hit", 0), ("None", "Copy", 0), ("None", "Atom", 0), ("Ldg", "None", 0), ("Ldg", "Ldg", 0), ("Ldg", "Ldg", 1),
    ("Ldg", "Ldg", 4), ("Ldg", "Nc", 0), ("Ldg", "Atom", 0), ("Ldg", "Copy", 0), ("Ldg", "Hit", 0), ("Ldg", "Lds", 0),
    ("Later", "None", 0), ("Later", "Ldg", 0), ("Later", "Ldg", 4), ("Later", "Atom", 0), ("Later", "Hit", 0),
    ("Atom", "None", 0), ("Atom", "Ldg", 0), ("Atom", "Atom", 0), ("Atom", "Copy", 0),
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
        replay=slow != "Atom",  # whose 4 GB of memory a saved launch would need
        cold=True,
    )
    for slow, fast, other in CASES
]
