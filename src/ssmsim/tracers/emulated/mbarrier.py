"""mbarriers: barriers that are 64-bit words in shared memory (SYNCS, ARRIVES), with their arrivals and transaction counts.

Bits of a word: 1-20 2^20 minus the arrivals that a phase expects, 21-42 bytes (or other transactions) that it still waits
for, as a signed number, 43-62 2^20 minus the arrivals that are missing, 63 the parity of the phase. A phase completes when
no arrival and no transaction is missing. The words are exact in trace mode, too: they are control, not data.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from ssmsim.errors import SsmsimError
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import SUPPORTED
from ssmsim.sass.operands import Operand
from ssmsim.tracers.emulated.access import Rows, compile_rows
from ssmsim.tracers.emulated.address_space import check_alignment
from ssmsim.tracers.emulated.cluster_access import OFFSET, shared_place
from ssmsim.tracers.emulated.lane_bytes import all_lanes
from ssmsim.tracers.emulated.operand_values import Group, guard_lanes, reader, register_address, writer
from ssmsim.tracers.emulated.state import State
from ssmsim.tracers.emulated.unknown import KNOWN

COUNT, TRANSACTIONS = (1 << 20) - 1, (1 << 22) - 1  # widths of the fields
FINE, NOT_A_BARRIER, TOO_MANY, TOO_LARGE = 0, 1, 2, 3
FAULTS = {
    NOT_A_BARRIER: "no mbarrier has been initialised there",
    TOO_MANY: "more arrivals than the phase of the mbarrier waits for",
    TOO_LARGE: "more transactions are pending on the mbarrier than PTX allows (2^20 - 1)",
}
Move = Callable[[State, Group, np.ndarray | None, np.ndarray], None]
# (arrivals, transactions) per lane; "n": the register's value.
ARRIVALS: dict[str, tuple[int | str, int | str]] = {
    "A1T0": (1, 0), "ART0": ("n", 0), "": (1, "n"), "A0TR": (0, "n"), "A0TX": (0, "-n"), "A0T1": (0, 1)
}  # fmt: skip


@njit(cache=True)
def _update(words, place, arrivals, transactions, drops, before, flipped):
    """Operations on the words at `place`, one after another. Returns (fault, which operation)."""
    for i in range(place.size):
        w = words[place[i]]
        before[i] = w
        expected = -(w >> 1) & COUNT
        pending = -(w >> 43) & COUNT
        left = (w >> 21) & TRANSACTIONS
        if left > TRANSACTIONS >> 1:
            left -= TRANSACTIONS + 1
        if w == 0:
            return NOT_A_BARRIER, i
        if arrivals[i] > pending:
            return TOO_MANY, i
        pending -= arrivals[i]
        left += transactions[i]
        if left > COUNT or left < -COUNT:
            return TOO_LARGE, i
        if drops:
            expected -= arrivals[i]
        phase = (w >> 63) & 1
        if pending == 0 and left == 0:
            phase ^= 1
            pending = expected
            flipped[i] = True
        words[place[i]] = (
            (w & 1) | (-expected & COUNT) << 1 | (left & TRANSACTIONS) << 21 | (-pending & COUNT) << 43 | phase << 63
        )
    return FINE, 0


def words_of(state: State) -> np.ndarray:
    """int64: shared memory of the batch as 64-bit words."""
    return state.shared.reshape(-1).view(np.int64)


def update(
    state: State, block: np.ndarray, offset: np.ndarray, arrivals: np.ndarray, transactions: np.ndarray, ins: Instruction,
    drops: bool = False,
) -> np.ndarray:  # fmt: skip
    """Arrive and count transactions (int64, all of one length) at barriers of `block` (place in the batch), `offset` (bytes),
    in turn. Returns the words before. SsmsimError for what is undefined: no barrier there, or too many arrivals.
    """
    size = state.shared.shape[1]
    wrong = (offset < 0) | (offset + 8 > size)
    if wrong.any():
        what = f"shared address {int(offset[wrong][0]):#x} lies outside {size} bytes"
        raise SsmsimError(what, ins.where, "a fault on a GPU")
    before, flipped = np.zeros(len(offset), np.int64), np.zeros(len(offset), bool)
    place = (block * size + offset) >> 3
    fault, at = _update(words_of(state), place, arrivals, transactions, drops, before, flipped)
    if fault != FINE:
        where = f"mbarrier at {int(offset[at]):#x} of block {int(state.blocks[block[at]])}"
        raise SsmsimError(f"{FAULTS[fault]} ({where})", ins.where, "PTX leaves what happens then undefined")
    state.version += 1
    if flipped.any():
        completed = np.zeros(len(state.blocks), bool)
        completed[block[flipped]] = True
        state.waits.wake(state, completed)
    return before


def complete_transactions(
    state: State, block: np.ndarray, offset: np.ndarray, count: np.ndarray, ins: Instruction
) -> None:
    """Take `count` (bytes, int64) off what barriers wait for: a copy has ended."""
    update(state, block, offset, np.zeros(len(offset), np.int64), -count, ins)


def _places(
    state: State, group: Group, lanes: np.ndarray, addresses: np.ndarray, ins: Instruction, remote: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(block, offset) int64 [W, 32] of barriers."""
    check_alignment(addresses, lanes, 8, ins)
    own = state.block_of[group.index][:, None]
    offset, block = shared_place(state, own, addresses, lanes, ins, remote)
    return block, offset


def compile_mbarrier_rows(ins: Instruction) -> Rows:
    """The function (state, group, lanes) -> int64 [W, rows, 32], see BlockTrace: of SYNCS its operand, then the addresses."""
    addresses = compile_rows(ins, None)
    if ins.base != "SYNCS":
        return addresses
    operand = ins.sources[1] if len(ins.sources) > 1 else None
    read = None if operand is None or ins.has("CCTL") else reader(operand, ins)
    holds = _parity_differs(ins) if ins.has("PHASECHK") else None

    def rows(state: State, group: Group, lanes: np.ndarray | None) -> np.ndarray:
        found = np.zeros((len(group.numbers), 2, 32), np.int64)
        found[:, 1:] = addresses(state, group, lanes)
        value = np.zeros((1, 1), np.int64) if read is None else read(state, group).astype(np.int64)
        found[:, 0] = value[0] | value[1] << 32 if value.ndim == 3 else value
        if holds is not None:
            on = np.broadcast_to(all_lanes(lanes, group), (len(found), 32))
            found[:, 0] = found[:, 0] >> 31 & 1 | (~holds(state, group, found[:, 1], on)).astype(np.int64) << 1
        return found

    return rows


def compile_mbarrier(ins: Instruction) -> Move:
    """The function (state, group, lanes, rows) of SYNCS and ARRIVES. SsmsimError for a form that is not known."""
    if ins.base == "ARRIVES":
        return _copies_arrive(ins)
    if ins.has("EXCH"):
        return _initialise(ins)
    if ins.has("CCTL"):
        return _invalidate(ins)
    return _check_phase(ins) if ins.has("PHASECHK") else _arrive(ins)


def _known(write_label: Callable | None, state: State, group: Group, lanes: np.ndarray | None) -> None:
    if write_label is not None and state.labels is not None:
        write_label(state, group, np.zeros((len(group.numbers), 32), np.uint8), lanes)


def _initialise(ins: Instruction) -> Move:
    """SYNCS.EXCH.64: the word becomes a register pair."""
    if any(ins.wants) or not ins.has("64"):
        raise SsmsimError("this SYNCS is not supported", ins.where, SUPPORTED)
    read = reader(ins.sources[1], ins)

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        on = all_lanes(lanes, group)
        block, offset = _places(state, group, on, rows[:, -1], ins, remote=False)
        pair = np.broadcast_to(read(state, group), (2, *on.shape))
        value = pair[0].astype(np.uint64) | pair[1].astype(np.uint64) << np.uint64(32)
        place = (block * state.shared.shape[1] + offset)[on]
        words_of(state)[place >> 3] = value[on].view(np.int64)
        state.version += 1
        if state.labels is not None:
            state.labels.shared[(place[:, None] + np.arange(8)).reshape(-1)] = KNOWN

    return move


def _invalidate(ins: Instruction) -> Move:
    """SYNCS.CCTL.IV: the word is no barrier any more."""

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        on = all_lanes(lanes, group)
        block, offset = _places(state, group, on, rows[:, -1], ins, remote=False)
        words_of(state)[(block * state.shared.shape[1] + offset)[on] >> 3] = 0
        state.version += 1

    return move


def _check_phase(ins: Instruction) -> Move:
    holds, write = _parity_differs(ins), writer(ins.destinations[0])
    write_label = writer(ins.destinations[0], labels=True)

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        if write:
            write(state, group, holds(state, group, rows[:, -1], all_lanes(lanes, group)), lanes)
        _known(write_label, state, group, lanes)

    return move


def _parity_differs(ins: Instruction) -> Callable[[State, Group, np.ndarray, np.ndarray], np.ndarray]:
    """bool [W, 32]: is the phase's parity another than bit 31 of the register, so that its phase has completed?"""
    read = reader(ins.sources[1], ins)

    def holds(state: State, group: Group, addresses: np.ndarray, on: np.ndarray) -> np.ndarray:
        block, offset = _places(state, group, on, addresses, ins, remote=False)
        size = state.shared.shape[1]
        words = words_of(state)[np.where(on, block * size + np.clip(offset, 0, size - 8), 0) >> 3]
        return np.asarray((words < 0) != (read(state, group) >> np.uint32(31)).astype(bool))

    return holds


def mbarrier_address(operand: Operand) -> Callable[[State, Group], np.ndarray]:
    """int64 [W, 32] of a mem operand."""
    address = register_address(operand)

    def read(state: State, group: Group) -> np.ndarray:
        value = np.full((1, 1), operand.value, np.int64) if address is None else address(state, group)
        return np.broadcast_to(value, (len(group.numbers), 32))

    return read


def compile_check(ins: Instruction) -> Callable[[State, Group], np.ndarray]:
    """bool[W]: may the warp go past a SYNCS.PHASECHK: have the phases completed that its running lanes ask for?"""
    operand = ins.sources[0]
    assert operand is not None
    address, holds, lanes_of = mbarrier_address(operand), _parity_differs(ins), guard_lanes(ins.guard)

    def ready(state: State, group: Group) -> np.ndarray:
        on = np.broadcast_to(all_lanes(lanes_of(state, group), group), (len(group.numbers), 32))
        return np.asarray((holds(state, group, address(state, group), on) | ~on).all(axis=1))

    return ready


def _arrive(ins: Instruction) -> Move:
    """SYNCS.ARRIVE.TRANS64: arrivals and transactions of each active lane; .RED: also in other blocks of the cluster."""
    kind = next((m for m in ins.mods if m in ARRIVALS), "")
    if ins.mods - {"ARRIVE", "TRANS64", "RED", "OPTOUT", kind} or not ins.has("TRANS64"):
        raise SsmsimError("this SYNCS is not supported", ins.where, SUPPORTED)
    many, moved = ARRIVALS[kind]
    read, remote, drops = reader(ins.sources[1], ins), ins.has("RED"), ins.has("OPTOUT")
    write, write_label = writer(ins.destinations[0]), writer(ins.destinations[0], labels=True)

    def number(what: int | str, value: np.ndarray, on: np.ndarray) -> np.ndarray:
        if isinstance(what, int):
            return np.full(int(on.sum()), what, np.int64)
        given = np.broadcast_to(value, on.shape)[on].astype(np.int64)
        return -given if what == "-n" else given

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        on = np.broadcast_to(all_lanes(lanes, group), (len(group.numbers), 32))
        block, offset = _places(state, group, on, rows[:, -1], ins, remote)
        value = read(state, group)
        before = update(state, block[on], offset[on], number(many, value, on), number(moved, value, on), ins, drops)
        if write:
            word = np.zeros(on.shape, np.uint64)
            word[on] = before.view(np.uint64)
            write(
                state, group, np.stack([word & np.uint64(0xFFFFFFFF), word >> np.uint64(32)]).astype(np.uint32), lanes
            )
        _known(write_label, state, group, lanes)

    return move


def _copies_arrive(ins: Instruction) -> Move:
    """ARRIVES.LDGSTSBAR: what a lane's LDGSTS have to do with a barrier when they end, which is at once here.

    .TRANSCNT takes the transaction off that an A0T1 added before; .ARVCNT arrives.
    """
    if not ins.has("LDGSTSBAR") or not ins.mods & {"TRANSCNT", "ARVCNT"}:
        raise SsmsimError("this ARRIVES is not supported", ins.where, SUPPORTED)
    arrives, ends = (1, 0) if ins.has("ARVCNT") else (0, -1)

    def move(state: State, group: Group, lanes: np.ndarray | None, rows: np.ndarray) -> None:
        on = np.broadcast_to(all_lanes(lanes, group), (len(group.numbers), 32))
        block, offset = _places(state, group, on, rows[:, -1], ins, remote=False)
        count = int(on.sum())
        update(state, block[on], offset[on], np.full(count, arrives), np.full(count, ends), ins)

    return move


def describe(state: State, block: int, address: int) -> str:
    """An mbarrier and what its phase waits for, for messages. block: place in the batch."""
    word = int(words_of(state)[(block * state.shared.shape[1] + (address & OFFSET)) >> 3])
    left = (word >> 21 & TRANSACTIONS ^ 1 << 21) - (1 << 21)
    return f"the mbarrier at {address & OFFSET:#x}, where {-(word >> 43) & COUNT} arrivals and {left} bytes are missing"
