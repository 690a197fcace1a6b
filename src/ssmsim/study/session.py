"""One run of Snakemake: its jobs find this environment's programs, and it goes on where a killed one stopped."""

import fcntl
import os
import socket
import sys
from pathlib import Path
from typing import IO, Any

import ssmsim
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file

SOURCES = Path(ssmsim.__file__).parents[1]
OWNER = Path("results/.running")  # host and process of the last run that began here
ALIVE = Path(
    ".snakemake/ssmsim.alive"
)  # locked, shared, by every Snakemake at work here; the lock dies with its process
OPTIONS = ("study", "sample")  # of --config
_held: list[IO[str]] = []


def check_options(config: dict[str, Any]) -> None:
    """Raises SsmsimError for a `--config` of another name than these: it would change nothing."""
    for name in config:
        if name not in OPTIONS:
            raise SsmsimError(f"no option {name!r}", "--config", f"there are {' and '.join(OPTIONS)}")


def check_stated(config: dict[str, Any], study: str) -> None:
    """Raises SsmsimError when a run's options are not those of the study's file: documents state what that says."""
    options = [f"{name}={value}" for name, value in config.items() if name != "study"]
    if options:
        raise SsmsimError(
            f"the documents state what {study}.yaml says, not {' '.join(options)}", "--config", "leave it out"
        )


def begin(workflow: Any) -> bool:
    """To be called before planning. `workflow` is Snakemake's. Returns whether no other run is at work here.

    Jobs call the `python` of the environment that runs Snakemake, also where it was not activated, or Conda's, and the
    package that planned. The lock of a run that was killed is released.
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    os.environ["PYTHONPATH"] = f"{SOURCES}{os.pathsep}{os.environ.get('PYTHONPATH', '')}".rstrip(os.pathsep)
    os.environ.setdefault("MPLBACKEND", "agg")
    if not workflow.is_main_process:
        return False  # a job of a run that is at work
    alone = _alone() and _host() in (None, socket.gethostname())
    if alone:
        for lock in Path(".snakemake/locks").glob("*"):
            lock.unlink(missing_ok=True)
    return alone


def _alone() -> bool:
    """Whether no other Snakemake of this machine is at work here; until this process ends, others see that it is."""
    try:
        ALIVE.parent.mkdir(exist_ok=True)
        file = ALIVE.open("a")
        _held.append(file)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = True
        except BlockingIOError:
            alone = False
        fcntl.flock(file, fcntl.LOCK_SH)
    except OSError:  # a read-only folder, or a file system without locks
        return False
    return alone


def _host() -> str | None:
    """The machine of the last run here; None where that is not known."""
    try:
        host, pid = OWNER.read_text().split()
    except (OSError, ValueError):
        return None
    return host if pid.isdecimal() else None


def take_ownership() -> None:
    """Note which process runs the study here."""
    with whole_file(OWNER) as temporary:
        temporary.write_text(f"{socket.gethostname()} {os.getpid()}\n")


def give_up_ownership() -> None:
    """The run ended, well or not: a folder that moves to another machine is nobody's."""
    OWNER.unlink(missing_ok=True)
