"""What was noted of a launch as the fields of launch/1."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ssmsim.capture.keep import keep
from ssmsim.capture.recorded import Recorded
from ssmsim.launch import Buffer

ALWAYS = ("address", "bytes", "pointer", "contents", "pointers", "reached")  # what a replay needs of a buffer

LAYOUT = ("dtype", "shape", "stride")


def fields(
    launch: Recorded, facts: dict[str, Any], cubin: str, buffers: list[dict[str, Any]], folder: Path,
    place: Callable[[str], str] = str,
) -> dict[str, Any]:  # fmt: skip
    """facts: of the GPU. cubin: its path. folder: of the capture, which gets the bytes of the module's variables; place: from
    the name of such a file, as seen from a launch's folder, to what the field says.
    """
    variables = [
        {"name": v.name, "kind": v.kind, "address": v.address, "bytes": v.size,
         "contents": None if v.data is None else place(keep(folder, v.data))}
        for v in launch.variables
    ]  # fmt: skip
    return {
        "format": "launch/1",
        "kernel": launch.kernel,
        "device": facts,
        "grid": launch.grid,
        "block": launch.block,
        "cluster": launch.cluster,
        "shared_memory_bytes": launch.shared,
        "registers_per_thread": launch.registers,
        "cubin": cubin,
        "params": launch.params.hex(),
        "buffers": [kept for buffer in buffers if (kept := sound(buffer)) is not None],
        "variables": variables or None,
        "cooperative": launch.cooperative,
        "explicit_cluster": launch.explicit_cluster,
        "attributes": launch.attributes or None,
    }


def sound(buffer: dict[str, Any]) -> dict[str, Any] | None:
    """A buffer as launch/1 takes it: without what is known of its tensor where that contradicts itself, None where its place
    does. A launch is not lost by it.
    """
    for kept in (
        buffer,
        {k: v for k, v in buffer.items() if k not in LAYOUT},
        {k: v for k, v in buffer.items() if k in ALWAYS},
    ):
        try:
            Buffer.model_validate(kept)
        except ValidationError:
            continue
        return kept
    return None
