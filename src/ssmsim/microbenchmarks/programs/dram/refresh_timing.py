"""Refresh of DRAM on an idle GPU: how often lone reads wait for it, its period and length, which lines share one.

A slow read is one that ends more than 75 and less than 700 cycles after its line's 20th percentile; a timed read has
some 40 to 65 cycles of its own. phases: when in the period the refresh of a line ends (the end of its slow reads less
their usual cycles), as a share of it, from an origin that is the same for all lines of a run.
"""

from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import i32, u32, u64

SLOW, LOST = 75, 700  # cycles over the line's usual read: waits between the two are refreshes
FAR = 670  # cycles: reads of lines in the near half of L2 take less, of those in the far half more
NEAR = 0.06  # phases, as a share of the period, that count as one
MB, LINE, PIECE, PAGE, BLOCK = 1 << 20, 128, 512, 4096, 64 << 10
REGION = 256 * MB
# Lines in units of 128 bytes: one of each 512 bytes of 512 KB (pieces of lines 0, 1, 4, 5 and 2, 3, 6, 7 of each 1 KB),
# and one in every 256 KB.
LINES = {
    "pieces": [8 * k + 2 * p for k in range(512) for p in (0, 1)],
    "far": [256 * 1024 // LINE * k for k in range(REGION // (256 * 1024))],
}
# Lines that are loaded at once, counted from the first of a page.
SETS = {
    "one": [0],
    "l01": [0, 1], "l02": [0, 2], "l03": [0, 3], "l04": [0, 4], "l05": [0, 5], "l08": [0, 8], "l16": [0, 16],
    "l24": [0, 24], "page": [0, 32],
    "w4": list(range(4)), "w8": list(range(8)), "w16": list(range(16)), "w32": list(range(32)),
    "piece": [0, 1, 4, 5], "every8": [0, 8, 16, 24], "pages4": [32 * k for k in range(4)],
    "pages8": [32 * k for k in range(8)],
}  # fmt: skip
PAGES = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 100)  # where the sets lie
ALONE, TRIES, TOGETHER = 3000, 400, 800  # reads of one line alone, of each of many in turn, of each set


def slow_reads(cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(usual cycles [lines], mask of slow reads [tries, lines]) of cycles [tries, lines]."""
    usual = np.percentile(cycles, 20, axis=0)
    wait = cycles - usual
    return usual, (wait > SLOW) & (wait < LOST)


def sharpness(ends: np.ndarray, slow: np.ndarray, periods: np.ndarray) -> np.ndarray:
    """How well each period folds the slow reads of every line to one phase: 1 exactly, 0 not at all."""
    total = np.zeros(len(periods))
    for line in range(ends.shape[1]):
        at = ends[slow[:, line], line]
        if len(at) > 1:
            total += np.abs(np.exp(2j * np.pi * (at - at[0]).astype(float)[:, None] / periods).sum(0))
    return total / max(1, sum(n for n in slow.sum(0) if n > 1))


def coarse_period(ends: np.ndarray, slow: np.ndarray, low: float = 1000, high: float = 10000) -> float:
    """Period (cycles) of the ends [tries] of one line's slow reads, read one soon after the other.

    A half or a third of the period folds them as well, twice the period does not: the longest of the good ones.
    """
    best, low_end, high_end = low, low, high
    for step in (0.5, 0.05):
        periods = np.arange(low_end, high_end, step)
        sharp = sharpness(ends[:, None], slow[:, None], periods)
        best = float(periods[sharp >= 0.9 * sharp.max()][-1] if step == 0.5 else periods[sharp.argmax()])
        low_end, high_end = best - 4, best + 4
    return best


def fine_period(ends: np.ndarray, slow: np.ndarray, period: float, width: float = 4.0, lines: int = 200) -> float:
    """`period`, known within `width`, from more and more tries of `lines` lines; ends, slow: [tries, lines]."""
    tries = 3
    while True:
        part, late = ends[:tries, :lines], slow[:tries, :lines]
        sharpest = period * period / float(part.max() - part.min())  # a step of this turns the last by one period
        periods = np.arange(period - width, period + width, min(sharpest, width) / 20)
        period = float(periods[sharpness(part, late, periods).argmax()])
        if tries >= len(ends):
            return period
        tries, width = min(3 * tries, len(ends)), min(width, sharpest)


def phases(ends: np.ndarray, slow: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """(phase of each line's slow reads as a share of the period, how well they agree: 1 exactly), nan without any."""
    turn = np.where(slow, np.exp(2j * np.pi * (ends % period) / period), 0).sum(0)
    turn = np.where(slow.any(0), turn, np.nan)
    return np.angle(turn) / (2 * np.pi) % 1, np.abs(turn) / np.maximum(1, slow.sum(0))


def page_phases(phase: np.ndarray, near: float = NEAR) -> np.ndarray:
    """[pages]: the phase that most lines of a page have within `near` of one another; phase: [pages, lines]."""
    apart = np.abs((phase[:, :, None] - phase[:, None, :] + 0.5) % 1 - 0.5) < near
    chosen = apart[np.arange(len(phase)), apart.sum(2).argmax(1)]
    return np.angle(np.where(chosen, np.exp(2j * np.pi * phase), 0).sum(1)) / (2 * np.pi) % 1


def ticks(phase: np.ndarray) -> dict[str, Any]:
    """The equal parts of the period at whose borders phases lie, 20 to 80 of them: the number that fits best, how well
    (1: exactly), and how many lines at each, from the border behind the longest gap on."""
    phase = phase[np.isfinite(phase)]
    if not len(phase):
        return {}
    numbers = np.arange(20, 81)
    turns = np.exp(2j * np.pi * numbers[:, None] * phase).mean(1)
    best = int(np.abs(turns).argmax())
    number = int(numbers[best])
    at = np.round(phase * number - np.angle(turns[best]) / (2 * np.pi)).astype(int) % number
    counts = np.bincount(at, minlength=number)
    few = 0.002 * len(at)  # strays
    gap, longest = 0, -1
    for start in range(number):
        length = next((k for k in range(number) if counts[(start + k) % number] > few), number)
        if length > longest:
            gap, longest = start, length
    return {
        "number": number,
        "fit": float(np.abs(turns[best])),
        "gap": longest,
        "lines": np.roll(counts, -gap - longest).tolist(),
    }


def by_page(phase: np.ndarray) -> dict[str, Any]:
    """How the phases [pages, lines] of consecutive pages hang together, in shares of the period."""
    usual = page_phases(phase)
    off = (phase - usual[:, None] + 0.5) % 1 - 0.5
    block = np.exp(2j * np.pi * usual[: len(usual) // (BLOCK // PAGE) * (BLOCK // PAGE)]).reshape(-1, BLOCK // PAGE)
    middle = block.mean(1)
    spread = np.abs(np.angle(block / middle[:, None])) / (2 * np.pi)
    counts, edges = np.histogram(off % 1, 20, (0, 1))
    return {
        "phases": usual.round(3).tolist(),
        "share_of_lines_at_it": float((np.abs(off) < NEAR).mean()),
        "off_it": dict(zip(edges[:-1].round(2).astype(str).tolist(), counts.tolist(), strict=True)),
        "of_64KB": (np.angle(middle) / (2 * np.pi) % 1).round(3).tolist(),
        "pages_from_their_64KB": np.percentile(spread, [50, 90, 100]).round(3).tolist(),
    }


def dropped(session: Any, base: int, lines: Any, tries: int) -> tuple[np.ndarray, np.ndarray]:
    """(cycles, clock at the end), both int64 [tries, lines], of lone reads of each line in turn."""
    count = tries * len(lines)
    offsets, cycles, ends = session.buffer(4 * len(lines)), session.buffer(2 * count), session.buffer(8 * count)
    session.gpu.upload(offsets, np.array(lines, i32))
    session.launch(
        "dropped", 1, 1, u64(cycles), u64(ends), u64(base), u64(offsets), i32(len(lines)), i32(tries), u32(0)
    )
    session.gpu.synchronize()
    shape = tries, len(lines)
    taken = session.gpu.download(cycles, count, np.uint16).astype(np.int64).reshape(shape)
    return taken, session.gpu.download(ends, count, np.int64).reshape(shape)


def phase(session: Any) -> dict[str, Any]:
    """Period and length of the refresh (cycles), share of slow reads, phase of each line, of pages and of 64 KB."""
    base = session.buffer(REGION)
    session.sweep()
    cycles, ends = dropped(session, base, [0], ALONE)
    coarse = coarse_period(ends[:, 0], slow_reads(cycles)[1][:, 0])
    found: dict[str, Any] = {"coarse_period": coarse}
    for name, lines in LINES.items():
        cycles, ends = dropped(session, base, lines, TRIES)
        usual, slow = slow_reads(cycles)
        wait = (cycles - usual)[slow]
        period = fine_period(ends, slow, coarse)
        phase, agreement = phases(ends - usual.astype(np.int64), slow, period)
        found[name] = {
            "period": period,
            "share_slow": float(slow.mean()),
            "length": float(np.percentile(wait, 99)),
            "wait_percentiles": np.percentile(wait, [0, 10, 25, 50, 75, 90, 99, 100]).tolist(),
            "usual_percentiles": np.percentile(usual, [0, 5, 25, 50, 75, 95, 100]).tolist(),
            "agreement_percentiles": np.nanpercentile(agreement, [0, 1, 10, 50, 90]).round(3).tolist(),
            "ticks": {"near": ticks(phase[usual < FAR]), "far": ticks(phase[usual >= FAR])},
            "phases": phase.round(3).tolist(),
        }
    of_page = np.array(found["pieces"]["phases"]).reshape(-1, PAGE // PIECE)
    found["pages"] = by_page(of_page)
    return found


def together(session: Any) -> dict[str, Any]:
    """Loads of several lines at once: share of slow ones, usual cycles, mean cycles over the usual; 12 places each."""
    base = session.buffer(REGION)
    offsets, cycles = session.buffer(4 * 32 * len(PAGES)), session.buffer(2 * len(PAGES) * TOGETHER)
    found = {}
    for name, lines in SETS.items():
        places = np.array([[32 * page + line for line in lines] for page in PAGES], i32)
        session.gpu.upload(offsets, places)
        session.sweep()
        session.launch(
            "together", 1, 32,
            u64(cycles), u64(base), u64(offsets), i32(len(PAGES)), i32(len(lines)), i32(TOGETHER), u32(0),
        )  # fmt: skip
        session.gpu.synchronize()
        taken = session.gpu.download(cycles, len(PAGES) * TOGETHER, np.uint16).astype(int).reshape(len(PAGES), -1).T
        usual = np.percentile(taken, 20, axis=0)
        share = (taken > usual + SLOW).mean(0)  # also those that wait for two refreshes, one after the other
        found[name] = {
            "lines": lines,
            "share_slow": float(share.mean()),
            "deviation": float(share.std() / len(share) ** 0.5),
            "usual": float(np.median(usual)),
            "mean_over_usual": float((taken - usual).mean()),
        }
    return found


MEASUREMENTS = [phase, together]
