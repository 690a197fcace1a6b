"""What an interceptor notes of a launch."""

from dataclasses import dataclass, field
from typing import Any

from ssmsim.capture.variables import Found
from ssmsim.elf_attributes import KernelInfo


@dataclass(frozen=True)
class Cubin:
    image: bytes
    sha256: str
    kernels: tuple[str, ...]


@dataclass
class Recorded:
    """One launch as noted. contents: files of buffer bytes, by address; missing: why some were not recorded."""

    kernel: str
    cubin: Cubin
    code_sha256: str
    info: KernelInfo
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared: int
    registers: int
    params: bytes
    buffers: list[dict[str, Any]]
    contents: dict[int, str] = field(default_factory=dict)
    missing: str = ""
    variables: list[Found] = field(default_factory=list)
    cooperative: bool = False
    explicit_cluster: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)
