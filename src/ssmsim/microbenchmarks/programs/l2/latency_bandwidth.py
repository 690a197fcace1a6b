"""L2: latency of single lines from every SM (near and far), hits, stores and atomics per cycle from chosen SMs."""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, Random, Zeros, i32, u32, u64

MB = 1 << 20


def sms(*chosen: int) -> np.ndarray:
    """Bit mask of SMs as the kernels take it; none named: all."""
    mask = np.zeros(5, u32)
    for sm in chosen or range(160):
        mask[sm // 32] |= u32(1 << sm % 32)
    return mask


def histogram(cycles: np.ndarray) -> dict[str, int]:
    """Samples per 10 cycles, by the bin's first cycle; beyond 1400 in one bin."""
    values, counts = np.unique(np.minimum(cycles, 1400) // 10 * 10, return_counts=True)
    return {str(v): int(c) for v, c in zip(values, counts, strict=True)}


def near_far(session: Any) -> dict[str, Any]:
    """Cycles of each SM's first load of lines that lie in L2 at home only: near and far. and how often which."""
    found: dict[str, Any] = {}
    for stride, count in ((128, 2048), (4096, 512)):
        base = session.buffer(stride * count)
        fastest, first = session.buffer(2 * session.sms * count), session.buffer(2 * session.sms * count)
        for sm in range(session.sms):
            session.gpu.zero(base, stride * count)
            session.launch(
                "line_latency",
                session.sms,
                1,
                u64(fastest),
                u64(first),
                u64(base),
                u64(stride),
                i32(count),
                i32(1),
                i32(0),
                u32(0),
                sms(sm),
                shared=120 << 10,
            )
            session.gpu.synchronize()
        cycles = session.gpu.download(first, session.sms * count, np.uint16).reshape(session.sms, count)
        found[str(stride)] = {
            "mean_by_sm": cycles.mean(1).round(1).tolist(),
            "percentiles": np.percentile(cycles, [0, 5, 25, 50, 75, 95, 100]).tolist(),
            "histogram": histogram(cycles),
        }
        session.release()
    return found


def lines(session: Any) -> dict[str, Any]:
    """Cycles from every SM to single lines, best of 4 tries (copies near the SM count): percentiles."""
    stride, count = 4096, 1024
    base = session.buffer(stride * count)
    size = session.sms * count
    fastest, first = session.buffer(2 * size), session.buffer(2 * size)
    session.launch(
        "line_latency",
        session.sms,
        1,
        u64(fastest),
        u64(first),
        u64(base),
        u64(stride),
        i32(count),
        i32(4),
        i32(count * 4 * 800),
        u32(0),
        sms(),
        shared=120 << 10,
    )
    session.gpu.synchronize()
    cycles = session.gpu.download(fastest, size, np.uint16).reshape(session.sms, count)
    return {
        "percentiles": np.percentile(cycles, [0, 5, 25, 50, 75, 95, 100]).tolist(),
        "mean_by_sm": cycles.mean(1).round(1).tolist(),
    }


def atomics(session: Any) -> dict[str, Any]:
    """Cycles of atomicAdd with its old value used, and of plain loads, on the same lines from one SM."""
    stride, count = 4096, 512
    base, cycles = session.buffer(stride * count), session.buffer(2 * count)
    found = {}
    for which in ("first", "second"):
        session.launch("atom_latency", 1, 1, u64(cycles), u64(base), u64(stride), i32(count), u32(0), shared=120 << 10)
        session.gpu.synchronize()
        found[which] = np.percentile(
            session.gpu.download(cycles, count, np.uint16), [0, 5, 25, 50, 75, 95, 100]
        ).tolist()
    return found


def misses(session: Any) -> dict[str, Any]:
    """Cycles of single cold loads from one SM: percentiles and histogram."""
    found: dict[str, Any] = {}
    for stride in (128, 4096):
        pages, count = 64, 2 * MB // 4096 - 1
        base, first = session.buffer(2 * MB * pages), session.buffer(2 * pages * count)
        other = session.buffer(512 * MB)
        session.gpu.zero(other, 512 * MB)  # pushes the lines out of L2
        session.launch(
            "miss_latency", 1, 1, u64(first), u64(base), u64(2 * MB), i32(pages), i32(count), i32(stride), u32(0)
        )
        session.gpu.synchronize()
        cycles = session.gpu.download(first, pages * count, np.uint16).reshape(pages, count)
        found[str(stride)] = {
            "percentiles": np.percentile(cycles, [0, 5, 25, 50, 75, 95, 99, 100]).tolist(),
            "histogram": histogram(cycles),
        }
        session.release()
    return found


def walk(kernel: str, mb: int, threads: int, chosen: tuple[int, ...], label: str, replay: bool = False) -> Loop:
    width = {"red_l2": 128, "write32_l2": 128, "write64_l2": 256}.get(kernel, 512)
    return Loop(
        f"{kernel}.{mb}MB.{threads // 32}.{label}",
        kernel,
        8,
        threads=threads,
        blocks=132,
        shared=120 << 10,
        args=(Random(mb * MB), u32(mb * MB), sms(*chosen)),
        rounds=(20, 60),
        bytes_per_operation=width,
        replay=replay,
    )


# As launch/block_dispatch_rate found by clusters.
GPC = (2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107)
SETS = {
    "1sm": (2,),
    "tpc": (2, 3),
    "2tpc": (2, 18),
    "2gpc": (2, 4),
    "gpc4": GPC[:4],
    "gpc8": GPC[:8],
    "gpc": GPC,
    "8gpc": tuple(range(0, 16, 2)),
    "33sm": tuple(range(0, 132, 4)),
    "66sm": tuple(range(0, 132, 2)),
    "all": (),
}
LOOPS = (
    [
        walk(kernel, 16, threads, chosen, label)
        for kernel in ("read_l2", "read_plain", "write_l2", "write32_l2", "write64_l2", "red_l2")
        for label, chosen in SETS.items()
        for threads in ((128, 512, 1024) if label in ("1sm", "all") else (1024,))
    ]
    + [
        Loop(
            f"{kernel}.{blocks}blocks",
            kernel + "_all",
            8,
            threads=1024,
            blocks=blocks,
            shared=120 << 10,
            args=(Random(16 * MB), u32(16 * MB)),
            rounds=(4, 12),
            bytes_per_operation=128 if kernel == "red_l2" else 512,
            replay=True,
        )
        for kernel in ("read_l2", "write_l2", "red_l2")
        for blocks in (1, 132)
    ]
    + [walk(kernel, mb, 1024, (), "all") for kernel in ("read_l2", "write_l2") for mb in (1, 4, 32, 64)]
    + [
        Loop(
            f"red.{'own' if own else 'same'}.{threads // 32}.{label}",
            "red_same",
            8,
            threads=threads,
            blocks=132,
            shared=120 << 10,
            args=(Zeros(132 * 32 * 128), u32(own), sms(*chosen)),
            bytes_per_operation=128,
        )
        for own in (0, 1)
        for threads in (32, 1024)
        for label, chosen in (("1sm", (2,)), ("all", ()))
    ]
    + [
        Loop("atom.chain", "atom_chain", 8, threads=1, blocks=132, shared=120 << 10, args=(Zeros(256), u32(0), sms(2))),
    ]
)
MEASUREMENTS = [near_far, lines, atomics, misses]
SECONDS = 90
