"""Before a batch: simulations that start together would each compile the engine, so one does, and the others wait.

    python -m ssmsim.study.ready STUDY ENGINE

Not a rule of its own: when what such a rule was made from changes, Snakemake 9.27 makes it anew and nothing else in that run.
"""

import fcntl
import subprocess
import sys
from pathlib import Path

from ssmsim.errors import told
from ssmsim.study.keys import EXTERNAL, digest
from ssmsim.study.plan import make_plan


def main(study: str, engine: str) -> int:
    """Exit code of the study's smallest launch; 0 at once when one ran with the sources of today, or nothing is compiled."""
    if engine in EXTERNAL:
        return 0
    made = Path(f"results/{engine}/ready-{digest(engine)}.json")
    made.parent.mkdir(parents=True, exist_ok=True)
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.is_file():
            return 0
        plan = make_plan(study)
        launch = min(plan.launches.values(), key=lambda one: one.blocks).folder
        config = f"simconfigs/{plan.study.baseline}.yaml"
        command = (sys.executable, "-m", "ssmsim.cli", "simulate", str(launch), "--config", config, "--engine", engine)
        return subprocess.run([*command, "--cross-device", "--json", str(made)], check=False).returncode


if __name__ == "__main__":
    sys.exit(told(lambda: main(*sys.argv[1:])))
