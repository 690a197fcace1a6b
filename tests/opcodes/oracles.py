"""Two oracles for one program: the emulator in full mode, and, where there is one, the GPU."""

import struct
from pathlib import Path

import numpy as np

from ssmsim.launch import Device, Launch
from ssmsim.sass.decode import decode
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.run import full_plan, run_blocks

DATA = Path(__file__).parents[1] / "data" / "opcodes"
FIRST_ADDRESS = 0x7F0000000000


def emulate(
    name: str, inputs: list[np.ndarray], out_bytes: int, block: int, grid: int = 1, kernel: str = ""
) -> np.ndarray:
    """uint8[out_bytes] that kernel(inputs..., out) leaves in `out`, which starts as zero."""
    sizes = [a.nbytes for a in inputs] + [out_bytes]
    addresses = [FIRST_ADDRESS + (i << 24) for i in range(len(sizes))]
    code = decode(DATA / f"{name}.cubin", kernel or name)
    launch = Launch(
        format="launch/1", kernel=kernel or name, device=Device(name="emulated", compute_capability=(9, 0)),
        grid=(grid, 1, 1), block=(block, 1, 1), shared_memory_bytes=code.kernel.static_shared, registers_per_thread=255,
        cubin=f"{name}.cubin", params=struct.pack(f"<{len(addresses)}Q", *addresses).hex(), buffers=[],
    )  # fmt: skip
    image = Image([(a, s, f"argument {i}") for i, (a, s) in enumerate(zip(addresses, sizes, strict=True))], store=True)
    for address, array in zip(addresses, inputs, strict=False):
        image.write(address, np.ascontiguousarray(array))
    image.write(addresses[-1], np.zeros(out_bytes, np.uint8))
    plan = full_plan(code, image)
    run_blocks(plan, launch, np.arange(grid), log=False)
    return image.read(addresses[-1], out_bytes)


def on_gpu(
    name: str, inputs: list[np.ndarray], out_bytes: int, block: int, grid: int = 1, kernel: str = ""
) -> np.ndarray:
    """The same on a Hopper GPU, through the driver."""
    from ssmsim.microbenchmarks.gpu import Gpu

    gpu = Gpu()
    module = gpu.load(DATA / f"{name}.cubin")
    addresses = [gpu.allocate(size) for size in [*(a.nbytes for a in inputs), out_bytes]]
    for address, array in zip(addresses, inputs, strict=False):
        gpu.upload(address, array)
    gpu.zero(addresses[-1], out_bytes)
    arguments = [np.uint64(a) for a in addresses]
    gpu.launch(gpu.function(module, kernel or name), (grid, 1, 1), (block, 1, 1), 0, arguments)
    gpu.synchronize()
    result = gpu.download(addresses[-1], out_bytes, np.uint8)
    for address in addresses:
        gpu.free(address)
    return result
