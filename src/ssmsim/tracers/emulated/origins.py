"""Registers followed forwards: which parameters and loads the addresses of a kernel's accesses may come from.

The registers of every address are followed over the flow graph, from the words of the parameters and from loads, through
arithmetic, shared memory and the stack. A pointer that the host passes is a word of the parameters. One that lies in memory
is data of a load, whose own address comes from a word. Every set is an upper bound: a register holds no pointer that is not
in its set.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from ssmsim.sass.opcodes import Access, Space
from ssmsim.sass.operands import RZ, URZ, Operand
from ssmsim.tracers.emulated.hardware import END, PARAMETERS_AT
from ssmsim.tracers.emulated.resources import bulk_stores, descriptors_change, publishes, successors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ssmsim.sass.decode import Code
    from ssmsim.sass.instruction import Instruction

WORD = 8  # bytes of a pointer
Registers = dict[int, int]  # register (uniform ones from UNIFORM on) to the set of what it may come from
UNIFORM = 256
OF_GLOBAL = (Space.GLOBAL, Space.GENERIC, Space.GLOBAL_TO_SHARED)


@dataclass(frozen=True)
class Origin:
    """What an address may be computed from.

    words: byte offsets, multiples of 8, in the parameters. listed: (first, end) offsets of arrays that an index chooses
    it from, as the tensors of an optimizer. loads: instructions whose loaded data it may be.
    """

    words: frozenset[int]
    loads: frozenset[int]
    listed: frozenset[tuple[int, int]] = frozenset()


class Flow:
    """Sets as bits of an integer: words of the parameters, the parameters' own address, lists among the parameters, then
    instructions.

    After `addresses`: maps[i] is what the address of a tensor copy's map may come from, stored[i] what the address and the
    data of a store to global memory may; data are followed where the kernel writes tensor maps.
    """

    def __init__(self, code: Code, slots: Sequence[tuple[int, int]]) -> None:
        """slots: (offset, bytes) of each parameter: one that is indexed counts as a whole."""
        self.instructions, self.slots = code.instructions, slots
        self.writes_maps = descriptors_change(code)
        self.maps: dict[int, int] = {}
        self.stored: dict[int, tuple[int, int]] = {}
        size = max((offset + length for offset, length in slots), default=0)
        self.words = -(-size // WORD)
        self.own_address = 1 << self.words
        self.first_listed = self.words + 1
        self.list_at = self._lists()
        self.arrays = [(at, at + length) for at, length in slots if length > WORD]
        self.lists = sorted({*self.list_at.values(), *self.arrays})
        self.first_load = self.first_listed + len(self.lists)
        self.all_words = self.own_address - 1
        self.not_listed = ~(((1 << len(self.lists)) - 1) << self.first_listed)
        self.memory = {Space.SHARED: 0, Space.LOCAL: 0}  # what may have been stored there
        self.following = [[j for j, _ in edges] for edges in successors(code)]
        self.heads = self._heads()
        self.writes = self._writes()
        self.before: dict[int, Registers] = {0: {}} if self.instructions else {}

    def _lists(self) -> dict[int, tuple[int, int]]:
        """By the offset that an index is added to: from there up to where another is, or the parameter's end."""
        operands = [o for i in self.instructions for o in i.sources if o is not None and _indexed(o)]
        starts = {o.value - END for o in operands}
        slots = {first: slot for first in starts if (slot := self._slot(first)) is not None}
        return {first: (first, min([s for s in starts if s > first] + [sum(slots[first])])) for first in slots}

    def _slot(self, offset: int) -> tuple[int, int] | None:
        """The parameter of more than one word that holds an offset: (offset, bytes)."""
        return next(((at, size) for at, size in self.slots if at <= offset < at + size and size > WORD), None)

    def _writes(self) -> list[list[int]]:
        """Per instruction, registers written that may get into an address; the others need not be followed."""
        kept = {r for i in self.instructions if i.entry.access != Access.NONE for r in _of(i.sources, address=True)}
        kept |= {r for i in self.instructions if _is_map_read(i) for r in _registers(i.sources[1])}
        every = [
            (list(_of(i.destinations)), list(_of(i.sources)), _stores(i) or (self.writes_maps and stores_to_global(i)))
            for i in self.instructions
        ]
        size = -1
        while size != len(kept):
            size = len(kept)
            for writes, reads, stores in every:
                if stores or not kept.isdisjoint(writes):
                    kept.update(reads)
        return [[r for r in writes if r in kept] for writes, _, _ in every]

    def _heads(self) -> set[int]:
        """Instructions that do not just follow another: the first of each basic block."""
        count = len(self.instructions)
        comes_from = [0] * count
        heads = {0}
        for i, following in enumerate(self.following):
            for j in following:
                comes_from[j] += 1
                if j != i + 1 or len(following) > 1:
                    heads.add(j)
        return heads | {j for j in range(count) if comes_from[j] > 1}

    def addresses(self) -> dict[int, Origin]:
        """Runs until nothing changes; then each access once more."""
        while True:
            memory = dict(self.memory)
            queue = sorted(self.before)  # a heap: blocks in the order of the code, each once
            while queue:
                for j in self._block(heappop(queue)):
                    if j not in queue:
                        heappush(queue, j)
            if memory == self.memory:
                break
        found: dict[int, Origin] = {}
        for head in self.before:
            self._block(head, found)
        return found

    def _block(self, head: int, found: dict[int, Origin] | None = None) -> list[int]:
        """One basic block from what holds before it; the blocks behind it whose sets grew."""
        held, i = dict(self.before[head]), head
        while True:
            self._step(self.instructions[i], held, found)
            following = self.following[i]
            if len(following) != 1 or following[0] != i + 1 or i + 1 in self.heads:
                return [j for j in following if self._join(j, held)]
            i += 1

    def _join(self, head: int, held: Registers) -> bool:
        if head not in self.before:
            self.before[head] = dict(held)
            return True
        known, grew = self.before[head], False
        for register, bits in held.items():
            if bits & ~known.get(register, 0):
                known[register] = known.get(register, 0) | bits
                grew = True
        return grew

    def _step(self, ins: Instruction, held: Registers, found: dict[int, Origin] | None) -> None:
        entry = ins.entry
        bits = 0
        for operand in ins.sources:
            if operand is None or (operand.kind == "mem" and entry.access != Access.NONE):
                continue
            bits |= self._constant(operand) if operand.kind == "const" else 0
            kept = self.not_listed if _indexed(operand) else -1  # an index chooses a pointer, and is none
            for register in _registers(operand):
                bits |= held.get(register, 0) & kept
        if entry.access != Access.NONE and entry.space != Space.CONSTANT:
            if found is not None and _is_map_read(ins):
                self.maps[ins.index] = _union(ins.sources[1], held)
            bits = self._access(ins, bits, held, found)
        for register in self.writes[ins.index]:
            held[register] = bits | (held.get(register, 0) if ins.guard is not None else 0)

    def _constant(self, operand: Operand) -> int:
        """A source in constant bank 0: its words. An indexed one: the array or struct that it starts in, listed up to
        where another array begins; all words where its place lies in the index, those of arrays and structs listed.
        """
        if operand.index != 0:
            return 0
        first = operand.value - END
        if _indexed(operand):
            slot = self._slot(first)
            chosen = self.arrays if slot is None else [self.list_at[first]]
            bits = self.all_words if slot is None else self._span(*slot)
            return bits | sum(1 << self.first_listed + self.lists.index(each) for each in chosen)
        if first < 0:
            return self.own_address if operand.value // WORD == PARAMETERS_AT // WORD else 0
        return self._span(first, 4 * operand.count)

    def _span(self, first: int, size: int) -> int:
        low, high = first // WORD, -(-(first + size) // WORD)
        return ((1 << high) - (1 << low)) & self.all_words

    def _access(self, ins: Instruction, data: int, held: Registers, found: dict[int, Origin] | None) -> int:
        """What a memory instruction's result comes from; what it stores is put into that memory."""
        access, space = ins.entry.access, ins.entry.space
        address = 0
        for operand in ins.sources:
            if operand is not None and operand.kind == "mem":
                address |= _union(operand, held)
        if space in OF_GLOBAL and found is not None:
            found[ins.index] = self.origin(address)
        if stores_to_global(ins) and found is not None:
            bulk = access == Access.BULK
            self.stored[ins.index] = (
                _union(ins.sources[0], held) if bulk else address,
                self.memory[Space.SHARED] if bulk else data,
            )
        result = 0
        if space in OF_GLOBAL:
            result |= 1 << self.first_load + ins.index
            result |= self.all_words if address & self.own_address else 0
        touched = [space] if space in self.memory else list(self.memory) if space == Space.GENERIC else []
        if space == Space.GLOBAL_TO_SHARED:
            self.memory[Space.SHARED] |= result
        for each in touched:
            result |= self.memory[each]
            if access != Access.LOAD:
                self.memory[each] |= data
        return result

    def origin(self, bits: int) -> Origin:
        words = frozenset(WORD * k for k in range(self.words) if bits >> k & 1)
        listed = frozenset(span for k, span in enumerate(self.lists) if bits >> self.first_listed + k & 1)
        rest, loads = bits >> self.first_load, set()
        while rest:
            low = rest & -rest
            loads.add(low.bit_length() - 1)
            rest ^= low
        return Origin(words, frozenset(loads), listed)


def _indexed(operand: Operand | None) -> bool:
    """Is it a constant of bank 0 whose place hangs on a register?"""
    return (
        operand is not None
        and operand.kind == "const"
        and operand.index == 0
        and max(operand.base, operand.uniform) >= 0
    )


def _union(operand: Operand | None, held: Registers) -> int:
    """What any of an operand's registers may come from."""
    bits = 0
    for register in _registers(operand):
        bits |= held.get(register, 0)
    return bits


def _is_map_read(ins: Instruction) -> bool:
    """Is it a tensor copy, which reads a map?"""
    return ins.base.startswith("UTMA") and ins.entry.access == Access.BULK


def stores_to_global(ins: Instruction) -> bool:
    """Does it put registers, or bytes of shared memory as they are, into global memory?"""
    stores = ins.entry.access in (Access.STORE, Access.ATOMIC) and ins.entry.space in OF_GLOBAL
    return stores or bulk_stores(ins)


def _stores(ins: Instruction) -> bool:
    """Does it put registers where a later load may fetch an address from? Global memory is looked at at launch."""
    stores = ins.entry.access in (Access.STORE, Access.ATOMIC)
    return stores and ins.entry.space in (Space.SHARED, Space.LOCAL, Space.GENERIC)


def _of(operands: Sequence[Operand | None], address: bool = False) -> Iterator[int]:
    """Registers of operands; address: of those alone that are addresses in memory."""
    for operand in operands:
        if operand is not None and (operand.kind == "mem" or not address):
            yield from _registers(operand)


def _registers(operand: Operand | None) -> Iterator[int]:
    """Registers of an operand, of an address without its descriptor; uniform ones from UNIFORM on."""
    if operand is None:
        return
    if operand.kind == "R" and operand.index != RZ:
        yield from range(operand.index, operand.index + operand.count)
    if operand.kind == "UR" and operand.index != URZ:
        yield from range(UNIFORM + operand.index, UNIFORM + operand.index + operand.count)
    if operand.kind in ("mem", "const"):
        if operand.base >= 0:
            yield from range(operand.base, operand.base + 1 + operand.wide)
        if operand.uniform >= 0:
            yield from range(UNIFORM + operand.uniform, UNIFORM + operand.uniform + 1 + operand.uniform_wide)


def map_writers(code: Code) -> frozenset[int]:
    """Instructions whose data may become a tensor map: exchanges whose result nobody reads, and stores and bulk copies from
    shared memory to where the map of a tensor copy may lie. None in a kernel that never tells copies to look again.
    """
    if not descriptors_change(code):
        return frozenset()
    flow = Flow(code, [(0, code.kernel.parameter_bytes)])
    flow.addresses()
    return written_maps(code, flow)


def written_maps(code: Code, flow: Flow) -> frozenset[int]:
    """As `map_writers`, of a kernel that was followed."""
    if not flow.writes_maps:
        return frozenset()
    maps = {bits for bits in flow.maps.values() if bits != flow.own_address}
    found = {i.index for i in code.instructions if publishes(i)}
    for index, (address, _) in flow.stored.items():
        atomic = code.instructions[index].entry.access == Access.ATOMIC
        if not atomic and any(address & bits or not (address or bits) for bits in maps):
            found.add(index)
    return frozenset(found)
