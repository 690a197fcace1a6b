"""Accel-Sim's trace files, version 5 text: the header of a kernel, the list of kernels, how to open a file.

A folder holds `kernelslist.g` (commands, one a line) and one `.traceg` per kernel: a header of `-name = value` lines,
a line that starts with `#traces format`, then the instructions grouped by thread block and warp. The tracer itself
writes `kernelslist` and `.trace`: the same header, then one line per warp instruction as the warps interleave.
Either may be compressed by xz. Source: trace_parser.cc and tracer_tool.cu of accel-sim-framework (dev, 2024-10).
"""

import lzma
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from ssmsim.errors import SsmsimError
from ssmsim.launch import Dim3, Launch
from ssmsim.trace.types import LOCAL_WINDOW, SHARED_WINDOW

VERSIONS = (3, 4, 5)
TRACES_FORMAT = (
    "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
    "[adrrescompress?] [mem_addresses] immediate"
)
SAMPLED_FROM = "sampled from grid dim"
"""Our own header line: the launch's grid where the file holds some of its blocks; Accel-Sim echoes and ignores it."""

MAX_LINE = 1 << 16  # bytes of a line of the header or of a list: names of kernels fill some hundred
RECAPTURE = "write or collect the trace again"


@dataclass(frozen=True)
class Header:
    """A kernel's header.

    grid:         blocks that the file holds, as Accel-Sim launches them.
    sampled_from: the launch's own grid when the file holds only some of its blocks, else None.
    shared_bytes: static plus dynamic. shared_base, local_base: windows of generic addresses.
    other:        unknown header lines, kept.
    """

    kernel: str
    grid: Dim3
    block: Dim3
    shared_bytes: int
    registers: int
    kernel_id: int = 1
    binary_version: int = 90
    stream: int = 0
    shared_base: int = SHARED_WINDOW
    local_base: int = LOCAL_WINDOW
    nvbit_version: str = "none"
    version: int = 5
    lineinfo: bool = False
    sampled_from: Dim3 | None = None
    other: dict[str, str] = field(default_factory=dict)

    @property
    def warps_per_block(self) -> int:
        return -(-self.block[0] * self.block[1] * self.block[2] // 32)

    @property
    def block_count(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def launch_grid(self) -> Dim3:
        return self.sampled_from or self.grid

    def text(self) -> str:
        """As the tracer prints it, up to and with the blank line before the first instruction."""
        lines = [
            f"-kernel name = {self.kernel}",
            f"-kernel id = {self.kernel_id}",
            "-grid dim = ({},{},{})".format(*self.grid),
            "-block dim = ({},{},{})".format(*self.block),
            f"-shmem = {self.shared_bytes}",
            f"-nregs = {self.registers}",
            f"-binary version = {self.binary_version}",
            f"-cuda stream id = {self.stream}",
            f"-shmem base_addr = 0x{self.shared_base:016x}",
            f"-local mem base_addr = 0x{self.local_base:016x}",
            f"-nvbit version = {self.nvbit_version}",
            f"-accelsim tracer version = {self.version}",
            f"-enable lineinfo = {int(self.lineinfo)}",
            *(f"-{name} = {value}" for name, value in self.other.items()),
        ]
        if self.sampled_from is not None:
            lines.append("-{} = ({},{},{})".format(SAMPLED_FROM, *self.sampled_from))
        return "\n".join([*lines, "", TRACES_FORMAT, "", ""])


def header_of(launch: Launch, blocks: int | None = None) -> Header:
    """The header for all blocks of a launch, or for `blocks` of them as a grid of their own."""
    whole = blocks is None or blocks == launch.blocks
    major, minor = launch.device.compute_capability
    return Header(
        kernel=launch.kernel,
        grid=launch.grid if whole else (blocks or 0, 1, 1),
        block=launch.block,
        shared_bytes=launch.shared_memory_bytes,
        registers=launch.registers_per_thread,
        binary_version=10 * major + minor,
        sampled_from=None if whole else launch.grid,
    )


_FIELDS = {
    "kernel name": "kernel", "kernel id": "kernel_id", "grid dim": "grid", "block dim": "block",
    "shmem": "shared_bytes", "nregs": "registers", "binary version": "binary_version", "cuda stream id": "stream",
    "shmem base_addr": "shared_base", "local mem base_addr": "local_base", "nvbit version": "nvbit_version",
    "accelsim tracer version": "version", "enable lineinfo": "lineinfo", SAMPLED_FROM: "sampled_from",
}  # fmt: skip
_TRIPLES = ("grid", "block", "sampled_from")
_NEEDED = ("kernel", "grid", "block", "shared_bytes", "registers", "binary_version", "version")


def read_header(stream: IO[bytes], path: Path) -> tuple[Header, int]:
    """Header and the number of lines read, to the one that starts with '#'. Errors name file and line."""
    values: dict[str, object] = {}
    other: dict[str, str] = {}
    number = 0
    while True:
        line = read_line(stream, path)
        number += 1
        if line.startswith(b"#"):
            break
        text = line.decode("utf-8", "replace").rstrip("\n")
        if not line.endswith(b"\n"):
            raise SsmsimError("the header ends before its line '#traces format'", f"{path}:{number}", RECAPTURE)
        if not text.strip():
            continue
        if not text.startswith("-") or " = " not in text:
            raise SsmsimError(f"not a header line: {text[:60]!r}", f"{path}:{number}", "name an Accel-Sim trace file")
        name, value = text[1:].split(" = ", 1)
        if name not in _FIELDS:
            other[name] = value
            continue
        try:
            values[_FIELDS[name]] = _value(_FIELDS[name], value)
        except ValueError:
            raise SsmsimError(f"{name}: {value!r} is not of its form", f"{path}:{number}", RECAPTURE) from None
        if name == "accelsim tracer version" and values["version"] not in VERSIONS:
            raise SsmsimError(
                f"trace version {value}; versions {', '.join(map(str, VERSIONS))} are read",
                f"{path}:{number}",
                "collect the trace with a tracer of version 5",
            )
    missing = [name for name in _NEEDED if name not in values]
    if missing:
        names = ", ".join(name for name, attribute in _FIELDS.items() if attribute in missing)
        raise SsmsimError(f"the header has no {names}", f"{path}:{number}", RECAPTURE)
    return replace(Header("", (1, 1, 1), (1, 1, 1), 0, 0), **values, other=other), number  # type: ignore[arg-type]


def _value(attribute: str, text: str) -> object:
    if attribute in ("kernel", "nvbit_version"):
        return text.strip()
    if attribute in _TRIPLES:
        match = re.fullmatch(r"\((\d+),(\d+),(\d+)\)", text.strip())
        if match is None or min(triple := tuple(map(int, match.groups()))) < 1:
            raise ValueError(text)
        return triple
    number = int(text, 0)
    if number < 0:
        raise ValueError(text)
    return bool(number) if attribute == "lineinfo" else number


def open_bytes(path: Path | str) -> IO[bytes]:
    """A trace or list file for reading, xz decompressed on the way."""
    path = Path(path)
    if not path.is_file():
        raise SsmsimError("no such file", path, "name a trace folder's kernelslist.g or one of its trace files")
    return lzma.open(path, "rb") if path.suffix == ".xz" else path.open("rb")


def read_line(stream: IO[bytes], path: Path) -> bytes:
    try:
        line = stream.readline(MAX_LINE)
    except (lzma.LZMAError, EOFError) as error:
        raise damaged(path, error) from None
    if len(line) == MAX_LINE:
        raise SsmsimError(f"a line of more than {MAX_LINE} bytes", path, RECAPTURE)
    return line


def damaged(path: Path, error: Exception) -> SsmsimError:
    return SsmsimError(f"the xz stream is cut or damaged: {error}", path, RECAPTURE)


def is_raw(path: Path | str) -> bool:
    """Whether the file is the tracer's own (.trace), not yet grouped by block (.traceg)."""
    name = Path(path).name.removesuffix(".xz")
    if name.endswith((".trace", ".traceg")):
        return name.endswith(".trace")
    raise SsmsimError("neither .trace nor .traceg, plain or .xz", path, "name an Accel-Sim trace file in text form")


def read_kernelslist(path: Path | str) -> list[Path]:
    """Trace files that a kernelslist or kernelslist.g names, in order; memory copies are passed over."""
    path = Path(path)
    files = []
    with open_bytes(path) as stream:
        for number, raw in enumerate(iter(lambda: read_line(stream, path), b""), 1):
            line = raw.decode("utf-8", "replace").strip()
            if line.startswith("kernel"):
                if not (path.parent / line).is_file():
                    raise SsmsimError(f"no trace file {line!r}", f"{path}:{number}", "copy it beside the list")
                files.append(path.parent / line)
            elif line and not line.startswith("Memcpy"):
                raise SsmsimError(f"unknown command {line[:40]!r}", f"{path}:{number}", "name a kernelslist.g")
    if not files:
        raise SsmsimError(
            "the list names no kernel",
            path,
            "nothing was traced: was the region between cudaProfilerStart and Stop entered, and does this tracer know "
            "cuLaunchKernelEx, through which Triton launches",
        )
    return files
