"""L1: hit latency, capacity under each carve-out, cycles per warp load by width and lane stride, outstanding misses."""

from ssmsim.microbenchmarks.case import Chase, Loop, Zeros, i32

# dynamic shared memory, preferred carve-out in percent (-1: the driver's choice) -> KB expected to be left for L1
CARVEOUTS = {
    (0, 0): 256,
    (0, -1): 228,
    (0, 100): 28,
    (7 << 10, -1): 248,
    (31 << 10, -1): 224,
    (63 << 10, -1): 192,
    (99 << 10, -1): 156,
    (131 << 10, -1): 124,
    (163 << 10, -1): 92,
    (195 << 10, -1): 60,
    (227 << 10, -1): 28,
}


def sizes(expected: int) -> list[int]:
    """Working sets in KB: coarse below the expected capacity, fine around it."""
    near = [expected + d for d in (-64, -32, -16, -12, -8, -6, -4, -2, 0, 2, 4, 8, 16, 32)]
    return sorted({kb for kb in (4, 8, 16, *near) if kb > 0})


# The driver picks a carve-out for as many blocks as fit: where a chase of each size hits tells which.
AUTO = (0, 1, 4, 7, 8, 15, 16, 24, 31, 32, 47, 48, 63, 64, 75, 99, 113, 131, 163, 195, 227)
LOOPS = (
    [
        Loop(
            f"auto.shared{shared}KB.{threads}threads.{kb}KB",
            "chase",
            16,
            threads=threads,
            shared=shared << 10,
            args=(Chase(kb << 10, 128), i32(kb * 8)),
            rounds=(kb // 2, kb // 2 * 2),
        )
        for shared in AUTO
        for threads in (32, 256)
        for kb in (36, 68, 100, 132, 166, 200, 224)
    ]
    + [
        Loop(
            f"capacity.shared{shared >> 10}.carveout{carveout}.{kb}KB",
            "chase",
            16,
            shared=shared,
            carveout=carveout,
            args=(Chase(kb << 10, 128), i32(kb * 8)),
            rounds=(kb // 2, kb // 2 * 3),
            replay=carveout == 0 and kb in (16, 272),
        )
        for (shared, carveout), expected in CARVEOUTS.items()
        for kb in sizes(expected)
    ]
    + [
        Loop(
            f"{name}.stride{stride}.{threads // 32}",
            name,
            16,
            threads=threads,
            args=(Zeros(1 << 17), i32(stride), i32(0)),
            replay=threads == 512,
            bytes_per_operation=width * 32,
        )
        for name, width, strides in (
            ("ldg32", 4, (0, 4, 8, 16)),
            ("ldg64", 8, (8, 16)),
            ("ldg128", 16, (16,)),
            ("ldg32_far", 4, (4, 32, 36, 64, 68, 128, 132)),
            ("ldg128_far", 16, (16, 32, 64, 128)),
        )
        for stride in strides
        for threads in (32, 128, 512, 1024)
    ]
    + [
        Loop(
            f"misses.{each}.{threads // 32}",
            f"misses_{each}",
            each,
            threads=threads,
            rounds=(10, 60),
            args=(Zeros(3 << 20), i32(4), i32(1 << 20)),
            bytes_per_operation=128,
            replay=each == 4,
        )
        for each in (1, 2, 4, 8, 16, 32)
        for threads in (32, 64, 128, 256, 512, 1024)
    ]
    + [
        Loop(
            f"misses_sector.{each}.{threads // 32}",
            f"misses_{each}",
            each,
            threads=threads,
            rounds=(10, 60),
            args=(Zeros(3 << 20), i32(0), i32(1 << 20)),
            bytes_per_operation=32,
        )
        for each in (1, 4, 16, 32)
        for threads in (32, 128, 512, 1024)
    ]
    + [Loop("local.chain", "local_chase", 16, args=(i32(0), i32(8)))]
)
