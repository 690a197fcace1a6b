"""A captured sequence of launches run in full mode over one memory image, from its recorded inputs."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from ssmsim.contents import read_contents
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.run import Plan, full_plan, run_blocks
from ssmsim.workloads import open_workload

CAPTURES = Path(__file__).parents[1] / "data" / "captures"
BATCH = 64  # blocks at once


def to_float(data: bytes | np.ndarray, dtype: str) -> np.ndarray:
    """float64 of raw bytes of a tensor."""
    raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
    if dtype == "bfloat16":
        return (raw.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    return raw.view(dtype).astype(np.float64)


class Captured:
    """A capture folder: sequence.json, the launches it names, inputs/ and outputs/ (what the GPU computed)."""

    def __init__(self, name: str) -> None:
        self.folder = CAPTURES / name
        self.operations = json.loads((self.folder / "sequence.json").read_text())["operations"]
        self.launches: dict[str, Launch] = {
            o["launch"]: read_launch(self.folder / o["launch"]) for o in self.operations if "launch" in o
        }
        self.outputs = json.loads((self.folder / "outputs" / "outputs.json").read_text())

    def inputs(self) -> dict[str, np.ndarray]:
        """float64 of every input tensor, by name, in the workload's shape."""
        shapes = {i.name: i.shape for i in open_workload(self.folder.name).inputs}
        found = {}
        for launch in self.launches.values():
            for b in launch.buffers:
                name = (b.model_extra or {}).get("tensor")
                if b.contents is None or name is None or name in found:
                    continue
                assert b.dtype is not None
                found[name] = to_float(read_contents(launch.folder / b.contents), b.dtype).reshape(shapes[name])
        return found

    def memory(self) -> Image:
        """Memory before the first operation: the inputs in their places, everything else zero."""
        launches = list(self.launches.values())
        image = Image.of(launches, contents=False)
        for launch in launches:
            for buffer in launch.buffers:
                image.fill(launch, buffer)
        return image

    def run(
        self,
        image: Image,
        names: Sequence[str] | None = None,
        keep: Sequence[str] = (),
        plans: dict[str, Plan] | None = None,
    ) -> dict[str, np.ndarray]:
        """Carry out the operations (default: all; else only the launches named) on `image`.

        Returns the bytes of memory before each launch in `keep`. plans: compiled kernels of this image, kept there.
        """
        kept = {}
        plans = {} if plans is None else plans
        for operation in self.operations:
            name = operation.get("launch")
            if names is not None and name not in names:
                continue
            if name is None:
                copy = operation["copy"]
                image.write(copy["to"], image.read(copy["from"], copy["bytes"]))
                continue
            if name in keep:
                kept[name] = image.data.copy()
            launch = self.launches[name]
            if name not in plans:
                plans[name] = full_plan(decode_launch(launch), image)
            for first in range(0, launch.blocks, BATCH):
                run_blocks(plans[name], launch, np.arange(first, min(launch.blocks, first + BATCH)), log=False)
        return kept

    def result(self, image: Image, name: str) -> np.ndarray:
        """float64 of an output tensor as the emulator left it."""
        entry = self.outputs[name]
        size = int(np.prod(entry["shape"])) * (2 if entry["dtype"] == "bfloat16" else 4)
        return to_float(image.read(entry["address"], size), entry["dtype"]).reshape(entry["shape"])

    def measured(self, name: str) -> np.ndarray:
        """float64 of the same tensor as the GPU left it."""
        entry = self.outputs[name]
        return to_float(read_contents(self.folder / "outputs" / entry["file"]), entry["dtype"]).reshape(entry["shape"])


@cache
def emulated(name: str) -> tuple[Captured, Image, dict[str, np.ndarray]]:
    """A capture, the memory after all its launches, and the memory before each of them; run once per test session."""
    captured = Captured(name)
    image = captured.memory()
    return captured, image, captured.run(image, keep=list(captured.launches))


def relative_error(value: np.ndarray, reference: np.ndarray) -> float:
    """Norm of the difference over the norm of the reference."""
    return float(np.linalg.norm(value - reference) / np.linalg.norm(reference))
