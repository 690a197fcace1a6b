"""Text reports of the emulating tracer: totals of a launch, agreement with traces of the GPU."""

from dataclasses import dataclass

from ssmsim.launch import Launch
from ssmsim.sass.decode import decode_launch
from ssmsim.sass.opcodes import OPCODES, Access, Control, Mods, Space, Unit, lookup
from ssmsim.trace.compare import Agreement, compare
from ssmsim.trace.types import Program
from ssmsim.tracers.emulated.execute import OF_MACHINE
from ssmsim.tracers.emulated.source import EmulatedBlocks, cut
from ssmsim.tracers.emulated.totals import emulate_totals, spread

# Modifiers without which there is no signature.
NEEDED = {"HGMMA": ("64x8x16", "F32"), "QGMMA": ("64x8x32", "F32"), "IGMMA": ("64x8x32", "S8"), "BGMMA": ("64x8x256",),
          "HMMA": ("16816", "F32"), "IMMA": ("16816", "S8"), "BMMA": ("168128",), "DMMA": ("8x8x4",), "UBLKCP": ("S", "G"),
          "UBLKRED": ("G", "S"), "UTMALDG": ("1D",), "UTMASTG": ("1D",), "UTMAREDG": ("1D",), "UTMAPF": ("1D",)}  # fmt: skip


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


# Where the timing of a pipe comes from: microbenchmarks by name (ssmsim.microbenchmarks), papers as configurations cite them.
PIPE_TIMING = {
    Unit.FMA: "sm/instruction_latency_throughput, sm/issue_timing", Unit.ALU: "sm/instruction_latency_throughput",
    Unit.XU: "sm/instruction_latency_throughput, sm/issue_timing", Unit.FP64: "sm/instruction_latency_throughput",
    Unit.TENSOR: "sm/hmma_latency_throughput", Unit.UNIFORM: "latency arXiv 2503.20481, rate assumed",
    Unit.CBU: "sm/instruction_cache_latency, rate assumed", Unit.ADU: "the cbu's: unmeasured", Unit.LSU: "issue alone: unmeasured",
    Unit.NONE: "issue alone",
}  # fmt: skip
SPACE_TIMING = {
    Space.GLOBAL: "l1/latency_capacity_bandwidth, sm_memory/lsu_occupancy", Space.LOCAL: "l1/local_memory_throughput",
    Space.GENERIC: "l1/latency_capacity_bandwidth; global memory alone", Space.SHARED: "sm_memory/shared_memory_bank_conflicts",
    Space.GLOBAL_TO_SHARED: "sm_memory/ldgsts_latency_throughput", Space.CONSTANT: "sm/constant_cache_latency",
}  # fmt: skip
TIMING = {
    "IMMA": "sm/mma_format_throughput", "BMMA": "sm/mma_format_throughput", "DMMA": "sm/mma_format_throughput",
    "QGMMA": "sm/gmma_format_throughput", "IGMMA": "sm/gmma_format_throughput", "BGMMA": "sm/gmma_format_throughput",
    "ARRIVES": "sm_memory/ldgsts_mbarrier", "UBLKPF": "tma/l2_prefetch", "UTMAPF": "tma/l2_prefetch",
    "HGMMA": "sm/hgmma_throughput", "WARPGROUP": "sm/hgmma_throughput", "BAR": "sm/barrier_latency", "BSYNC": "sm/instruction_pair_throughput",
    "MEMBAR": "sm_memory/fence_latency", "FENCE": "sm_memory/proxy_fence_latency", "ERRBAR": "sm_memory/fence_latency",
    "CGAERRBAR": "sm_memory/fence_latency", "CCTL": "sm_memory/fence_latency", "S2R": "sm/special_register_latency",
    "LDGDEPBAR": "sm_memory/ldgsts_commit_occupancy", "SHFL": "sm_memory/mio_queue_depth", "ATOMG": "l2/atomic_throughput",
    "REDG": "l2/atomic_throughput", "RED": "l2/atomic_throughput", "REDUX": "the xu's: unmeasured", "MATCH": "the cbu's: unmeasured",
    "VIMNMX3": "the alu's: unmeasured", "VHMNMX": "the alu's: unmeasured", "CLMAD": "the fp64's: unmeasured",
}  # fmt: skip


@dataclass(frozen=True)
class Support:
    """What replay does with an opcode. replay: "emulated", "roles" (operands alone: a value that is wanted from it is
    refused) or "refused: why". timing: its source, or "none: why".
    """

    replay: str
    timing: str


def support(opcode: str) -> Support:
    """Of a full opcode, modifiers included."""
    base, *modifiers = opcode.split(".")
    entry, mods = lookup(base), Mods(tuple(modifiers))
    refused = entry.refusal(mods)
    if refused:
        return Support(f"refused: {refused}", "none: refused")
    moves = entry.access != Access.NONE or entry.control != Control.NONE
    done = bool(entry.semantics) and "OOB" not in mods and not ("SP" in mods and entry.unit == Unit.TENSOR)
    results = bool(entry.operands(mods)[0])
    emulated = done or moves or base in OF_MACHINE or not results
    untimed = entry.timing_refusal(mods)
    space = SPACE_TIMING.get(entry.space) if entry.access != Access.NONE else None
    timing = f"none: {untimed}" if untimed else TIMING.get(base) or space or PIPE_TIMING[entry.unit]
    return Support("emulated" if emulated else "roles", timing)


def opcode_table() -> str:
    """One line per base opcode: the pipe, whether a launch with it is replayed, where its timing comes from."""
    lines = [f"{'opcode':14s} {'pipe':8s} {'replay':9s} timing"]
    for base, entry in sorted(OPCODES.items()):
        row = support(".".join((base, *NEEDED.get(base, ()))))
        replay, _, why = row.replay.partition(": ")
        lines.append(f"{base:14s} {entry.unit.name.lower():8s} {replay:9s} {why or row.timing}")
    rows = [support(".".join((base, *NEEDED.get(base, ())))).replay for base in OPCODES]
    refused, roles = sum(r.startswith("refused") for r in rows), rows.count("roles")
    lines += [
        "",
        f"{len(rows)} opcodes: {rows.count('emulated')} emulated, {roles} with operand roles alone, {refused} refused",
    ]
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
