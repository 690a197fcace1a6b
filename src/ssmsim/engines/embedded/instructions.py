"""Program to CODE records: what issue, pipes and LSU need to know of each static instruction, looked up once."""

import re

import numpy as np

from ssmsim.architecture import LANES
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import asynchronous
from ssmsim.engines.embedded.sm import instruction as kinds
from ssmsim.engines.embedded.state import records as r
from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import code_of
from ssmsim.sass.liveness import pressure
from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Control, Space, Unit, lookup
from ssmsim.trace.types import Program

SPACE = {Space.SHARED: kinds.SHARED, Space.GLOBAL: kinds.GLOBAL, Space.GENERIC: kinds.GLOBAL, Space.LOCAL: kinds.LOCAL,
         Space.GLOBAL_TO_SHARED: kinds.COPY}  # fmt: skip
PIPE = {Unit.ALU: kinds.ALU, Unit.FP64: kinds.FP64, Unit.TENSOR: kinds.TENSOR, Unit.UNIFORM: kinds.UNIFORM, Unit.CBU: kinds.BRANCH,
        Unit.XU: kinds.XU, Unit.FMA: kinds.FMA, Unit.FP16: kinds.FMA, Unit.NONE: kinds.FREE, Unit.ADU: kinds.BRANCH,
        Unit.LSU: kinds.FREE}  # fmt: skip
HEAVY_ONLY = {"IMAD", "IDP", "HFMA2.MMA"}  # the integer multiplier sits in the heavy pipe; UPC, section 5
LANES_OWN = re.compile(r"SR_(TID|LANEID|\w+MASK)")  # what each lane has another of comes through the unit: special
GMMA_SPAN = 32  # bytes of K, of every type
WAITS = {"WARPGROUP", "DEPBAR", "LDGDEPBAR", "BAR"}
FENCES = {"MEMBAR", "FENCE", "ERRBAR", "CGAERRBAR", "CCTL"}


def translate(program: Program, config: SimConfig) -> np.ndarray:
    """CODE[instructions]. Raises SsmsimError naming the PC and text of an instruction the engine has no timing for."""
    code = r.records(kinds.CODE, len(program.instructions))
    targets = set(program.instructions["target"].tolist())
    cells: dict[tuple[int, int], int] = {}
    writers: dict[int, int] = {}
    for index, (row, one, text) in enumerate(zip(program.instructions, code, program.text, strict=True)):
        name = program.opcodes[row["opcode"]]
        where = f"{program.kernel} at {row['pc']:#x} ({text.strip()})"
        one.stall, one.yields = max(1 + row["yields"], row["stall"]), row["yields"]  # sm/issue_timing: yield
        if name == "NANOSLEEP":
            one.stall = max(one.stall, _sleeps(text, config))
        one.line = row["pc"] // config.fetch.l0_line_bytes
        one.asks = r.NONE
        one.constant = one.indexed = r.NONE
        if name.split(".")[0] == "LDC":
            one.indexed = _constant(text, config)
        else:
            one.constant = _constant(text, config)
        _dependencies(one, row, where)
        one.accessing, one.shrinks = row["accesses"], name.split(".")[0] == "USETSHMSZ"
        _operation(one, name, text, row, config, where)
        if index in targets:
            cells.clear()
            writers.clear()
        _banks(one, row, cells)
        _factors(code, index, row, writers)
    _lookahead(code, config.fetch.buffer_instructions)
    if config.sm.register_release == "last_use":
        _registers(code, program, config)
    return code


def _sleeps(text: str, config: SimConfig) -> int:
    """Cycles of a NANOSLEEP that names its time: the next power of two of nanoseconds (our microbenchmark
    sm/nanosleep_duration: 40 ns take 127 cycles at 1,980 MHz, 648 take 2,025, 1,245 take 4,051, 20,000 take 65,012). One
    with its time in a register is not held up: the value is not in the trace.
    """
    asked = re.search(r"NANOSLEEP (0x[0-9a-f]+)", text)
    nanoseconds = int(asked[1], 16) if asked else 0
    return round((1 << (nanoseconds - 1).bit_length()) * config.gpu.sm_clock_mhz / 1000) if nanoseconds else 0


def _registers(code: r.Records, program: Program, config: SimConfig) -> None:
    """Units of registers that each instruction needs, and that a warp holds from it on."""
    of_thread, unit = pressure(code_of(program)), config.sm.register_allocation_unit
    code.needs = -(-np.array(of_thread.needs) * LANES // unit)
    code.holds = -(-np.array(of_thread.holds) * LANES // unit)


def _lookahead(code: r.Records, buffered: int) -> None:
    """Issuing one instruction makes room in the warp's buffer for the one that many behind it: ask for the line it begins."""
    begins = np.flatnonzero(np.diff(code.line, prepend=r.NONE)) if buffered else np.zeros(0, np.int64)
    begins = begins[begins >= buffered]
    code.asks[begins - buffered] = code.line[begins]


def _dependencies(one, row, where: str) -> None:
    for field, target in (("write_barrier", "write_add"), ("read_barrier", "read_add")):
        if row[field] > 5:
            raise SsmsimError(f"{field} {row[field]} is not one of the six dependency counters", where, "decode again")
        one[target] = 1 << (r.COUNTER_BITS * row[field]) if row[field] >= 0 else 0
    one.wait_bits = sum(r.COUNTER_MASK << (r.COUNTER_BITS * i) for i in range(6) if row["wait_mask"] >> i & 1)


def _operation(one, name: str, text: str, row, config: SimConfig, where: str) -> None:
    base, mods = name.split(".")[0], name.split(".")[1:]
    entry = lookup(base, where)
    one.kind = kinds.FIXED
    _pipe(one, name, PIPE[entry.unit], config)
    if entry.access in asynchronous.ACCESSES or base in asynchronous.OPCODES:
        asynchronous.translate(one, base, mods, row, config)
    elif entry.access != Access.NONE and entry.space in SPACE:
        _access(one, base, mods, entry, row, config)
    elif entry.space == Space.CONSTANT:
        one.latency = config.constant.ldc_latency_cycles
    elif base in ("SHFL", "MOVM"):
        _exchange(one, config.mio.shuffle_latency_cycles - 1)
    elif base == "S2R" and LANES_OWN.search(text):
        _exchange(one, config.mio.lane_register_latency_cycles - 1)
        one.held_fp = int(config.mio.lane_register_cycles * (1 << r.FP))
    elif base in ("S2R", "S2UR", "CS2R", "B2R"):
        one.latency = config.sm.s2r_latency_cycles if base != "CS2R" else config.sm.alu_latency_cycles
    elif base in WARPGROUP_PRODUCTS:
        _gmma(one, text, row, config)
    elif entry.control == Control.EXIT:
        one.exits = 1
    elif base in WAITS or base in FENCES or name == "WARPGROUP.ARRIVE":
        _wait(one, name, text, row, config, where)
    elif entry.control != Control.NONE:
        one.kind = kinds.JUMP if entry.control != Control.BSSY else kinds.FIXED
        one.joins = base == "BSYNC"
    plain = (
        one.kind == kinds.FIXED
        and not one.exits
        and base not in ("S2R", "S2UR", "B2R")
        and entry.space != Space.CONSTANT
    )
    one.blocks = not plain


def _pipe(one, name: str, pipe: int, config: SimConfig) -> None:
    """Pipe, how long it is taken, and the fixed latency of what goes through it."""
    base, mods, sm = name.split(".")[0], name.split(".")[1:], config.sm
    one.pipe, one.share = pipe, kinds.PARTS
    one.latency = {kinds.ALU: sm.alu_latency_cycles, kinds.FMA: sm.fma_latency_cycles, kinds.FP64: sm.fp64_latency_cycles,
                   kinds.UNIFORM: sm.uniform_latency_cycles, kinds.XU: sm.xu_latency_cycles, kinds.BRANCH: sm.branch_latency_cycles,
                   kinds.TENSOR: _hmma_latency(name, config), kinds.FREE: 1}[one.pipe]  # fmt: skip
    if one.pipe == kinds.FMA and (base in HEAVY_ONLY or name in HEAVY_ONLY):
        one.pipe = kinds.HEAVY
        one.wide = "WIDE" in mods or "HI" in mods
        one.share += kinds.PARTS * one.wide  # pipes: imad_wide.rate and imad_hi.rate, one per 4 cycles
    if base == "DMMA":
        one.latency, one.share = _dmma(mods[0], config)
    elif one.pipe == kinds.TENSOR and base not in WARPGROUP_PRODUCTS:
        one.share = _product_share(base, mods)
    if base.startswith("H") and one.pipe in (kinds.FMA, kinds.HEAVY):
        one.latency = sm.fp16_latency_cycles
        # the assembler balances the two: microbenchmark sm/instruction_latency_throughput, hfma2
        one.pipe = kinds.HEAVY if "MMA" in mods else kinds.LITE
    if one.pipe == kinds.XU:
        one.kind = kinds.QUEUED


def _access(one, base: str, mods: list[str], entry, row, config: SimConfig) -> None:
    """Loads, stores, atomics and copies."""
    one.kind, one.space = kinds.MEMORY, SPACE[entry.space]
    one.is_atomic = _unit(mods) if entry.access == Access.ATOMIC else 0
    one.is_store = entry.access == Access.STORE or (one.is_atomic != 0 and row["destination"] < 0 and "RED" in base)
    beyond = "STRONG" in mods and bool({"GPU", "SYS"} & set(mods))
    one.bypass = bool({"BYPASS", "NA"} & set(mods)) or one.is_atomic != 0 or beyond
    one.payload = (int(row["width"]) + 3) // 4 if one.is_store else 0
    one.matrix = base in ("LDSM", "STSM")
    wide = int(row["width"]) > 4 and not one.matrix
    one.wavefront = config.shared.wide_wavefront_cycles if wide else config.shared.warp_wavefront_cycles
    one.promote = next((int(m[3:-1]) for m in mods if re.fullmatch(r"LTC\d+B", m)), config.l2.fetch_bytes)
    one.write_long = one.space in (kinds.GLOBAL, kinds.LOCAL, kinds.COPY)
    one.generic = entry.space == Space.GENERIC


def _unit(mods: list[str]) -> int:
    """What the L2 does in an atomic with these modifiers."""
    if "CAS" in mods:
        return kinds.SWAP_ATOMIC
    if "F64" in mods:
        return kinds.DOUBLE_ATOMIC
    return kinds.FLOAT_ATOMIC if any(re.fullmatch(r"B?F(16|32).*", m) for m in mods) else kinds.INTEGER_ATOMIC


def _exchange(one, latency: int) -> None:
    """Through the SM's unit without an address."""
    one.kind, one.space, one.latency = kinds.MEMORY, kinds.EXCHANGE, latency


def _wait(one, name: str, text: str, row, config: SimConfig, where: str) -> None:
    """What waits for a warpgroup, a counter, stores or a barrier."""
    base, mods = name.split(".")[0], name.split(".")[1:]
    if name == "WARPGROUP.ARRIVE":
        one.kind = kinds.GMMA_ARRIVE
    elif base == "WARPGROUP":
        if row["depth"] >= 0:
            one.kind, one.count = kinds.GMMA_WAIT, row["depth"]
    elif base == "DEPBAR":
        counter = re.search(r"SB(\d)", text)
        if counter and row["depth"] >= 0:
            one.kind, one.shift, one.count = kinds.DEPBAR, int(counter[1]) * r.COUNTER_BITS, row["depth"]
    elif base == "LDGDEPBAR":
        one.kind, one.space, one.closes, one.write_long = kinds.MEMORY, kinds.EXCHANGE, 1, 1
    elif base in FENCES:
        one.kind = kinds.MEMBAR
        if base == "MEMBAR" and {"GPU", "SYS"} & set(mods):  # waits until the L2 has all earlier writes, then asks it
            one.count = 1
        elif (
            base == "MEMBAR" or "VIEW" in mods
        ):  # a block's own go the way of its accesses: microbenchmark sm_memory/proxy_fence_latency
            one.pipe = kinds.FREE
            _exchange(one, config.mio.view_fence_cycles)
            one.is_store, one.write_long, one.stops = 1, 1, base == "MEMBAR"
    elif base == "BAR":
        if row["accesses"]:
            one.space = kinds.NAMED_BARRIER
        elif not 0 <= row["barrier"] < r.MAX_BARRIERS:
            raise SsmsimError(f"a block has barriers 0 to {r.MAX_BARRIERS - 1}", where, "decode again")
        one.kind, one.pipe = kinds.BARRIER, kinds.FREE
        one.count, one.threads, one.is_store = row["barrier"], row["barrier_threads"], row["barrier_arrives"]
        one.defers = "DEFER_BLOCKING" in mods and not one.is_store


def _product_share(base: str, mods: list[str]) -> int:
    """PARTS of HMMA.16816's time for which a product of one warp takes the tensor core.

    It hangs on the bits of K, not on what they are. Our microbenchmark sm/mma_format_throughput, rate.16: 128 bits take 4
    cycles (s8.16816, b1.168128, tf32.1684, f16sum.1688), 256 take 6, also of a sparse A, 512 of a sparse A 8.25
    (f16.sp.16832, tf32.sp.16816, s8.sp.16864; 8.13 where sums are halves).
    """
    k = next(int(found[2]) for found in (re.fullmatch(r"(16|8)8(\d+)", m) for m in mods) if found)
    bits = k * (32 if "TF32" in mods else {"HMMA": 16, "IMMA": 8, "BMMA": 1}[base])
    return {128: kinds.PARTS * 2 // 3, 256: kinds.PARTS, 512: kinds.PARTS * 11 // 8}[bits]


def _dmma(shape: str, config: SimConfig) -> tuple[int, int]:
    """(latency, PARTS of HMMA.16816's time) of DMMA: each four of K take as long again (sm/mma_format_throughput: f64)."""
    rows, _, k = (int(part) for part in shape.split("x"))
    tensor = config.tensor
    hmma = 4096 / tensor.flops_per_cycle_per_subcore / tensor.hmma_efficiency
    steps = k // 4
    first = tensor.dmma_884_latency_cycles if rows == 8 else tensor.dmma_1684_latency_cycles
    taken = steps * tensor.dmma_interval_cycles
    return first + taken - tensor.dmma_interval_cycles, round(kinds.PARTS * taken / hmma)


def _hmma_latency(name: str, config: SimConfig) -> int:
    return config.tensor.hmma_1688_latency_cycles if ".1688." in name else config.tensor.hmma_16816_latency_cycles


def sparse(text: str) -> bool:
    return "GMMA.SP." in text


def gmma_operand_bytes(row, text: str) -> int:
    """Bytes that one warpgroup's HGMMA reads from shared memory: B, and A (64 rows) unless it is in registers."""
    from_registers = re.search(r"GMMA\S*\s+R\d+,\s*R\d+", text) is not None
    spans = 2 * GMMA_SPAN if sparse(text) else GMMA_SPAN  # of a sparse A the half that is there
    return int(row["gmma_n"]) * spans + (0 if from_registers else 64 * GMMA_SPAN)


def _gmma(one, text: str, row, config: SimConfig) -> None:
    """64 x n x k: each sub-core's tensor core does 16 rows; operands come from shared memory at a bounded rate."""
    one.kind, one.commits = kinds.GMMA, row["gmma_commits"]
    flops = (
        2 * 16 * int(row["gmma_n"]) * 16
    )  # 32 bytes of K in the time of 16 halves: arXiv 2402.13499, wgmma of fp8 and int8
    one.gmma_fp = -(-(flops << r.FP) // config.tensor.flops_per_cycle_per_subcore)
    one.turn_fp = config.tensor.hgmma_sparse_turn_cycles << r.FP if sparse(text) else 0
    one.gmma_smem_fp = int((gmma_operand_bytes(row, text) << r.FP) / config.tensor.hgmma_shared_bytes_per_cycle)


def _banks(one, row, cells: dict[tuple[int, int], int]) -> None:
    """Registers read per bank, less those in the reuse cache: a cell per operand slot and bank (UPC, section 5.3.1).

    A read marked for reuse fills its cell, an unmarked one of that slot and bank empties it; other instructions in
    between do not. Checked by our microbenchmark sm/instruction_pair_throughput: ffma_lop3 against ffma_iadd3.
    """
    if one.kind == kinds.GMMA:
        return
    reads, seen = [0, 0], set()  # one that is named twice is read once: our microbenchmark sm/instruction_fetch_sharing
    slots = (slot for slot in range(8) if not row["skipped"] >> slot & 1)
    for source, slot in zip(range(4), slots, strict=False):
        first, count = row[f"source{source}"], row[f"source{source}_count"]
        for register in range(first, first + min(count, 4)) if first >= 0 else ():
            cell = slot, register % 2
            reads[register % 2] += cells.get(cell) != register and register not in seen
            seen.add(register)
            if row["reuse"] >> slot & 1:
                cells[cell] = register
            else:
                cells.pop(cell, None)
    one.even_reads, one.odd_reads = reads
    registers = [row[f"source{slot}"] for slot in range(4) if row[f"source{slot}"] >= 0]
    one.first_bank = registers[0] % 2 if registers else r.NONE
    one.writes = one.kind == kinds.FIXED and row["destination"] >= 0
    one.sources = max(1, sum(row[f"source{slot}_count"] for slot in range(4)))


def _factors(code: np.ndarray, index: int, row, writers: dict[int, int]) -> None:
    """Mark a wide multiplication and the instruction that last wrote one of its factors in this basic block."""
    if code[index].wide:
        made = max((writers.get(int(row[source]), r.NONE) for source in ("source0", "source1")), default=r.NONE)
        if made >= 0:
            code[made].feeds = code[index].fed = 1
    if row["destination"] >= 0:
        writers[int(row["destination"])] = index if code[index].kind == kinds.FIXED else r.NONE


def _constant(text: str, config: SimConfig) -> int:
    """Line of the constant bank that an operand c[0x0][offset] reads, -1 when there is none."""
    operand = re.search(r"c\[(0x[0-9a-f]+)\]\[(?:UR\d+\+)?(0x[0-9a-f]+)\]", text)
    if operand is None:
        return r.NONE
    return (int(operand[1], 16) << 16 | int(operand[2], 16)) // config.constant.line_bytes
