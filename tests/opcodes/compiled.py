"""PTX to cubins with the ptxas of PyPI's nvidia-cuda-nvcc, and what a whole cubin decodes to."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

from ssmsim.elf_attributes import kernel_names
from ssmsim.sass.decode import Code, decode


def ptxas() -> Path:
    """The assembler, which the extra `test` installs: without it a test fails, since none of what it checks was checked."""
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(root).glob("*/bin/ptxas")):
            return path
    pytest.fail("ptxas is not installed: pip install nvidia-cuda-nvcc")


def compile_ptx(text: str, path: Path) -> Path:
    """The cubin of one PTX module, at `path`."""
    source = path.with_suffix(".ptx")
    source.write_text(text)
    command = [ptxas(), "-arch=sm_90a", "-O3", source, "-o", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return path


def codes_of(path: Path) -> list[Code]:
    """Every kernel of a cubin, decoded."""
    return [decode(path, name) for name in kernel_names(path.read_bytes())]
