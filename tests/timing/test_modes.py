"""The engine as people work on it: stepping without the JIT, bounds checked, an edited rule in force at once."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import modes
import pytest

from ssmsim.engines.embedded import sources

pytestmark = pytest.mark.modes
HERE = Path(__file__).parent
ROOT = HERE.parents[1]

PIPE_LIMIT = """
import sys
sys.path.insert(0, sys.argv[1])
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.sm import core, instruction, issue
from ssmsim.engines.embedded.sm.memory import lsu
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS
kinds = (PARAMETERS, core.SM, core.SUBCORE, core.WARP, instruction.CODE)
m, sm, sub, warp, one = (r.records(kind, 1)[0] for kind in kinds)
one.pipe, sub.pipe_free_fp[instruction.HEAVY], m.sm.fma_ahead_cycles = instruction.FMA, 90 << r.FP, 1
print(issue.hazard(m, sm, sub, warp, one, r.records(coalesce.ACCESS, 1), r.records(lsu.SIGNALS, 1), 60)[0])
"""


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "SSMSIM_CACHE": str(tmp_path / "cache"), **more}


def test_an_edited_rule_takes_effect_through_the_cache(tmp_path: Path) -> None:
    """issue.py calls pipes.py: Numba's own cache would keep running the old rule."""
    copy = tmp_path / "src"
    shutil.copytree(ROOT / "src/ssmsim", copy / "ssmsim", ignore=shutil.ignore_patterns("__pycache__"))

    def value() -> int:
        done = subprocess.run([sys.executable, "-c", PIPE_LIMIT, str(copy)], env=environment(tmp_path), text=True,
                              capture_output=True, check=True)  # fmt: skip
        return int(done.stdout)

    before, again = value(), value()
    file = copy / "ssmsim/engines/embedded/sm/pipes.py"
    file.write_text(file.read_text().replace("- m.sm.fma_ahead_cycles", "- 11 * m.sm.fma_ahead_cycles"))
    assert before == again == 89
    assert value() == 79


def test_an_edit_in_any_file_of_the_engine_is_another_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(sources.HERE.rglob("*.py"))
    copy = shutil.copytree(sources.HERE, tmp_path / "embedded")
    monkeypatch.setattr(sources, "HERE", copy)
    digests = {sources.digest.__wrapped__()}
    assert digests == {sources.digest()}
    folder = copy / "unit/part"  # a folder of its own changes the digest, too
    folder.mkdir(parents=True)
    (folder / "rule.py").write_text("LATENCY = 1\n")
    digests.add(sources.digest.__wrapped__())
    (folder / "rule.py").write_text("LATENCY = 2\n")
    digests.add(sources.digest.__wrapped__())
    assert len(digests) == 3
    for file in files:
        with (copy / file.relative_to(ROOT / "src/ssmsim/engines/embedded")).open("a") as text:
            text.write("# edited\n")
        digests.add(sources.digest.__wrapped__())
    assert len(digests) == 3 + len(files)
    (tmp_path / "architecture.py").write_text(sources.BESIDE[0].read_text() + "# edited\n")
    monkeypatch.setattr(sources, "BESIDE", (tmp_path / "architecture.py", *sources.BESIDE[1:]))
    assert sources.digest.__wrapped__() not in digests


def test_every_counter_is_the_same_without_the_jit_and_in_another_process(tmp_path: Path) -> None:
    """To the bit; NumPy checks bounds there, and overflow is an error."""
    more = {"NUMBA_DISABLE_JIT": "1", "PYTHONHASHSEED": "7", "PYTHONWARNINGS": "error::RuntimeWarning"}
    done = subprocess.run([sys.executable, str(HERE / "modes.py")], env=environment(tmp_path, **more), text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout) == modes.counters()


# Compiled with checks are units alone: the whole loop would take a minute to compile.
@pytest.mark.parametrize(("mode", "chosen"), [
    ("NUMBA_DISABLE_JIT", ["issue", "memory_latency", "dram", "fetch", "block_scheduler", "stalls"]),
    ("NUMBA_BOUNDSCHECK", ["event_queue", "coalescer", "pipes", "ldgsts", "dram"]),
])  # fmt: skip
def test_timing_holds_in_the_other_modes(mode: str, chosen: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *(str(HERE / f"test_{unit}.py") for unit in chosen)],
        env=environment(tmp_path, **{mode: "1"}), text=True, capture_output=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
