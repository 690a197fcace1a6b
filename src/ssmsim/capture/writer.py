"""Writes what was intercepted: launch/1 folders, each cubin once, recipes and contents, and the order of operations."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from ssmsim.capture import device, driver
from ssmsim.capture.buffers import largest
from ssmsim.capture.describe import PROGRAM, TENSORS
from ssmsim.capture.equal import identity
from ssmsim.capture.fields import fields
from ssmsim.capture.frameworks import versions
from ssmsim.capture.intercept import Interceptor
from ssmsim.capture.names import short_name
from ssmsim.capture.recorded import Recorded
from ssmsim.capture.reduce import reduce_cubin
from ssmsim.capture.refused import Refused
from ssmsim.contents import write_recipe
from ssmsim.errors import SsmsimError
from ssmsim.launch import validated


def write(folder: Path, interceptor: Interceptor, every: bool = False) -> None:
    """NN-name/launch.json for every launch, cubins/, inputs/ (recipes), contents/, sequence.json.

    Equal launches (equal.py) are written once, as the first of them, unless `every` one is wanted.
    """
    facts = device.current()
    provenance = _provenance()
    launches, digits = interceptor.launches, max(2, len(str(len(interceptor.launches) - 1)))
    names = [f"{i:0{digits}d}-{short_name(launch.kernel)}" for i, launch in enumerate(launches)]
    cubins = _write_cubins(folder, interceptor)
    told: list[dict[str, Any]] = []  # by launch, its entry in the sequence
    first: dict[str, str | Refused] = {}  # by identity: the folder, or why it is not written
    for name, launch, time_ns in zip(names, launches, _times(interceptor), strict=True):
        kept: str | Refused
        if isinstance(launch, Refused):
            kept = launch
        else:
            key = name if every else identity(launch)
            if key not in first:
                about = provenance | {"code_sha256": launch.code_sha256}
                about |= {"contents_missing": launch.missing} if launch.missing else {}
                reason = _try_launch(folder / name, cubins, launch, facts, about)
                first[key] = Refused(launch.kernel, reason, launch.grid, launch.block) if reason else name
            kept = first[key]
        timed = {} if time_ns is None else {"time_ns": time_ns}
        told.append(kept.operation(name, time_ns) if isinstance(kept, Refused) else {"launch": kept} | timed)
    _write_inputs(folder, interceptor)
    operations = _operations(interceptor, told)
    lines = ",\n  ".join(json.dumps(operation) for operation in operations)
    (folder / "sequence.json").write_text(f'{{"format": "sequence/1", "operations": [\n  {lines}\n]}}\n')


def _provenance() -> dict[str, Any]:
    read = device.smi()
    return {
        **PROGRAM,
        "date": device.today(),
        "versions": versions() | {"driver": read.get("driver_version", "unknown")},
        "clocks_mhz": {"sm": read.get("clocks.sm", ""), "memory": read.get("clocks.mem", "")},
    }


def _operations(interceptor: Interceptor, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sequence. Streams are numbered as they come, and told where there are several; graph: which launch of one."""
    streams: dict[int, int] = {}
    for operation in interceptor.operations:
        if "launch" in operation:
            streams.setdefault(operation.get("stream", 0), len(streams))
    found = []
    for operation in interceptor.operations:
        if "launch" in operation:
            place = {"stream": streams[operation.get("stream", 0)]} if len(streams) > 1 else {}
            place |= {"graph": operation["graph"]} if "graph" in operation else {}
            operation = told[operation["launch"]] | place
        found.append(operation)
    return found


def _try_launch(
    folder: Path, cubins: dict[str, str], launch: Recorded, facts: dict[str, Any], about: dict[str, Any]
) -> str:
    """Write a launch; why it cannot be, "" when it is. cubins: hash of the loaded image -> file."""
    try:
        _write_launch(folder, f"../{cubins[launch.cubin.sha256]}", launch, facts, about)
    except OSError:
        raise
    except Exception as error:  # the other launches are kept
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, KeyError) and launch.cubin.sha256 not in cubins:
            return "its cubin cannot be cut down to it"
        return error.what if isinstance(error, SsmsimError) else f"{type(error).__name__}: {error}"
    return ""


def _times(interceptor: Interceptor) -> list[float | None]:
    """Nanoseconds of each launch between an event before it and one behind it; the host's own time is in that of short ones."""
    driver.synchronize()
    times: list[float | None] = [round(1e3 * start.microseconds_to(end)) for start, end in interceptor.timers]
    return times + [None] * (len(interceptor.launches) - len(times))


def _write_cubins(folder: Path, interceptor: Interceptor) -> dict[str, str]:
    """Each cubin once, cut down to the kernels that were launched, without debug information (it holds paths of the
    machine). Loaded image's hash to file name, which is the written file's hash."""
    launched: dict[str, set[str]] = {}
    kept = [launch for launch in interceptor.launches if not isinstance(launch, Refused)]
    for launch in kept:
        launched.setdefault(launch.cubin.sha256, set()).add(launch.kernel)
    names: dict[str, str] = {}
    for cubin in {launch.cubin.sha256: launch.cubin for launch in kept}.values():
        try:
            image = reduce_cubin(cubin.image, launched[cubin.sha256])
        except SsmsimError:
            continue  # each of its launches is refused
        names[cubin.sha256] = f"cubins/{hashlib.sha256(image).hexdigest()[:16]}.cubin"
        file = folder / names[cubin.sha256]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(image)
    return names


def _write_launch(folder: Path, cubin: str, launch: Recorded, facts: dict[str, Any], about: dict[str, Any]) -> None:
    folder.mkdir()
    buffers, sizes = [], largest(launch.buffers)
    for buffer in launch.buffers:
        kept = {k: v for k, v in buffer.items() if k != "recipe"}
        if "recipe" in buffer:
            kept["contents"] = f"../inputs/{buffer['recipe']}.recipe.json"
        elif buffer["address"] in launch.contents and buffer["bytes"] == sizes[buffer["address"]]:
            kept["contents"] = launch.contents[buffer["address"]]
        buffers.append(kept)
    written = validated(
        fields(launch, facts, cubin, buffers, folder.parent)
        | {"cubin_sha256": hashlib.sha256((folder / cubin).read_bytes()).hexdigest(), "provenance": about},
        f"launch {folder.name} of {launch.kernel}",
    )
    written.write(folder)


def _write_inputs(folder: Path, interceptor: Interceptor) -> None:
    kept = [launch for launch in interceptor.launches if not isinstance(launch, Refused)]
    used = {b["recipe"] for launch in kept for b in launch.buffers if "recipe" in b}
    for described in TENSORS.values():
        if described.name in used and described.recipe is not None:
            write_recipe(folder / "inputs" / f"{described.name}.recipe.json", described.recipe)
