"""Statements of PTX, compiled by ptxas and carried out by the emulator, on inputs of the test's own."""

import struct
from pathlib import Path

import numpy as np
from compiled import compile_ptx
from ptx_families import FUNCTIONS, HEAD, kernel

from ssmsim.launch import Device, Launch
from ssmsim.sass.decode import decode
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.run import full_plan, run_blocks

INPUT, OUTPUT = 0x7E0000000000, 0x7E0001000000
STRIDE = 1024  # bytes of a thread's inputs and results
WORDS = {"t": 0, "u": 1, "v": 2, "w": 3}


class Compiled:
    """A module of kernels, one for each statement."""

    def __init__(self, statements: list[str], path: Path, attributes: str = "") -> None:
        functions = "".join(FUNCTIONS[f] for f in FUNCTIONS if any(f in s for s in statements))
        names = [f"statement_{i}" for i in range(len(statements))]
        texts = [kernel(name, [s], attributes, 0) for name, s in zip(names, statements, strict=True)]
        self.path = compile_ptx(HEAD + functions + "".join(texts), path)
        self.names = dict(zip(statements, names, strict=True))

    def opcodes(self, statement: str) -> set[str]:
        return set(decode(self.path, self.names[statement]).program.opcodes)

    def run(self, statement: str, inputs: np.ndarray, n: int = 0, threads: int = 64, size: int = 1 << 17) -> np.ndarray:
        """uint32[threads, 256]: what the statement leaves. inputs: uint32[threads, 256] (a, b, c, e, x, y, z, ...)."""
        name = self.names[statement]
        code = decode(self.path, name)
        params = struct.pack("<QQI", INPUT, OUTPUT, n).ljust(192, b"\0")
        launch = Launch(
            format="launch/1", kernel=name, device=Device(name="emulated", compute_capability=(9, 0)), grid=(1, 1, 1),
            block=(threads, 1, 1), shared_memory_bytes=code.kernel.static_shared, registers_per_thread=255, cubin="x",
            params=params.hex(), buffers=[],
        )  # fmt: skip
        image = Image([(INPUT, size, "in"), (OUTPUT, size, "out")], store=True)
        image.write(INPUT, np.ascontiguousarray(inputs, np.uint32))
        run_blocks(full_plan(code, image), launch, np.arange(1), log=False)
        self.image = image
        return image.read(OUTPUT, STRIDE * threads).view(np.uint32).reshape(threads, STRIDE // 4)
