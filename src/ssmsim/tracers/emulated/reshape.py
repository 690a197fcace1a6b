"""Other problem sizes from one capture: a launch with another grid and other parameters, and buffers of other sizes."""

import struct
from collections.abc import Mapping
from pathlib import Path

from ssmsim.errors import SsmsimError
from ssmsim.launch import Buffer, Dim3, Launch, check_compiled, validated
from ssmsim.sass.elf_attributes import kernel_info

FIRST_ADDRESS = 0x7D00_0000_0000  # reshaped buffers are laid out anew from here, far from the address windows
ALIGN = 2 << 20


def reshape(
    launch: Launch,
    grid: Dim3 | None = None,
    parameters: Mapping[int | str, int] | None = None,
    buffers: Mapping[str, int] | None = None,
) -> Launch:
    """The launch with some things changed; what is not named stays as captured.

    parameters: new integer values, by byte offset in the parameter buffer or by the name that the launch's field
        `parameters` ([{name, offset}]) gives that offset. buffers: new sizes in bytes by name; as soon as one is given,
        all buffers get new addresses, so that none overlap, and the pointers among the parameters follow. A buffer
        whose size changes loses its recorded contents.
    Raises SsmsimError for a name, offset or value that does not fit.
    """
    data = bytearray(launch.param_bytes)
    new_buffers = list(launch.buffers)
    if buffers:
        new_buffers = _lay_out(launch, buffers, data)
    sizes = _slots(launch)
    for key, value in (parameters or {}).items():
        offset = _offset(launch, key)
        size = sizes.get(offset)
        if size is None:
            known = ", ".join(map(hex, sorted(sizes)[:16])) + (", ..." if len(sizes) > 16 else "")
            raise SsmsimError(
                f"no parameter at offset {offset:#x}", launch.folder, f"they are at {known or 'no offset'}"
            )
        if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise SsmsimError(f"{value} does not fit into the {size} bytes at offset {offset:#x}", launch.folder)
        data[offset : offset + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    fields = launch.model_dump() | {
        "grid": tuple(grid or launch.grid),
        "params": data.hex(),
        "buffers": [b.model_dump() for b in new_buffers],
        "cubin": str(launch.cubin_path.resolve()),
        "provenance": launch.provenance | {"reshaped_from": launch.folder.name},
    }
    reshaped = validated(fields, launch.folder)
    reshaped._folder = launch.folder
    check_compiled(reshaped, kernel_info(launch.cubin_path.read_bytes(), launch.kernel, launch.cubin_path), "reshape")
    return reshaped


def _slots(launch: Launch) -> dict[int, int]:
    """Bytes of each scalar parameter by offset; a structure's are reached as 4- and 8-byte words."""
    info = kernel_info(launch.cubin_path.read_bytes(), launch.kernel, launch.cubin_path)
    slots: dict[int, int] = {}
    for offset, size in info.params:
        if size in (1, 2, 4, 8):
            slots[offset] = size
        else:
            slots |= dict.fromkeys(range(offset, offset + size - size % 4, 4), 4)
    return slots


def _offset(launch: Launch, key: int | str) -> int:
    if isinstance(key, int):
        return key
    named = {p["name"]: p["offset"] for p in (launch.model_extra or {}).get("parameters", [])}
    if key not in named:
        raise SsmsimError(f"no parameter is named {key!r}", launch.folder, "give its byte offset instead")
    return int(named[key])


def _lay_out(launch: Launch, sizes: Mapping[str, int], data: bytearray) -> list[Buffer]:
    """Buffers at new addresses; pointers in `data` that point into an old one are moved along."""
    unknown = set(sizes) - {b.name for b in launch.buffers}
    if unknown:
        names = ", ".join(str(b.name) for b in launch.buffers)
        raise SsmsimError(f"no buffer is named {sorted(unknown)[0]!r}", launch.folder, f"they are {names}")
    words = {at: struct.unpack_from("<Q", data, at)[0] for at in range(0, len(data) - 7, 8)}
    result, address = [], FIRST_ADDRESS
    for buffer in launch.buffers:
        size = sizes.get(buffer.name or "", buffer.bytes)
        into = buffer.passed - buffer.address
        for at, word in words.items():
            if word == buffer.passed:
                struct.pack_into("<Q", data, at, address + into)
        contents = buffer.contents if size == buffer.bytes else None
        result.append(
            buffer.model_copy(
                update={
                    "address": address,
                    "bytes": size,
                    "pointer": address + into,
                    "contents": contents,
                    "shape": None,
                    "stride": None,
                }
            )
        )
        address += (size + ALIGN - 1) // ALIGN * ALIGN + ALIGN
    return result


def write_reshaped(launch: Launch, folder: Path) -> None:
    """A reshaped launch as a launch/1 folder of its own; contents files are named by absolute path."""
    from ssmsim.files import whole_folder

    with whole_folder(folder, "launch/1", launch.inputs) as temporary:
        (temporary / "kernel.cubin").write_bytes(launch.cubin_path.read_bytes())
        placed = {
            field: [
                x
                if x.contents is None
                else x.model_copy(update={"contents": str((launch.folder / x.contents).resolve())})
                for x in getattr(launch, field) or ()
            ]
            for field in ("buffers", "variables")
        }
        variables = placed.pop("variables") or None
        launch.model_copy(update={"cubin": "kernel.cubin", "variables": variables, **placed}).write(temporary)


def parse_grid(text: str) -> Dim3 | None:
    """ "8,64,80" to a grid, "" to None. SsmsimError when it is neither."""
    if not text:
        return None
    try:
        x, y, z = (int(part, 0) for part in text.split(","))
    except ValueError:
        raise SsmsimError(f"grid {text!r} is not three integers", "--grid", "write it as x,y,z") from None
    return x, y, z


def parse_change(items: list[str]) -> dict[int | str, int]:
    """["0x48=4096", "seqlen=512"] to {0x48: 4096, "seqlen": 512}. SsmsimError for anything else."""
    found: dict[int | str, int] = {}
    for item in items:
        key, _, value = item.partition("=")
        try:
            found[int(key, 0) if key[:1].isdigit() else key] = int(value, 0)
        except ValueError:
            raise SsmsimError(f"{item!r} is not NAME=INTEGER", "--param or --buffer", "mend it") from None
    return found
