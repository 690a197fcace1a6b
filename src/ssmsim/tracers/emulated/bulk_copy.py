"""Bulk copies: runs of bytes between global and shared memory and between blocks of a cluster (UBLKCP), reductions of them
(UBLKRED), prefetches (UBLKPF), and single stores and reductions into another block that its mbarrier counts (STAS, REDAS).
"""

from __future__ import annotations

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import SUPPORTED, Space, memory_registers
from ssmsim.tracers.emulated.address_space import Image, check_alignment, scatter
from ssmsim.tracers.emulated.bulk_bytes import GlobalBytes, elements, note_stores, shared_marks
from ssmsim.tracers.emulated.bulk_reduce import reduced
from ssmsim.tracers.emulated.bulk_row import (
    AT,
    BARRIER,
    BYTES,
    GLOBAL,
    SHARED,
    Targets,
    empty_rows,
    executing,
    note_run,
)
from ssmsim.tracers.emulated.cluster_access import shared_place
from ssmsim.tracers.emulated.lane_bytes import all_lanes
from ssmsim.tracers.emulated.mbarrier import complete_transactions
from ssmsim.tracers.emulated.operand_values import Group, reader
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import KNOWN, Unknowns, labels_each, load_labels, store_labels

UNIT = 16  # bytes that sizes and addresses are multiples of
KINDS = {"F16": ("f16", 2), "BF16": ("bf16", 2), "F32": ("f32", 4), "F64": ("f64", 8), "S32": ("s32", 4), "U64": ("u64", 8),
         "S64": ("s64", 8)}  # fmt: skip


class BulkCopy:
    """One static UBLKCP, UBLKRED or UBLKPF: as TensorCopy."""

    def __init__(
        self, ins: Instruction, image: Image | None, bounds: Image | None, unknowns: Unknowns, moves: bool, grain: int
    ) -> None:
        self.ins, self.image, self.moves, self.grain = ins, image, moves, grain
        self.prefetches, self.reduces = ins.base == "UBLKPF", ins.base == "UBLKRED"
        self.ways = "" if self.prefetches else "".join(m for m in ins.mods.order[:2])
        if self.ways not in ("", "SG", "SS", "GS"):
            raise SsmsimError("this bulk copy is not supported", ins.where, SUPPORTED)
        size = ins.sources[1 if self.prefetches else 2]
        self.size, self.targets = reader(size, ins), Targets(ins, size)
        self.global_ = GlobalBytes(image, bounds, unknowns, ins)

    def _pair(self, state: State, group: Group, k: int) -> tuple[np.ndarray, np.ndarray]:
        operand = self.ins.sources[k]
        assert operand is not None
        words = state.ur[operand.index : operand.index + 2][:, group.index, 0].astype(np.int64)
        return words[0], words[1]

    def rows(self, state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        """int64 [W, 1, 32], see BlockTrace; checks bounds."""
        on, found = executing(lanes, group), empty_rows(group)
        a = self._pair(state, group, 0)
        count = np.broadcast_to(self.size(state, group), (len(found), 1))[:, 0].astype(np.int64)
        found[:, 0, BYTES] = UNIT * (count if self.prefetches else count & 0xFFFF)
        self.targets.note(state, group, found)
        if self.ways in ("", "GS"):
            found[:, 0, GLOBAL] = a[0] | a[1] << 32
        else:
            found[:, 0, SHARED], found[:, 0, BARRIER] = a
        if self.ways == "GS":
            found[:, 0, SHARED] = self._pair(state, group, 1)[0]
        elif self.ways == "SG":
            low, high = self._pair(state, group, 1)
            found[:, 0, GLOBAL] = low | high << 32
        elif self.ways == "SS":
            found[:, 0, AT] = self._pair(state, group, 1)[0]
        note_run(found)
        first = found[on, 0, GLOBAL]
        some = (found[on, 0, BYTES] > 0) & (first >= 0)
        last = first + found[on, 0, BYTES] - UNIT
        self.global_.check(np.where(some, first, -1), np.where(some, last, -1), UNIT)
        return found

    def move(self, state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        """Move data and labels where they are wanted, and complete the transactions."""
        if self.prefetches:
            return
        on = executing(lanes, group)
        own, row = state.block_of[group.numbers[on]], rows[on, 0]
        for column in (GLOBAL, SHARED, AT):
            check_alignment(row[:, column], row[:, column] >= 0, UNIT, self.ins)
        if self.ways == "GS":
            offset, block = self.targets.source(state, own, row[:, SHARED])
            if self.moves or (self.image is not None and self.image.marks.size):
                for w in range(len(row)):
                    self._store(state, row[w], int(block[w]), int(offset[w]))
            return
        who, block, place, barrier = self.targets.of(state, own, row)
        if self.moves or self.grain:
            for k, w in enumerate(who):
                self._load(state, row[w], int(own[w]), int(block[k]), int(place[k]))
        complete_transactions(state, block, barrier, row[who, BYTES], self.ins)

    def _kind(self) -> tuple[str, int]:
        return next((KINDS[m] for m in self.ins.mods.order if m in KINDS), ("u32", 4))

    def _put(self, target: np.ndarray, value: np.ndarray) -> None:
        """Copy bytes, or reduce them into a run of memory."""
        if not self.reduces:
            target[...] = value
            return
        kind, size = self._kind()
        held = elements(target, size)
        held[...] = reduced(self.ins, kind, held.copy(), elements(value, size))

    def _load(self, state: State, row: np.ndarray, own: int, block: int, offset: int) -> None:
        size, count = state.shared.shape[1], int(row[BYTES])
        if not count:
            return
        self.targets.fits(offset, count, size)
        memory, marks = state.shared.reshape(-1), shared_marks(state)
        first = block * size + offset
        if self.grain:
            note_stores(state, np.arange(first, first + count, self.grain), self.grain, self.ins)
        if not self.moves:
            return
        label = np.full(count, KNOWN, np.uint8)
        if self.ways == "SG":
            source = self.global_.places(row[GLOBAL : GLOBAL + 1])[0] + np.arange(count)
            label = self.global_.labels(state, source)
            assert self.image is not None
            value = self.image.data[source]
        else:
            places, blocks = self.targets.source(state, np.array([own]), row[AT : AT + 1])
            self.targets.fits(int(places[0]), count, size)
            start = int(blocks[0]) * size + int(places[0])
            value = memory[start : start + count].copy()
            label = label if marks is None else marks[start : start + count].copy()
        self._put(memory[first : first + count], value)
        if marks is not None:
            marks[first : first + count] = np.maximum(label, marks[first : first + count]) if self.reduces else label

    def _store(self, state: State, row: np.ndarray, block: int, offset: int) -> None:
        size, count = state.shared.shape[1], int(row[BYTES])
        if not count:
            return
        target = self.global_.places(row[GLOBAL : GLOBAL + 1])[0] + np.arange(count)
        if not self.moves:
            self.global_.spoil(target, 1)
            return
        self.targets.fits(offset, count, size)
        first, marks = block * size + offset, shared_marks(state)
        assert self.image is not None
        self._put(
            self.image.data[target[0] : target[0] + count], state.shared.reshape(-1)[first : first + count].copy()
        )
        self.global_.stored(state, target, 1, None if marks is None else marks[first : first + count])


class RemoteStore:
    """STAS, REDAS: each lane stores registers, or reduces them into what is there, at the address in its first register, with
    offset, in a block of the cluster, and takes their bytes off the mbarrier in its second one.
    """

    def __init__(self, ins: Instruction, unknowns: Unknowns, moves: bool, grain: int) -> None:
        operand, value = ins.sources
        assert operand is not None
        if not operand.wide or operand.base < 0 or operand.uniform >= 0:
            raise SsmsimError("this store is not supported", ins.where, SUPPORTED)
        self.unknowns = unknowns
        self.ins, self.moves, self.grain, self.width = ins, moves, grain, 4 * memory_registers(ins.mods)
        self.register, self.offset, self.reduces = operand.base, operand.value, ins.base == "REDAS"
        self.read, self.label_of = reader(value, ins), labels_each(value, ins.guard)

    def rows(self, state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        """int64 [W, 2, 32]: mbarriers and shared addresses, with ranks."""
        barrier = state.r[self.register + 1][group.index].astype(np.int64)
        address = state.r[self.register][group.index].astype(np.int64) + self.offset & 0xFFFFFFFF
        return np.stack(np.broadcast_arrays(barrier, address), axis=1)

    def _held(self, state: State, place: np.ndarray, on: np.ndarray) -> tuple:
        """Arguments of load_labels for what a reduction finds."""
        assert state.labels is not None
        return state.labels.shared, place, self.width, on, Space.SHARED, None, self.unknowns, self.ins

    def _put(self, memory: np.ndarray, place: np.ndarray, value: np.ndarray, on: np.ndarray) -> None:
        """uint32 [n, W, 32] values at byte indices of memory; reductions one lane after another."""
        if not self.reduces:
            scatter(memory, place, self.width, value, on)
            return
        kind = next((KINDS[m][0] for m in self.ins.mods.order if m in KINDS), "u64" if self.width == 8 else "u32")
        held = elements(memory, self.width)
        for warp, lane in np.argwhere(on):
            new = elements(np.ascontiguousarray(value[:, warp, lane]).view(np.uint8), self.width)
            at = int(place[warp, lane]) // self.width
            held[at : at + 1] = reduced(self.ins, kind, held[at : at + 1].copy(), new)

    def move(self, state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        on = np.broadcast_to(all_lanes(lanes, group), (len(group.numbers), 32))
        own, size = state.block_of[group.index][:, None], state.shared.shape[1]
        barrier, address = rows[:, 0], rows[:, 1]
        check_alignment(address, on, self.width, self.ins)
        check_alignment(barrier, on, 8, self.ins)
        offset, block = shared_place(state, own, address, on, self.ins, remote=True)
        at, other = shared_place(state, own, barrier, on, self.ins, remote=True)
        if (on & ((offset + self.width > size) | (block != other))).any():
            raise SsmsimError(
                "st.async outside of a block's memory, or barrier in another block", self.ins.where, "a fault"
            )
        place = np.where(on, block * size + offset, 0)
        if self.grain:
            for k in range(0, self.width, self.grain):
                note_stores(state, place[on] + k, self.grain, self.ins)
        if self.moves:
            value = self.read(state, group)
            value = value if value.ndim == 3 else value[None]
            self._put(state.shared.reshape(-1), place, np.broadcast_to(value, (len(value), *on.shape)), on)
            if state.labels:
                label = self.label_of(state, group)
                if self.reduces:
                    label = np.maximum(label, load_labels(*self._held(state, place, on)))
                store_labels(state.labels.shared, place, self.width, on, label)
        complete_transactions(state, other[on], at[on], np.full(int(on.sum()), self.width, np.int64), self.ins)
