"""Tensor copies between shared memory and a tensor in global memory that a descriptor lays out.

UTMALDG, UTMASTG, UTMAREDG, UTMAPF move tiles, or columns of pixels (im2col). A warp issues one copy; it is carried out
at once, and so are its transactions at the mbarrier.
"""

from __future__ import annotations

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.trace.im2col import PIXELS, START
from ssmsim.tracers.emulated.address_space import Image, check_alignment
from ssmsim.tracers.emulated.bulk_bytes import GlobalBytes, elements, note_stores, shared_marks
from ssmsim.tracers.emulated.bulk_reduce import reduced
from ssmsim.tracers.emulated.bulk_row import (
    AT,
    BARRIER,
    BYTES,
    FIRST,
    GLOBAL,
    OUTER,
    SHARED,
    STRIDES,
    Targets,
    empty_rows,
    executing,
)
from ssmsim.tracers.emulated.hardware import PARAMETER_WINDOW
from ssmsim.tracers.emulated.im2col import Im2colMap, offsets_of
from ssmsim.tracers.emulated.mbarrier import complete_transactions
from ssmsim.tracers.emulated.operand_values import Group, reader
from ssmsim.tracers.emulated.state import MemoryWanted, State
from ssmsim.tracers.emulated.tensor_layout import TF32, TensorLayout, to_tf32
from ssmsim.tracers.emulated.tensor_map import BYTES as MAP_BYTES
from ssmsim.tracers.emulated.tensor_map import TiledMap, tensor_map
from ssmsim.tracers.emulated.unknown import KNOWN, Unknowns

SHARED_ALIGNMENT, MAP_ALIGNMENT = 128, 64  # bytes (PTX ISA, "cp.async.bulk.tensor"; CUtensorMap)
# What fills elements out of bounds, by type, where the descriptor asks for NaN (H200). f32.ftz keeps denormals (H200).
NAN = {
    "f16": 0x7FF7,
    "bf16": 0x7FF7,
    "f32": 0x7FF77FF7,
    "f32.ftz": 0x7FF77FF7,
    TF32: 0x7FF77FF7,
    "f64": 0x7FF77FF77FF77FF7,
}


class TensorCopy:
    """One static instruction: `rows` gives the addresses that the trace keeps, `move` does what the copies do."""

    def __init__(
        self, ins: Instruction, image: Image | None, bounds: Image | None, unknowns: Unknowns, moves: bool, grain: int
    ) -> None:
        """moves: the data are wanted. grain: bytes per entry of the history of shared memory."""
        a, b = ins.sources[:2]
        assert a is not None and b is not None
        self.ins, self.image, self.moves, self.grain = ins, image, moves, grain
        self.first, self.count, self.map_at = a.index, a.count, b.index
        self.loads, self.prefetches, self.reduces = ins.base == "UTMALDG", ins.base == "UTMAPF", ins.base == "UTMAREDG"
        self.writes = not (self.loads or self.prefetches)
        self.skip = 0 if self.prefetches else 2 if self.loads else 1  # registers before the coordinates
        self.targets = Targets(ins, ins.sources[2] if self.loads else None)
        self.global_ = GlobalBytes(image, bounds, unknowns, ins)
        self.im2col = ins.has("IM2COL")
        self.read_offsets = reader(ins.sources[2], ins) if self.im2col and not self.writes else None
        self.maps: dict[bytes, TiledMap | Im2colMap] = {}
        self.parameters: dict[int, TiledMap | Im2colMap] = {}  # by address: a launch does not change its parameters
        self.shared: dict[tuple[int, int], np.ndarray] = {}  # by map and offset: places of a copy's elements
        self.noted: dict[tuple[int, int], np.ndarray] = {}  # and entries of the history of shared memory

    def _bytes(self, state: State, address: int) -> bytes:
        """The descriptor at an address: a parameter, or in global memory, where the kernel may have written it."""
        start = PARAMETER_WINDOW + state.kernel.parameter_base
        if start <= address < start + state.kernel.parameter_bytes:
            return state.launch.param_bytes[address - start :][:MAP_BYTES].ljust(MAP_BYTES, b"\0")
        if self.image is None or not self.image.data.size:
            raise MemoryWanted
        place = int(self.global_.places(np.array([address]))[0])
        return self.global_.known(state, place + np.arange(MAP_BYTES), f"tensor map at {address:#x}")

    def _map(self, state: State, address: int) -> TiledMap | Im2colMap:
        known = self.parameters.get(address)
        if known is not None:
            return known
        if address % MAP_ALIGNMENT:
            raise SsmsimError(
                f"tensor map at {address:#x}, not a multiple of {MAP_ALIGNMENT}", self.ins.where, "a fault"
            )
        self.global_.check(np.array([address]), np.array([address]), MAP_BYTES)
        data = self._bytes(state, address)
        if data not in self.maps:
            found = tensor_map(data, self.ins.where)
            wanted = self.count - self.skip
            if found.rank != wanted:
                what = f"the tensor map has {found.rank} dimensions, the instruction {wanted}"
                raise SsmsimError(what, self.ins.where, "a fault on a GPU")
            if isinstance(found, Im2colMap) != self.im2col:
                what = "the tensor map is one of im2col mode, the instruction is not, or the other way round"
                raise SsmsimError(what, self.ins.where, "a fault on a GPU")
            self.maps[data] = found.padded() if self.writes else found
        start = PARAMETER_WINDOW + state.kernel.parameter_base
        if start <= address < start + state.kernel.parameter_bytes:
            self.parameters[address] = self.maps[data]
        return self.maps[data]

    def _swizzled(self, layout: TensorLayout, offset: int) -> np.ndarray:
        """layout.swizzled, remembered: a pipeline copies to few places."""
        key = id(layout), offset
        if key not in self.shared:
            self.shared[key] = layout.swizzled(offset)
        return self.shared[key]

    def _note(self, state: State, layout: TensorLayout, offset: int, blocks: np.ndarray) -> None:
        """Say in the history of shared memory that a copy stored in these blocks."""
        key = id(layout), offset
        if key not in self.noted:
            at = np.add.outer(self._swizzled(layout, offset), np.arange(0, layout.element, self.grain))
            self.noted[key] = np.unique(at // self.grain) * self.grain
        for block in blocks:
            note_stores(state, int(block) * state.shared.shape[1] + self.noted[key], self.grain, self.ins)

    def rows(self, state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        """int64 [W, 1, 32], see BlockTrace; checks bounds."""
        on, found = executing(lanes, group), empty_rows(group)
        words = state.ur[self.first : self.first + self.count][:, group.index, 0].astype(np.int64)
        low, high = state.ur[self.map_at : self.map_at + 2][:, group.index, 0].astype(np.int64)
        address = low | high << 32
        at = words[self.skip :].astype(np.int32).astype(np.int64)
        found[:, 0, GLOBAL] = address
        if not self.prefetches:
            found[:, 0, SHARED] = words[0]
        if self.loads:
            found[:, 0, BARRIER] = words[1]
        found[:, 0, AT : AT + len(at)] = at.T
        self.targets.note(state, group, found)
        offsets = self._offsets(state, group)
        for one in np.unique(address[on]):
            layout = self._map(state, int(one))
            where = on & (address == one)
            found[where, 0, BYTES] = layout.copy_bytes
            layout.refuse_coordinates(at[:, where], self.writes, self.ins.where)
            if isinstance(layout, Im2colMap):
                found[where, 0, PIXELS:] = layout.row(at[:, where], offsets[:, where]).T
            else:
                found[where, 0, FIRST : STRIDES + OUTER] = layout.runs(at[:, where]).T
            first, last = layout.span(at[:, where], offsets[:, where])
            self.global_.check(first, last, layout.element)
        return found

    def _offsets(self, state: State, group: Group) -> np.ndarray:
        """int64 [rank - 2, W] of copies in im2col mode; 0 where the instruction has none."""
        rank, count = self.count - self.skip, len(group.numbers)
        if self.read_offsets is None:
            return np.zeros((max(rank - 2, 0), count), np.int64)
        return offsets_of(np.broadcast_to(self.read_offsets(state, group), (count, 1))[:, 0], rank)

    def move(self, state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        """Move data and labels where they are wanted, and complete the transactions."""
        if self.prefetches:
            return
        on = executing(lanes, group)
        own, row = state.block_of[group.numbers[on]], rows[on, 0]
        check_alignment(row[:, SHARED], np.ones(len(row), bool), SHARED_ALIGNMENT, self.ins)
        if self.loads:
            who, block, place, barrier = self.targets.of(state, own, row)
            if self.moves or self.grain:
                for w in np.unique(who):
                    self._load(state, row[w], block[who == w], int(place[who == w][0]))
            complete_transactions(state, block, barrier, row[who, BYTES], self.ins)
            return
        offset, block = self.targets.source(state, own, row[:, SHARED])
        if self.moves or (self.image is not None and self.image.marks.size):
            for w in range(len(row)):
                self._store(state, row[w], int(block[w]), int(offset[w]))

    def _places(self, state: State, row: np.ndarray) -> tuple[TensorLayout, np.ndarray, np.ndarray]:
        """The descriptor of a copy; of its elements the addresses, and whether they lie inside."""
        layout = self._map(state, int(row[GLOBAL]))
        if self.moves:
            layout.refuse_data(self.writes, self.ins.where)
        at, inner = row[AT : AT + layout.rank], max(layout.rank - 2, 0)
        offsets = row[START : START + inner] - at[1 : 1 + inner] if self.im2col else np.zeros(inner, np.int64)
        return layout, *layout.places(at, offsets)

    def _load(self, state: State, row: np.ndarray, blocks: np.ndarray, offset: int) -> None:
        """One copy to the same place in some blocks."""
        size = state.shared.shape[1]
        layout = self._map(state, int(row[GLOBAL]))
        self.targets.fits(offset, layout.place_bytes, size)
        if self.grain:
            self._note(state, layout, offset, blocks)
        if not self.moves:
            return
        _, address, inside = self._places(state, row)
        places = [int(block) * size + self._swizzled(layout, offset) for block in blocks]
        fill = NAN.get(layout.kind, 0) if layout.fills_nan else 0
        value = np.full(len(address), fill, elements(state.shared.reshape(-1), layout.element).dtype)
        marks, label = shared_marks(state), np.full(len(address), KNOWN, np.uint8)
        if inside.any():
            source = self.global_.places(address[inside])
            label[inside] = self.global_.labels(state, source)
            assert self.image is not None
            found = elements(self.image.data, layout.element)[source // layout.element]
            value[inside] = to_tf32(found) if layout.kind == TF32 else found
        for place in places:
            elements(state.shared.reshape(-1), layout.element)[place // layout.element] = value
            if marks is not None:
                for k in range(layout.element):
                    marks[place + k] = label

    def _store(self, state: State, row: np.ndarray, block: int, offset: int) -> None:
        """One copy from a block, or reduced into the tensor; without its data, a mark on recorded bytes."""
        size = state.shared.shape[1]
        layout, address, inside = self._places(state, row)
        if not inside.any():
            return
        target = self.global_.places(address[inside])
        if not self.moves:
            self.global_.spoil(target, layout.element)
            return
        self.targets.fits(offset, layout.place_bytes, size)
        place = (block * size + self._swizzled(layout, offset))[inside]
        value = elements(state.shared.reshape(-1), layout.element)[place // layout.element]
        assert self.image is not None
        memory = elements(self.image.data, layout.element)
        if self.reduces:
            value = reduced(self.ins, layout.kind, memory[target // layout.element], value)
        memory[target // layout.element] = value
        marks = shared_marks(state)
        self.global_.stored(state, target, layout.element, None if marks is None else marks[place])
