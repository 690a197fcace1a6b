"""Where Accel-Sim is installed, and which of the two families of versions it is."""

import hashlib
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from ssmsim.errors import SsmsimError

Version = Literal["1.3", "2.0"]
HOW_TO_GET_IT = (
    "build github.com/accel-sim/accel-sim-framework and set ACCELSIM_ROOT to its folder gpu-simulator, "
    "or replay with --engine embedded"
)
# An option that every build of 2.0 registers and none of the 1.x line knows.
MARK_OF_2 = b"gpgpu_n_chiplet_partition"
# An option is registered by a string constant of its name; names of numbered ones are a constant and a number.
_OPTION = re.compile(rb"(?<=\x00)-([A-Za-z][\w:]*)(?=\x00)")


@dataclass(frozen=True)
class Install:
    """binary: accel-sim.out. libraries: folders it needs to find at run time. version: family of its options.

    options: names of those that the program registers; empty when it shows none.
    """

    binary: Path
    libraries: tuple[Path, ...]
    version: Version
    digest: str
    options: frozenset[str] = frozenset()

    def has(self, option: str) -> bool:
        """Whether this program registers the option, so far as it shows; an unknown one ends a run."""
        numbered = option.rstrip("0123456789")
        return not self.options or option in self.options or numbered in self.options


def find_install(root: Path | str | None = None) -> Install:
    """The installation under `root` or $ACCELSIM_ROOT (either the framework's folder or its gpu-simulator).

    Raises SsmsimError when there is none, saying how to get one.
    """
    root = root or os.environ.get("ACCELSIM_ROOT")
    if not root:
        raise SsmsimError("Accel-Sim is not installed: ACCELSIM_ROOT is not set", "", HOW_TO_GET_IT)
    for base in (Path(root), Path(root) / "gpu-simulator"):
        for kind in ("release", "debug"):
            binary = base / "bin" / kind / "accel-sim.out"
            if binary.is_file() and os.access(binary, os.X_OK):
                libraries = tuple(sorted((base / "gpgpu-sim" / "lib").glob(f"*/*/{kind}")))
                return _describe(binary.resolve(), libraries, binary.stat().st_mtime_ns)
    raise SsmsimError("no bin/release/accel-sim.out", root, HOW_TO_GET_IT)


@lru_cache(maxsize=4)
def _describe(binary: Path, libraries: tuple[Path, ...], changed: int) -> Install:
    files = [binary, *(file for folder in libraries for file in sorted(folder.glob("libcudart.so")))]
    hashed = hashlib.sha256()
    version: Version = "1.3"
    options: set[str] = set()
    for file in files:
        data = file.read_bytes()
        hashed.update(data)
        if MARK_OF_2 in data:
            version = "2.0"
        options |= {name.decode() for name in _OPTION.findall(data)}
    return Install(binary, libraries, version, hashed.hexdigest()[:16], frozenset(options))
