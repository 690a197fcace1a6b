"""Settings of all tests; with workers (pytest -n 2) the engine is compiled once, before they start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Timings never decide a test: a busy machine must not fail a property that holds.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

EVERY_UNIT = Path(__file__).parent / "timing/modes.py"


def pytest_configure(config: pytest.Config) -> None:
    """In the process that starts the workers: fill the cache of compiled code, or each of them would compile the engine.

    What fails here fails in a test, too, which says more.
    """
    starts_workers = getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput")
    compiles = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
    if starts_workers and compiles and not config.option.collectonly:
        subprocess.run([sys.executable, str(EVERY_UNIT)], stdout=subprocess.DEVNULL, check=False)
