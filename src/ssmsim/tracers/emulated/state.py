"""The architectural state of a batch of thread blocks, all warps in one set of arrays."""

from dataclasses import dataclass

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.decode import Instruction
from ssmsim.sass.kernel_elf import Kernel
from ssmsim.trace.types import LOCAL_WINDOW, SHARED_WINDOW
from ssmsim.tracers.emulated.divergence import Paths

SHARED_BASE = 0x400  # the first KB of a block's window belongs to the system (.nv.shared.reserved.0)
NAMED_BARRIERS = 16
CALL_STACK = 4096  # room below the kernel's own frame for callees whose frames the cubin does not total

# c[0x0]: launch geometry and windows, as sm_90 code reads them; parameters follow at the kernel's own base.
BLOCK_DIM, GRID_DIM, LOCAL_BASE, STACK_TOP = 0x00, 0x0C, 0x20, 0x28


def bank0(launch: Launch, kernel: Kernel) -> bytes:
    """Constant bank 0 as the kernel finds it. SsmsimError when the parameters are shorter than the cubin wants."""
    params = launch.param_bytes
    if len(params) < kernel.parameter_bytes:
        raise SsmsimError(
            f"params hold {len(params)} bytes, the cubin wants {kernel.parameter_bytes}",
            launch.folder / "launch.json", "capture the launch again",
        )  # fmt: skip
    bank = bytearray(kernel.parameter_base + max(len(params), 8))
    bank[BLOCK_DIM : BLOCK_DIM + 12] = np.array(launch.block, "<u4").tobytes()
    bank[GRID_DIM : GRID_DIM + 12] = np.array(launch.grid, "<u4").tobytes()
    bank[LOCAL_BASE : LOCAL_BASE + 8] = np.array([LOCAL_WINDOW], "<u8").tobytes()
    bank[STACK_TOP : STACK_TOP + 4] = np.array([stack_bytes(kernel)], "<u4").tobytes()
    bank[kernel.parameter_base : kernel.parameter_base + len(params)] = params
    return bytes(bank)


def stack_bytes(kernel: Kernel) -> int:
    """Local memory of one thread: the stack pointer's first value; it grows down to 0."""
    calls = len(kernel.symbols) > 2
    return (kernel.local_bytes + 15) // 16 * 16 + (CALL_STACK if calls else 0)


def coordinates(linear: np.ndarray, size: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y, z of linear ids, x fastest."""
    return linear % size[0], linear // size[0] % size[1], linear // (size[0] * size[1])


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
        self.banks = {bank: _words(data) for bank, data in kernel.constants.items()}
        self.banks[0] = _words(bank0(launch, kernel))
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
            size = (SHARED_BASE + self.launch.shared_memory_bytes + 15) // 16 * 16
            self.shared = np.zeros((len(self.blocks), size), np.uint8)
        if local:
            self.local = np.zeros((self.warps, 32, stack_bytes(self.kernel) // 4 + 4), np.uint32)
        if labels:
            shapes = (self.r.shape, self.ur.shape, self.p.shape, self.up.shape)
            r, ur, p, up = (np.zeros(shape, np.uint8) for shape in shapes)
            memories = np.zeros(self.shared.size, np.uint8), np.zeros(4 * self.local.size, np.uint8)
            self.labels = Labels(r, ur, p, up, *memories)

    def machine(self, index: np.ndarray | slice) -> Machine:
        return Machine(self.shared, self.block_of[index], self.warp_of[index])

    def special(self, ins: Instruction, name: str, index: np.ndarray | slice) -> np.ndarray:
        """A special register for the warps `index`: uint32, [W, 32], [W, 1] or [1, 1]."""
        lane = np.arange(32, dtype=np.uint32)[None, :]
        axis = {"X": 0, "Y": 1, "Z": 2}.get(name[-1], 0)
        if name.startswith("SR_TID."):
            return coordinates(self.threads[index], self.launch.block)[axis].astype(np.uint32)
        if name.startswith("SR_CTAID."):
            linear = self.blocks[self.block_of[index]]
            return coordinates(linear, self.launch.grid)[axis].astype(np.uint32)[:, None]
        if name.startswith(("SR_NTID", "SR_NCTAID")):
            size = self.launch.block if name.startswith("SR_NTID") else self.launch.grid
            return np.array([[size[axis]]], np.uint32)
        masks = {
            "SR_EQMASK": 1 << lane.astype(np.int64), "SR_LTMASK": (1 << lane.astype(np.int64)) - 1,
            "SR_LEMASK": (2 << lane.astype(np.int64)) - 1, "SR_GTMASK": -(2 << lane.astype(np.int64)),
            "SR_GEMASK": -(1 << lane.astype(np.int64)),
        }  # fmt: skip
        if name in masks:
            return (masks[name] & 0xFFFFFFFF).astype(np.uint32)
        if name == "SR_LANEID":
            return lane
        if name in ("SR_VIRTID", "SR_SMID", "SR_CgaCtaId", "SRZ", "SR_GRIDID", "SR_CgaSize") or "CLOCK" in name:
            return np.zeros((1, 1), np.uint32)  # which SM and when is not known here; clusters of one block
        if name == "SR_GLOBALTIMERLO" or name == "SR_GLOBALTIMERHI":
            return np.zeros((1, 1), np.uint32)
        if name == "SR_WARPID":
            return self.warp_of[index].astype(np.uint32)[:, None]
        if name == "SR_SWINHI":
            return np.array([[SHARED_WINDOW >> 32]], np.uint32)
        raise SsmsimError(f"special register {name} is not known", ins.where, "add it to tracers/emulated/state.py")


def _words(data: bytes) -> np.ndarray:
    return np.frombuffer(data + bytes(-len(data) % 4 + 16), "<u4")


def pack(lanes: np.ndarray) -> np.ndarray:
    """bool[W, 32] to uint32[W], lane 0 in bit 0."""
    return np.packbits(lanes, axis=1, bitorder="little").view(np.uint32)[:, 0]


def unpack(masks: np.ndarray) -> np.ndarray:
    """uint32[W] to bool[W, 32]."""
    return np.unpackbits(
        np.ascontiguousarray(masks, "<u4").view(np.uint8).reshape(-1, 4), axis=1, bitorder="little"
    ).view(bool)
