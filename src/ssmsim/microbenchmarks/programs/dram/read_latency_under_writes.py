"""DRAM reads of one warp per SM beside writes of the others: how long a read takes under a load of writes.

D.P: cycles per round in which the reader has D loads of 512 B in flight and awaits them, beside 8 writing warps with P
FMULs after each store; the writers do about as many stores meanwhile as the pace lets them, so that all end together.
reads.* and writes.*: either alone in the record while the other runs longer, for the pace itself.
"""

from ssmsim.microbenchmarks.case import Loop, Zeros, i32

WRITERS = 8
STORES = {  # pace -> reader rounds and stores per writer in one loop round
    1: {512: (3, 1), 256: (4, 3), 128: (2, 3), 64: (1, 4), 32: (1, 15), 0: (1, 16)},
    4: {512: (2, 1), 256: (1, 1), 128: (1, 2), 64: (1, 7), 32: (1, 20), 0: (1, 20)},
}


def case(name: str, depth: int, reads: int, writes: int, pace: int, who: int, rounds: tuple[int, int]) -> Loop:
    return Loop(
        name,
        f"loaded_{depth}",
        reads if who != 1 else writes,
        threads=32 * (1 + WRITERS),
        blocks=132,
        args=(Zeros(4 << 30), i32(reads), i32(writes), i32(pace), i32(who)),
        rounds=rounds,
    )


LOOPS = [
    loop
    for depth, paces in STORES.items()
    for pace, (reads, writes) in paces.items()
    for loop in (
        case(f"{depth}.{pace}", depth, reads, writes, pace, 2, (400 // reads, 2000 // reads)),
        case(f"reads.{depth}.{pace}", depth, 1, 100, pace, 0, (100, 500)),
        case(f"writes.{depth}.{pace}", depth, 24, 1, pace, 1, (200, 1000)),
    )
]
