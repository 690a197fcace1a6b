"""What a result was made from, as hashes: a result belongs to a run when these are still the same."""

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import ssmsim
from ssmsim.engines import engine_names, open_engine
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.results import Result, read_result

EXTERNAL = ("accelsim",)  # engines that run a program of their own: their digest has it
# Sources that no number of a replay rests on: other engines and what captures, measures, gathers and prints.
ELSEWHERE = (
    "capture", "microbenchmarks", "workloads", "cli.py", "engines/benchmark.py", "engines/command.py",
    "engines/compare.py", "engines/summary.py", "measured.py", "options.py", "files.py", "errors.py", "engines/compile_cache.py",
    "cost", "study/search", "study/__init__.py", "factorial.py", "study/keys.py", "study/names.py", "study/plan.py", "study/points.py",
    "study/progress.py", "study/ready.py", "study/rows.py",
    "tracers/command.py", "study/sampling.py", "study/schema.py", "study/session.py", "study/state.py", "study/waits.py",
    "study/ablation.py", "study/evidence.py", "study/silicon.py",
)  # fmt: skip


@cache
def digest(engine: str) -> str:
    """Hash of all that a replay by `engine` runs, its tracer and the disassembler too; without importing them.

    Every source of the package counts, except ELSEWHERE. Raises SsmsimError when the program that an engine calls is not
    installed.
    """
    package = Path(ssmsim.__file__).parent
    out = {package / part for part in ELSEWHERE} | {
        package / "engines" / name for name in engine_names() if name != engine
    }
    hashed = hashlib.sha256(_disassembler().encode())
    if engine in EXTERNAL:
        hashed.update(open_engine(engine).digest().encode())
    for file in sorted(package.rglob("*")):
        if (
            file.is_file()
            and file.suffix not in (".cu", ".cuh")
            and file.parent.name != "__pycache__"
            and out.isdisjoint([file, *file.parents])
        ):
            hashed.update(f"{file.relative_to(package)}\0".encode() + file.read_bytes())
    return hashed.hexdigest()[:16]


def _disassembler() -> str:
    try:
        return version("nvidia-cuda-nvdisasm")
    except PackageNotFoundError:
        return "none"


@cache
def _hash(path: Path, _size: int, _changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _file(path: Path) -> str:
    about = path.stat()
    return _hash(path, about.st_size, about.st_mtime_ns)


def launch_digest(launch: Launch) -> str:
    """Hash of a launch's files: launch.json, the cubin and the contents of its buffers."""
    contents = [launch.folder / buffer.contents for buffer in launch.buffers if buffer.contents]
    files = (launch.folder / "launch.json", launch.cubin_path, *contents)
    return hashlib.sha256("".join(_file(file) for file in files).encode()).hexdigest()


def current(file: Path, key: str, names: dict[str, str]) -> Result | None:
    """The result in `file` when it is whole, of this key and says these names of itself (fields of Result)."""
    try:
        result = read_result(file)
    except (SsmsimError, OSError, ValueError):
        return None
    same = result.digest == key and all(getattr(result, field) == name for field, name in names.items())
    return result if same else None
