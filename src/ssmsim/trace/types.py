"""Program, BlockTrace, BlockSource, Tracer: all that an engine knows of a launch's instructions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ssmsim.launch import Launch

NO_REGISTER = -1
MAX_SOURCES = 4
SHARED_WINDOW = 0x7F00_0000_0000  # generic addresses of shared and of local memory, WINDOW_BYTES each
LOCAL_WINDOW = 0x7F00_0200_0000
WINDOW_BYTES = 0x0100_0000

# One record per static instruction. Register fields give the first 32-bit register and how many in a row;
# NO_REGISTER and 0 when absent (RZ, URZ and PT count as absent). Barriers are 0..5, -1 for none.
INSTRUCTION = np.dtype(
    [
        ("pc", np.int64),  # byte offset from the kernel's first instruction
        ("opcode", np.int64),  # index into Program.opcodes
        ("unit", np.int64),  # ssmsim.sass.opcodes.Unit: where it executes
        ("pipe", np.int64),  # Unit that the hardware's counters of issued instructions give it to
        ("space", np.int64),  # ssmsim.sass.opcodes.Space: where its addresses point
        ("is_load", np.int64),
        ("is_store", np.int64),  # an atomic is both
        ("width", np.int64),  # bytes per lane that a memory instruction moves
        ("accesses", np.int64),  # rows of BlockTrace.addresses that each execution consumes
        ("stall", np.int64),  # control field: cycles until the warp may issue again, 0..15
        ("yields", np.int64),  # control field: 1 when the warp should give way
        ("write_barrier", np.int64),  # released when the result is written
        ("read_barrier", np.int64),  # released when the sources have been read
        ("wait_mask", np.int64),  # barriers 0..5 that must be free before issue
        ("reuse", np.int64),  # bit i: operand slot i stays in the reuse cache
        ("skipped", np.int64),  # bit i: operand slot i is none of the sources below (immediate, constant, uniform, RZ)
        ("control", np.int64),  # ssmsim.sass.opcodes.Control: how it steers its warp
        ("target", np.int64),  # index of the instruction that a direct branch or BSSY names, -1 when none
        ("barrier", np.int64),  # BAR: its number, -1 when none or held in a register
        ("barrier_arrives", np.int64),  # BAR.ARV: 1, it does not wait
        ("barrier_threads", np.int64),  # BAR: threads expected, 0 for the whole block, -1 when held in a register
        ("depth", np.int64),  # DEPBAR.LE SBn, k and WARPGROUP.DEPBAR.LE: groups that may stay in flight; -1 otherwise
        ("gmma_n", np.int64),  # HGMMA 64 x n x k, 0 otherwise
        ("gmma_k", np.int64),
        ("gmma_commits", np.int64),  # HGMMA: 1 when it closes its group (gsb0)
        ("predicate", np.int64),  # guard: 0..6 P, 8..14 UP; -1 when unguarded
        ("predicates_read", np.int64),  # bit p, guard included
        ("predicates_written", np.int64),
        ("destination", np.int64),
        ("destination_count", np.int64),
        ("source0", np.int64),
        ("source0_count", np.int64),
        ("source1", np.int64),
        ("source1_count", np.int64),
        ("source2", np.int64),
        ("source2_count", np.int64),
        ("source3", np.int64),
        ("source3_count", np.int64),
        ("uniform_destination", np.int64),
        ("uniform_source", np.int64),  # the first one
        ("uniform_read", np.int64),  # bit u: UR0..UR62
        ("uniform_written", np.int64),
    ]
)


@dataclass(frozen=True)
class Program:
    """The static code of one kernel, in address order.

    instructions: array of INSTRUCTION.
    opcodes:      full opcode names ("LDG.E.128"), indexed by the field `opcode`.
    text:         disassembly, one line per instruction, for people.
    """

    kernel: str
    instructions: np.ndarray
    opcodes: tuple[str, ...]
    text: tuple[str, ...]


@dataclass(frozen=True)
class BlockTrace:
    """What the warps of some thread blocks execute: many blocks in one set of arrays.

    blocks:       int64[B]      linear block ids (x fastest), in the order asked for.
    first:        int64[B*W+1]  warp w of block b owns executed instructions first[b*W+w] to first[b*W+w+1].
    index:        int32[N]      executed instruction: index into Program.instructions.
    mask:         uint32[N]     lanes that execute it: active and guard.
    active:       uint32[N]     lanes that arrived at it.
    first_access: int64[B*W+1]  the same partition of `addresses`.
    addresses:    int64[M, 32]  byte address per lane; rows in program order, `accesses` rows per executed memory
                                instruction, also when its mask is 0. Undefined in lanes outside the mask.
                                Shared addresses are offsets in the block's window, local ones offsets in the
                                thread's. Generic ones (LD, ST, ATOM): shared from SHARED_WINDOW on, local from
                                LOCAL_WINDOW on, else global. LDGSTS: shared row, then global row; the global row
                                holds ~address (negative) in lanes that fill with zeros and read nothing.
                                HGMMA: one row that holds the descriptors, A in lane 0 (-1 when A is in
                                registers), B in lane 1.
                                In a launch in clusters, shared addresses hold the rank of their block in bits 24 and
                                up, where the code puts it there, and the local window lies behind all ranks'.
                                Bulk and tensor copies (UBLK*, UTMA*): one row for the warp, -1 where it has none of it:
                                lane 0 global address, of a tensor's descriptor; 1 shared address; 2 mbarrier; 3 bytes;
                                4 set of ranks (.MULTICAST); from 5 on the coordinates, innermost first (of a copy between
                                blocks: the source's shared address); from 16 on the bytes of global memory that it touches,
                                without those out of bounds: address of the first (-1: none), bytes of a run, then of four
                                nested levels how many (18 to 21), then bytes from one to the next (22 to 25).
                                In im2col mode, lanes 10 to 31 hold the walk over the pixels instead, numbers for W, H, D
                                and N with the offsets included (ssmsim.trace.im2col enumerates the pixels): 10 how many
                                pixels (-1 in other copies); 11 steps, a byte each, W lowest; 12 to 15 coordinates of the
                                first; 16 address of the first channel inside the tensor at pixel (0, 0, 0, 0) (-1: the copy
                                touches nothing); 17 bytes of a pixel; 18 to 20 and 21 to 23 first and last coordinates of
                                the walk (W, H, D); 24 to 27 pixels of the tensor; 28 to 31 bytes from one to the next.
                                SYNCS: a row of operands, then addresses. Operands: EXCH the word, ARRIVE the register (0
                                without one), PHASECHK bit 0 the parity asked for, bit 1 set where the try ended without it.
                                STAS, REDAS: mbarriers, then addresses.
                                BAR with a register: the barrier's number in lane 0, its threads in lane 1 (0: the block's).
    awaited:      int64[n, 6]   values that passed between blocks of the launch through global memory, where control hangs
                                on them: (block, warp, instruction) of the store or atomic that wrote one last, then of
                                the load or atomic that found it. Blocks are linear ids, warps count in their block,
                                instructions from 0 in the warp's stream as it is here. One row for each pair, those of
                                this trace's blocks in the second place. A load that finds what several atomics added up
                                names the last of them, which in turn has a row for the one before it. Passes of a loop
                                that polls are not in the stream: such a load stands there once, with the value that it
                                waited for. Empty where no control hangs on what other blocks write.
    """

    blocks: np.ndarray
    first: np.ndarray
    index: np.ndarray
    mask: np.ndarray
    active: np.ndarray
    first_access: np.ndarray
    addresses: np.ndarray
    awaited: np.ndarray = field(default_factory=lambda: np.empty((0, 6), np.int64))


STORES, AWAITS, READS_TIME = range(3)  # last column of Pieces.performs


@dataclass(frozen=True)
class Pieces:
    """What some warps of a launch execute next, up to where a value is missing that memory does not hold yet.

    block, warp:   int64[W]      linear block id and number in the block, of each warp that has a piece.
    first, index, mask, active, first_access, addresses: as in BlockTrace, of those W warps.
    ends:          bool[W]       the piece ends with the warp's last instruction.
    following:     int32[W]      index of the instruction that comes next, as far as is known; -1 where the warp ends.
    performs:      int64[n, 4]   what takes place at a time that counts: (place of the warp among the W, executed
                                 instruction in its piece, its number, and STORES, AWAITS for an access to memory whose
                                 value the warp waits for, READS_TIME for an instruction that reads a clock or its SM's number).
    """

    block: np.ndarray
    warp: np.ndarray
    first: np.ndarray
    index: np.ndarray
    mask: np.ndarray
    active: np.ndarray
    first_access: np.ndarray
    addresses: np.ndarray
    ends: np.ndarray
    following: np.ndarray
    performs: np.ndarray


class StartAgain(Exception):
    """More of what the launch stores turns out to count: its blocks are to be made anew, from the first on."""


class ExecutionDriven(Protocol):
    """Blocks of a launch whose control hangs on the order in which memory is accessed. An engine tells when each access
    takes place, and gets the streams piece by piece.

    times: the static instructions of which it wants to know when they issue (READS_TIME), by index.
    """

    times: frozenset[int]

    def begin(self, clock_mhz: float) -> None:
        """Memory is as it was before the launch; no block has begun. clock_mhz: of the SMs, for what reads the time."""
        ...

    def start(self, blocks: np.ndarray) -> Pieces:
        """The first piece of each warp of some blocks (whole clusters). StartAgain: see there."""
        ...

    def perform(self, numbers: np.ndarray, cycles: np.ndarray, sms: np.ndarray) -> Pieces:
        """Accesses take place, in this order: what their warps, and those that wait for these, execute then.

        cycles, sms: int64[n], when each does, and the SM of its warp.
        StartAgain, and SsmsimError where warps wait for each other for ever.
        """
        ...

    def drop(self, block: int) -> None:
        """A block has ended."""
        ...


class BlockSource(Protocol):
    """Thread blocks of one launch, made when asked for, in a fixed order and in bounded memory.

    A source that cannot know some guards and takes them for true has an attribute `guesses` that is True. One whose
    streams hang on the order in which blocks come may have an attribute `timing_dependent` that names the instructions,
    and a method `execution_driven` that gives an ExecutionDriven of its launch, None where nothing hangs on it.
    """

    warps_per_block: int
    block_count: int

    def next_blocks(self, count: int) -> BlockTrace | None:
        """The next `count` blocks or fewer; None after the last."""
        ...


class Tracer(Protocol):
    """Gives the warp instruction streams of a launch, block by block."""

    def blocks(self, launch: Launch, program: Program, order: Sequence[int] | None = None) -> BlockSource:
        """Blocks with the linear ids of `order`, in that order (default: all, ascending).

        program: the launch's, as sass.decode gave it.
        """
        ...
