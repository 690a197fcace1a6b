"""Where bulk and tensor copies find their bytes: in shared memory of a batch's blocks and in the image of global memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.tracers.emulated.address_space import Image
from ssmsim.tracers.emulated.state import State, UnknownMet
from ssmsim.tracers.emulated.unknown import FIRST, KNOWN, SPOILED, Unknowns

UNSIGNED: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.uint8),
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}


def elements(data: np.ndarray, size: int) -> np.ndarray:
    """A byte array as elements of `size` bytes."""
    return data[: data.size // size * size].view(UNSIGNED[size])


class GlobalBytes:
    """Bytes of global memory for one instruction: checked, and with their labels."""

    def __init__(self, image: Image | None, bounds: Image | None, unknowns: Unknowns, ins: Instruction) -> None:
        """image: memory that data move in. bounds: what addresses are checked against; None: not."""
        self.image, self.bounds, self.unknowns, self.ins = image, bounds, unknowns, ins

    def check(self, first: np.ndarray, last: np.ndarray, width: int) -> None:
        """SsmsimError when bytes from first to last + width (int64[n], negative: none) are not in one buffer."""
        if self.bounds is None:
            return
        ends = np.zeros((len(first), 32), np.int64)
        ends[:, 0], ends[:, 1] = first, last
        self.bounds.check(ends, np.full(len(first), 3, np.uint32), width, self.ins)
        starts = self.bounds.starts
        apart = (first >= 0) & (np.searchsorted(starts, first, "right") != np.searchsorted(starts, last, "right"))
        if apart.any():
            k = int(np.flatnonzero(apart)[0])
            what = f"{int(first[k]):#x} to {int(last[k]):#x} lie in different buffers"
            raise SsmsimError(what, self.ins.where, "give the tensor one buffer")

    def places(self, addresses: np.ndarray) -> np.ndarray:
        """Byte indices into the image's data of addresses that `check` passed."""
        if self.image is None or not self.image.data.size:
            raise SsmsimError("no memory to read or write", self.ins.where, "give the launch's buffers")
        return self.image.place(addresses, np.ones(addresses.shape, bool))

    def labels(self, state: State, place: np.ndarray) -> np.ndarray:
        """uint8: marks for bytes that are read at `place`, as shared memory keeps them. UnknownMet where values carry no
        labels and one would be needed.
        """
        assert self.image is not None
        marks = self.image.marks[place]
        if (marks == KNOWN).all() or (not self.unknowns.watched and state.labels is None):
            return np.full(place.shape, KNOWN, np.uint8)
        if state.labels is None:
            raise UnknownMet
        marks = np.where(marks >= FIRST, marks, np.where(marks == KNOWN, KNOWN, 0)).astype(np.uint8)
        spoiled, blind = self.image.marks[place] == SPOILED, self.image.marks[place] == 0
        if spoiled.any():
            marks[spoiled] = self.unknowns.stored(self.ins)
        if blind.any():
            regions = self.image.region_of_place(place)
            for k in np.unique(regions[blind]).tolist():
                name, start = self.image.names[k], int(self.image.starts[k])
                marks[blind & (regions == k)] = self.unknowns.load(self.ins, name, start)
        return marks

    def known(self, state: State, place: np.ndarray, what: str) -> bytes:
        """The bytes at `place`. UnknownData naming `what` they are and where they come from when nobody knows them."""
        marks = self.labels(state, place)
        self.unknowns.refuse(np.where(marks == KNOWN, 0, marks), np.ones(marks.shape, bool), self.ins, what)
        assert self.image is not None
        return self.image.data[place].tobytes()

    def stored(self, state: State, place: np.ndarray, width: int, marks: np.ndarray | None) -> None:
        """Mark stored elements of `width` bytes: with labels, or as known."""
        if self.image is None or state.labels is None:
            return
        for k in range(width):
            self.image.marks[place + k] = KNOWN if marks is None else marks

    def spoil(self, place: np.ndarray, width: int) -> None:
        """Mark recorded bytes that a copy changes whose values are not carried out."""
        assert self.image is not None
        for k in range(width):
            there = (place + k)[self.image.marks[place + k] == KNOWN]
            if there.size:
                self.image.marks[there] = SPOILED
                self.image.spoiled.append(there)


def shared_marks(state: State) -> np.ndarray | None:
    """uint8: labels of the batch's shared memory, None when values carry none."""
    return None if state.labels is None else state.labels.shared


def note_stores(state: State, place: np.ndarray, grain: int, ins: Instruction) -> None:
    """Say in the history of shared memory (if one is kept) which instruction stored at these bytes."""
    if state.stored_by.size:
        state.stored_by[place // grain] = ins.index + 1
