"""How many lines that miss the L1 one SM has on their way: loads of some lines each from DRAM.

LINES.LOADS.WARPS: cycles per round of so many loads by each of so many warps, at places all over 4 GB, or over so many MB.
With more lines than entries a round takes the latency once for every time that they are filled.
"""

from ssmsim.microbenchmarks.case import Loop, Unrecorded, u32

BITS = 25
SIZES = [  # lines, loads, warps
    (32, 1, (1, 4, 16, 32)), (32, 2, (1, 16, 32)), (32, 8, (4, 16, 32)), (16, 8, (16, 32)), (8, 4, (1, 16, 32)),
    (8, 8, (16, 32)), (4, 8, (1, 16, 32)),
]  # fmt: skip
LOOPS = [
    Loop(
        f"{lines}.{loads}.{warps}" + (f".{1 << bits - 13}MB" if bits != BITS else ""),
        f"misses_{loads}_{lines}",
        loads,
        threads=32 * warps,
        args=(Unrecorded(128 << bits), u32((1 << bits) - 1)),
        rounds=(10, 60),
        bytes_per_operation=32 * lines,
        replay=(lines in (32, 8) and bits == 20) or warps == 1,
        cold=True,
    )
    for lines, loads, sizes in SIZES
    for warps in sizes
    for bits in ((BITS, 22, 20) if warps == 32 else (BITS,))
]
