"""Inputs that the program copied before a launch reads them: a clone of a tensor whose contents are known.

Autograd clones what a backward pass needs. The clone has the tensor's bytes as long as no kernel writes it, which its bytes
on the GPU show: they are compared with those of the recipe at every launch that gets the clone.
"""

import hashlib
from typing import Any

from ssmsim.capture import driver
from ssmsim.capture.describe import TENSORS
from ssmsim.contents import make
from ssmsim.errors import SsmsimError


class Copies:
    """Whole tensors with recipes that were copied elsewhere: address -> the tensor."""

    def __init__(self) -> None:
        self.at: dict[int, Any] = {}
        self._hashes: dict[str, str] = {}

    def note(self, to: int, source: int, count: int) -> None:
        """A copy by the driver; one that is not of a whole tensor with a recipe makes its destination unknown."""
        described = TENSORS.get(source) or self.at.get(source)
        whole = described is not None and described.recipe is not None and described.bytes == count
        if whole:
            self.at[to] = described
        else:
            self.at.pop(to, None)

    def recognise(self, buffers: list[dict[str, Any]]) -> None:
        """Give buffers that hold a copied tensor to the bit its recipe and its size."""
        for buffer in buffers:
            described = self.at.get(buffer["address"])
            if described is None or "recipe" in buffer or buffer["bytes"] < described.bytes:
                continue
            driver.synchronize()
            try:
                there = hashlib.sha256(driver.read_memory(buffer["address"], described.bytes)).hexdigest()
            except SsmsimError:
                continue
            if there == self._hash(described):
                buffer |= {"recipe": described.name, "tensor": described.name, "bytes": described.bytes}

    def _hash(self, described: Any) -> str:
        if described.name not in self._hashes:
            self._hashes[described.name] = hashlib.sha256(make(described.recipe)).hexdigest()
        return self._hashes[described.name]
