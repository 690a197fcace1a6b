"""Which slice of L2 holds which line, told by the line's latency from every SM; which pages lie in the far half.

Slices that are as far from every SM as one another cannot be told apart: there are at least as many as found.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64
from ssmsim.microbenchmarks.programs.dram.refresh_timing import FAR
from ssmsim.microbenchmarks.programs.l2.latency_bandwidth import sms

LINES, TRIES, TURN = 4096, 24, 430  # lines of 128 bytes; reads of each; cycles that one takes, at most
COLD = 16  # reads of each line from DRAM
CAP = 30  # cycles: so much at most does one SM count, whose copy of a line may lie elsewhere
CHUNK, PAGE = 8, 32  # lines of 1 KB, of 4 KB
FIRST, SECOND = (0, 1, 4, 5), (2, 3, 6, 7)  # lines of a 1 KB chunk that share a slice


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Mean difference over SMs (the last axis) of two latencies, each at most CAP."""
    return np.minimum(np.abs(a - b), CAP).mean(-1)


def noise(chunks: np.ndarray) -> float:
    """Distance of two pairs of lines that share a slice, the usual one; chunks: [chunks, 8, SMs]."""
    pairs = [(chunks[:, half[:2]].mean(1), chunks[:, half[2:]].mean(1)) for half in (FIRST, SECOND)]
    return float(np.median([distance(a, b) for a, b in pairs]))


def alternating(chunks: np.ndarray) -> float:
    """Share of chunks whose lines lie in two slices as a a b b a a b b; chunks: [chunks, 8, SMs].

    Each line must be nearer to the three others of its half than to any of the other half.
    """
    apart = distance(chunks[:, :, None], chunks[:, None])  # [chunks, 8, 8]
    same = np.zeros((CHUNK, CHUNK), bool)
    for half in (FIRST, SECOND):
        same[np.ix_(half, half)] = True
    inner = np.where(same, apart, -np.inf).max((1, 2))
    outer = np.where(same, np.inf, apart).min((1, 2))
    return float((inner < outer).mean())


def slices(pieces: np.ndarray, within: float) -> np.ndarray:
    """Number of the slice of each piece of four lines, [pieces]: those are together that a chain of distances below
    `within` connects; pieces: latencies [pieces, SMs]."""
    numbers = np.full(len(pieces), -1)
    count = 0
    for start in range(len(pieces)):
        if numbers[start] >= 0:
            continue
        numbers[start], reached = count, [start]
        while reached:
            near = (numbers < 0) & (distance(pieces, pieces[reached.pop()]) < within)
            numbers[near] = count
            reached += np.flatnonzero(near).tolist()
        count += 1
    return numbers


def spread(latencies: np.ndarray) -> dict[str, Any]:
    """What latencies [SMs, lines] of consecutive lines say about their slices."""
    chunks = latencies.T.astype(np.float32).reshape(-1, CHUNK, len(latencies))
    pieces = np.stack([chunks[:, half].mean(1) for half in (FIRST, SECOND)], 1).reshape(-1, len(latencies))
    limit = noise(chunks)  # of two lines each; four lines differ by less when they share a slice
    numbers = slices(pieces, limit)
    _, lines = np.unique(numbers, return_counts=True)
    in_page = [len(set(page)) for page in numbers.reshape(-1, PAGE // 4)]
    return {
        "two_slices_aabbaabb": alternating(chunks),
        "told_apart": limit,
        "slices": len(lines),
        "pieces_of_512_by_slice": np.sort(lines).tolist(),
        "slices_in_page": {str(k): in_page.count(k) for k in sorted(set(in_page))},
    }


def by_latency(session: Any) -> dict[str, Any]:
    """512 KB line by line: shares of chunks in two slices and of pages on one side, slices, lines in each."""
    base, size = session.buffer(128 * LINES), session.sms * LINES
    fastest, first = session.buffer(2 * size), session.buffer(2 * size)
    session.launch(
        "line_latency", session.sms, 1,
        u64(fastest), u64(first), u64(base), u64(128), i32(LINES), i32(TRIES), i32(LINES * TRIES * TURN), u32(0), sms(),
        shared=120 << 10,
    )  # fmt: skip
    session.gpu.synchronize()
    found = spread(session.gpu.download(fastest, size, np.uint16).reshape(session.sms, LINES))
    offsets, cycles, ends = (
        session.buffer(4 * LINES),
        session.buffer(2 * LINES * COLD),
        session.buffer(8 * LINES * COLD),
    )
    session.gpu.upload(offsets, np.arange(LINES, dtype=i32))
    session.sweep()
    session.launch("dropped", 1, 1, u64(cycles), u64(ends), u64(base), u64(offsets), i32(LINES), i32(COLD), u32(0))
    session.gpu.synchronize()
    usual = np.percentile(session.gpu.download(cycles, LINES * COLD, np.uint16).reshape(COLD, LINES), 20, axis=0)
    far = (usual > FAR).reshape(-1, PAGE)
    return found | {
        "cold_histogram": {str(c): int((usual // 10 * 10 == c).sum()) for c in np.unique(usual // 10 * 10).astype(int)},
        "far_lines": float(far.mean()),
        "pages_on_one_side": float((far.all(1) | ~far.any(1)).mean()),
        "far_pages": "".join("fn"[not page] for page in far.mean(1) > 0.5),
    }


MEASUREMENTS = [by_latency]
