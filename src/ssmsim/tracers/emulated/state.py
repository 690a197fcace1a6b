"""The architectural state of a batch of thread blocks, all warps in one set of arrays."""

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.kernel_elf import Kernel
from ssmsim.sass.opcodes import SUPPORTED
from ssmsim.tracers.emulated import divergence, hardware
from ssmsim.tracers.emulated.cluster import ClusterState
from ssmsim.tracers.emulated.divergence import Paths
from ssmsim.tracers.emulated.module import banks_of

NAMED_BARRIERS = 16
AT_MBARRIER = divergence.AT_MBARRIER


class UnknownMet(Exception):
    """A plan without labels met a value that is not known: the batch must run again with labels."""


class MemoryWanted(Exception):
    """A plan that only knows where buffers lie met a tensor map in one: the batch must run again with their bytes."""


class OrderWanted(Exception):
    """Control may hang on an atomic, or on a strong load of what another block stores: blocks must be run in order
    (in_order.py).
    """


@dataclass
class Machine:
    """What semantics functions may see of the machine, for the W warps at hand (see semantics/__init__.py)."""

    shared: np.ndarray
    block: np.ndarray
    warp: np.ndarray


@dataclass
class Labels:
    """Which values are unknown, beside each register and byte of memory: 0 known, else the number of a load
    (unknown.py).
    """

    r: np.ndarray
    ur: np.ndarray
    p: np.ndarray
    up: np.ndarray
    shared: np.ndarray
    local: np.ndarray


class Waits:
    """Of warps that wait for mbarriers and cluster barriers (waits.py): whose try has ended, paths set aside since one went
    on, tries that ended since anything happened, and the state's version then.
    """

    def __init__(self, warps: int) -> None:
        self.expired = np.zeros(warps, bool)
        self.waited = np.zeros(warps, np.int64)
        self.tries = np.zeros(warps, np.int64)
        self.version = 0

    def wake(self, state: "State", blocks: np.ndarray) -> None:
        """The warps of some blocks (bool per block of the batch) look again: a phase has completed there."""
        there = blocks[state.block_of]
        state.paths.status[there & (state.paths.status == AT_MBARRIER)] = divergence.RUNNING
        self.waited[there] = 0
        state.version += 1


class State:
    """Registers, predicates, shared and local memory of all warps of `blocks`.

    r uint32[registers, G, 32], ur uint32[64, G, 1], p bool[8, G, 32], up bool[8, G, 1] with G = blocks * warps per
    block; r[255] is not kept: RZ reads as a constant. p[7] and up[7] stay True.
    """

    def __init__(self, launch: Launch, kernel: Kernel, blocks: np.ndarray, registers: int) -> None:
        per_block = launch.warps_per_block
        warps = len(blocks) * per_block
        self.launch, self.kernel, self.blocks, self.warps_per_block, self.warps = (
            launch, kernel, blocks, per_block, warps
        )  # fmt: skip
        self.r = np.zeros((registers, warps, 32), np.uint32)
        self.ur = np.zeros((64, warps, 1), np.uint32)
        self.p = np.zeros((8, warps, 32), bool)
        self.up = np.zeros((8, warps, 1), bool)
        self.p[7] = self.up[7] = True
        self.block_of = np.repeat(np.arange(len(blocks)), per_block)
        self.warp_of = np.tile(np.arange(per_block), len(blocks))
        threads = self.warp_of[:, None] * 32 + np.arange(32)
        self.threads = threads
        lanes = threads < launch.threads_per_block
        self.paths = Paths(warps, pack(lanes))
        self.banks = banks_of(launch, kernel)
        self.code_length = len(kernel.words)
        self.cluster = ClusterState.of(launch, len(blocks), warps)
        self.waits = Waits(warps)
        self.version = 0  # grows when memory that is kept may have changed (see endless.py)
        self.now: dict[str, int] = {}  # special registers of the moment, where an engine has told them
        self.watched = False  # without labels, UnknownMet is raised where one would be given
        self.labels: Labels | None = None
        self.stored_by = np.zeros(0, np.uint16)  # see history.py
        self.shared = np.zeros((len(blocks), 0), np.uint8)
        self.local = np.zeros((warps, 32, 0), np.uint32)
        self.barrier_count = np.zeros((len(blocks), NAMED_BARRIERS), np.int64)
        self.waiting_at = np.full(warps, -1)
        self.barrier_wanted = np.zeros((len(blocks), NAMED_BARRIERS), np.int64)  # threads, 0: the whole block
        self.voted = np.zeros((warps, 2), np.int64)  # BAR.RED: lanes that arrived, lanes whose predicate held
        self.verdict = np.zeros((warps, 2), np.int64)  # of the whole block, once released
        self.red_all = np.zeros(warps, bool)  # BAR.RED.AND asks for all of them

    def open_memories(self, shared: bool, local: bool, labels: bool) -> None:
        """Allocate shared and local memory, and the labels of unknown values; each only where something reads it."""
        if shared:
            size = (hardware.RESERVED_SHARED + self.launch.shared_memory_bytes + 15) // 16 * 16
            self.shared = np.zeros((len(self.blocks), size), np.uint8)
        if local:
            self.local = np.zeros((self.warps, 32, hardware.stack_bytes(self.kernel) // 4 + 4), np.uint32)
        if labels:
            shapes = (self.r.shape, self.ur.shape, self.p.shape, self.up.shape)
            r, ur, p, up = (np.zeros(shape, np.uint8) for shape in shapes)
            memories = np.zeros(self.shared.size, np.uint8), np.zeros(4 * self.local.size, np.uint8)
            self.labels = Labels(r, ur, p, up, *memories)

    def widen(self, other: "State") -> None:
        """Take in the blocks of another state, which have not begun, behind its own."""
        for name in ("r", "ur", "p", "up", "voted"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)], axis=int(name != "voted")))
        self.block_of = np.concatenate([self.block_of, other.block_of + len(self.blocks)])
        for name in ("blocks", "warp_of", "threads", "shared", "local", "barrier_count", "waiting_at", "barrier_wanted",
                     "verdict", "red_all"):  # fmt: skip
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))
        self.stored_by = np.concatenate([self.stored_by, np.zeros(len(other.stored_by), np.uint16)])
        self.warps += other.warps
        self.paths.widen(other.paths)
        for name in ("arrived", "phase", "since"):
            both = getattr(self.cluster, name), getattr(other.cluster, name)
            setattr(self.cluster, name, np.concatenate(both))
        for name in ("expired", "waited", "tries"):
            setattr(self.waits, name, np.concatenate([getattr(self.waits, name), getattr(other.waits, name)]))
        if self.labels is not None and other.labels is not None:
            for name in ("r", "ur", "p", "up"):
                both = getattr(self.labels, name), getattr(other.labels, name)
                setattr(self.labels, name, np.concatenate(both, axis=1))
            for name in ("shared", "local"):
                setattr(self.labels, name, np.concatenate([getattr(self.labels, name), getattr(other.labels, name)]))

    def machine(self, index: np.ndarray | slice) -> Machine:
        return Machine(self.shared, self.block_of[index], self.warp_of[index])

    def special(self, ins: Instruction, name: str, index: np.ndarray | slice) -> np.ndarray:
        """A special register for the warps `index`: uint32, [W, 32], [W, 1] or [1, 1].

        Raises UnknownMet or SsmsimError for one that no launch fixes, unless values carry labels (it has one then).
        """
        value = hardware.special(self.launch, name, self.blocks[self.block_of[index]], self.threads[index])
        if value is not None:
            return value
        if name in self.now:
            return np.array([[self.now[name]]], np.uint32)
        what = hardware.unfixed(name)
        if not what:
            raise SsmsimError(f"special register {name} is not known", ins.where, SUPPORTED)
        self.meet_unknown(what, ins, hardware.TIMES)
        return np.zeros((1, 1), np.uint32)

    def meet_unknown(self, what: str, ins: Instruction, todo: str = "") -> None:
        """Without labels: run again with them (trace mode), or refuse (full mode)."""
        if self.labels is None:
            if self.watched:
                raise UnknownMet
            raise SsmsimError(f"it reads {what}", ins.where, todo)


def pack(lanes: np.ndarray) -> np.ndarray:
    """bool[W, 32] to uint32[W], lane 0 in bit 0."""
    return np.packbits(lanes, axis=1, bitorder="little").view(np.uint32)[:, 0]


def unpack(masks: np.ndarray) -> np.ndarray:
    """uint32[W] to bool[W, 32]."""
    return np.unpackbits(
        np.ascontiguousarray(masks, "<u4").view(np.uint8).reshape(-1, 4), axis=1, bitorder="little"
    ).view(bool)
