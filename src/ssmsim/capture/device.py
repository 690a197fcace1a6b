"""Facts of the GPU and its software, for the provenance of what is captured and measured."""

import ctypes
import datetime
import os
import shutil
import subprocess
from typing import Any

from ssmsim.capture import driver
from ssmsim.errors import SsmsimError

QUERY = (
    "name",
    "uuid",
    "driver_version",
    "clocks.sm",
    "clocks.mem",
    "clocks.max.sm",
    "clocks.max.mem",
    "power.draw",
    "temperature.gpu",
)


def smi() -> dict[str, str]:
    """What nvidia-smi reads right now (clocks in MHz); empty when it is not there."""
    if shutil.which("nvidia-smi") is None:
        return {}
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0] or "0"  # CUDA calls this one 0
    command = ["nvidia-smi", "-i", visible, f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader,nounits"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {}
    return dict(zip(QUERY, (value.strip() for value in done.stdout.splitlines()[0].split(",")), strict=False))


def require() -> None:
    """Raise SsmsimError when there is no GPU that a process can use."""
    try:
        driver.call("cuInit", 0)
    except SsmsimError as error:
        todo = error.todo or "run this on a machine with an NVIDIA GPU"
        raise SsmsimError(f"no GPU: {error.what}", "", todo) from None


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def current() -> dict[str, Any]:
    """{name, compute_capability, ...} of the device of the current context (launch/1's `device`)."""
    device, name, value = ctypes.c_int(), ctypes.create_string_buffer(100), ctypes.c_int()
    driver.call("cuInit", 0)
    driver.call("cuDeviceGet", ctypes.byref(device), 0)
    driver.call("cuDeviceGetName", name, 100, device)

    def attribute(number: int) -> int:
        driver.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value

    return {
        "name": name.value.decode(),
        "compute_capability": (attribute(75), attribute(76)),
        "multiprocessors": attribute(16),
        "l2_bytes": attribute(38),
    }
