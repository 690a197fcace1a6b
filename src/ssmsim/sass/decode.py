"""A cubin to a Program: NVIDIA's disassembler gives the text, the raw words the control fields, the ELF the rest."""

import hashlib
import importlib.util
import json
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ssmsim.architecture import SM_VERSION
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.launch import Launch
from ssmsim.sass.control import branch_offset, control_fields
from ssmsim.sass.instruction import Instruction, short
from ssmsim.sass.kernel_elf import Kernel, Relocation, link, read_kernel
from ssmsim.sass.opcodes import SUPPORTED, Mods, Opcode, Space, lookup
from ssmsim.sass.operands import match, parse
from ssmsim.sass.records import instruction_records
from ssmsim.trace.types import Program

PATIENCE = 300  # seconds for nvdisasm, which takes some ten for the largest kernels
EXTERNAL_CODE = 0xFFFF_0000  # code addresses that stand for functions of the driver
MODULE_DATA = 0x7C00_0000_0000  # __device__ variables whose addresses nobody recorded: far from buffers and windows
_cache: dict[tuple[str, str, tuple[tuple[str, int | None], ...]], "Code"] = {}
_of_program: dict[int, "Code"] = {}  # by identity; those of _cache, which live as long as the process
_shared: list[Path] = []  # the folder of nvdisasm's texts, when there is one


@dataclass(frozen=True)
class Code:
    """One decoded kernel: its Program for engines, and the objects behind it for tracers."""

    program: Program
    instructions: tuple[Instruction, ...]
    kernel: Kernel


def disassembler() -> Path:
    """nvdisasm of the nvidia-cuda-nvdisasm package. SsmsimError when it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(root).glob("*/bin/nvdisasm")):
            return path
    raise SsmsimError("nvdisasm is not installed", "", "pip install nvidia-cuda-nvdisasm")


def share(folder: Path | None) -> None:
    """Keep what nvdisasm says in a folder, where other processes find it; None: no longer. It takes 0.4 s to start."""
    _shared[:] = [] if folder is None else [folder]


@lru_cache(maxsize=2)  # the kernels of one cubin come one after another
def _disassemble(data: bytes, where: Path | str, bare: bool = False) -> dict[str, list[dict[str, str]]]:
    """Instructions of every function: nvdisasm's JSON. bare: the data are machine words, of one function "Unknown"."""
    place = _shared[0] / f"{hashlib.sha256(data).hexdigest()}-{bare}.json" if _shared else None
    if place is not None and place.is_file():
        found: dict[str, list[dict[str, str]]] = json.loads(place.read_bytes())
        return found
    found = _run_nvdisasm(data, where, bare)
    if place is not None:
        with whole_file(place) as temporary:
            temporary.write_text(json.dumps(found))
    return found


def _run_nvdisasm(data: bytes, where: Path | str, bare: bool) -> dict[str, list[dict[str, str]]]:
    """See `_disassemble`."""
    options = ["-b", f"SM{SM_VERSION}a"] if bare else []
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(data)
        file.flush()
        command = [str(disassembler()), *options, "-json", file.name]
        try:
            done = subprocess.run(
                command, capture_output=True, encoding="utf-8", errors="replace", check=False, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise SsmsimError(f"nvdisasm has not ended in {PATIENCE} s", where, "give an sm_90 cubin, linked") from None
    try:
        head, functions = json.loads(done.stdout)
    except (ValueError, TypeError, RecursionError):
        raise SsmsimError(f"nvdisasm cannot read it ({complaint(done.stderr, done.returncode)})", where,
                          "give an sm_90 cubin, linked") from None  # fmt: skip
    version = head["SM"]["version"]
    if version["major"] * 10 + version["minor"] != SM_VERSION:
        raise SsmsimError(
            f"made for sm_{version['major']}{version['minor']}", where, f"only sm_{SM_VERSION} is understood"
        )
    return {f["function-name"]: f["sass-instructions"] for f in functions}


def complaint(told: str, code: int) -> str:
    """The line of nvdisasm's messages that says why: its last one is often "end of parsing" and the like."""
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    if code < 0:
        return "; ".join([f"it crashed with {signal.Signals(-code).name}", *lines[:1]])
    causes = [line for line in lines if re.search("error|fatal|unrecognized|not supported|invalid", line, re.I)]
    return (causes or lines[:1] or [f"no output, exit code {code}"])[0]


def _split(text: str) -> list[str]:
    """Operands, by the commas outside of braces."""
    return [part for part in (p.strip() for p in re.split(r",(?![^{]*})", text)) if part]


def _instruction(index: int, item: dict[str, str], kernel: Kernel) -> Instruction:
    """One instruction of the JSON, with the help of its raw word."""
    opcode, operands, predicate = item["opcode"], item.get("operands", ""), item.get("predicate", "")
    texts = _split(operands)
    # beside PR or UPR, which the disassembler calls the predicate, a guard stands among the operands: P2R R73,@!P4,RZ,0xf
    guard_text = next((part for part in (predicate, *texts) if part.startswith("@")), "")
    texts = [part for part in texts if not part.startswith("@")]
    text = " ".join(part for part in (guard_text, opcode, ", ".join(texts)) if part)
    where = f"{short(kernel.name)} PC {16 * index:#06x} {text}"
    base, *modifiers = opcode.split(".")
    mods = Mods(tuple(modifiers))
    if not base:
        raise SsmsimError("an instruction without a name", where, "the disassembler does not know it: a newer one may")
    entry = lookup(base, where)
    low, high = int(kernel.words[index, 0]), int(kernel.words[index, 1])
    target, offset = -1, 0
    destinations, sources = _operand_types(entry, mods, where)
    types = [t.rstrip("?") for t in destinations + sources]
    if "label" in types and texts:
        offset = 16 * (index + 1) + branch_offset(low, high)
    operands_ = [parse(part, where) for part in texts if part not in ("PR", "UPR")]
    if "E" in mods and (
        base == "QSPC" or entry.space in (Space.GLOBAL, Space.GENERIC)
    ):  # ATOMG.E.CAS [R8]: 64 bits, though not written
        bare = ("mem", False, -1, -1)
        operands_ = [
            replace(o, wide=True) if (o.kind, o.wide, o.uniform, o.descriptor) == bare and o.base >= 0 else o
            for o in operands_
        ]
    guard = parse(guard_text[1:], where) if guard_text and guard_text != "@PT" else None
    found, wanted = match(operands_, destinations, sources, where)
    if "label" in types and wanted[-1] is not None and not any(s is not None and s.type == "reg64" for s in wanted):
        numeric = wanted[-1].kind == "imm"  # the disassembler names called functions instead
        place = wanted[-1].value if numeric else offset
        target = place // 16 if 0 <= place < 16 * len(kernel.words) else -1
    return Instruction(
        index, text, opcode, base, mods, entry, guard, tuple(found), tuple(wanted), low >> 32, target, offset,
        kernel.name,
    )  # fmt: skip


def _operand_types(entry: Opcode, mods: Mods, where: str) -> tuple[list[str], list[str]]:
    """What the table says of the operands; SsmsimError when it does not say it of these modifiers."""
    try:
        return entry.operands(mods)
    except SsmsimError as error:
        raise SsmsimError(error.what, where, error.todo) from None
    except (StopIteration, IndexError, ValueError):
        raise SsmsimError(f"modifiers {'.'.join(mods.order) or 'missing'} are not known", where, SUPPORTED) from None


def _linked(kernel: Kernel, addresses: Mapping[str, int], path: Path | str) -> tuple[Kernel, list[dict[str, str]]]:
    """A kernel whose text has relocations, resolved and disassembled as one piece of code."""

    def address(each: Relocation) -> int:
        return address_of(kernel, addresses, each.symbol, path) + each.addend

    kernel = replace(kernel, words=link(kernel.words, kernel.relocations, address, path))
    return kernel, _disassemble(kernel.words.tobytes(), path, bare=True)["Unknown"]


def address_of(kernel: Kernel, addresses: Mapping[str, int], symbol: str, where: object) -> int:
    """What a symbol stands for: a place in the code, of a variable in memory, or of a function that the driver has.

    addresses: those of the module's __device__ variables. SsmsimError for any other symbol.
    """
    if symbol in kernel.symbols:
        return kernel.symbols[symbol]
    if symbol in kernel.externals:
        return EXTERNAL_CODE + 16 * kernel.externals.index(symbol)
    if symbol in addresses:
        return addresses[symbol]
    raise SsmsimError(f"{kernel.name} uses the address of {symbol or 'a section'}, which is not known", where)


def external_at(kernel: Kernel, place: int) -> str:
    """The function of the driver that a code address stands for, "" when it is none."""
    number = (place - EXTERNAL_CODE) // 16
    return kernel.externals[number] if 0 <= number < len(kernel.externals) else ""


def module_addresses(kernel: Kernel, launch: Launch | None = None) -> dict[str, int]:
    """Where the module's __device__ variables lie: as recorded, else at places of their own, in the cubin's order."""
    recorded = {v.name: v.address for v in (launch.variables or () if launch else ()) if v.address is not None}
    bases = dict(zip((".nv.global.init", ".nv.global"), (MODULE_DATA, MODULE_DATA + (1 << 36)), strict=True))
    return {v.name: recorded.get(v.name, bases[v.section] + v.place) for v in kernel.variables if v.kind == "device"}


def decode(path: Path | str, kernel_name: str, launch: Launch | None = None) -> Code:
    """The kernel of a cubin file, decoded; kept in memory by the file's hash.

    launch: whose recorded addresses of module variables the code is linked to.
    Raises SsmsimError when the file is not a whole sm_90 cubin, has no such kernel, or holds an unknown opcode.
    """
    path = Path(path)
    if not path.is_file():
        raise SsmsimError("no such cubin", path, "name an existing file")
    return decode_image(path.read_bytes(), kernel_name, path, launch)


def decode_image(data: bytes, kernel_name: str, path: Path | str, launch: Launch | None = None) -> Code:
    """As `decode`, of a cubin's bytes; path: what messages call it."""
    addresses = tuple((v.name, v.address) for v in (launch.variables or ()) if v.kind == "device") if launch else ()
    key = (hashlib.sha256(data).hexdigest(), kernel_name, addresses)
    if key not in _cache:
        kernel = read_kernel(data, kernel_name, path)
        if kernel.linked:
            kernel, items = _linked(kernel, module_addresses(kernel, launch), path)
        else:
            items = _disassemble(data, path).get(kernel_name, [])
        if len(items) != len(kernel.words):
            raise SsmsimError(
                f"{len(items)} instructions disassembled, {len(kernel.words)} in the file", path, "copy the cubin again"
            )
        instructions = tuple(_instruction(i, item, kernel) for i, item in enumerate(items))
        opcodes = tuple(dict.fromkeys(i.opcode for i in instructions))
        records = instruction_records(instructions, opcodes, control_fields(kernel.words))
        program = Program(kernel_name, records, opcodes, tuple(i.text for i in instructions))
        _cache[key] = Code(program, instructions, kernel)
        _of_program[id(program)] = _cache[key]
    return _cache[key]


def code_of(program: Program) -> Code:
    """What `decode` gave this Program with. Raises SsmsimError for one that was not decoded from a cubin."""
    if id(program) not in _of_program:
        raise SsmsimError("the program was not decoded from a cubin", program.kernel, "take it from decode_launch()")
    return _of_program[id(program)]


def decode_launch(launch: Launch) -> Code:
    """The kernel of a launch. Raises as `decode` does, for an instruction that is not replayed, and when the launch's
    device is of another architecture.
    """
    major, minor = launch.device.compute_capability
    if major * 10 + minor != SM_VERSION:
        raise SsmsimError(f"captured on sm_{major}{minor}", launch.folder, f"only sm_{SM_VERSION} is understood")
    code = decode(launch.cubin_path, launch.kernel, launch)
    refuse_unsupported(code)
    return code


def refuse_unsupported(code: Code) -> None:
    """SsmsimError naming the first instruction with which no launch is replayed."""
    for ins in code.instructions:
        if reason := ins.entry.refusal(ins.mods):
            raise SsmsimError(reason, ins.where, SUPPORTED)
