"""Launches that a capture could not keep: they stand in its sequence with the reason, and the others are kept.

sequence.json: {"refused": {"name": NN-KERNEL, "kernel": ..., "reason": ..., "grid": [...], "block": [...], "time_ns": ...}}.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ssmsim.capture.modes import BEYOND
from ssmsim.capture.names import short_name
from ssmsim.launch import Launch, read_launch

Dim3 = tuple[int, int, int]
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


def launched(folder: Path) -> dict[str, Launch | Refused]:
    """All that a captured program launched, by name, in its order: what was kept and what was not."""
    operations = json.loads((folder / "sequence.json").read_text())["operations"]
    found: dict[str, Launch | Refused] = {}
    for operation in operations:
        if "launch" in operation:
            found[operation["launch"]] = read_launch(folder / operation["launch"])
        elif "refused" in operation:
            told = operation["refused"]
            grid, block = tuple(told.get("grid", (0, 0, 0))), tuple(told.get("block", (0, 0, 0)))
            found[told.get("name", told["kernel"])] = Refused(told["kernel"], told["reason"], grid, block)
    return found


def _missing(folder: Path, names: list[str]) -> list[str]:
    """One line for each cause why contents that kept launches need were not recorded, the most frequent first."""
    kernels: dict[str, Counter[str]] = {}
    largest: dict[str, int] = {}
    for name in names:
        launch = read_launch(folder / name)
        why = str(launch.provenance.get("contents_missing", ""))
        if not why:
            continue
        sizes = [int(size) for size in re.findall(r"of (\d+) bytes", why)] if why.startswith(BEYOND) else []
        cause = BEYOND if sizes else re.sub(r"\b(?:buffer )?(?:0x[0-9a-f]+|\d{4,})\b", "N", why)
        largest[cause] = max([*sizes, largest.get(cause, 0)])
        kernels.setdefault(cause, Counter())[short_name(launch.kernel)] += 1
    lines = []
    for cause, of in sorted(kernels.items(), key=lambda pair: -pair[1].total()):
        most = [name for name, _ in of.most_common(MOST_NAMES)]
        named = ", ".join(most) + (f" and {len(of) - MOST_NAMES} more kernels" if len(of) > MOST_NAMES else "")
        size = f", up to {-(-largest[cause] >> 20)} MiB" if largest[cause] else ""
        launches = f"{of.total()} launch{'es' if of.total() > 1 else ''}"
        lines.append(f"contents missing in {launches} of {named}: {cause}{size}")
    return lines


def summary(folder: Path) -> str:
    """What a capture kept and what it refused, and why: lines for a terminal."""
    operations = json.loads((folder / "sequence.json").read_text())["operations"]
    kept = [one for one in operations if "launch" in one]
    refused = [one["refused"] for one in operations if "refused" in one]
    times = sum(one.get("time_ns") or 0 for one in kept), sum(one.get("time_ns") or 0 for one in refused)
    share = f", {100 * times[0] / sum(times):.1f} % of the time" if refused and sum(times) else ""
    lines = [f"captured {len(kept)} of {len(kept) + len(refused)} launches{share}"]
    lines += _missing(folder, [one["launch"] for one in kept])
    for reason, count in Counter(f"{one['kernel'][:60]}: {one['reason']}" for one in refused).most_common():
        lines.append(f"refused {count}: {reason}")
    return "\n".join(lines)
