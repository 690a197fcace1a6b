"""Compile programs/GROUP/*.cu with nvcc into cubins; a program may also give its source as text (source())."""

import hashlib
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType

PROGRAMS = Path(__file__).parent / "programs"


def programs() -> list[str]:
    """GROUP/NAME of all programs, found by listing; a group is a unit of the GPU."""
    files = (path for path in PROGRAMS.glob("*/*.py") if path.stem != "__init__")
    return sorted(path.relative_to(PROGRAMS).with_suffix("").as_posix() for path in files)


def load_program(name: str) -> ModuleType:
    """The module of the program GROUP/NAME."""
    return import_module(f"ssmsim.microbenchmarks.programs.{name.replace('/', '.')}")


def choose(asked: list[str]) -> list[str]:
    """Programs by GROUP/NAME or by GROUP, each once, in the order asked for. KeyError with what is neither."""
    known, chosen = programs(), dict[str, None]()
    for name in asked:
        found = [program for program in known if name in (program, program.split("/")[0])]
        if not found:
            raise KeyError(name)
        chosen |= dict.fromkeys(found)
    return list(chosen)


def compile_program(name: str, folder: Path) -> Path:
    """folder/GROUP/NAME.cubin, for sm_90a when the program says so; kept when its sources have not changed since.

    Raises RuntimeError with nvcc's message.
    """
    module = load_program(name)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    text = PROGRAMS / f"{getattr(module, 'SOURCE', name)}.cu"
    if hasattr(module, "source"):
        text = folder / f"{name}.cu"
        text.write_text(module.source())
    architecture = getattr(module, "ARCHITECTURE", "90")
    cubin, mark = folder / f"{name}.cubin", folder / f"{name}.sha256"
    sources = b"".join(path.read_bytes() for path in (text, *sorted(PROGRAMS.glob("*.cuh"))))
    own = Path(str(module.__file__)).read_bytes() if hasattr(module, "patch") else b""
    digest = hashlib.sha256(sources + own + architecture.encode()).hexdigest()
    if cubin.is_file() and mark.is_file() and mark.read_text() == digest:
        return cubin
    done = subprocess.run(
        ["nvcc", "-w", "-cubin", f"-gencode=arch=compute_{architecture},code=sm_{architecture}", f"-I{PROGRAMS}",
         "-o", str(cubin), str(text)],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{name}.cu: {done.stderr.strip()}")
    if hasattr(module, "patch"):
        cubin.write_bytes(module.patch(cubin.read_bytes()))
    mark.write_text(digest)
    return cubin


def build(folder: Path, names: list[str], workers: int = 2) -> None:
    """Compile what is not there yet or has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.which("nvcc") is None:
        missing = [name for name in names if not (folder / f"{name}.cubin").is_file()]
        if missing:
            raise RuntimeError(f"no nvcc, and no cubin of {', '.join(missing)} in {folder}")
        return
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda name: compile_program(name, folder), names))
