"""Short names of kernels, for folders."""

import re

IDENTIFIER = re.compile(r"\d+")


def short_name(kernel: str) -> str:
    """The function's own name out of an Itanium-mangled one: `_ZN2at6native4fillILi4EEEv` gives `fill`."""
    name = kernel.lstrip("_")
    if kernel.startswith("_Z"):
        rest = kernel[2:].removeprefix("N")
        while (length := IDENTIFIER.match(rest)) is not None:
            start, size = length.end(), int(length.group())
            name, rest = rest[start : start + size], rest[start + size :]
    return re.sub(r"[^A-Za-z0-9_]", "_", name)[:60] or "kernel"
