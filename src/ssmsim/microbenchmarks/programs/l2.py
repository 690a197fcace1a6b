"""L2: latency of single lines from every SM (near and far), hits, stores and atomics per cycle from chosen SMs."""

import base64
import zlib
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, Zeros, i32, u32, u64

MB = 1 << 20


def sms(*chosen: int) -> np.ndarray:
    """Bit mask of SMs as the kernels take it; none named: all."""
    mask = np.zeros(5, u32)
    for sm in chosen or range(160):
        mask[sm // 32] |= u32(1 << sm % 32)
    return mask


def packed(values: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(values, "<u2").tobytes(), 9)).decode()


def lines(session: Any) -> dict[str, Any]:
    """Cycles from every SM to single lines; `packed`: base64 of zlib of uint16[SM][line]."""
    found: dict[str, Any] = {}
    for stride, count in ((128, 2048), (4096, 1024), (2 * MB, 256)):
        base = session.buffer(stride * count, zero=stride < MB)
        size = session.sms * count
        fastest, first = session.buffer(2 * size), session.buffer(2 * size)
        session.launch("line_latency", session.sms, 1, u64(fastest), u64(first), u64(base), u64(stride), i32(count),
                       i32(4), i32(count * 4 * 800), u32(0), shared=120 << 10)  # fmt: skip
        session.gpu.synchronize()
        cycles = session.gpu.download(fastest, size, np.uint16).reshape(session.sms, count)
        found[str(stride)] = {"mean_by_sm": cycles.mean(1).round(1).tolist(), "percentiles": np.percentile(cycles, [0, 5, 25, 50, 75, 95, 100]).tolist(), "packed": packed(cycles)}  # fmt: skip
        session.release()
    return found


def misses(session: Any) -> dict[str, Any]:
    """Cycles of single cold loads from one SM: percentiles, and `packed` uint16[page][line]."""
    found: dict[str, Any] = {}
    for stride in (128, 4096):
        pages, count = 64, 2 * MB // 4096 - 1
        base, first = session.buffer(2 * MB * pages), session.buffer(2 * pages * count)
        other = session.buffer(512 * MB)
        session.gpu.zero(other, 512 * MB)  # pushes the lines out of L2
        session.launch("miss_latency", 1, 1, u64(first), u64(base), u64(2 * MB), i32(pages), i32(count), i32(stride), u32(0))
        session.gpu.synchronize()
        cycles = session.gpu.download(first, pages * count, np.uint16).reshape(pages, count)
        found[str(stride)] = {"percentiles": np.percentile(cycles, [0, 5, 25, 50, 75, 95, 99, 100]).tolist(), "packed": packed(cycles[:16])}  # fmt: skip
        session.release()
    return found


def walk(kernel: str, mb: int, threads: int, chosen: tuple[int, ...], label: str, replay: bool = False) -> Loop:
    width = 128 if kernel == "red_l2" else 512
    return Loop(f"{kernel}.{mb}MB.{threads // 32}.{label}", kernel, 8, threads=threads, blocks=132, shared=120 << 10,
                args=(Zeros(mb * MB), u32(mb * MB), sms(*chosen)), rounds=(20, 60), bytes_per_operation=width, replay=replay)  # fmt: skip


SETS = {"1sm": (0,), "tpc": (0, 1), "2tpc": (0, 4), "8sm": tuple(range(0, 16, 2)), "16sm": tuple(range(16)), "33sm": tuple(range(0, 132, 4)), "66sm": tuple(range(0, 132, 2)), "all": ()}  # fmt: skip
LOOPS = [
    walk(kernel, 16, threads, chosen, label)
    for kernel in ("read_l2", "read_plain", "write_l2", "red_l2")
    for label, chosen in SETS.items()
    for threads in ((128, 512, 1024) if label in ("1sm", "all") else (1024,))
] + [
    walk(kernel, mb, 1024, (), "all") for kernel in ("read_l2", "write_l2") for mb in (1, 4, 32, 64, 128)
] + [
    Loop(f"red.{'own' if own else 'same'}.{threads // 32}.{label}", "red_same", 8, threads=threads, blocks=132, shared=120 << 10,
         args=(Zeros(132 * 32 * 128), u32(own), sms(*chosen)), bytes_per_operation=128)
    for own in (0, 1)
    for threads in (32, 1024)
    for label, chosen in (("1sm", (0,)), ("all", ()))
] + [
    Loop("atom.chain", "atom_chain", 8, args=(Zeros(256), u32(0), sms()), replay=True),
]  # fmt: skip
MEASUREMENTS = [lines, misses]
SECONDS = 90
