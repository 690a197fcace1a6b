"""Variants of a captured launch with some of its instructions off, to ask a GPU and the model what they cost.

An instruction that is off has the guard @!PT: it is fetched and issued, and does nothing. Results are then wrong, so
addresses and branches must not depend on them. `ssmsim measure --captured` runs such variants on a GPU as it does captures.
"""

import filecmp
import hashlib
import itertools
import json
import re
import shutil
import struct
from pathlib import Path
from typing import TypeVar

from elftools.elf.elffile import ELFFile

from ssmsim.elf_attributes import code_sha256, kernel_info
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_folder
from ssmsim.launch import Buffer, Launch, Variable, read_launch
from ssmsim.sass.decode import decode_launch

Part = TypeVar("Part", Buffer, Variable)
GUARD_AT, NEVER = 12, 0xF  # bits of the low word of an instruction: predicate, negated; !PT
STEERS = re.compile(
    r"BRA|BRX|JMP|JMX|CALL|RET|EXIT|KILL|BPT|BSSY|BSYNC|BREAK|BMOV|WARPSYNC|BAR|B2R|UCGABAR|CCTL|ENDCOLLECTIVE|ACQBULK"
    r"|PREEXIT|USETMAXREG|SYNCS|YIELD|NANOSLEEP|WARPGROUP|DEPBAR|LDGDEPBAR"
)
GUARD = re.compile(r"@!?U?P\w+ ")


def ablate(
    launch: Launch,
    variants: dict[str, tuple[str, ...]],
    out: Path,
    shared: dict[str, int] | None = None,
    cubins: dict[str, bytes] | None = None,
) -> list[str]:
    """Write a capture of the launch as it is and of each variant, NN-NAME; returns their names.

    variants: name to the beginnings of instructions that are to be off, as `ssmsim inspect` prints them without guard:
    "STG", or "LDGSTS.E [" where "LDGSTS.E.BYPASS" is to stay on.
    shared: name of a variant to the bytes of shared memory of its blocks; more than the kernel uses lowers its occupancy.
    cubins: name of a variant to another compilation of its kernel.
    Raises SsmsimError for a beginning that no instruction has, or that of one which steers the warp or others wait for.
    """
    text = [GUARD.sub("", line, count=1) for line in decode_launch(launch).program.text]
    names = []
    with whole_folder(out, "variants of a launch", launch.inputs) as folder:
        (folder / "cubins").mkdir()
        (folder / "inputs").mkdir()
        buffers = [_beside(launch, buffer, folder / "inputs") for buffer in launch.buffers]
        variables = [_beside(launch, variable, folder / "inputs") for variable in launch.variables or ()] or None
        for number, (name, starts) in enumerate({"as-captured": (), **variants}.items()):
            off = [pc for pc, line in enumerate(text) if line.startswith(starts)] if starts else []
            _check(launch, text, starts)
            image = (cubins or {}).get(name) or _patched(launch, off)
            (folder / "cubins" / f"{name}.cubin").write_bytes(image)
            names.append(f"{number:02d}-{name}")
            (folder / names[-1]).mkdir()
            origin = launch.provenance | {
                "ablated_from": "/".join(launch.folder.resolve().parts[-2:]),
                "off": list(starts),
                "code_sha256": code_sha256(image, launch.kernel),
            }
            changed: dict[str, object] = {"cubin": f"../cubins/{name}.cubin", "buffers": buffers, "provenance": origin}
            changed |= {"cubin_sha256": hashlib.sha256(image).hexdigest(), "variables": variables}
            changed |= {"shared_memory_bytes": (shared or {}).get(name, launch.shared_memory_bytes)}
            changed |= {"registers_per_thread": kernel_info(image, launch.kernel, name).registers}
            launch.model_copy(update=changed).write(folder / names[-1])
        sequence = {"format": "sequence/1", "operations": [{"launch": name} for name in names]}
        (folder / "sequence.json").write_text(json.dumps(sequence) + "\n")
        for name in names:
            decode_launch(read_launch(folder / name))
    return names


def _check(launch: Launch, text: list[str], starts: tuple[str, ...]) -> None:
    for start in starts:
        hit = [line for line in text if line.startswith(start)]
        if not start or not hit:
            raise SsmsimError(f"no instruction begins with {start!r}", launch.folder, "see `ssmsim inspect`")
        if any(STEERS.match(line) for line in hit):
            raise SsmsimError(f"{start!r} steers a warp or is waited for", launch.folder, "name others")


def _patched(launch: Launch, off: list[int]) -> bytes:
    """The cubin with these instructions (by number) off."""
    data = bytearray(launch.cubin_path.read_bytes())
    with launch.cubin_path.open("rb") as file:
        section = ELFFile(file).get_section_by_name(f".text.{launch.kernel}")
        assert section is not None  # the kernel has been decoded
        begin = section["sh_offset"]
    for number in off:
        low = struct.unpack_from("<Q", data, begin + 16 * number)[0] | NEVER << GUARD_AT
        struct.pack_into("<Q", data, begin + 16 * number, low)
    return bytes(data)


def _beside(launch: Launch, part: Part, inputs: Path) -> Part:
    """The buffer or variable with its contents, if any, copied into the new capture.

    Files of several folders may have one name: a copy with other bytes of that name gets its number in front.
    """
    if part.contents is None:
        return part
    source = launch.folder / part.contents
    if not source.is_file():
        raise SsmsimError(f"no file {part.contents}", launch.folder, "copy the whole capture")
    for number in itertools.count():
        name = f"{number}-{source.name}" if number else source.name
        if not (inputs / name).exists():
            shutil.copy(source, inputs / name)
            break
        if filecmp.cmp(source, inputs / name, shallow=False):
            break
    return part.model_copy(update={"contents": f"../inputs/{name}"})


def parse_variants(items: list[str]) -> dict[str, tuple[str, ...]]:
    """["bare=STG,LDGSTS"] to {"bare": ("STG", "LDGSTS")}. SsmsimError for anything else."""
    found = {}
    for item in items:
        name, equals, starts = item.partition("=")
        if not equals or not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name) or name in found or name == "as-captured":
            raise SsmsimError(f"{item!r} is no new NAME=BEGINNING,...", "--off", "write it as nostores=STG")
        found[name] = tuple(starts.split(","))
    return found
