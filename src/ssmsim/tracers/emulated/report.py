"""Text reports of the emulating tracer: totals of a launch, agreement with traces of the GPU."""

from dataclasses import dataclass

from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.sass.opcodes import OPCODES, Access, Control, Mods
from ssmsim.trace.compare import Agreement, compare
from ssmsim.trace.types import Program
from ssmsim.tracers.emulated.execute import OF_MACHINE
from ssmsim.tracers.emulated.source import EmulatedBlocks, cut
from ssmsim.tracers.emulated.totals import emulate_totals, spread

NEEDED = {"HGMMA": ("64x8x16", "F32")}  # modifiers without which there is no signature


def inspection(launch: Launch, blocks: int = 0, code: bool = False) -> str:
    """Geometry, resources and executed instructions of a launch; `blocks`: how many to run, 0 for all."""
    decoded, totals = decode_launch(launch), emulate_totals(launch, spread(launch.blocks, blocks))
    part = "" if totals.blocks == launch.blocks else f" ({totals.blocks} of {launch.blocks} blocks)"
    lines = [
        f"{launch.kernel}: grid {launch.grid}, block {launch.block}, {launch.registers_per_thread} registers, "
        f"{launch.shared_memory_bytes} bytes shared, {decoded.kernel.local_bytes} bytes local per thread",
        f"{totals.warp_instructions} warp instructions{part}, {totals.on.sum()} of "
        f"{totals.active.sum()} thread instructions pass their guard",
        "",
        *(f"{number:12d}  {name}" for name, number in totals.per_unit().items() if number),
        "",
        *(f"{number:12d}  {name}" for name, number in totals.per_opcode().items()),
    ]
    if code:
        records = decoded.program.instructions
        lines += ["", "      count    pc  stall yield write read wait"]
        for record, text, number in zip(records, decoded.program.text, totals.executed, strict=True):
            fields = (
                f"{record['stall']:5d} {record['yields']:5d} {record['write_barrier']:5d} {record['read_barrier']:4d}"
            )
            lines.append(f"{number:11d} {record['pc']:#06x} {fields} {record['wait_mask']:06b}  {text}")
    return "\n".join(lines)


def opcode_table() -> str:
    """One line per supported base opcode.

    values: the emulator computes its results ("yes"), so that addresses, masks and branches may depend on them.
    """
    lines = [f"{'opcode':16s} {'pipe':8s} values"]
    for base, entry in sorted(OPCODES.items()):
        moves = entry.access != Access.NONE or entry.control != Control.NONE
        results = bool(entry.operands(Mods(NEEDED.get(base, ())))[0])
        done = bool(entry.semantics) or moves or base in OF_MACHINE or not results
        lines.append(f"{base:16s} {entry.unit.name.lower():8s} {'yes' if done else 'no'}")
    return "\n".join(lines)


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of one launch; unknown: static instructions whose guards depend on data that nobody recorded."""

    kernel: str
    program: Program
    found: Agreement
    unknown: frozenset[int]

    @property
    def explained(self) -> int:
        """Masks that differ where the guard depends on unrecorded data."""
        return sum(n for i, n in self.found.masks.items() if i in self.unknown)

    @property
    def faults(self) -> int:
        """Everything else that differs."""
        found = self.found
        masks = sum(found.masks.values()) - self.explained
        return len(found.other_path) + masks + sum(found.addresses.values())


def agreement_row(launch: Launch) -> AgreementRow:
    """Compare all blocks of a launch with the NVBit trace beside it."""
    from ssmsim.tracers.nvbit import moves_of, read_blocks

    program = decode_launch(launch).program
    theirs, same_run = read_blocks(launch, program), not moves_of(launch)
    source = EmulatedBlocks(launch, theirs.blocks)
    found, at = Agreement(), 0
    while (ours := source.next_blocks(launch.blocks)) is not None:
        part = cut(theirs, at, at + len(ours.blocks), launch.warps_per_block)
        found, at = merge(found, compare(program, ours, part, same_run)), at + len(ours.blocks)
    unknown = frozenset(i for i, vague in enumerate(source.tracing.part.vague) if vague)
    return AgreementRow(launch.kernel, program, found, unknown)


def merge(a: Agreement, b: Agreement) -> Agreement:
    return Agreement(
        a.warps + b.warps, a.instructions + b.instructions, a.lanes + b.lanes, a.other_path + b.other_path,
        a.masks + b.masks, a.addresses + b.addresses,
    )  # fmt: skip


def agreement_table(rows: list[AgreementRow]) -> str:
    """One line per launch: what was compared, masks that hang on unrecorded data, faults; then each fault."""
    lines = [
        f"{'kernel':40s} {'warps':>7s} {'instructions':>13s} {'addresses':>12s} {'unknown guards':>15s} {'faults':>7s}"
    ]
    for row in rows:
        found = row.found
        lines.append(
            f"{row.kernel[:40]:40s} {found.warps:7d} {found.instructions:13d} {found.lanes:12d} "
            f"{row.explained:15d} {row.faults:7d}"
        )
    for row in rows:
        for kind, number, what in row.found.rows(row.program):
            place = int(what[3:].split()[0], 16) // 16 if what.startswith("PC") else -1
            if kind != "mask" or place not in row.unknown:
                lines.append(f"{row.kernel}: {number} times other {kind} at {what}")
    return "\n".join(lines)
