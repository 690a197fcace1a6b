"""What the driver and the hardware fill in for a launch: constant bank 0 below the parameters, and special registers.

The layout of bank 0 is what ptxas' code for PTX special registers reads, and what a kernel found there that copied the
bank on an H200 (driver 580, CUDA 13.0), in launches with and without dynamic shared memory, clusters and grid
synchronisation. A word whose meaning or value is not known is not taken for 0: reading it gives an unknown value
(unknown.py), and an address, mask or branch that depends on it is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ssmsim.architecture import MAX_CLUSTER
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch
from ssmsim.sass.kernel_elf import Kernel
from ssmsim.trace.types import LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES

RESERVED_SHARED = 0x400  # the first KB of a block's shared window is the driver's (.nv.shared.reserved.0)
SHARED_UNIT = 128  # bytes: shared memory is given to blocks in these units (PTX ISA, %total_smem_size)
CALL_STACK = 4096  # room below the kernel's own frame for callees and allocations whose sizes the cubin does not total
PARAMETER_WINDOW = 0x7B00_0000_0000  # generic address of the parameters: far from buffers, variables and windows
# Memory of the driver that the blocks of a cooperative launch synchronise in: any place serves that nothing else has, as
# kernels read its address from bank 0. All zeros between launches.
GRID_WORKSPACE, GRID_WORKSPACE_BYTES = 0x7B80_0000_0000, 4096
END = 0x210  # of the part that the driver fills; parameters follow on sm_90

BLOCK_DIM, GRID_DIM, LOCAL_BASE, STACK_TOP, DYNAMIC_SHARED, GRID_SYNC = 0x00, 0x0C, 0x20, 0x28, 0x2C, 0x44
SM_COUNT, RESERVED_SIZE, SHARED_TOTAL, IN_CLUSTERS = 0x10C, 0x114, 0x13C, 0x140
CLUSTER_DIM, CLUSTER_INVERSE, CLUSTERS, CLUSTER_RANKS = 0x144, 0x150, 0x15C, 0x188
BANK_AT, PARAMETERS_AT, DESCRIPTOR = 0xC0, 0x198, 0x208

# Words that no launch file can fill, by what PTX calls them: (first, bytes, name).
NAMES = (
    (0x30, 8, "%gridid"), (0x40, 4, "%envreg0"), (0x44, 8, "%envreg1 and 2, the workspace of grid.sync()"),
    (0x4C, 0x1C, "%envreg"), (0x68, 8, "%reserved_smem_offset"), (0xD0, 8, "the address of __constant__ memory"),
    (SM_COUNT, 4, "%nsmid"), (SHARED_TOTAL, 4, "%aggr_smem_size"), (IN_CLUSTERS, 4, "%is_explicit_cluster"),
    (0x190, 8, "%current_graph_exec"),
)  # fmt: skip
TIMES = "it depends on when and where a block runs, which no launch fixes; such control is not replayed yet"
# Special registers whose values a launch does not fix.
UNFIXED = {
    "SR_CLOCKLO": "the clock", "SR_CLOCKHI": "the clock", "SR_GLOBALTIMERLO": "the global timer",
    "SR_GLOBALTIMERHI": "the global timer", "SR_VIRTUALSMID": "%smid", "SR_SMID": "%smid", "SR_VIRTID": "%warpid",
    "SR_WARPID": "%warpid", "SR_VIRTCFG": "%nwarpid", "SR_NWARPID": "%nwarpid", "SR_GRIDID": "%gridid",
}  # fmt: skip


@dataclass
class Bank:
    """A constant bank: its words, and which of them nobody knows (0, or 1 + index of a reason)."""

    words: np.ndarray
    unknown: np.ndarray
    reasons: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, data: bytes) -> Bank:
        words = np.frombuffer(data + bytes(-len(data) % 4 + 16), "<u4").copy()
        return cls(words, np.zeros(len(words), np.uint8))

    def put(self, offset: int, values: object, kind: str = "<u4") -> None:
        """Known values from a byte offset on."""
        words = np.frombuffer(np.array(values, kind).tobytes(), "<u4")
        self.words[offset // 4 : offset // 4 + len(words)] = words
        self.unknown[offset // 4 : offset // 4 + len(words)] = 0

    def forget(self, offset: int, size: int, what: str, todo: str) -> None:
        """Say that some bytes are not known: `what` names them, `todo` is what a user can do."""
        if (what, todo) not in self.reasons:
            self.reasons.append((what, todo))
        number = min(1 + self.reasons.index((what, todo)), 255)
        self.unknown[offset // 4 : -(-(offset + size) // 4)] = number


def stack_bytes(kernel: Kernel) -> int:
    """Local memory of one thread: the stack pointer's first value; it grows down to 0."""
    grows = len(kernel.symbols) > 2 or kernel.grows_stack
    return (kernel.local_bytes + 15) // 16 * 16 + (CALL_STACK if grows else 0)


def bank0(launch: Launch, kernel: Kernel) -> Bank:
    """Constant bank 0 as the kernel finds it. SsmsimError when the parameters are short."""
    parameters = launch.param_bytes
    if len(parameters) < kernel.parameter_bytes:
        what = f"params hold {len(parameters)} bytes, the cubin wants {kernel.parameter_bytes}"
        raise SsmsimError(what, launch.folder / "launch.json", "capture the launch again")
    base = kernel.parameter_base
    bank = Bank.of(bytes(base) + parameters.ljust(max(kernel.parameter_bytes, 8), b"\0"))
    for offset in range(0, min(base, END), 4):
        name = next((n for first, size, n in NAMES if first <= offset < first + size), "the driver's own")
        bank.forget(offset, 4, f"constant c[0x0][{offset:#x}] ({name})", "its value is not in the launch")
    dynamic = launch.shared_memory_bytes - max(0, kernel.static_shared - RESERVED_SHARED)
    bank.put(BLOCK_DIM, launch.block)
    bank.put(GRID_DIM, launch.grid)
    bank.put(LOCAL_BASE, local_window(launch), "<u8")
    bank.put(STACK_TOP, stack_bytes(kernel))
    bank.put(DYNAMIC_SHARED, dynamic)
    bank.put(RESERVED_SIZE, RESERVED_SHARED)
    if launch.shared_memory_bytes % SHARED_UNIT == 0:
        bank.put(SHARED_TOTAL, RESERVED_SHARED + launch.shared_memory_bytes)
    cluster = launch.cluster
    bank.put(CLUSTER_DIM, cluster)
    bank.put(CLUSTER_INVERSE, [1 / n for n in cluster], "<f4")
    bank.put(CLUSTERS, [g // c for g, c in zip(launch.grid, cluster, strict=True)])
    bank.put(CLUSTER_RANKS, cluster[0] * cluster[1] * cluster[2])
    bank.put(BANK_AT, PARAMETER_WINDOW, "<u8")  # where cuBLAS finds its tensor maps, six of six kernels
    bank.put(PARAMETERS_AT, PARAMETER_WINDOW + base, "<u8")
    bank.put(DESCRIPTOR, 0, "<u8")
    if launch.explicit_cluster is not None:
        bank.put(IN_CLUSTERS, int(launch.explicit_cluster))
    if launch.cooperative is not None:
        address = GRID_WORKSPACE if launch.cooperative else 0
        bank.put(
            GRID_SYNC, [address >> 32, address & 0xFFFFFFFF]
        )  # the high word first, as cooperative_groups reads it
    multiprocessors = (launch.device.model_extra or {}).get("multiprocessors")
    if isinstance(multiprocessors, int):
        bank.put(SM_COUNT, multiprocessors)
    return bank


def reads_parameters(kernel: Kernel) -> tuple[int, int]:
    """(address, bytes) of the parameters where generic loads find them."""
    return PARAMETER_WINDOW + kernel.parameter_base, kernel.parameter_bytes


def in_cluster(launch: Launch) -> bool:
    """Do the launch's blocks have others whose shared memory they can name?"""
    return launch.cluster != (1, 1, 1)


def shared_window_end(launch: Launch) -> int:
    """Where generic addresses of shared memory end: behind the last rank's part, in a launch in clusters."""
    return SHARED_WINDOW + (MAX_CLUSTER if in_cluster(launch) else 1) * WINDOW_BYTES


def local_window(launch: Launch) -> int:
    """Where generic addresses of local memory begin: in a launch in clusters behind the parts of all ranks."""
    return SHARED_WINDOW + MAX_CLUSTER * WINDOW_BYTES if in_cluster(launch) else LOCAL_WINDOW


def unfixed(name: str) -> str:
    """What PTX calls a special register whose value a launch does not fix, "" when it does."""
    return UNFIXED.get(name, name if name.startswith("SR_PM") else "")


def at_a_time(cycle: int, sm: int, clock_mhz: float) -> dict[str, int]:
    """The special registers of sass.operands.TIME_REGISTERS, for a warp of an SM at a cycle of its clock, by name: 32 bits each."""
    nanoseconds = int(cycle * 1000 / clock_mhz)
    values = {"SR_CLOCKLO": cycle, "SR_CLOCKHI": cycle >> 32, "SR_GLOBALTIMERLO": nanoseconds,
              "SR_GLOBALTIMERHI": nanoseconds >> 32, "SR_VIRTUALSMID": sm, "SR_SMID": sm}  # fmt: skip
    return {name: value & 0xFFFFFFFF for name, value in values.items()}


def bank0_unfilled(offset: int) -> bool:
    """May this byte of bank 0 be one that no launch file fills?"""
    certain = [(BLOCK_DIM, 24), (LOCAL_BASE, 16), (RESERVED_SIZE, 4), (CLUSTER_DIM, 0x24), (CLUSTER_RANKS, 4),
               (BANK_AT, 8), (PARAMETERS_AT, 8), (DESCRIPTOR, 8)]  # fmt: skip
    return offset < END and not any(first <= offset < first + size for first, size in certain)


def shared_size(launch: Launch) -> int:
    """SR_SMEMSZ: bytes of shared memory that the block holds, the driver's part included."""
    return RESERVED_SHARED + -(-launch.shared_memory_bytes // SHARED_UNIT) * SHARED_UNIT


def special(launch: Launch, name: str, block: np.ndarray, thread: np.ndarray) -> np.ndarray | None:
    """A special register that the launch fixes: uint32 [W, 32], [W, 1] or [1, 1]; None for any other.

    block: int64[W] linear block ids. thread: int64 [W, 32] thread numbers in the block.
    """
    lane = np.arange(32, dtype=np.int64)[None, :]
    axis = {"X": 0, "Y": 1, "Z": 2}.get(name[-1], 0)
    if name.startswith("SR_TID."):
        return coordinates(thread, launch.block)[axis].astype(np.uint32)
    if name.startswith("SR_CTAID."):
        return coordinates(block, launch.grid)[axis].astype(np.uint32)[:, None]
    if name.startswith(("SR_NTID.", "SR_NCTAID.")):
        return np.array([[(launch.block if name.startswith("SR_NTID") else launch.grid)[axis]]], np.uint32)
    masks = {
        "SR_EQMASK": 1 << lane, "SR_LTMASK": (1 << lane) - 1, "SR_LEMASK": (2 << lane) - 1,
        "SR_GTMASK": -(2 << lane), "SR_GEMASK": -(1 << lane), "SR_LANEID": lane,
    }  # fmt: skip
    if name in masks:
        return (masks[name] & 0xFFFFFFFF).astype(np.uint32)
    if name == "SR_CgaCtaId":
        x, y, z = (at % n for at, n in zip(coordinates(block, launch.grid), launch.cluster, strict=True))
        return (x + launch.cluster[0] * (y + launch.cluster[1] * z)).astype(np.uint32)[:, None]
    single = {
        "SRZ": 0, "SR_SWINLO": 0, "SR_SWINHI": SHARED_WINDOW >> 32,
        "SR_SMEMSZ": shared_size(launch),
    }  # fmt: skip
    return np.array([[single[name]]], np.uint32) if name in single else None


def coordinates(linear: np.ndarray, size: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y, z of linear ids, x fastest."""
    return linear % size[0], linear // size[0] % size[1], linear // (size[0] * size[1])
