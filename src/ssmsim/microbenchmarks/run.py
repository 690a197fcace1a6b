"""Run microbenchmarks, each program in a process of its own with a time limit: one that fails loses only itself."""

import argparse
import csv
import datetime
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ssmsim.errors import told
from ssmsim.microbenchmarks.build import build, load_program, programs

MODULE = "ssmsim.microbenchmarks.run"
COUNTED_ARENA = 2 << 30  # the profiler saves memory between passes: no more than counted launches need


def worker(name: str, cubins: Path, out: Path, counted: bool) -> None:
    """Measure one program in this process and write `out`, a file (counted: only its launches under the profiler)."""
    from ssmsim.microbenchmarks.session import ARENA, Session

    program = load_program(name)
    session = Session(cubins / f"{name}.cubin", COUNTED_ARENA if counted else ARENA)
    if counted:
        labels = list(program.counted(session))
        out.write_text(json.dumps(labels))
        return
    result: dict[str, Any] = {
        "program": name,
        "isolates": (program.__doc__ or "").strip(),
        "device": session.gpu.facts(),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cubin_sha256": hashlib.sha256((cubins / f"{name}.cubin").read_bytes()).hexdigest(),
        "loops": {},
        "samples": {},
        "failed": {},
    }
    out.write_text(json.dumps(result))
    for part in getattr(program, "MEASUREMENTS", []):
        started = time.time()
        try:
            result["samples"][part.__name__] = part(session)
            session.release()
        except Exception as error:  # a failing part must not lose the others
            result["failed"][part.__name__] = f"{type(error).__name__}: {error}"
        result["samples"].setdefault("seconds", {})[part.__name__] = round(time.time() - started, 2)
        out.write_text(json.dumps(result))
    for case in getattr(program, "LOOPS", []):
        try:
            result["loops"][case.name] = session.loop(case)
        except RuntimeError as error:
            result["failed"][case.name] = str(error)
        out.write_text(json.dumps(result))


def profile(name: str, cubins: Path, out: Path, limit: float) -> list[dict[str, Any]]:
    """The program's counted launches under Nsight Compute, once per (cache control, metrics): label and metrics."""
    program = load_program(name)
    labels = out / f"{name}.labels.json"
    table: dict[tuple[str, int], dict[str, Any]] = {}
    for cache, metrics in program.METRICS:
        command = [
            "ncu",
            "--csv",
            "--page",
            "raw",
            "--print-units",
            "base",
            "--cache-control",
            cache,
            "--clock-control",
            "none",
            "--metrics",
            ",".join(metrics),
            sys.executable,
            "-m",
            MODULE,
            "--worker",
            name,
            "--counted",
            "--cubins",
            str(cubins),
            "-o",
            str(labels),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
        if not lines or not labels.is_file():
            raise RuntimeError(f"ncu gave no table: {done.stdout[-500:]} {done.stderr[-500:]}")
        rows = list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]  # the first row holds the units
        names = json.loads(labels.read_text())
        labels.unlink()
        if len(rows) != len(names):
            raise RuntimeError(f"{len(rows)} profiled launches for {len(names)} labels: {done.stdout[-500:]}")
        passes = max((int(n) for n in re.findall(r"(\d+) pass", done.stdout + done.stderr)), default=0)
        for index, (label, row) in enumerate(zip(names, rows, strict=True)):
            entry = table.setdefault((cache, index), {"label": label, "cache_control": cache, "passes": passes})
            entry["passes"] = max(entry["passes"], passes)
            entry |= {m: float(row[m].replace(",", "")) for m in metrics if row.get(m)}
    return list(table.values())


def one(name: str, cubins: Path, out: Path, limit: float) -> str:
    """Measure one program in a child process; a line for the log."""
    started = time.time()
    program = load_program(name)
    limit = getattr(program, "SECONDS", limit)
    file = out / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", MODULE, "--worker", name, "--cubins", str(cubins), "-o", str(file)]
    problems = []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        if done.returncode:
            problems.append(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
    except subprocess.TimeoutExpired:
        problems.append(f"stopped after {limit} s")
    if hasattr(program, "counted") and shutil.which("ncu"):
        try:
            rows = profile(name, cubins, out, limit)
            result = json.loads(file.read_text()) if file.is_file() else {"program": name}
            result["counted"] = rows
            file.write_text(json.dumps(result))
        except (RuntimeError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
            problems.append(f"counted: {str(error)[-600:]}")
    if file.is_file():
        failed = json.loads(file.read_text()).get("failed", {})
        problems += [f"{part}: {why}" for part, why in failed.items()]
    return f"{name}: {time.time() - started:.1f} s {'; '.join(problems) or 'ok'}"


def clocks() -> str:
    """Clocks, power and temperature as the driver reports them now."""
    query = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.draw,temperature.gpu"
    try:
        done = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv"], capture_output=True, text=True)
        return done.stdout.strip()
    except OSError:
        return ""


def run(out: Path, cubins: Path, names: list[str], limit: float = 60.0, workers: int = 16) -> None:
    """Compile and measure the named programs (all if empty), out/GROUP/NAME.json each, and out/device.json."""
    out.mkdir(parents=True, exist_ok=True)
    names = names or programs()
    build(cubins, names, workers)
    before = clocks()
    for name in names:
        print(one(name, cubins, out, limit), flush=True)
    (out / "device.json").write_text(json.dumps({"before": before, "after": clocks()}, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--worker")
    parser.add_argument("--counted", action="store_true")
    parser.add_argument("--cubins", type=Path, default=Path("build/microbench"))
    parser.add_argument("-o", "--out", type=Path, required=True)
    chosen = parser.parse_args()
    if chosen.worker:
        worker(chosen.worker, chosen.cubins, chosen.out, chosen.counted)
    else:
        run(chosen.out, chosen.cubins, chosen.names)


if __name__ == "__main__":
    sys.exit(told(main))
