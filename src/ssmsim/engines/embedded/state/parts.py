"""The machine in parts, as the cycle path passes them on: one group of arrays per part, one word wherever it goes.

For the compiled loop a group is the address of a row of addresses, prepared by Python (`table`) and never changed while the
loop runs: `cores.warps` reads one of them. Where the loop is interpreted or checks bounds, a group is a tuple of arrays.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit

from ssmsim.engines.embedded.block_scheduler import BLOCK, LOADED
from ssmsim.engines.embedded.event_queue import EVENT
from ssmsim.engines.embedded.feed.coalesce import ACCESS
from ssmsim.engines.embedded.memory.dram import CHANNEL, TRANSACTION
from ssmsim.engines.embedded.memory.l2.slice_cache import L2_LINE, SLICE
from ssmsim.engines.embedded.memory.l2.slice_queues import NODE
from ssmsim.engines.embedded.memory.noc import COALESCED, TRANSFER
from ssmsim.engines.embedded.memory.tag_store import TAG
from ssmsim.engines.embedded.sm.cluster_barrier import CLUSTER_RECORD
from ssmsim.engines.embedded.sm.core import SM, SUBCORE, WARP
from ssmsim.engines.embedded.sm.fetch import CODE_LINE
from ssmsim.engines.embedded.sm.instruction import CODE
from ssmsim.engines.embedded.sm.memory.l1 import L1_LINE
from ssmsim.engines.embedded.sm.memory.lsu import REQUEST, SIGNALS
from ssmsim.engines.embedded.sm.memory.mbarrier import MBARRIER_WORD
from ssmsim.engines.embedded.sm.memory.performed import PERFORMED
from ssmsim.engines.embedded.sm.memory.prefetch_buffer import PREFETCHED
from ssmsim.engines.embedded.sm.stalls import STALLS
from ssmsim.engines.embedded.state.counts import COUNTS, RUN
from ssmsim.engines.embedded.state.parameters import PARAMETERS
from ssmsim.engines.embedded.state.pointers import addresses_view

INT64, INT32 = np.dtype(np.int64), np.dtype(np.int32)
# What each array holds; those of ONE are a single record.
ARRAYS = {
    "machine": PARAMETERS, "run": RUN, "counts": COUNTS, "events": EVENT,
    "sms": SM, "subs": SUBCORE, "warps": WARP, "blocks": BLOCK, "code": CODE, "stream": INT32, "stalls": STALLS,
    "requests": REQUEST, "accesses": ACCESS, "lines": INT64, "l1_tags": TAG, "l1_lines": L1_LINE, "prefetched": PREFETCHED,
    "mbarriers": MBARRIER_WORD, "clusters": CLUSTER_RECORD, "signals": SIGNALS, "performed": PERFORMED,
    "l0": CODE_LINE, "l1i": CODE_LINE, "gpci": CODE_LINE, "l2i": CODE_LINE, "imc": CODE_LINE, "idc": CODE_LINE,
    "fills": TRANSFER, "coalescer": COALESCED, "slices": SLICE, "nodes": NODE, "l2_tags": TAG, "l2_lines": L2_LINE,
    "transactions": TRANSACTION, "channels": CHANNEL,
    "loaded": LOADED, "order": INT64,
}  # fmt: skip
ONE = ("machine", "run", "counts")


class Chip(NamedTuple):
    """What belongs to no single unit: the run's own record, sums over the GPU, the event queue."""

    run: Any
    counts: Any
    events: Any


class Cores(NamedTuple):
    """SMs, sub-cores, warps and resident blocks; code and streams that they run; memory instructions in an SM and its L1."""

    sms: Any
    subs: Any
    warps: Any
    blocks: Any
    code: Any
    stream: Any
    stalls: Any
    requests: Any
    accesses: Any
    lines: Any
    l1_tags: Any
    l1_lines: Any
    prefetched: Any
    mbarriers: Any
    clusters: Any
    signals: Any
    performed: Any


class InstructionCaches(NamedTuple):
    """Caches of code (L0, L1, GPC, what the L2 has) and of constants (operands, LDC)."""

    l0: Any
    l1i: Any
    gpci: Any
    l2i: Any
    imc: Any
    idc: Any


class Memory(NamedTuple):
    """Beyond the SMs: lines on the crossbar, L2 slices with their queues, DRAM channels."""

    fills: Any
    coalescer: Any
    slices: Any
    nodes: Any
    l2_tags: Any
    l2_lines: Any
    transactions: Any
    channels: Any


class Grid(NamedTuple):
    """The launch's blocks that have been loaded, and the SMs of those that find empty places (first_wave.py)."""

    loaded: Any
    order: Any


class Machine(NamedTuple):
    """The parameters of the run."""

    machine: Any


class Parts(NamedTuple):
    """All groups, in the order of the table."""

    machine: Machine
    chip: Chip
    cores: Cores
    icache: InstructionCaches
    memory: Memory
    grid: Grid


GROUPS = (Machine, Chip, Cores, InstructionCaches, Memory, Grid)
ORDER = tuple(name for group in GROUPS for name in group._fields)


def groups(arrays: dict[str, Any]) -> Parts:
    """The groups as tuples of arrays, of those in ONE their record."""
    held = {name: array[0] if name in ONE else array for name, array in arrays.items()}
    return Parts(*(group(**{name: held[name] for name in group._fields}) for group in GROUPS))  # type: ignore[arg-type]


def addresses(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """int64[len(ORDER)]: where each array begins. Whoever holds it must hold the arrays."""
    for name in ORDER:
        assert arrays[name].dtype == ARRAYS[name], name
    return np.array([arrays[name].ctypes.data for name in ORDER], np.int64)


Arrays = namedtuple("Arrays", ORDER)  # type: ignore[misc]

BY_ADDRESS = not (numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK)
if BY_ADDRESS:
    _views = [
        addresses_view(group.__name__, {n: (ARRAYS[n], n in ONE) for n in group._fields}, ORDER.index(group._fields[0]))
        for group in GROUPS
    ]
    machine_of, chip_of, cores_of, icache_of, memory_of, grid_of = _views
else:
    # A record may lie in a tuple that compiled code makes, but not in one that Python hands over: it comes as an array of one.
    _inlined = njit(inline="always")
    machine_of = _inlined(lambda a: Machine(a.machine[0]))
    chip_of = _inlined(lambda a: Chip(a.run[0], a.counts[0], a.events))
    cores_of = _inlined(lambda a: Cores(a.sms, a.subs, a.warps, a.blocks, a.code, a.stream, a.stalls, a.requests, a.accesses,
                                    a.lines, a.l1_tags, a.l1_lines, a.prefetched, a.mbarriers, a.clusters, a.signals,
                                    a.performed))  # fmt: skip
    icache_of = _inlined(lambda a: InstructionCaches(a.l0, a.l1i, a.gpci, a.l2i, a.imc, a.idc))
    memory_of = _inlined(
        lambda a: Memory(a.fills, a.coalescer, a.slices, a.nodes, a.l2_tags, a.l2_lines, a.transactions, a.channels)
    )
    grid_of = _inlined(lambda a: Grid(a.loaded, a.order))
