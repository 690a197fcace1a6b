"""THE table of opcodes: unit, operand roles, memory space and semantics of each base opcode, one entry each.

Signature: "destinations = sources" in the order of the disassembly. Types: i32 b32 f32 f16x2 (one register), i64 f64
b64 (two), r1..r64 (that many), p (predicate), imm (a Python integer), reg reg64 (registers only), sreg, mem (address
operand), u1..u7 (so many uniform registers, named by the first in brackets), policy (desc[UR], of the L2), gdesc, const,
bar, label, any. A trailing ? marks an operand that the text may leave out. A signature that depends on modifiers is a
function of them. Pipes follow Nsight Compute's names (its documentation, "Pipelines", and its measured per-pipe counts
on H200).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from ssmsim.errors import SsmsimError

SUPPORTED = "it is not supported yet; `ssmsim opcodes` lists what is"  # what a user can do about an instruction


class Unit(IntEnum):
    """Execution pipe; names are those of ssmsim.counters.PIPES in capitals. NONE: issued, but sent to no pipe."""

    NONE = 0
    FMA = 1
    ALU = 2
    XU = 3
    LSU = 4
    TENSOR = 5
    UNIFORM = 6
    FP16 = 7
    FP64 = 8
    CBU = 9
    ADU = 10


class Space(IntEnum):
    """Where a memory instruction's addresses point. GENERIC: decided per lane by the address windows."""

    NONE = 0
    GLOBAL = 1
    SHARED = 2
    LOCAL = 3
    CONSTANT = 4
    GENERIC = 5
    GLOBAL_TO_SHARED = 6


class Access(IntEnum):
    """What a memory instruction does with memory. MBARRIER: works on barrier words in shared memory; BULK: one copy, store or
    reduction of many bytes for the whole warp; REMOTE: a store or reduction in a cluster's shared memory that a barrier there counts.
    """

    NONE = 0
    LOAD = 1
    STORE = 2
    ATOMIC = 3
    COPY = 4
    MBARRIER = 5
    BULK = 6
    REMOTE = 7


class Control(IntEnum):
    """How an instruction steers its warp. NONE: falls through."""

    NONE = 0
    BRANCH = 1
    INDIRECT = 2
    CALL = 3
    RETURN = 4
    EXIT = 5
    BSSY = 6
    BSYNC = 7
    BREAK = 8
    WARPSYNC = 9
    BARRIER = 10
    TRAP = 11
    BMOV = 12


class Mods(frozenset[str]):
    """The modifiers of an opcode; `order` keeps them as written, for those whose place matters (F2F.F64.F32)."""

    order: tuple[str, ...]

    def __new__(cls, order: tuple[str, ...]) -> "Mods":
        self = super().__new__(cls, order)
        self.order = order
        return self


WARPGROUP_PRODUCTS = frozenset(["HGMMA", "QGMMA", "IGMMA", "BGMMA"])  # wgmma: operands in shared memory by descriptor
Signature = str | Callable[[Mods], str]


@dataclass(frozen=True)
class Opcode:
    """One entry. semantics is "module.function" of tracers/emulated/semantics, "" when the machine itself does it or
    nobody has written it (an error where its result is wanted). refused: why a launch with it is not replayed; untimed:
    why it is emulated, but not timed. Both are looked at before anything runs."""

    unit: Unit
    signature: Signature
    semantics: str = ""
    extras: tuple[str, ...] = ()
    access: Access = Access.NONE
    space: Space = Space.NONE
    control: Control = Control.NONE
    refused: str | Callable[[Mods], str] = ""
    untimed: str | Callable[[Mods], str] = ""

    def refusal(self, mods: Mods) -> str:
        """Why no launch with this instruction is replayed at all, "" when it is."""
        return self.refused if isinstance(self.refused, str) else self.refused(mods)

    def timing_refusal(self, mods: Mods) -> str:
        """Why engines do not time a launch with this instruction, "" when they do."""
        return self.untimed if isinstance(self.untimed, str) else self.untimed(mods)

    def operands(self, mods: Mods) -> tuple[list[str], list[str]]:
        """Types of the destinations and of the sources under these modifiers."""
        text = self.signature if isinstance(self.signature, str) else self.signature(mods)
        destinations, _, sources = text.partition("=")
        return destinations.split(), sources.split()


# ---- signatures that depend on modifiers ----------------------------------------------------------------------------


def memory_registers(mods: Mods) -> int:
    """32-bit registers that a load, store or atomic of these modifiers moves per lane."""
    if mods & {"128", "F32x4", "F16x8", "BF16x8"}:
        return 4
    return 3 if "96" in mods else 2 if mods & {"64", "S64", "U64", "F64", "F32x2", "F16x4", "BF16x4"} else 1


def _load(mods: Mods) -> str:
    return f"p? r{memory_registers(mods)} = mem p?"


def _store(mods: Mods) -> str:
    return f" = mem r{memory_registers(mods)}"


def _matrix_load(mods: Mods) -> str:
    return f"r{4 if '4' in mods else 2 if '2' in mods else 1} = mem"


def _matrix_store(mods: Mods) -> str:
    return f" = mem r{4 if '4' in mods else 2 if '2' in mods else 1}"


def _atomic(mods: Mods) -> str:
    n = memory_registers(mods)
    return f"p? r{n} = mem r{n} r{n}" if mods & {"CAS", "CAST"} else f"p? r{n} = mem r{n}"


def _shared_atomic(mods: Mods) -> str:
    n = memory_registers(mods)
    return f"p? r{n}? = mem r{n} r{n}" if mods & {"CAS", "CAST"} else f"p? r{n}? = mem r{n}?"


def _constant_load(mods: Mods) -> str:
    return f"r{memory_registers(mods)} = const"


def _multiply_add(mods: Mods) -> str:
    if "WIDE" in mods:
        return "i64 p? = i32 i32 i64 p?"
    return "i32 p? = i32 i32 i64 p?" if "HI" in mods else "i32 p? = i32 i32 i32 p?"


def _add3(mods: Mods) -> str:
    return "i64 p? p? = i64 i64 i64 p? p?" if "64" in mods else "i32 p? p? = i32 i32 i32 p? p?"


def _lea(mods: Mods) -> str:
    high = "HI" in mods and "SX32" not in mods
    return "i32 p? = i32 i32 " + ("i32 " if high else "") + "i32 p?"


def _compare(kind: str) -> Callable[[Mods], str]:
    return lambda mods: f"p p = {kind} {kind} p p?"


# Registers of A and B, by the shape m x n x k as it is written; the same of the sparse forms, where A is half as wide.
FRAGMENTS = {"16816": (4, 2), "1688": (2, 1), "16832": (4, 2), "168128": (2, 1), "168256": (4, 2), "8816": (1, 1),
             "88128": (1, 1)}  # fmt: skip
TF32_FRAGMENTS = {"1688": (4, 2), "1684": (2, 1)}
SPARSE_FRAGMENTS = {"16816": (2, 2), "16832": (4, 4)}
SPARSE_FRAGMENTS_OF = {"TF32": {"1688": (2, 2), "16816": (4, 4)}, "S8": {"16832": (2, 2), "16864": (4, 4)}}
INTEGERS = frozenset(["S8", "U8"])


def _mma(mods: Mods) -> str:
    """Register counts of HMMA, IMMA, BMMA: D, A, B, C, from the shape m x n x k and the types."""
    shape = next((m for m in mods.order if m.isdigit() and len(m) >= 4), "")
    kind = "TF32" if "TF32" in mods else "S8" if mods & INTEGERS else ""
    if "SP" in mods:
        table = SPARSE_FRAGMENTS_OF.get(kind, SPARSE_FRAGMENTS)
    elif kind == "S8":
        table = FRAGMENTS | {"16816": (2, 1)}
    else:
        table = TF32_FRAGMENTS if kind == "TF32" else FRAGMENTS
    if shape not in table:
        raise SsmsimError(f"shape {shape or 'without a name'} of this matrix instruction is not known", "", SUPPORTED)
    a, b = table[shape]
    d = 2 if shape in ("8816", "88128") or ("F16" in mods and "F32" not in mods) else 4
    return f"r{d} = r{a} r{b} r{d}" + (" b32 any?" if "SP" in mods else "")


DOUBLES = {"8x8x4": (4, 2, 2), "16x8x4": (8, 4, 2), "16x8x8": (8, 8, 4), "16x8x16": (8, 16, 8)}


def _double_mma(mods: Mods) -> str:
    shape = next((m for m in mods if m in DOUBLES), "")
    if not shape:
        raise SsmsimError("shape of this DMMA is not known", "", SUPPORTED)
    d, a, b = DOUBLES[shape]
    return f"r{d} = r{a} r{b} r{d}"


def _wgmma(mods: Mods) -> str:
    """HGMMA, QGMMA, IGMMA, BGMMA: accumulators of 64 x N over 128 threads; A from registers or, like B, from shared
    memory by descriptor; sparse forms name metadata and, HGMMA, which of them.
    """
    n = int(next(m for m in mods if m.startswith("64x")).split("x")[1])
    count = n // 4 if "F16" in mods and "F32" not in mods else n // 2
    sparse = "b32 any? " if "SP" in mods else ""
    return f"r{count} = r4? gdesc r{count} p? {sparse}any?"


# ---- asynchronous copies and barriers: PTX's operands as ptxas lays them into registers -------------------------------


def _mbarrier(mods: Mods) -> str:
    """SYNCS: EXCH (init), CCTL (inval), ARRIVE (state or nothing = word, count or bytes), PHASECHK (waits)."""
    if "EXCH" in mods:
        return "r2? = mem r2"
    if "CCTL" in mods:
        return " = mem"
    return "p = mem b32" if "PHASECHK" in mods else "r2 = mem b32"


def _dimensions(mods: Mods) -> int:
    return int(next(m for m in mods if m in ("1D", "2D", "3D", "4D", "5D"))[0])


def _tensor_load(mods: Mods) -> str:
    """Shared address, mbarrier and coordinates; descriptor; offsets of im2col and mask of blocks."""
    return f" = u{_dimensions(mods) + 2} u2 b32? policy?"


def _tensor_store(mods: Mods) -> str:
    """Shared address and coordinates; descriptor."""
    return f" = u{_dimensions(mods) + 1} u2 policy?"


def _tensor_prefetch(mods: Mods) -> str:
    return f" = u{_dimensions(mods)} u2 b32? policy?"


def _bulk(mods: Mods) -> str:
    """To shared memory: place and mbarrier; to global memory: address. Then the source; size and mask of blocks."""
    return f" = u2 u{2 if mods.order[1] == 'G' else 1} b32 policy?"


def _store_async(mods: Mods) -> str:
    return f" = mem r{memory_registers(mods)}"


def _texture(mods: Mods) -> str:
    return "r2? r2? = any any? any? any? any? any? any?"


def _surface_load(mods: Mods) -> str:
    return f"r{memory_registers(mods)} = mem any any"


def _surface_store(mods: Mods) -> str:
    return f" = mem r{4 if 'P' in mods else memory_registers(mods)} any any"


# What no launch has, or nobody can check: the operands are listed as they come, and no result is ever wanted.
ANYTHING = " = " + " ".join(["any?"] * 12)
MULTICAST = "a multimem address stands for memory of several GPUs, which no launch records"
GRAPHICS = "a stage of graphics, not a kernel, has it"
UNDOCUMENTED = "no compiler at hand makes it, and what it computes is not documented"
LANE_MASKS = "mbarrier.arrive with .noComplete is not emulated"
TEXTURES = "textures and surfaces lie behind descriptors that no launch records"


def _no_masks(mods: Mods) -> str:
    return LANE_MASKS if "TMASK" in mods else ""


def _float_convert(mods: Mods) -> str:
    """F2F.to.from: both types are named."""
    types = [m for m in mods.order if m in ("F16", "BF16", "F32", "F64")]
    if len(types) < 2:
        return "b32 = f32"
    target, source = types[0], types[-1]
    return ("r2" if target == "F64" else "b32") + " = " + {"F64": "f64", "F32": "f32"}.get(source, "f16x2")


def _pack(mods: Mods) -> str:
    """F2FP: two floats to halves or bytes of one register, under C or not; one source where it unpacks or rounds."""
    if "UNPACK_B" in mods:
        return "b32 = b32"
    if "PACK_B" in mods:
        return "b32 = f32"
    if "UNPACK_B_MERGE_C" in mods:
        return "b32 = b32 b32"
    return "b32 = f32 f32 b32" if "PACK_AB_MERGE_C" in mods else "b32 = f32 f32 b32?"


def _to_float(mods: Mods) -> str:
    source = "i64" if mods & {"S64", "U64"} else "i32"
    return ("r2" if "F64" in mods else "f32") + " = " + source


def _from_float(mods: Mods) -> str:
    target = "r2" if mods & {"S64", "U64"} else "i32"
    return target + " = " + ("f64" if "F64" in mods else "f16x2" if "F16" in mods else "f32")


def _round(mods: Mods) -> str:
    return "r2 = f64" if "F64" in mods else "b32 = f32"


def _register_pool(mods: Mods) -> str:
    """USETMAXREG: TRY_ALLOC says whether it got the registers."""
    return "p = any any?" if "TRY_ALLOC" in mods else " = any any?"


def _special64(mods: Mods) -> str:
    return "r2 = sreg" if "32" not in mods else "b32 = sreg"


F, A, X, L, T, UD = Unit.FMA, Unit.ALU, Unit.XU, Unit.LSU, Unit.TENSOR, Unit.UNIFORM
C, D, N, FP64 = Unit.CBU, Unit.ADU, Unit.NONE, Unit.FP64
LOAD, STORE, ATOMIC = Access.LOAD, Access.STORE, Access.ATOMIC
Op = Opcode

OPCODES: dict[str, Opcode] = {
    # integer arithmetic
    "IADD3": Op(A, _add3, "integer.iadd3"),
    "IADD": Op(A, "i32 p? = i32 i32 p?", "integer.iadd"),
    "VIADD": Op(F, "i32 = i32 i32", "integer.viadd"),
    "VIADDMNMX": Op(A, "i32 = i32 i32 i32 p", "integer.viaddmnmx"),
    "VIMNMX": Op(A, "i32 p? p? = i32 i32 p", "integer.vimnmx"),
    "VIMNMX3": Op(A, "i32 = i32 i32 i32 p", "integer.vimnmx3"),
    "IMNMX": Op(A, "i32 = i32 i32 p", "integer.vimnmx"),
    "IMAD": Op(F, _multiply_add, "integer.imad"),
    "IABS": Op(A, "i32 = i32", "integer.iabs"),
    "ISETP": Op(A, _compare("i32"), "integer.isetp"),
    "LEA": Op(A, _lea, "integer.lea"),
    "IDP": Op(F, "i32 = b32 b32 i32", "integer.idp"),
    "VABSDIFF": Op(A, "i32 = b32 b32 i32", "integer.vabsdiff"),
    "VABSDIFF4": Op(A, "i32 = b32 b32 i32", "integer.vabsdiff4"),
    "CLMAD": Op(FP64, "b64 = b64 b64 b64"),  # clmad of PTX 9.3, carry-less
    # bits
    "LOP3": Op(A, "p? b32 = b32 b32 b32 imm p?", "bits.lop3"),
    "PLOP3": Op(A, "p p = p p p imm imm", "bits.plop3"),
    "SHF": Op(A, "b32 = b32 i32 b32", "bits.shf"),
    "SGXT": Op(A, "b32 = b32 i32", "bits.sgxt"),
    "BMSK": Op(A, "b32 = i32 i32", "bits.bmsk"),
    "PRMT": Op(A, "b32 = b32 b32 b32", "bits.prmt"),
    "SEL": Op(A, "b32 = b32 b32 p", "bits.sel"),
    "MOV": Op(A, "b32 = b32 imm?", "bits.mov"),
    "POPC": Op(X, "b32 = b32", "bits.popc"),
    "FLO": Op(X, "b32 p? = b32", "bits.flo"),
    "BREV": Op(X, "b32 = b32", "bits.brev"),
    "P2R": Op(A, "b32 = b32 b32", "", ("predicates",)),
    "R2P": Op(A, " = b32 b32?", "", ("predicates",)),
    # float32
    "FADD": Op(F, "f32 = f32 f32", "float32.fadd"),
    "FMUL": Op(F, "f32 = f32 f32", "float32.fmul"),
    "FFMA": Op(F, "f32 = f32 f32 f32", "float32.ffma"),
    "FMNMX": Op(A, "f32 = f32 f32 p", "float32.fmnmx"),
    "FSEL": Op(A, "f32 = f32 f32 p", "float32.fsel"),
    "FSET": Op(A, "b32 = f32 f32 p?", "float32.fset"),
    "FSETP": Op(A, "p p = f32 f32 p", "float32.fsetp"),
    "FCHK": Op(X, "p = f32 f32", "float32.fchk"),
    "FSWZADD": Op(F, "f32 = f32 f32 any", ""),
    "MUFU": Op(X, "b32 = f32", "mufu.mufu"),
    # float64
    "DADD": Op(FP64, "f64 = f64 f64", "float64.dadd"),
    "DMUL": Op(FP64, "f64 = f64 f64", "float64.dmul"),
    "DFMA": Op(FP64, "f64 = f64 f64 f64", "float64.dfma"),
    "DSETP": Op(FP64, "p p = f64 f64 p", "float64.dsetp"),
    # pairs of halves, BF16_V2 included
    "HADD2": Op(F, "f16x2 = f16x2 f16x2", "half2.hadd2"),
    "HMUL2": Op(F, "f16x2 = f16x2 f16x2", "half2.hmul2"),
    "HFMA2": Op(F, "f16x2 = f16x2 f16x2 f16x2", "half2.hfma2"),
    "HMNMX2": Op(A, "f16x2 = f16x2 f16x2 p", "half2.hmnmx2"),
    "VHMNMX": Op(A, "f16x2 = f16x2 f16x2 f16x2 p", "half2.vhmnmx"),
    "HSET2": Op(A, "b32 = f16x2 f16x2 p?", "half2.hset2"),
    "HSETP2": Op(A, "p p = f16x2 f16x2 p", "half2.hsetp2"),
    # conversions
    "F2F": Op(X, _float_convert, "convert.f2f"),
    "F2FP": Op(A, _pack, "convert.f2fp"),
    "F2I": Op(X, _from_float, "convert.f2i"),
    "F2IP": Op(A, "b32 = f32 f32 b32", "convert.f2ip"),
    "I2F": Op(X, _to_float, "convert.i2f"),
    "I2FP": Op(A, "f32 = i32", "convert.i2fp"),
    "I2I": Op(X, "i32 = i32", "convert.i2i"),
    "I2IP": Op(A, "b32 = i32 i32 b32", "convert.i2ip"),
    "FRND": Op(X, _round, "convert.frnd"),
    # matrices
    "HMMA": Op(T, _mma, "matrix.hmma"),
    "IMMA": Op(T, _mma, "matrix.imma"),
    "BMMA": Op(T, _mma, "matrix.bmma"),
    "DMMA": Op(T, _double_mma, "matrix.dmma"),
    "HGMMA": Op(T, _wgmma, "wgmma.hgmma", ("machine",)),
    "QGMMA": Op(T, _wgmma, "wgmma.hgmma", ("machine",)),
    "IGMMA": Op(T, _wgmma, "wgmma.hgmma", ("machine",)),
    "BGMMA": Op(T, _wgmma, "wgmma.hgmma", ("machine",)),
    "MOVM": Op(L, "b32 = b32", "tiles.movm"),
    # between lanes
    "SHFL": Op(L, "p b32 = b32 b32 b32", "lanes.shfl", ("active",)),
    "VOTE": Op(A, "b32? p = p", "lanes.vote", ("active",)),
    "MATCH": Op(D, lambda mods: "p? b32 = " + ("r2" if "U64" in mods else "r1"), "lanes.match", ("active",)),
    "REDUX": Op(X, "b32 = b32", "lanes.redux", ("active",)),
    # memory
    "LDG": Op(L, _load, access=LOAD, space=Space.GLOBAL),
    "STG": Op(L, _store, access=STORE, space=Space.GLOBAL),
    "LDS": Op(L, _load, access=LOAD, space=Space.SHARED),
    "STS": Op(L, _store, access=STORE, space=Space.SHARED),
    "LDL": Op(L, _load, access=LOAD, space=Space.LOCAL),
    "STL": Op(L, _store, access=STORE, space=Space.LOCAL),
    "LD": Op(L, _load, access=LOAD, space=Space.GENERIC),
    "ST": Op(L, _store, access=STORE, space=Space.GENERIC),
    "LDSM": Op(L, _matrix_load, "tiles.ldsm", ("machine",), LOAD, Space.SHARED),
    "STSM": Op(L, _matrix_store, "tiles.stsm", ("active", "machine"), STORE, Space.SHARED),
    "LDGSTS": Op(L, " = mem mem p?", access=Access.COPY, space=Space.GLOBAL_TO_SHARED),
    "ATOM": Op(L, _atomic, "atomic.atom", (), ATOMIC, Space.GENERIC),
    "ATOMG": Op(L, _atomic, "atomic.atom", (), ATOMIC, Space.GLOBAL),
    "ATOMS": Op(L, _shared_atomic, "atomic.atom", (), ATOMIC, Space.SHARED),
    "RED": Op(L, _store, "atomic.atom", (), ATOMIC, Space.GLOBAL),
    "REDG": Op(L, _store, "atomic.atom", (), ATOMIC, Space.GLOBAL),
    "LDGMC": Op(L, _load, refused=MULTICAST),
    "LDC": Op(D, _constant_load, access=LOAD, space=Space.CONSTANT),
    "ULDC": Op(UD, _constant_load, access=LOAD, space=Space.CONSTANT),
    "CCTL": Op(L, " = mem?"),
    "CCTLL": Op(L, " = mem?"),
    "CCTLT": Op(L, " = any?"),
    "LDGDEPBAR": Op(L, " = any?"),
    "DEPBAR": Op(N, " = any? any? any?"),
    "MEMBAR": Op(L, " = "),
    "ERRBAR": Op(L, " = "),
    "CGAERRBAR": Op(L, " = "),
    "FENCE": Op(L, " = "),
    "WARPGROUP": Op(N, " = any? any?"),
    "QSPC": Op(L, "p b32? = mem"),
    # special registers
    "S2R": Op(L, "b32 = sreg", "", ("machine",)),
    "CS2R": Op(A, _special64, "", ("machine",)),
    "S2UR": Op(UD, "b32 = sreg", "", ("machine",)),
    "B2R": Op(D, "b32 p? = any?"),
    # uniform datapath: the same functions on one value per warp
    "UIADD3": Op(UD, _add3, "integer.iadd3"),
    "UIMAD": Op(UD, _multiply_add, "integer.imad"),
    "UIABS": Op(UD, "i32 = i32", "integer.iabs"),
    "UIMNMX": Op(UD, "i32 = i32 i32 p", "integer.vimnmx"),
    "UVIMNMX": Op(UD, "i32 = i32 i32 p", "integer.vimnmx"),
    "UVIADD": Op(UD, "i32 = i32 i32", "integer.viadd"),
    "UISETP": Op(UD, _compare("i32"), "integer.isetp"),
    "ULEA": Op(UD, _lea, "integer.lea"),
    "ULOP3": Op(UD, "p? b32 = b32 b32 b32 imm p?", "bits.lop3"),
    "UPLOP3": Op(UD, "p p = p p p imm imm", "bits.plop3"),
    "USHF": Op(UD, "b32 = b32 i32 b32", "bits.shf"),
    "USGXT": Op(UD, "b32 = b32 i32", "bits.sgxt"),
    "UBMSK": Op(UD, "b32 = i32 i32", "bits.bmsk"),
    "UPRMT": Op(UD, "b32 = b32 b32 b32", "bits.prmt"),
    "USEL": Op(UD, "b32 = b32 b32 p", "bits.sel"),
    "UMOV": Op(UD, "b32 = b32", "bits.mov"),
    "UPOPC": Op(UD, "b32 = b32", "bits.popc"),
    "UFLO": Op(UD, "b32 p? = b32", "bits.flo"),
    "UBREV": Op(UD, "b32 = b32", "bits.brev"),
    "UF2FP": Op(UD, _pack, "convert.f2fp"),
    "UP2UR": Op(UD, "b32 = b32 b32", "", ("predicates",)),
    "UR2UP": Op(UD, " = b32 b32?", "", ("predicates",)),
    "R2UR": Op(A, "p? b32 = b32", "lanes.r2ur", ("active",)),
    "VOTEU": Op(UD, "b32? p = p", "lanes.vote", ("active",)),
    # control
    "BRA": Op(C, " = p? reg? label", control=Control.BRANCH),
    "JMP": Op(C, " = p? label", control=Control.BRANCH),
    "BRX": Op(C, " = p? reg64 label", control=Control.INDIRECT),
    "BRXU": Op(C, " = p? reg64 label", control=Control.INDIRECT),
    "JMX": Op(C, " = p? reg64 label", control=Control.INDIRECT),
    "CALL": Op(C, " = p? reg64? label?", control=Control.CALL),
    "RET": Op(C, " = p? reg64 label", control=Control.RETURN),
    "EXIT": Op(C, " = p?", control=Control.EXIT),
    "KILL": Op(C, " = p?", control=Control.EXIT),
    "BSSY": Op(C, " = bar p? label", control=Control.BSSY),
    "BSYNC": Op(C, " = p? bar", control=Control.BSYNC),
    "BREAK": Op(C, " = bar p?", control=Control.BREAK),
    "BMOV": Op(C, "any = any", control=Control.BMOV),
    "WARPSYNC": Op(C, " = p? b32? label?", control=Control.WARPSYNC),
    "BAR": Op(D, " = b32? b32? p?", control=Control.BARRIER),
    "BPT": Op(C, " = any? any?", control=Control.TRAP),
    "ENDCOLLECTIVE": Op(C, " = ", control=Control.WARPSYNC),
    "YIELD": Op(C, " = p?"),
    "NANOSLEEP": Op(C, " = p? b32?"),
    "NOP": Op(N, " = "),
    "PMTRIG": Op(N, " = any?"),
    "LEPC": Op(C, "b64 = label?", "", ("pc",)),
    "PREEXIT": Op(N, " = "),
    "ACQBULK": Op(N, " = "),
    "USETMAXREG": Op(N, _register_pool),
    "USETSHMSZ": Op(N, " = imm?"),
    "UCGABAR_ARV": Op(D, " = "),
    "UCGABAR_WAIT": Op(D, " = "),
    "ELECT": Op(A, "p? b32? = p?", "lanes.elect", ("active",)),
    # asynchronous copies, barriers in memory, other blocks of a cluster
    "SYNCS": Op(L, _mbarrier, access=Access.MBARRIER, space=Space.SHARED, refused=_no_masks),
    "ARRIVES": Op(L, " = mem", access=Access.MBARRIER, space=Space.SHARED),
    "RPCMOV": Op(C, "any = any", refused=LANE_MASKS),
    "UBLKCP": Op(UD, _bulk, access=Access.BULK),
    "UBLKRED": Op(UD, _bulk, access=Access.BULK),
    "UBLKPF": Op(UD, " = u2 b32 policy?", access=Access.BULK),
    "UTMALDG": Op(UD, _tensor_load, access=Access.BULK),
    "UTMASTG": Op(UD, _tensor_store, access=Access.BULK),
    "UTMAREDG": Op(UD, _tensor_store, access=Access.BULK),
    "UTMAPF": Op(UD, _tensor_prefetch, access=Access.BULK),
    "UTMACCTL": Op(UD, " = u2"),
    "UTMACMDFLUSH": Op(UD, " = "),
    "STAS": Op(L, _store_async, access=Access.REMOTE, space=Space.SHARED),
    "REDAS": Op(L, _store_async, access=Access.REMOTE, space=Space.SHARED),
    # textures and surfaces
    "TEX": Op(L, _texture, refused=TEXTURES),
    "TLD": Op(L, _texture, refused=TEXTURES),
    "TLD4": Op(L, _texture, refused=TEXTURES),
    "TXD": Op(L, _texture, refused=TEXTURES),
    "TXQ": Op(L, _texture, refused=TEXTURES),
    "SULD": Op(L, _surface_load, refused=TEXTURES),
    "SUST": Op(L, _surface_store, refused=TEXTURES),
    "SURED": Op(L, _surface_store, refused=TEXTURES),
    "SUATOM": Op(L, ANYTHING, refused=TEXTURES),
    "SUQUERY": Op(L, ANYTHING, refused=TEXTURES),
    "TMML": Op(L, ANYTHING, refused=TEXTURES),
    "FOOTPRINT": Op(L, ANYTHING, refused=TEXTURES),
    # what else the disassembler knows for sm_90: no library that we read has one of them
    **dict.fromkeys(
        ("AL2P", "ALD", "AST", "IPA", "ISBERD", "ISBEWR", "LDTRAM", "OUT", "PIXLD"), Op(L, ANYTHING, refused=GRAPHICS)
    ),
    "CSMTEST": Op(A, ANYTHING, refused=GRAPHICS),
    "UCLEA": Op(UD, ANYTHING, refused=UNDOCUMENTED),
    "ULEPC": Op(UD, ANYTHING, refused=UNDOCUMENTED),
    "JMXU": Op(C, ANYTHING, refused=UNDOCUMENTED),
    "WARPGROUPSET": Op(N, ANYTHING, refused=UNDOCUMENTED),
    "SETCTAID": Op(C, ANYTHING, refused=UNDOCUMENTED),
    "GETLMEMBASE": Op(C, ANYTHING, refused=UNDOCUMENTED),
    "SETLMEMBASE": Op(C, ANYTHING, refused=UNDOCUMENTED),
}


def lookup(base: str, where: object = "") -> Opcode:
    """The entry of a base opcode; SsmsimError naming `where` (PC and text) when there is none."""
    try:
        return OPCODES[base]
    except KeyError:
        raise SsmsimError(f"unknown opcode {base}", where, SUPPORTED) from None
