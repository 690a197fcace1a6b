"""What a program may tell about its tensors while it is captured. Without a capture these calls do nothing much."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Described:
    """A tensor: where it starts, its bytes, and its layout in elements of dtype; `recipe` makes its contents."""

    name: str
    address: int
    bytes: int
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    recipe: dict[str, Any] | None = None
    keep: object = None  # the tensor itself: while it lives its memory is not given to another


TENSORS: dict[int, Described] = {}
PROGRAM: dict[str, Any] = {}
PARAMETER_NAMES: dict[str, dict[int, str]] = {}
REPETITION: list[Callable[[], None]] = []


def layout(tensor: Any) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """(dtype, shape, stride) of a torch.Tensor."""
    return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), tuple(tensor.stride())


def tensor(name: str, value: Any, recipe: dict[str, Any] | None = None) -> None:
    """Name a tensor; with a recipe (see ssmsim.contents), its bytes are recorded for every launch that gets it."""
    dtype, shape, stride = layout(value)
    size = value.numel() * value.element_size()
    TENSORS[value.data_ptr()] = Described(name, value.data_ptr(), size, dtype, shape, stride, recipe, value)


def program(**facts: Any) -> None:
    """Facts for the provenance of every launch: the workload's name, its shapes."""
    PROGRAM.update(facts)


def parameters(kernel: str, names: dict[int, str]) -> None:
    """Name the pointers of kernels whose mangled name contains `kernel`, by their byte offset among the parameters."""
    PARAMETER_NAMES[kernel] = names
