"""Whether one launch can be replayed: every check that a simulation makes before it runs, and none of its time."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode, decode_launch
from ssmsim.sass.opcodes import Mods, lookup
from ssmsim.trace.types import Program
from ssmsim.tracers.emulated.cluster import members_of, size_of
from ssmsim.tracers.emulated.execution_driven import ExecutionDriven
from ssmsim.tracers.emulated.source import EmulatedBlocks
from ssmsim.tracers.emulated.state import OrderWanted
from ssmsim.tracers.emulated.totals import spread
from ssmsim.tracers.emulated.untimed import run_untimed

OPCODE = re.compile(r"(?:PC 0x[0-9a-f]+ |\()(?:@\S+ )?([A-Z][A-Z0-9_]*)")
INSTRUCTION = re.compile(
    r"PC 0x[0-9a-f]+ (?:@\S+ )?([A-Z][A-Z0-9_]*)\S*.*? (loads|reads)\b|PC 0x[0-9a-f]+ (?:@\S+ )?([A-Z][A-Z0-9_]*).*$"
)
UNRECORDED = re.compile(r"(loads from) .*?(, which is not recorded)")


@dataclass
class Checked:
    """What a check found. reason: why the launch cannot be replayed, "" when it can; opcode: whose fault it is, "" when no
    instruction's. static: full opcodes of the kernel by number of instructions; missing: those that are refused or not
    timed. executed: warp instructions of the emulated blocks by full opcode, empty when none could be emulated.
    emulated: whether these blocks ran to their end, so that instructions and addresses are known, be they timed or not.
    """

    kernel: str = ""
    reason: str = ""
    opcode: str = ""
    static: Counter[str] = field(default_factory=Counter)
    missing: set[str] = field(default_factory=set)
    executed: Counter[str] = field(default_factory=Counter)
    emulated: bool = False


def check(folder: Path, config: SimConfig, blocks: int) -> Checked:
    """Of a launch/1 folder. blocks: how many thread blocks to emulate, spread over the grid; 0: all.

    Raises SsmsimError for a folder that holds no whole launch.
    """
    launch = read_launch(folder)
    found = Checked(launch.kernel)
    try:
        _code(launch, found)
        code = decode_launch(launch)
        program, order = code.program, spread(launch.blocks, blocks)
        source = EmulatedBlocks(launch, order, code)
        source.tracing.one_order = blocks == 0
        try:
            if source.tracing.hangs_on_time:
                raise OrderWanted
            while (trace := source.next_blocks(1 << 10)) is not None:
                _count(program, trace.index, found.executed)
                _whole(trace, program, launch)
        except OrderWanted:
            found.executed.clear()
            first = np.arange(min(blocks, launch.blocks)) if blocks else None
            for pieces in run_untimed(ExecutionDriven(code, launch), members_of(launch, first)):
                _count(program, pieces.index, found.executed)
        found.emulated = True
        _engine(program, launch, config)
        Request(program, EmulatedBlocks(launch, None, decode_launch(launch)), launch, config)
    except SsmsimError as error:
        found.reason, found.opcode = general(error, launch)
    return found


def _code(launch: Launch, found: Checked) -> None:
    """Opcodes of the kernel, and those among them that replay does not know."""
    program = decode(launch.cubin_path, launch.kernel, launch).program
    _count(program, np.arange(len(program.instructions)), found.static)
    for opcode in found.static:
        base, *modifiers = opcode.split(".")
        entry, mods = lookup(base), Mods(tuple(modifiers))
        if entry.refusal(mods) or entry.timing_refusal(mods):
            found.missing.add(opcode)


def _engine(program: Program, launch: Launch, config: SimConfig) -> None:
    """What the engine refuses before it times anything: instructions without timing, blocks that do not fit an SM."""
    from ssmsim.engines.embedded.instructions import translate

    translate(program, config)
    open_engine("embedded").resident(launch, config)


def _whole(trace: object, program: Program, launch: Launch) -> None:
    from ssmsim.engines.embedded.conservation import whole

    whole(trace, program, launch.warps_per_block, size_of(launch))  # type: ignore[arg-type]


def _count(program: Program, index: np.ndarray, into: Counter[str]) -> None:
    counts = np.bincount(program.instructions["opcode"][index], minlength=len(program.opcodes))
    into.update({name: int(n) for name, n in zip(program.opcodes, counts, strict=True) if n})


def general(error: SsmsimError, launch: Launch) -> tuple[str, str]:
    """(the reason without what is this launch's own, base opcode of the instruction that the error names)."""
    where = OPCODE.search(str(error.where))
    what = error.what.replace(launch.kernel[:60], "the kernel")
    what = INSTRUCTION.sub(lambda m: f"{m[1]} {m[2]}" if m[1] else m[3], what)
    what = UNRECORDED.sub(r"\1 memory\2", what)
    what = re.sub(r"\b0x[0-9a-f]+\b|\b\d[\d,]*\b", "N", what)
    return re.sub(r"\(N(?:, N)*\)", "N", what), where[1] if where else ""
