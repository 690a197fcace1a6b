"""The module's __constant__ and __device__ variables at a launch, as the host left them, read from the GPU by name."""

from dataclasses import dataclass

from ssmsim.capture import driver
from ssmsim.errors import SsmsimError
from ssmsim.sass.kernel_elf import Kernel

MOST_BYTES = 1 << 20  # of a __device__ variable's contents; larger ones are recorded by address, or all with --contents


@dataclass(frozen=True)
class Found:
    """One variable: where the module's copy lies and what it holds, None when it was too large to copy or could not be read."""

    name: str
    kind: str
    address: int
    size: int
    data: bytes | None


def readable(kernel: Kernel) -> list[tuple[str, str]]:
    """(name, kind) of the variables that the kernel can read by name, with or without an initialiser.

    All of __constant__ (bank 3 is one piece), and the __device__ ones whose addresses the driver fills in for code, bank 4
    or other variables.
    """
    named = {each.symbol for each in kernel.relocations}
    return [(v.name, v.kind) for v in kernel.variables if v.size and (v.kind == "constant" or v.name in named)]


def record(module: int, kernel: Kernel, whole: bool) -> list[Found]:
    """The variables of a loaded module that a kernel can read. whole: copy large ones, too."""
    found: list[Found] = []
    for name, kind in readable(kernel):
        place = driver.global_of(module, name)
        if place is None:
            continue
        address, size = place
        if not found:
            driver.synchronize()  # what earlier launches store in them is there
        copied = kind == "constant" or whole or size <= MOST_BYTES
        found.append(Found(name, kind, address, size, _bytes(address, size) if copied else None))
    return found


def _bytes(address: int, size: int) -> bytes | None:
    try:
        return driver.read_memory(address, size)
    except SsmsimError:  # a replay that needs it says so by its name
        return None
