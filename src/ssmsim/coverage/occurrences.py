"""What a captured program launched, how often and for how long: sequence.json, and measured.csv beside it.

sequence/1 lists operations in order. {"launch": FOLDER} is a launch; `count` says how often it ran in a row, `time_ns` how
long each took. {"refused": {"kernel": ..., "reason": ...}} is a launch that the capture could not keep, with the same two
fields. Without a sequence each folder counts once. Times that the sequence lacks are those of measured.csv (cold caches
before warm ones).
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ssmsim.errors import SsmsimError
from ssmsim.files import is_regular, read_json
from ssmsim.measured import TIME_NS, read_measured

TODO = "capture again"


@dataclass(frozen=True)
class Occurrence:
    """One launch of a program. folder: where it lies, None for one that was not kept. count: times; time_ns: all together,
    None when nobody measured it. reason: why it was not kept.
    """

    name: str
    folder: Path | None
    count: int = 1
    time_ns: float | None = None
    reason: str = ""


def occurrences(root: Path) -> list[Occurrence]:
    """All launches below a folder, those of one capture in its order. SsmsimError when there is none."""
    if not root.is_dir():
        raise SsmsimError("no such folder", root, "name a folder with captured launches")
    folders = sorted(file.parent for file in root.rglob("launch.json"))
    captures = dict.fromkeys([*(f.parent for f in folders), *(f.parent for f in sorted(root.rglob("sequence.json")))])
    found = [one for capture in captures for one in _of_capture(capture, [f for f in folders if f.parent == capture])]
    if not found:
        raise SsmsimError(
            "holds no launch", root, "name a folder that `ssmsim capture` wrote, or one above such folders"
        )
    return found


def _of_capture(capture: Path, folders: list[Path]) -> list[Occurrence]:
    file = capture / "sequence.json"
    ran = _sequence(file, capture) if is_regular(file) else []
    known = {one.folder for one in ran}
    ran += [Occurrence(folder.name, folder) for folder in folders if folder not in known] if not ran else []
    times = _measured(capture / "measured.csv")
    return [
        replace(one, time_ns=times[one.name] * one.count) if one.time_ns is None and one.name in times else one
        for one in ran if one.folder is None or one.folder in folders
    ]  # fmt: skip


def _sequence(file: Path, capture: Path) -> list[Occurrence]:
    data = read_json(file, TODO)
    operations = data.get("operations") if isinstance(data, dict) else None
    if not isinstance(operations, list):
        raise SsmsimError("not a sequence/1 with a list of operations", file, TODO)
    merged: dict[tuple[str, str], Occurrence] = {}
    for number, operation in enumerate(operations):
        one = _operation(operation, f"{file}: operation {number}", capture)
        if one is None:
            continue
        key = one.name, one.reason
        before = merged.get(key)
        if before is not None:
            known = before.time_ns is not None and one.time_ns is not None
            total = (before.time_ns or 0) + (one.time_ns or 0) if known else None
            one = replace(one, count=before.count + one.count, time_ns=total)
        merged[key] = one
    return list(merged.values())


def _operation(operation: Any, where: str, capture: Path) -> Occurrence | None:
    """A launch; None for a copy or what else stands in the sequence."""
    if not isinstance(operation, dict):
        raise SsmsimError("expected an object", where, TODO)
    refused = operation.get("refused")
    fields = refused if isinstance(refused, dict) else operation
    count, time = fields.get("count", 1), fields.get("time_ns")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise SsmsimError(f"count {count!r} is not a positive whole number", where, TODO)
    if time is not None and (isinstance(time, bool) or not isinstance(time, int | float) or not 0 <= time < 1e18):
        raise SsmsimError(f"time_ns {time!r} is not a time", where, TODO)
    total = None if time is None else float(time) * count
    if isinstance(refused, dict):
        return Occurrence(
            str(refused.get("kernel", "?")), None, count, total, str(refused.get("reason", "no reason given"))
        )
    name = operation.get("launch")
    return Occurrence(name, capture / name, count, total) if isinstance(name, str) else None


def _measured(file: Path) -> dict[str, float]:
    """Nanoseconds by launch."""
    if not is_regular(file):
        return {}
    rows = read_measured(file).rows
    times: dict[str, float] = {}
    for cache in ("warm", "cold"):
        times.update({n: t for (n, c), row in rows.items() if c == cache and (t := row.get(TIME_NS)) is not None})
    return times
