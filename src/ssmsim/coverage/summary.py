"""Coverage of a captured program as numbers and as tables."""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from ssmsim.coverage.check import Checked
from ssmsim.coverage.occurrences import Occurrence
from ssmsim.engines.summary import plain

Pairs = list[tuple[Occurrence, Checked]]


@dataclass(frozen=True)
class Share:
    """So much of a whole. counts: launches, nanoseconds, opcodes, static or warp instructions."""

    replayed: float
    whole: float

    @property
    def text(self) -> str:
        return f"{100 * self.replayed / self.whole:.1f} %" if self.whole else "–"


@dataclass(frozen=True)
class Missing:
    """One cause: launches and time that it costs, and a launch that shows it."""

    opcode: str
    reason: str
    launches: int
    kernels: int
    time_ns: float
    example: str


@dataclass(frozen=True)
class Coverage:
    """launches, time_ns: of the program as it ran. emulated, emulated_ns: of it, what is replayed but for its time.

    opcodes: different ones, instructions: of the kernels' code, both once per kernel. executed: warp instructions of the
    blocks that could be emulated, by opcodes that are timed. untimed: launches whose time is not known.
    """

    launches: Share
    time_ns: Share
    untimed: int
    opcodes: Share
    instructions: Share
    executed: Share
    missing: list[Missing]
    emulated: Share
    emulated_ns: Share


def summarise(pairs: Pairs) -> Coverage:
    """Coverage of checked launches."""
    static: Counter[str] = Counter()
    missing: set[str] = set()
    executed: Counter[str] = Counter()
    for kernel in {id(c.static): c for _, c in pairs}.values():
        static.update(kernel.static)
        missing |= kernel.missing
    for one, checked in pairs:
        for opcode, n in checked.executed.items():
            executed[opcode] += n * one.count
    good = [(o, c) for o, c in pairs if not c.reason]
    known = [(o, c) for o, c in pairs if c.emulated]
    return Coverage(
        Share(_launches(good), _launches(pairs)), Share(_time(good), _time(pairs)),
        sum(o.count for o, _ in pairs if o.time_ns is None),
        Share(len(static.keys() - missing), len(static)),
        Share(sum(n for k, n in static.items() if k not in missing), sum(static.values())),
        Share(sum(n for k, n in executed.items() if k not in missing), sum(executed.values())), _causes(pairs),
        Share(_launches(known), _launches(pairs)), Share(_time(known), _time(pairs)),
    )  # fmt: skip


def _launches(pairs: Pairs) -> int:
    return sum(o.count for o, _ in pairs)


def _time(pairs: Pairs) -> float:
    return sum(o.time_ns or 0.0 for o, _ in pairs)


def _causes(pairs: Pairs) -> list[Missing]:
    """Biggest first: by time, then by launches."""
    groups: dict[tuple[str, str], Pairs] = defaultdict(list)
    for occurrence, checked in pairs:
        if checked.reason:
            groups[checked.opcode, checked.reason].append((occurrence, checked))
    rows = [
        Missing(opcode, reason, _launches(of), len({c.kernel for _, c in of}), _time(of), of[0][0].name)
        for (opcode, reason), of in groups.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.time_ns, -row.launches, row.opcode, row.reason))


def as_json(folder: Path, found: Coverage) -> dict[str, Any]:
    return {"format": "coverage/1", "folder": str(folder), **asdict(found)}


def tables(folder: Path, found: Coverage) -> list[Table]:
    """What can be replayed; what cannot."""
    head = plain(f"{folder}: what can be replayed")
    for column in ("", "replayed", "of", "share"):
        head.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, share in (
        ("launches", found.launches), ("time, us", Share(found.time_ns.replayed / 1e3, found.time_ns.whole / 1e3)),
        ("launches emulated", found.emulated),
        ("their time, us", Share(found.emulated_ns.replayed / 1e3, found.emulated_ns.whole / 1e3)),
        ("opcodes", found.opcodes), ("instructions of the code", found.instructions),
        ("warp instructions emulated", found.executed),
    ):  # fmt: skip
        head.add_row(name, f"{share.replayed:,.0f}", f"{share.whole:,.0f}", share.text)
    if found.untimed:
        head.caption = f"{found.untimed} launches without a measured time"
    if not found.missing:
        return [head]
    rest = plain("what is missing")
    for column in ("launches", "kernels", "time", "opcode", "reason", "for example"):
        rest.add_column(column, justify="right" if column in ("launches", "kernels", "time") else "left", no_wrap=True)
    for row in found.missing:
        time = Share(row.time_ns, found.time_ns.whole).text
        rest.add_row(f"{row.launches:,}", f"{row.kernels:,}", time, row.opcode or "–", row.reason, row.example)
    return [head, rest]
