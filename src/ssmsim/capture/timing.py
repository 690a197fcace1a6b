"""Event times of launches in the running sequence, and the cubin of each: the ground that measurements stand on."""

import csv
from pathlib import Path

from ssmsim.capture import device, driver
from ssmsim.capture.intercept import Interceptor
from ssmsim.capture.refused import Refused

COLUMNS = ("index", "kernel", "grid", "block", "code_sha256", "microseconds", "sm_mhz")


def write(folder: Path, interceptor: Interceptor) -> None:
    """times.csv: one row per launch, in order; microseconds between an event before it and one behind it."""
    driver.synchronize()
    clock = device.smi().get("clocks.sm", "")
    with (folder / "times.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for i, (launch, (start, end)) in enumerate(zip(interceptor.launches, interceptor.timers, strict=True)):
            grid, block = ("x".join(map(str, size)) for size in (launch.grid, launch.block))
            code = "" if isinstance(launch, Refused) else launch.code_sha256
            row = (i, launch.kernel, grid, block, code, f"{start.microseconds_to(end):.3f}", clock)
            table.writerow(row)
