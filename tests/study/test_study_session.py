"""What a dead run has left stops no other; what a living one holds is left alone."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ssmsim.errors import SsmsimError
from ssmsim.study import session, state

HOLD = "import sys; from ssmsim.study import session; session._alone(); print('held', flush=True); sys.stdin.read()"


class Workflow(SimpleNamespace):
    """As Snakemake's: its settings come after the Snakefile was read."""


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Snakemake's lock of a killed run, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("PATH", "PYTHONPATH", "MPLBACKEND"):
        monkeypatch.setenv(name, os.environ.get(name, "agg"))
    monkeypatch.setattr(session, "_held", [])
    file = tmp_path / ".snakemake/locks/0.input.lock"
    file.parent.mkdir(parents=True)
    file.write_text("results/rows.csv\n")
    (tmp_path / "results").mkdir()
    return file


def begin(main: bool = True) -> bool:
    return session.begin(Workflow(is_main_process=main, dag_settings=None))


@pytest.mark.parametrize("text", [None, "", "h 1 2", "\0\0\0", "one", "host pid", f"{socket.gethostname()} 999999"])
def test_the_lock_of_a_dead_run_is_released(lock: Path, text: str | None) -> None:
    """A full disk leaves an empty .running, a power cut one of zeros: nobody's."""
    if text is not None:
        session.OWNER.write_text(text)
    assert begin()
    assert not lock.exists()


def test_undecodable(lock: Path) -> None:
    session.OWNER.write_bytes(b"\xff\xfe\x00")
    assert begin()


def test_the_lock_of_another_machine_stays(lock: Path) -> None:
    session.OWNER.write_text("another.example.org 17\n")
    assert not begin()
    assert lock.exists()


def test_the_lock_of_a_living_run_stays_until_it_dies(lock: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        assert not begin()
        assert lock.exists()
        other.kill()
    session._held.clear()
    assert begin()
    assert not lock.exists()


def test_a_job_of_a_run_releases_nothing(lock: Path) -> None:
    assert not begin(main=False)
    assert lock.exists()


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("main", [True, False])
def test_what_is_not_whole_is_made_again(monkeypatch: pytest.MonkeyPatch, late: bool, main: bool) -> None:
    """Snakemake 9.27 sets dag_settings after the Snakefile was read, others before; jobs force nothing."""
    monkeypatch.setattr(state, "unfinished", lambda plan, targets: ([f"{plan}.done"], ["told"]))
    settings = SimpleNamespace(force_incomplete=False, forcerun=frozenset({"mine"}), targets=frozenset({"all"}))
    workflow = Workflow(is_main_process=main, dag_settings=None if late else settings)
    state.resume(workflow, "plan")  # type: ignore[arg-type]
    if late:
        workflow.dag_settings = settings
    assert workflow.dag_settings.force_incomplete
    assert set(workflow.dag_settings.forcerun) == ({"mine", "plan.done"} if main else {"mine"})


def test_ownership_is_written_whole_and_given_up(lock: Path) -> None:
    session.take_ownership()
    assert session.OWNER.read_text().split() == [socket.gethostname(), str(os.getpid())]
    session.give_up_ownership()
    session.give_up_ownership()
    assert not session.OWNER.exists()


def test_options() -> None:
    session.check_options({"study": "x.yaml", "sample": True})
    with pytest.raises(SsmsimError, match="no option 'cores'"):
        session.check_options({"cores": 4})
