"""Launches that a capture could not keep: they stand in its sequence with the reason, and the others are kept.

sequence.json: {"refused": {"name": NN-KERNEL, "kernel": ..., "reason": ..., "grid": [...], "block": [...], "time_ns": ...}}.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from ssmsim.capture.modes import BEYOND
from ssmsim.capture.names import short_name
from ssmsim.launch import Launch, read_launch

Dim3 = tuple[int, int, int]
GRAPH = "CUDA graph"  # in place of a kernel, for a graph that ran as a whole
MOST_NAMES = 5  # kernels that one line names


@dataclass(frozen=True)
class Refused:
    """One launch that was not kept. grid and block are zero where the call itself could not be read."""

    kernel: str
    reason: str
    grid: Dim3 = (0, 0, 0)
    block: Dim3 = (0, 0, 0)
    provenance: dict[str, Any] = field(default_factory=dict)

    def operation(self, name: str, time_ns: float | None) -> dict[str, Any]:
        """Its entry in a sequence."""
        told: dict[str, Any] = {
            "name": name,
            "kernel": self.kernel,
            "reason": self.reason,
            "grid": self.grid,
            "block": self.block,
        }
        return {"refused": told | ({} if time_ns is None else {"time_ns": time_ns})}


One = TypeVar("One", bound=Launch | Refused)


class Launches(dict[str, One], Generic[One]):
    """By name, what a captured program launched. order: a name for each step, as an equal launch stands for several;
    graphs: whether some of them are kernels of CUDA graphs.
    """

    def __init__(self, found: Mapping[str, One], order: Sequence[str], graphs: bool = False) -> None:
        super().__init__(found)
        self.order, self.graphs = list(order), graphs


def order_of(launches: Mapping[str, Launch | Refused]) -> list[str]:
    """The name of each step; without a sequence every launch is one."""
    return launches.order if isinstance(launches, Launches) else list(launches)


def launched(folder: Path) -> Launches[Launch | Refused]:
    """All that a captured program launched, in its order: what was kept and what was not."""
    operations = json.loads((folder / "sequence.json").read_text())["operations"]
    found: dict[str, Launch | Refused] = {}
    order: list[str] = []
    for operation in operations:
        if "launch" in operation:
            name = operation["launch"]
            found[name] = found.get(name) or read_launch(folder / name)
        elif "refused" in operation:
            told = operation["refused"]
            name = told.get("name", told["kernel"])
            grid, block = tuple(told.get("grid", (0, 0, 0))), tuple(told.get("block", (0, 0, 0)))
            found[name] = Refused(told["kernel"], told["reason"], grid, block)
        else:
            continue
        order += [name] * operation.get("count", 1)
    return Launches(found, order, any("graph" in operation for operation in operations))


@dataclass
class _Row:
    """A line of the table at the end of a capture. stored: folders."""

    what: str
    launches: int = 0
    stored: set[str] = field(default_factory=set)
    time_ns: float = 0.0
    kernels: Counter[str] = field(default_factory=Counter)
    largest: int = 0  # bytes of a buffer beyond the limit

    def text(self) -> str:
        if not self.kernels:
            return self.what
        most = [name for name, _ in self.kernels.most_common(MOST_NAMES)]
        more = f" and {len(self.kernels) - MOST_NAMES} more kernels" if len(self.kernels) > MOST_NAMES else ""
        size = f", up to {-(-self.largest >> 20)} MiB" if self.largest else ""
        return f"captured, contents missing: {', '.join(most)}{more}: {self.what}{size}"


def _row_of(operation: dict[str, Any], folder: Path, known: dict[str, Launch]) -> tuple[str, str, int, str]:
    """(what its row says, the folder, bytes beyond the limit, the kernel where contents are missing) of a step."""
    if "refused" in operation:
        told = operation["refused"]
        return f"refused: {told['kernel'][:60]}: {told['reason']}", "", 0, ""
    name = operation["launch"]
    known[name] = known.get(name) or read_launch(folder / name)
    why = str(known[name].provenance.get("contents_missing", ""))
    if not why:
        return "captured", name, 0, ""
    sizes = [int(size) for size in re.findall(r"of (\d+) bytes", why)] if why.startswith(BEYOND) else []
    cause = BEYOND if sizes else re.sub(r"\b(?:buffer )?(?:0x[0-9a-f]+|\d{4,})\b", "N", why)
    return cause, name, max(sizes, default=0), short_name(known[name].kernel)


def summary(folder: Path) -> str:
    """What a capture kept and what it refused, why, and shares of the time: a table for a terminal."""
    operations = json.loads((folder / "sequence.json").read_text())["operations"]
    rows: dict[str, _Row] = {}
    known: dict[str, Launch] = {}
    for operation in operations:
        if "launch" not in operation and "refused" not in operation:
            continue
        what, name, largest, kernel = _row_of(operation, folder, known)
        row = rows.setdefault(what, _Row(what))
        row.launches += 1
        row.stored |= {name} if name else set()
        row.time_ns += (operation.get("refused") or operation).get("time_ns") or 0
        row.largest = max(row.largest, largest)
        row.kernels.update([kernel] if kernel else [])
    whole = sum(row.time_ns for row in rows.values())
    ordered = sorted(rows.values(), key=lambda row: (row.what != "captured", not row.kernels, -row.launches))
    kept = sum(row.launches for row in ordered if row.stored)
    share = f" ({100 * sum(row.time_ns for row in ordered if row.stored) / whole:.1f} % of the time)" if whole else ""
    lines = [f"captured {kept} of {sum(row.launches for row in ordered)} launches{share}, stored as {len(known)}"]
    lines.append("launches  stored     time")
    for row in ordered:
        time = f"{100 * row.time_ns / whole:.1f} %" if whole else "-"
        lines.append(f"{row.launches:8d}  {len(row.stored) or '-':>6}  {time:>7}  {row.text()}")
    return "\n".join(lines)
