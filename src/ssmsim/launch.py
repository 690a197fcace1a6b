"""launch/1: one kernel launch as a folder, `launch.json` beside its cubin. Read, validated, written."""

import hashlib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from ssmsim.architecture import MAX_CLUSTER
from ssmsim.elf_attributes import KernelInfo, code_sha256, kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.files import is_regular, read_bytes, read_json, whole_file

Dim3 = tuple[int, int, int]
Address = Annotated[int, Field(ge=0, lt=1 << 57)]  # Hopper's virtual addresses have 57 bits
Size = Annotated[int, Field(ge=0, le=1 << 48)]

# What compute capability 9.0 launches (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
MAX_GRID, MAX_BLOCK, MAX_THREADS = (2**31 - 1, 65535, 65535), (1024, 1024, 64), 1024
MAX_SHARED, MAX_PARAMETERS = 227 << 10, 32764  # bytes
WARP_REGISTERS, SUBCORE_REGISTERS, SUBCORES = 256, 16384, 4  # registers are given to warps in steps of 256
DTYPE_BYTES = {  # PyTorch's, by the bytes that one element takes in memory; a name says no more than that
    "bfloat16": 2, "float16": 2, "float32": 4, "float64": 8, "bool": 1,
    "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8, "uint16": 2, "uint32": 4, "uint64": 8,
    "float8_e4m3fn": 1, "float8_e4m3fnuz": 1, "float8_e5m2": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
    "float4_e2m1fn_x2": 1, "complex32": 4, "complex64": 8, "complex128": 16,
    "qint8": 1, "quint8": 1, "qint32": 4, "quint4x2": 1, "quint2x4": 1,
    "bits1x8": 1, "bits2x4": 1, "bits4x2": 1, "bits8": 1, "bits16": 2,
    **{f"{sign}int{bits}": 1 for sign in ("", "u") for bits in range(1, 8)},
}  # fmt: skip


class Buffer(BaseModel):
    """One allocation that a pointer falls into: a parameter, or a word of another buffer's contents.

    address, bytes: the allocation (older captures: `address` is the pointer itself and `bytes` the allocation's size).
    pointer:        the value passed, inside the allocation; None when it equals `address`.
    shape, stride:  in elements of dtype, as the framework saw the tensor at `pointer`.
    contents:       file with the bytes at launch from `address` on (see ssmsim.contents), None when not recorded.
    pointers:       its contents have pointers to other buffers of the launch.
    reached:        no parameter names it: the kernel comes to it by a pointer in memory.
    """

    model_config = ConfigDict(extra="allow")

    name: str | None = None
    address: Address
    bytes: Size
    pointer: Address | None = None
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    stride: tuple[int, ...] | None = None
    contents: str | None = None
    pointers: bool = False
    reached: bool = False

    @property
    def passed(self) -> int:
        """The pointer value among the parameters."""
        return self.address if self.pointer is None else self.pointer

    @model_validator(mode="after")
    def _consistent(self) -> "Buffer":
        if self.address + self.bytes > 1 << 64:
            raise ValueError(f"{self.bytes} bytes at {self.address:#x} reach beyond 64-bit addresses")
        if self.pointer is not None and not self.address <= self.pointer <= self.address + self.bytes:
            raise ValueError(f"pointer {self.pointer:#x} lies outside the allocation at {self.address:#x}")
        if self.dtype is not None and self.dtype not in DTYPE_BYTES:
            raise ValueError(f"dtype {self.dtype!r} is not one of {', '.join(DTYPE_BYTES)}")
        if self.shape is not None and self.stride is not None and len(self.shape) != len(self.stride):
            raise ValueError(f"shape has {len(self.shape)} dimensions and stride {len(self.stride)}")
        return self


class Variable(BaseModel):
    """A __constant__ or __device__ variable of the module as the host left it at launch.

    name:     its symbol in the cubin. kind: "constant" (bank 3) or "device" (global memory).
    address:  where the module's copy of a __device__ variable lies, None when not recorded.
    contents: file with its bytes at launch (see ssmsim.contents).
    """

    model_config = ConfigDict(extra="allow")

    name: str = Field(min_length=1)
    kind: Literal["constant", "device"]
    bytes: Size
    address: Address | None = None
    contents: str | None = None


class Device(BaseModel):
    """The GPU that the launch was captured on."""

    model_config = ConfigDict(extra="allow")

    name: str
    compute_capability: tuple[int, int]


def check_geometry(grid: Dim3, block: Dim3, cluster: Dim3, registers: int, shared: int) -> None:
    """ValueError for what no GPU of compute capability 9.0 launches. registers: per thread; shared: bytes per block."""
    for name, size, most in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK), ("cluster", cluster, MAX_GRID)):
        if min(size) < 1:
            raise ValueError(f"{name} {size} has a dimension below 1")
        for axis, have, limit in zip("xyz", size, most, strict=True):
            if have > limit:
                raise ValueError(f"{name} {size} has {have} in {axis}, no GPU launches more than {limit}")
    threads = block[0] * block[1] * block[2]
    if threads > MAX_THREADS:
        raise ValueError(f"block {block} has {threads} threads, the hardware allows {MAX_THREADS}")
    if cluster[0] * cluster[1] * cluster[2] > MAX_CLUSTER:
        raise ValueError(f"cluster {cluster} has more than {MAX_CLUSTER} blocks")
    if any(g % c for g, c in zip(grid, cluster, strict=True)):
        raise ValueError(f"grid {grid} is not a multiple of cluster {cluster}")
    if shared > MAX_SHARED:
        raise ValueError(f"{shared} bytes of shared memory per block, the hardware has {MAX_SHARED}")
    warps = -(-threads // 32)
    of_warp = -(-32 * registers // WARP_REGISTERS) * WARP_REGISTERS
    if -(-warps // SUBCORES) * of_warp > SUBCORE_REGISTERS:
        raise ValueError(f"{threads} threads of {registers} registers do not fit the register file of an SM")


def relative_words(params: bytes, spans: Sequence[tuple[int, int]]) -> list[object]:
    """Parameters as 8-byte words, of which a pointer is the numbers of the buffers that hold it and how far into the first.

    spans: (address, bytes) of each buffer. Launches that differ in the places of their buffers alone have the same.
    """
    words: list[object] = []
    for at in range(0, len(params), 8):
        word = int.from_bytes(params[at : at + 8], "little")
        held = tuple(k for k, (first, size) in enumerate(spans) if first <= word < first + size)
        words.append((held, word - spans[held[0]][0]) if held else word)
    return words


class Launch(BaseModel):
    """One kernel launch: geometry, parameter bytes, buffers and where its machine code lies.

    params is the parameter buffer in hex, as the driver lays it out at c[0x0][0x210] on sm_90. Unknown fields are kept.
    variables: the module's, as far as the capture recorded them. cooperative, explicit_cluster: whether the launch was
    a cooperative one and whether it named a cluster size, None when not recorded. attributes: what else the launch named
    (programmatic dependent launch, priority, ...), None for nothing; no replay heeds them. cubin_sha256: of the whole file.
    """

    model_config = ConfigDict(extra="allow")

    format: Literal["launch/1"]
    kernel: str = Field(min_length=1)
    device: Device
    grid: Dim3
    block: Dim3
    cluster: Dim3 = (1, 1, 1)
    shared_memory_bytes: int = Field(ge=0)
    registers_per_thread: int = Field(ge=0, le=255)
    cubin: str
    params: str
    buffers: list[Buffer]
    variables: list[Variable] | None = None
    cooperative: bool | None = None
    explicit_cluster: bool | None = None
    attributes: dict[str, Any] | None = None
    cubin_sha256: str | None = None
    provenance: dict[str, Any] = {}

    _folder: Path = PrivateAttr(default=Path())

    @model_validator(mode="after")
    def _consistent(self) -> "Launch":
        check_geometry(self.grid, self.block, self.cluster, self.registers_per_thread, self.shared_memory_bytes)
        try:
            bytes.fromhex(self.params)
        except ValueError:
            raise ValueError("params is not a string of hexadecimal bytes") from None
        if len(self.params) > 2 * MAX_PARAMETERS:
            raise ValueError(f"params hold {len(self.params) // 2} bytes, CUDA allows {MAX_PARAMETERS}")
        return self

    @property
    def folder(self) -> Path:
        """Where launch.json was read from; names in it are relative to this."""
        return self._folder

    @property
    def cubin_path(self) -> Path:
        return self._folder / self.cubin

    @property
    def inputs(self) -> list[Path]:
        """The folder and every file that the launch names: what no output may replace."""
        parts = [*self.buffers, *(self.variables or ())]
        contents = [self._folder / part.contents for part in parts if part.contents is not None]
        return [self._folder, self.cubin_path, *contents]

    @property
    def param_bytes(self) -> bytes:
        return bytes.fromhex(self.params)

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads_per_block(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_block(self) -> int:
        return -(-self.threads_per_block // 32)

    def write(self, folder: Path | str) -> None:
        """Write launch.json into `folder`; the cubin and contents files are the caller's."""
        folder = Path(folder)
        with whole_file(folder / "launch.json") as temporary:
            temporary.write_text(self.model_dump_json(indent=1, exclude_none=True) + "\n")
        self._folder = folder


def validated(fields: object, where: object) -> Launch:
    """A launch of these fields. SsmsimError naming `where`, the field and what was expected."""
    try:
        return Launch.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "launch"
        what = first["msg"].removeprefix("Value error, ")
        raise SsmsimError(f"field {field}: {what}", where, "mend the field or capture again") from None


def refuse_clusters(launch: Launch) -> None:
    """SsmsimError for a launch in clusters, of which Accel-Sim's traces know nothing."""
    if launch.cluster != (1, 1, 1):
        what = f"{launch.kernel[:60]} was launched in clusters of {launch.cluster}, of which Accel-Sim's traces know nothing"
        raise SsmsimError(what, launch.folder / "launch.json", "ssmsim inspect takes the launch")


def _check_names(data: dict[str, Any], file: Path) -> None:
    """Unknown fields are kept, unless one is a slip of the pen for a known one."""
    parts: list[tuple[type[BaseModel], object]] = [(Launch, data), (Device, data.get("device"))]
    for field, kind in (("buffers", Buffer), ("variables", Variable)):
        items = data.get(field)
        parts += [(kind, item) for item in items] if isinstance(items, list) else []
    for model, part in parts:
        for name in part if isinstance(part, dict) else ():
            if name not in model.model_fields and (like := get_close_matches(name, model.model_fields, 1, 0.85)):
                raise SsmsimError(f"unknown field {name}", file, f"did you mean {like[0]}?")


def _check_pointers(launch: Launch, file: Path) -> None:
    """Each buffer is passed, unless some buffer holds pointers, which may name it."""
    if any(buffer.pointers for buffer in launch.buffers):
        return
    for i, buffer in enumerate(launch.buffers):
        if not buffer.reached and buffer.passed.to_bytes(8, "little") not in launch.param_bytes:
            what = f"field buffers.{i}: pointer {buffer.passed:#x} ({buffer.name}) is not among the parameters"
            raise SsmsimError(what, file, "give the pointer that was passed, or drop the buffer")


def _check_cubin(launch: Launch, file: Path) -> None:
    """The launch against its cubin: the code that was captured, and its own .nv.info."""
    image = read_bytes(launch.cubin_path, "copy the cubin again")
    info = kernel_info(image, launch.kernel, launch.cubin_path)
    code, whole = launch.provenance.get("code_sha256"), hashlib.sha256(image).hexdigest()
    if code not in (None, code_sha256(image, launch.kernel)) or launch.cubin_sha256 not in (None, whole):
        raise SsmsimError(
            "the cubin's code is not what was captured", launch.cubin_path, "copy the cubin again or capture again"
        )
    for field, have, want in (
        ("params", len(launch.param_bytes), info.param_bytes),
        ("registers_per_thread", launch.registers_per_thread, info.registers),
    ):
        if have != want:
            what = f"field {field}: {have} {'bytes ' if field == 'params' else ''}where the cubin's kernel has {want}"
            raise SsmsimError(what, file, "capture the launch again, or give the cubin that ran")
    if launch.shared_memory_bytes < info.static_shared:
        what = (
            f"field shared_memory_bytes: {launch.shared_memory_bytes}, below the kernel's static {info.static_shared}"
        )
        raise SsmsimError(what, file, "give static plus dynamic shared memory")
    check_compiled(launch, info, file)


def check_compiled(launch: Launch, info: KernelInfo, where: object) -> None:
    """SsmsimError when the kernel was compiled for another block or cluster: the driver refuses such a launch."""
    for field, have, want in (("block", launch.block, info.block), ("cluster", launch.cluster, info.cluster)):
        if want is not None and have != want:
            what = f"field {field}: {have} where the kernel was compiled for {want}"
            raise SsmsimError(what, where, "no GPU launches this; give what was launched")
    if info.max_threads and launch.threads_per_block > info.max_threads:
        what = f"field block: {launch.threads_per_block} threads where the kernel was compiled for {info.max_threads}"
        raise SsmsimError(what, where, "no GPU launches this; give what was launched")


def read_launch(folder: Path | str) -> Launch:
    """Read and validate a launch/1 folder.

    Raises SsmsimError naming the file, the field and what was expected.
    """
    folder = Path(folder)
    file = folder / "launch.json"
    if not is_regular(file):
        raise SsmsimError("no launch.json", folder, "name a launch/1 folder as written by `ssmsim capture`")
    data = read_json(file, "capture the launch again")
    if isinstance(data, dict):
        _check_names(data, file)
    launch = validated(data, file)
    launch._folder = folder
    if not is_regular(launch.cubin_path):
        raise SsmsimError(f"field cubin: no file {launch.cubin[:80]!r}", file, "copy the cubin to that place")
    _check_pointers(launch, file)
    _check_cubin(launch, file)
    for part in [*launch.buffers, *(launch.variables or ())]:
        if part.contents is not None and not is_regular(folder / part.contents):
            kind = "buffer" if isinstance(part, Buffer) else "variable"
            what = f"{kind} {part.name}: no contents file {part.contents[:80]!r}"
            raise SsmsimError(what, file, "copy it to that place")
    return launch
