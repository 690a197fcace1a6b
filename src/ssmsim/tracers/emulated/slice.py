"""The backward slice: which static instructions must be carried out so that addresses, masks and branches are right.

A value is wanted when an address, a branch, a barrier or a guard reads it, or another wanted instruction does. The
analysis runs backwards over the flow graph until nothing changes (strongly live variables), register by register, so
that a register that holds an address here and floating-point data there costs only what the address needs. Liveness
is kept per predicate value, so that `@P6 MOV R1, ..` before `@P6 BRA` ends what R1 held on the branch's way. Shared
memory is not told apart by address: a wanted load from it makes the data of every store to it wanted. Words of the
stack are. Device memory is taken as the launch found it; when a wanted load meets bytes that the kernel stored, that
is found out as it runs (unknown.py). But what may become a tensor map is carried out (origins.map_writers).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeVar

from ssmsim.sass.opcodes import Access, Control
from ssmsim.tracers.emulated.origins import map_writers
from ssmsim.tracers.emulated.resources import (
    GLOBAL,
    SHARED,
    STACK_REGISTER,
    UNFIXED,
    Condition,
    Facts,
    bit_range,
    facts,
    successors,
)

if TYPE_CHECKING:
    from ssmsim.sass.decode import Code
    from ssmsim.sass.operands import Operand

Live = dict[Condition, int]
Feeds = Mapping[int, Collection[int]]
Edges = list[list[tuple[int, Condition]]]
MEMORY = bit_range(SHARED, 3)
OPEN = 1 << GLOBAL | 1 << UNFIXED  # where values may come from that a launch leaves open
REMEMBERED = 256  # kernels
T = TypeVar("T")


@dataclass(frozen=True)
class Slice:
    """Which instructions to carry out.

    computes[i]: its results (or the data it moves) are wanted. guarded[i]: its guard is computed. risky[i]: what its
    record needs may hang on loaded data. vague[i]: only its guard may, which then counts as true. loads_global,
    loads_shared: some wanted value may come from that memory. reads_open: from what the launch may leave open.
    full: all instructions are carried out (full mode). live[i]: resources that are wanted later, before instruction i.
    """

    computes: list[bool]
    guarded: list[bool]
    risky: list[bool]
    vague: list[bool]
    loads_global: bool
    loads_shared: bool = False
    reads_open: bool = False
    full: bool = False
    live: tuple[int, ...] = ()


_slices: dict[int, tuple[Code, Slice]] = {}
_tables: dict[int, tuple[Code, tuple[list[Facts], Edges]]] = {}
_writers: dict[int, tuple[Code, frozenset[int]]] = {}


def _behind(edges: list[tuple[int, Condition]], live_in: list[Live]) -> Live:
    """What is live behind an instruction; a branch's ways count under its guard's value."""
    out: Live = {}
    for j, condition in edges:
        for key, bits in live_in[j].items():
            key = condition if key is None else key
            out[key] = out.get(key, 0) | bits
    return out


def _before(fact: Facts, out: Live) -> tuple[int, Live]:
    """(what is live behind and written here, what of it is live before)."""
    opposite = (fact.condition[0], not fact.condition[1]) if fact.condition else None
    touched = 0
    live: Live = {}
    for key, bits in out.items():
        if fact.condition is None or key != opposite:
            touched |= bits
        if fact.condition is None or key == fact.condition:
            bits &= ~fact.kills
        if key is not None and key[0] & fact.writes:
            key = None
        if bits:
            live[key] = live.get(key, 0) | bits
    return touched & fact.writes, live


def _live(
    table: list[Facts],
    following: Edges,
    wanted: list[tuple[int, int]],
    feeds: Feeds | None,
    always_computes: list[bool],
    passed_on: Feeds,
) -> tuple[list[bool], list[Live]]:
    """(which instructions compute: all that write something live, and those of `always_computes`; what is live before
    each).

    wanted[i]: (resources live at i in any case, resources live at i where its guard holds). feeds[i]: the stores to
    shared memory whose values instruction i reads; None: any of them. passed_on[i]: those to global memory.
    """
    count = len(table)
    live_in: list[Live] = [{} for _ in table]
    computes = list(always_computes)
    stored = 0  # memories that some computing load reads
    fed = set()  # stores whose values such a load reads
    changed = True
    while changed:
        changed = False
        for i in range(count - 1, -1, -1):
            fact = table[i]
            touched, live = _before(fact, _behind(following[i], live_in))
            always, guarded = wanted[i]
            if touched & ~MEMORY or fact.writes & stored & (1 << SHARED) or computes[i]:
                changed |= not computes[i]
                computes[i] = True
                always |= fact.guard
                kept = MEMORY if i in fed else stored
                needed = fact.needs(touched | fact.writes & kept)
                guarded |= needed & ~MEMORY
                if feeds is None:
                    changed |= bool(needed & MEMORY & ~stored)
                    stored |= needed & MEMORY
                elif needed & (1 << SHARED):
                    for store in feeds.get(i, ()):
                        changed |= not computes[store]
                        computes[store] = True
                        fed.add(store)
                for store in passed_on.get(i, ()):
                    changed |= not computes[store] or store not in fed
                    computes[store] = True
                    fed.add(store)
            for key, bits in ((None, always), (fact.condition, guarded)):
                if bits:
                    live[key] = live.get(key, 0) | bits
            if live != live_in[i]:
                live_in[i], changed = live, True
    return computes, live_in


def _holds_stack(operand: Operand | None) -> bool:
    """Is the stack pointer among the registers of an operand?"""
    return operand is not None and operand.kind == "R" and 0 <= STACK_REGISTER - operand.index < operand.count


def slice_program(
    code: Code, everything: bool = False, feeds: Feeds | None = None, passed_on: Feeds | None = None
) -> Slice:
    """The slice of a kernel. everything: all instructions (full mode). feeds, passed_on: see `_live`."""
    count = len(code.instructions)
    if everything:
        return Slice([True] * count, [True] * count, [False] * count, [False] * count, True, full=True)
    if feeds is not None or passed_on:
        return _slice(code, feeds, passed_on or {})
    return _once(_slices, code, lambda: _slice(code, None, {}))


def _once(known: dict[int, tuple[Code, T]], code: Code, make: Callable[[], T]) -> T:
    """What `make` gives for a kernel's code, made once: a capture tries a kernel's launches one after another."""
    if id(code) not in known:
        if len(known) >= REMEMBERED:
            known.clear()
        known[id(code)] = code, make()  # the code is held, so that its id stays its own
    return known[id(code)][1]


def _table(code: Code) -> tuple[list[Facts], Edges]:
    """What each instruction reads and writes, and which instructions follow it."""
    instructions = code.instructions
    moves_stack = [i for i in instructions if any(_holds_stack(d) for d in i.destinations)]
    calls = any(i.entry.control == Control.CALL for i in instructions)
    fixed_stack = not calls and len(moves_stack) <= 2 and all(i.index < 64 and i.guard is None for i in moves_stack)
    return [facts(i, fixed_stack) for i in instructions], successors(code)


def _slice(code: Code, feeds: Feeds | None, passed_on: Feeds) -> Slice:
    """See `slice_program`."""
    instructions, (table, following) = code.instructions, _once(_tables, code, lambda: _table(code))
    exact = [bool(f.record) or i.entry.control != Control.NONE or i.entry.access != Access.NONE
             for f, i in zip(table, instructions, strict=True)]  # fmt: skip
    tainted = _tainted(table, following)
    known = [not tainted[i] & f.guard for i, f in enumerate(table)]
    writers = published(code)
    writes_map = [i.index in writers for i in instructions]
    wanted = [(f.guard if e or k else 0, f.record | (f.data & ~MEMORY if p else 0))
              for f, e, k, p in zip(table, exact, known, writes_map, strict=True)]  # fmt: skip
    computes, live_in = _live(table, following, wanted, feeds, writes_map, passed_on)
    guarded = [k or e or c for k, e, c in zip(known, exact, computes, strict=True)]
    loads, open_ = (
        any(c and f.data & bits for c, f in zip(computes, table, strict=True)) for bits in (1 << GLOBAL, OPEN)
    )
    risky = [
        bool(tainted[i] & (f.record | (f.guard if e else 0))) for i, (f, e) in enumerate(zip(table, exact, strict=True))
    ]
    loads, open_ = loads or bool(writers), open_ or bool(writers)
    vague = [not k and not e for k, e in zip(known, exact, strict=True)]
    shared = any(c and f.data & (1 << SHARED) for c, f in zip(computes, table, strict=True))
    live = tuple(reduce(or_, held.values(), 0) for held in live_in)
    return Slice(computes, guarded, risky, vague, loads, shared, open_, live=live)


def published(code: Code) -> frozenset[int]:
    """origins.map_writers, found once."""
    return _once(_writers, code, lambda: map_writers(code))


def copies_shared(code: Code, part: Slice) -> bool:
    """Is a bulk copy from shared memory carried out? What it reads is not followed store by store."""
    copies = [i.base == "UBLKCP" and i.mods.order[1:2] == ("S",) for i in code.instructions]
    return any(c and computes for c, computes in zip(copies, part.computes, strict=True))


def _tainted(table: list[Facts], following: Edges) -> list[int]:
    """Per instruction, resources that may hold something computed from open values when it is reached."""
    tainted = [0] * len(table)
    memory = OPEN
    changed = True
    while changed:
        changed = False
        for i, fact in enumerate(table):
            dirty = (fact.data | fact.guard) & (tainted[i] | memory)
            out = tainted[i] if fact.condition else tainted[i] & ~fact.kills
            if dirty:
                out |= fact.writes & ~MEMORY
                changed |= bool(fact.writes & MEMORY & ~memory)
                memory |= fact.writes & MEMORY
            for j, _ in following[i]:
                if out & ~tainted[j]:
                    tainted[j] |= out
                    changed = True
    return tainted
