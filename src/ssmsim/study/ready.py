"""Before a batch: simulations that start together would each compile the engine, so one does, and the others wait.

    python -m ssmsim.study.ready ENGINE

Not a rule of its own: when what such a rule was made from changes, Snakemake 9.27 makes it anew and nothing else in that run.
"""

import fcntl
import math
import subprocess
import sys
from pathlib import Path

from ssmsim.errors import SsmsimError, told
from ssmsim.launch import read_launch
from ssmsim.study.keys import EXTERNAL, digest


def smallest() -> Path:
    """Of the launches of workloads, traces/DEVICE/WORKLOAD/LAUNCH, for whose device there is a configuration."""
    named = [path.name for path in Path("simconfigs").glob("*.yaml")]
    found = [
        path.parent for path in sorted(Path("traces").glob("*/*/*/launch.json")) if f"{path.parts[1]}.yaml" in named
    ]
    if not found:
        raise SsmsimError("no launch to compile the engine with", "traces", "capture one: ssmsim capture")
    return min(found, key=lambda folder: math.prod(read_launch(folder).grid))


def main(engine: str) -> int:
    """Exit code of the smallest simulation; 0 at once when it has been made with the sources of today, or nothing is compiled."""
    if engine in EXTERNAL:
        return 0
    made = Path(f"results/{engine}/ready-{digest(engine)}.json")
    made.parent.mkdir(parents=True, exist_ok=True)
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.is_file():
            return 0
        launch = smallest()
        config = f"simconfigs/{launch.parts[1]}.yaml"
        command = (sys.executable, "-m", "ssmsim.cli", "simulate", str(launch), "--config", config, "--engine", engine)
        return subprocess.run([*command, "--json", str(made)], check=False).returncode


if __name__ == "__main__":
    sys.exit(told(lambda: main(*sys.argv[1:])))
