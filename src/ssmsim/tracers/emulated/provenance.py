"""Which parameters a kernel's addresses come from, and so which buffers its addresses, masks and branches hang on.

The slice says which loads from global memory are wanted, origins.py where each address comes from. The tensors of tensor
copies lie where their maps say: those in memory hold pointers, as lists of pointers do, or the kernel puts them there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ssmsim.sass.opcodes import WARPGROUP_PRODUCTS, Access, Space
from ssmsim.sass.records import access_bytes
from ssmsim.tracers.emulated.origins import WORD as WORD
from ssmsim.tracers.emulated.origins import Flow, Origin, written_maps
from ssmsim.tracers.emulated.resources import bulk_stores
from ssmsim.tracers.emulated.slice import slice_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ssmsim.sass.decode import Code
    from ssmsim.sass.instruction import Instruction

SHARED_SPACES = (Space.SHARED, Space.GLOBAL_TO_SHARED, Space.GENERIC)


@dataclass(frozen=True)
class Provenance:
    """accesses: the address of every access to global memory, by instruction. wanted: loads among them whose data an
    address, a mask or a branch may hang on. writes: stores and atomics among them. Tensor copies are accesses to their maps,
    where these are no parameters; tensors: what the addresses in such maps may be, None without.
    """

    accesses: dict[int, Origin]
    wanted: frozenset[int]
    writes: frozenset[int] = frozenset()
    tensors: Origin | None = None


def provenance(code: Code, slots: Sequence[tuple[int, int]]) -> Provenance:
    """Of a kernel. slots: (offset, bytes) of each parameter: one that is indexed counts as a whole."""
    part = slice_program(code, feeds=_feeds(code.instructions))
    flow = Flow(code, slots)
    accesses = flow.addresses()
    maps = {
        i: origin for i, bits in flow.maps.items() if (origin := flow.origin(bits)) != Origin(frozenset(), frozenset())
    }
    wanted = frozenset(
        i for i in accesses if part.computes[i] and code.instructions[i].entry.access != Access.STORE
    )  # fmt: skip
    writes = frozenset(i for i in accesses if code.instructions[i].entry.access in (Access.STORE, Access.ATOMIC))
    if not maps:
        return Provenance(accesses, wanted, writes)
    data = sum(1 << flow.first_load + i for i in maps)
    for i in written_maps(code, flow):
        data |= flow.stored.get(i, (0, 0))[1]
    return Provenance(accesses | maps, wanted | maps.keys(), writes, flow.origin(data))


def _feeds(instructions: Sequence[Instruction]) -> dict[int, list[int]]:
    """Per reader of shared memory, the stores whose values it may read: flags of one byte are apart from all else.

    Blocks share a flag (the last block of a reduction, a vote) beside their numbers. A program that reads numbers byte by
    byte breaks this; a replay then refuses the launch by name, as whenever contents are missing.
    """
    touching = [
        i for i in instructions if i.entry.space in SHARED_SPACES or i.base in WARPGROUP_PRODUCTS or bulk_stores(i)
    ]  # fmt: skip
    stores = [(i.index, _flag(i)) for i in touching if i.entry.access in (Access.STORE, Access.ATOMIC, Access.COPY)]
    return {i.index: [store for store, flag in stores if flag == _flag(i)] for i in touching}


def _flag(ins: Instruction) -> bool:
    return ins.entry.access in (Access.LOAD, Access.STORE) and access_bytes(ins) == 1
