"""What a program may tell about its tensors while it is captured. Without a capture these calls do nothing much."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ssmsim.launch import DTYPE_BYTES

# Names of Triton's types that PyTorch has others for: a tensor may be passed under another type (triton.reinterpret).
OF_TRITON = {
    "bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64", "int1": "bool", "fp8e4nv": "float8_e4m3fn",
    "fp8e4b8": "float8_e4m3fnuz", "fp8e5": "float8_e5m2", "fp8e5b16": "float8_e5m2fnuz",
}  # fmt: skip


@dataclass(frozen=True)
class Described:
    """A tensor: where it starts, its bytes, and its layout in elements of dtype, None where it has none in whole numbers;
    `recipe` makes its contents.
    """

    name: str
    address: int
    bytes: int
    dtype: str | None
    shape: tuple[int, ...] | None
    stride: tuple[int, ...] | None
    recipe: dict[str, Any] | None = None
    keep: object = None  # the tensor itself: while it lives its memory is not given to another


TENSORS: dict[int, Described] = {}
PROGRAM: dict[str, Any] = {}
PARAMETER_NAMES: dict[str, dict[int, str]] = {}
REPETITION: list[Callable[[], None]] = []


def described(name: str, value: Any, recipe: dict[str, Any] | None = None, keep: object = None) -> Described | None:
    """What is known of a tensor; None for one without an address of its own (sparse, fake, an argument that is no tensor).

    Whatever a launch is passed, the launch is kept: a type that launch/1 does not know is bytes, and what has no shape or
    strides in whole numbers (nested tensors, symbolic sizes) is known by name and address alone.
    """
    try:
        address = int(value.data_ptr())
        dtype = str(value.dtype).removeprefix("torch.")
        dtype = dtype if dtype in DTYPE_BYTES else OF_TRITON.get(dtype, dtype)
    except Exception:  # any code of a framework, or of the program, may be behind these
        return None
    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    size = 0
    try:
        shape, stride = tuple(map(int, value.shape)), tuple(map(int, value.stride()))
        count = 1
        for length in shape:
            count *= length
        size = count * int(value.element_size())
        if dtype not in DTYPE_BYTES:
            dtype, shape, stride = "uint8", (size,), (1,)
        laid_out = len(shape) == len(stride)
    except Exception:
        laid_out = False
    if not laid_out:
        return Described(name, address, size, None, None, None, recipe, keep)
    return Described(name, address, size, dtype, shape, stride, recipe, keep)


def tensor(name: str, value: Any, recipe: dict[str, Any] | None = None) -> None:
    """Name a tensor; with a recipe (see ssmsim.contents), its bytes are recorded for every launch that gets it."""
    found = described(name, value, recipe, value)
    if found is not None:
        TENSORS[found.address] = found


def program(**facts: Any) -> None:
    """Facts for the provenance of every launch: the workload's name, its shapes. What JSON does not have is kept as text."""
    PROGRAM.update(json.loads(json.dumps(_keyed(facts), default=str)))


def _keyed(value: Any) -> Any:
    """With text for what JSON takes for no key."""
    if isinstance(value, dict):
        return {k if isinstance(k, (str, int, float)) or k is None else str(k): _keyed(v) for k, v in value.items()}
    return [_keyed(v) for v in value] if isinstance(value, (list, tuple)) else value


def parameters(kernel: str, names: dict[int, str]) -> None:
    """Name the pointers of kernels whose mangled name contains `kernel`, by their byte offset among the parameters."""
    PARAMETER_NAMES[kernel] = names
