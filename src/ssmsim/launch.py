"""launch/1: one kernel launch as a folder, `launch.json` beside its cubin. Read, validated, written."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from ssmsim.errors import SsmsimError
from ssmsim.files import is_regular, read_bytes, read_json, whole_file
from ssmsim.sass.elf_attributes import kernel_info

Dim3 = tuple[int, int, int]
DTYPE_BYTES = {
    "bfloat16": 2, "float16": 2, "float32": 4, "float64": 8, "bool": 1,
    "int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8,
}  # fmt: skip


class Buffer(BaseModel):
    """One allocation that a pointer among the parameters falls into.

    address, bytes: the allocation (older captures: `address` is the pointer itself and `bytes` the allocation's size).
    pointer:        the value passed, inside the allocation; None when it equals `address`.
    shape, stride:  in elements of dtype, as the framework saw the tensor at `pointer`.
    contents:       file with the bytes at launch from `address` on (see ssmsim.contents), None when not recorded.
    """

    model_config = ConfigDict(extra="allow")

    name: str | None = None
    address: int = Field(ge=0, lt=1 << 64)
    bytes: int = Field(ge=0, le=1 << 48)  # an address space of the GPU
    pointer: int | None = None
    dtype: str | None = None
    shape: tuple[int, ...] | None = None
    stride: tuple[int, ...] | None = None
    contents: str | None = None

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


class Device(BaseModel):
    """The GPU that the launch was captured on."""

    model_config = ConfigDict(extra="allow")

    name: str
    compute_capability: tuple[int, int]


class Launch(BaseModel):
    """One kernel launch: geometry, parameter bytes, buffers and where its machine code lies.

    params is the parameter buffer in hex, as the driver lays it out at c[0x0][0x210] on sm_90. Unknown fields are kept.
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
    provenance: dict[str, Any] = {}

    _folder: Path = PrivateAttr(default=Path())

    @model_validator(mode="after")
    def _consistent(self) -> "Launch":
        for name in ("grid", "block", "cluster"):
            if min(getattr(self, name)) < 1:
                raise ValueError(f"{name} {getattr(self, name)} has a dimension below 1")
        if self.threads_per_block > 1024:
            raise ValueError(f"block {self.block} has {self.threads_per_block} threads, the hardware allows 1024")
        if any(g % c for g, c in zip(self.grid, self.cluster, strict=True)):
            raise ValueError(f"grid {self.grid} is not a multiple of cluster {self.cluster}")
        try:
            bytes.fromhex(self.params)
        except ValueError:
            raise ValueError("params is not a string of hexadecimal bytes") from None
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
        contents = [self._folder / buffer.contents for buffer in self.buffers if buffer.contents is not None]
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


def _check_names(data: dict[str, Any], file: Path) -> None:
    """Unknown fields are kept, unless one is a slip of the pen for a known one."""
    buffers = data.get("buffers")
    parts: list[tuple[type[BaseModel], object]] = [(Launch, data), (Device, data.get("device"))]
    parts += [(Buffer, buffer) for buffer in buffers] if isinstance(buffers, list) else []
    for model, part in parts:
        for name in part if isinstance(part, dict) else ():
            if name not in model.model_fields and (like := get_close_matches(name, model.model_fields, 1, 0.85)):
                raise SsmsimError(f"unknown field {name}", file, f"did you mean {like[0]}?")


def _check_pointers(launch: Launch, file: Path) -> None:
    for i, buffer in enumerate(launch.buffers):
        if buffer.passed.to_bytes(8, "little") not in launch.param_bytes:
            what = f"field buffers.{i}: pointer {buffer.passed:#x} ({buffer.name}) is not among the parameters"
            raise SsmsimError(what, file, "give the pointer that was passed, or drop the buffer")


def _check_cubin(launch: Launch, file: Path) -> None:
    """The launch against its cubin's own .nv.info: kernel, parameter bytes, registers, static shared memory."""
    info = kernel_info(read_bytes(launch.cubin_path, "copy the cubin again"), launch.kernel, launch.cubin_path)
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


def read_launch(folder: Path | str) -> Launch:
    """Read and validate a launch/1 folder.

    Raises SsmsimError naming the file, the field and what was expected.
    """
    folder = Path(folder)
    file = folder / "launch.json"
    if not file.is_file():
        raise SsmsimError("no launch.json", folder, "name a launch/1 folder as written by `ssmsim capture`")
    data = read_json(file, "capture the launch again")
    try:
        if isinstance(data, dict):
            _check_names(data, file)
        launch = Launch.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "launch"
        raise SsmsimError(f"field {field}: {first['msg']}", file, "mend the field or capture again") from None
    launch._folder = folder
    if not is_regular(launch.cubin_path):
        raise SsmsimError(f"field cubin: no file {launch.cubin[:200]!r}", file, "copy the cubin to that place")
    _check_pointers(launch, file)
    _check_cubin(launch, file)
    for buffer in launch.buffers:
        if buffer.contents is not None and not is_regular(folder / buffer.contents):
            raise SsmsimError(
                f"buffer {buffer.name}: no contents file {buffer.contents[:200]!r}", file, "copy it to that place"
            )
    return launch
