"""Run one program's measurements on the GPU and give back plain data."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from ssmsim.microbenchmarks.case import Loop, i32, pack, u64
from ssmsim.microbenchmarks.gpu import RECORD, Gpu

REPEATS = 3
ARENA = 72 << 30  # bytes; less where the device has less
PAGE = 2 << 20  # every buffer begins a page of the GPU
SWEPT = 300 << 20  # five times an H200's L2: nothing else stays there


class Session:
    """A GPU with one program's cubin loaded; buffers live until `release`.

    All buffers are pieces of one allocation. Memory that is freed or allocated the driver clears in the background, and
    that slows DRAM for tens of milliseconds: loads of 512 bytes by 16 warps of each SM of an H200 take 1,035 cycles
    meanwhile and 865 afterwards.
    """

    def __init__(self, cubin: Path, arena: int = ARENA) -> None:
        """arena: bytes for all buffers together, halved until the device has them."""
        self.gpu = Gpu()
        self.cubin = cubin
        self.module = self.gpu.load(cubin)
        self.sms = self.gpu.facts()["sms"]
        while True:
            try:
                address = self.gpu.allocate(arena)
                break
            except RuntimeError as error:
                if "OUT_OF_MEMORY" not in str(error) or arena <= 2 * SWEPT:
                    raise
                arena //= 2
        self.swept = -(-address // PAGE) * PAGE
        self.first = self.next = self.swept + SWEPT
        self.end = address + arena
        time.sleep(1)  # until the driver has cleared this memory, and what the process before this one gave back

    def room(self) -> int:
        """Bytes that are left for buffers."""
        return self.end - self.next

    def buffer(self, size: int, zero: bool = True) -> int:
        """Address of `size` bytes at the start of a page. RuntimeError when the arena has no such room left."""
        if size > self.room():
            raise RuntimeError(f"a buffer of {size:,} bytes, but {self.room():,} are left of the memory for buffers")
        address = self.next
        self.next += -(-size // PAGE) * PAGE
        if zero:
            self.gpu.zero(address, size)
        return address

    def release(self) -> None:
        """Give all buffers back; their bytes stay until another buffer is there."""
        self.gpu.synchronize()
        self.next = self.first

    def sweep(self) -> None:
        """Leave nothing in L2 but clean lines of memory that no buffer has; the program includes sweep.cuh."""
        self.launch("sweep", 8 * self.sms, 256, u64(self.swept), u64(self.swept), u64(SWEPT))
        self.gpu.synchronize()

    def launch(self, kernel: str, grid: int, block: int, *arguments: Any, shared: int = 0, carveout: int = -1) -> None:
        function = self.gpu.function(self.module, kernel, shared, carveout)
        self.gpu.launch(function, (grid, 1, 1), (block, 1, 1), shared, list(arguments))

    def timed(self, kernel: str, grid: int, block: int, *arguments: Any, shared: int = 0) -> float:
        """Milliseconds of one launch between events."""
        function = self.gpu.function(self.module, kernel, shared)
        return self.gpu.timed(function, (grid, 1, 1), (block, 1, 1), shared, list(arguments))

    def loop(self, case: Loop) -> dict[str, Any]:
        """Measure one Loop: raw cycles at both round counts, and what they say per operation."""
        records = case.blocks * case.warps
        out = self.buffer(records * RECORD.itemsize)
        arguments: list[Any] = []
        buffers: list[dict[str, int]] = []
        for argument in case.args:
            if hasattr(argument, "contents"):
                address = self.buffer(argument.bytes)
                data = argument.contents(address)
                if data is not None:
                    self.gpu.upload(address, data)
                buffers.append({"argument": len(arguments) + 2, "address": address, "bytes": argument.bytes})
                argument = u64(address)
            arguments.append(argument)
        function = self.gpu.function(self.module, case.kernel, case.shared, case.carveout)

        def span(rounds: int) -> tuple[float, float]:
            self.gpu.zero(out, records * RECORD.itemsize)
            if case.cold:
                self.sweep()
            values = [u64(out), i32(rounds), *arguments]
            self.gpu.launch(function, (case.blocks, 1, 1), (case.threads, 1, 1), case.shared, values)
            self.gpu.synchronize()
            record = self.gpu.download(out, records, RECORD)
            record = record[record["start"] != 0]
            spans = [
                float(of["end"].max() - of["start"].min())
                for of in (record[record["smid"] == sm] for sm in np.unique(record["smid"]))
            ]
            return max(spans), float(np.mean(spans))

        span(case.rounds[0])  # warm: instruction cache, TLB
        few = [span(case.rounds[0]) for _ in range(REPEATS)]
        many = [span(case.rounds[1]) for _ in range(REPEATS)]
        extra = case.rounds[1] - case.rounds[0]
        slopes = [(b[0] - a[0]) / extra for a, b in zip(few, many, strict=True)]
        slope = float(np.median(slopes))
        result: dict[str, Any] = {
            "name": case.name, "kernel": case.kernel, "threads": case.threads, "blocks": case.blocks,
            "shared": case.shared, "carveout": case.carveout, "cold": case.cold, "operations": case.operations, "rounds": case.rounds,
            "cycles_few": [a[0] for a in few], "cycles_many": [b[0] for b in many],
            "cycles_mean_sm": [few[-1][1], many[-1][1]],
            "registers": self.gpu.registers(function),
            "out": out, "buffers": buffers, "parameters": pack([u64(out), i32(case.rounds[0]), *arguments]).hex(),
            "cycles_per_round": slope, "spread": max(slopes) - min(slopes),
            "cycles_per_operation": slope / case.operations,
            "operations_per_cycle_per_sm": case.operations * case.warps / slope if slope > 0 else None,
        }  # fmt: skip
        if case.bytes_per_operation and slope > 0:
            result["bytes_per_cycle_per_sm"] = case.bytes_per_operation * case.operations * case.warps / slope
        self.release()
        return result
