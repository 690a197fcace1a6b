"""What PyTorch and Triton know of a launch: argument names, tensor layouts, and the allocator's own blocks."""

import bisect
import importlib.metadata
import sys
import threading
from collections.abc import Callable
from typing import Any

from ssmsim.capture.describe import Described, described
from ssmsim.elf_attributes import code_sha256

_arguments = threading.local()
PACKAGES = ("torch", "triton", "mamba_ssm", "jax", "cupy", "numpy")


def watch_triton(launched: list[tuple[str, str]] | None = None) -> None:
    """Note the named tensors of each Triton kernel just before it is launched. Triton is imported if it is there.

    launched: gets (kernel, hash of its code) of every launch.
    """
    try:
        from triton.runtime.jit import JITFunction
    except ImportError:
        return
    run = JITFunction.run
    hashes: dict[str, str] = {}

    def noting(self: Any, *args: Any, **kwargs: Any) -> Any:
        named = list(zip(self.arg_names, args, strict=False)) + list(kwargs.items())
        _arguments.tensors = [found for name, value in named if (found := described(name, value)) is not None]
        try:
            compiled = run(self, *args, **kwargs)
        finally:
            _arguments.tensors = []
        if launched is not None and not kwargs.get("warmup") and compiled is not None:
            if compiled.hash not in hashes:
                hashes[compiled.hash] = code_sha256(compiled.asm["cubin"], compiled.metadata.name)
            launched.append((compiled.metadata.name, hashes[compiled.hash]))
        return compiled

    JITFunction.run = noting


def untraced(function: Callable[..., None]) -> Callable[..., None]:
    """`function`, kept from torch.compile: Dynamo compiles whatever Python runs inside a compiled program, what the driver
    calls back into as well.
    """
    disabled: list[Callable[..., None]] = []

    def call(*arguments: Any) -> None:
        if not disabled:
            disable = getattr(sys.modules.get("torch._dynamo"), "disable", None)
            if disable is None:  # not imported, or not to its end: nothing is compiled yet
                function(*arguments)
                return
            disabled.append(disable(function))
        disabled[0](*arguments)

    return call


def triton_tensors() -> list[Described]:
    """Tensors of the Triton kernel that this thread is launching, in the order of its parameters."""
    return getattr(_arguments, "tensors", [])


def _segments(torch: Any) -> list[dict[str, Any]]:
    """PyTorch's segments; none from an allocator that does not tell them (cudaMallocAsync)."""
    try:
        return list(torch.cuda.memory_snapshot())
    except RuntimeError:
        return []


class Allocations:
    """PyTorch's live blocks at one moment: finer than the driver's allocations, which hold many tensors each."""

    def __init__(self) -> None:
        torch = sys.modules.get("torch")
        blocks = []
        cuda = getattr(torch, "cuda", None)  # not there while PyTorch is being imported
        if cuda is not None and hasattr(cuda, "is_initialized") and cuda.is_initialized():
            for segment in _segments(torch):
                address = segment["address"]
                for block in segment["blocks"]:
                    if block["state"] == "active_allocated":
                        blocks.append((address, block["size"]))
                    address += block["size"]
        self.blocks = sorted(blocks)

    def find(self, pointer: int) -> tuple[int, int] | None:
        """(start, bytes) of the block that holds `pointer`."""
        at = bisect.bisect_right(self.blocks, (pointer, 1 << 62)) - 1
        if at >= 0 and self.blocks[at][0] <= pointer < self.blocks[at][0] + self.blocks[at][1]:
            return self.blocks[at]
        return None


def versions() -> dict[str, str]:
    """Versions of the frameworks that this process has imported."""
    found = {"python": sys.version.split()[0]}
    for name in PACKAGES:
        module = sys.modules.get(name)
        if module is None:
            continue
        try:
            found[name] = getattr(module, "__version__", None) or importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found
