"""The machine in four parts, as the cycle path passes them on: bare pointers to records, one group per part.

A group costs nothing where it is passed: the compiler hands on the pointers that are used. See pointers.py for why bare.
"""

from typing import Any, NamedTuple


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
    """The launch's blocks that have been loaded, and the order in which SMs are offered them."""

    loaded: Any
    order: Any


class Parts(NamedTuple):
    chip: Chip
    cores: Cores
    icache: InstructionCaches
    memory: Memory
    grid: Grid


GROUPS = (Chip, Cores, InstructionCaches, Memory, Grid)


class Arrays(NamedTuple):
    """Every array of the state by its name: what Python hands to the loop."""

    machine: Any
    gpu: Any
    counts: Any
    sms: Any
    subs: Any
    warps: Any
    blocks: Any
    loaded: Any
    order: Any
    code: Any
    stream: Any
    accesses: Any
    lines: Any
    events: Any
    requests: Any
    fills: Any
    coalescer: Any
    l1_tags: Any
    l1_lines: Any
    slices: Any
    nodes: Any
    l2_tags: Any
    l2_lines: Any
    transactions: Any
    channels: Any
    l0: Any
    l1i: Any
    gpci: Any
    l2i: Any
    imc: Any
    idc: Any
    stalls: Any
