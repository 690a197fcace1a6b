"""One run of Snakemake: its jobs find this environment's programs, and it goes on where a killed one stopped."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import ssmsim

SOURCES = Path(ssmsim.__file__).parents[1]
OWNER = Path("results/.running")


def begin(workflow: Any) -> None:
    """To be called before planning. `workflow` is Snakemake's.

    Jobs call the `python` of the environment that runs Snakemake, also where it was not activated, or Conda's, and the
    package that planned. Files
    that a killed run may have left half-done are made again without being asked for (--rerun-incomplete).
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    os.environ["PYTHONPATH"] = f"{SOURCES}{os.pathsep}{os.environ.get('PYTHONPATH', '')}".rstrip(os.pathsep)
    os.environ.setdefault("MPLBACKEND", "agg")
    if workflow.dag_settings is not None:  # it is, when Snakemake only lints
        workflow.dag_settings.force_incomplete = True
    release_lock_of_the_dead()


def take_ownership() -> None:
    """Note which process runs the study here."""
    OWNER.parent.mkdir(exist_ok=True)
    OWNER.write_text(f"{socket.gethostname()} {os.getpid()}\n")


def release_lock_of_the_dead() -> None:
    """Remove Snakemake's lock when the process that took it ran on this machine and is gone (killed outright)."""
    if not OWNER.is_file():
        return
    host, pid = OWNER.read_text().split()
    if host != socket.gethostname():
        return
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        for lock in Path(".snakemake/locks").glob("*"):
            lock.unlink(missing_ok=True)
        OWNER.unlink(missing_ok=True)
    except PermissionError:
        return
