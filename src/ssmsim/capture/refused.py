"""Launches that a capture could not keep: they stand in its sequence with the reason, and the others are kept.

sequence.json: {"refused": {"name": NN-KERNEL, "kernel": ..., "reason": ..., "grid": [...], "block": [...], "time_ns": ...}}.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ssmsim.launch import Launch, read_launch

Dim3 = tuple[int, int, int]


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


def _missing(launch: Path) -> str:
    """Why contents that a kept launch needs were not recorded, "" when none are missing."""
    return str(read_launch(launch).provenance.get("contents_missing", ""))


def summary(folder: Path) -> str:
    """What a capture kept and what it refused, and why: lines for a terminal."""
    operations = json.loads((folder / "sequence.json").read_text())["operations"]
    kept = [one for one in operations if "launch" in one]
    refused = [one["refused"] for one in operations if "refused" in one]
    times = sum(one.get("time_ns") or 0 for one in kept), sum(one.get("time_ns") or 0 for one in refused)
    share = f", {100 * times[0] / sum(times):.1f} % of the time" if refused and sum(times) else ""
    lines = [f"captured {len(kept)} of {len(kept) + len(refused)} launches{share}"]
    missing = Counter(why for one in kept if (why := _missing(folder / one["launch"])))
    lines += [f"contents missing in {count}: {why}" for why, count in missing.most_common()]
    for reason, count in Counter(f"{one['kernel'][:60]}: {one['reason']}" for one in refused).most_common():
        lines.append(f"refused {count}: {reason}")
    return "\n".join(lines)
