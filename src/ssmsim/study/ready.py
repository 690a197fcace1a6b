"""Simulate the smallest launch that is there: simulations that start together would each compile the engine otherwise.

    python -m ssmsim.study.ready ENGINE RESULT

Which launch that is does not depend on the study: Snakemake would make it anew for the next one, and nothing else in that run.
"""

import math
import subprocess
import sys
from pathlib import Path

from ssmsim.errors import SsmsimError, told
from ssmsim.launch import read_launch


def smallest() -> Path:
    """Of the launches of workloads, traces/DEVICE/WORKLOAD/LAUNCH, for whose device there is a configuration."""
    named = [path.name for path in Path("simconfigs").glob("*.yaml")]
    found = [
        path.parent for path in sorted(Path("traces").glob("*/*/*/launch.json")) if f"{path.parts[1]}.yaml" in named
    ]
    if not found:
        raise SsmsimError("no launch to compile the engine with", "traces", "capture one: ssmsim capture")
    return min(found, key=lambda folder: math.prod(read_launch(folder).grid))


def main(engine: str, out: str) -> int:
    """Exit code of the simulation, which writes `out`."""
    launch = smallest()
    command = (
        sys.executable,
        "-m",
        "ssmsim.cli",
        "simulate",
        str(launch),
        "--config",
        f"simconfigs/{launch.parts[1]}.yaml",
    )
    return subprocess.run([*command, "--engine", engine, "--json", out], check=False).returncode


if __name__ == "__main__":
    sys.exit(told(lambda: main(*sys.argv[1:])))
