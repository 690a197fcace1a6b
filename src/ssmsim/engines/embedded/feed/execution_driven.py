"""Streams made hand in hand with the run, where control hangs on the order in which memory is accessed.

The tracer (trace.types.ExecutionDriven) delivers the streams piece by piece: each goes to the next place where a value is
missing. There a copy of the instruction that comes next stands as a mark, which waits for STREAM_BIT beside what the
instruction itself waits for, so the warp stalls as it would, and is never issued. Accesses whose time counts are numbered;
when they have reached the L2 (sm/memory/performed.py) the tracer gives what comes next, and the marks give way to it.

Where the time of an access is taken: when it would be at the L2 by an empty crossbar.
"""

import numpy as np
from numba import njit

from ssmsim.architecture import SUBCORES
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import conservation
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.feed.block_pool import BATCH, Pool, load_blocks, settle
from ssmsim.engines.embedded.sm import stalls as reason
from ssmsim.engines.embedded.sm.instruction import NO_SPACE, TIME
from ssmsim.engines.embedded.sm.scoreboard import reconsider
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.machine import State
from ssmsim.engines.embedded.state.records import INDEX, NONE, STREAM_BIT
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.trace import spare
from ssmsim.trace.types import READS_TIME, BlockSource, BlockTrace, ExecutionDriven, Pieces, Program

OPEN = 1 << STREAM_BIT


def execution_driven(request: Request, config: SimConfig) -> ExecutionDriven | None:
    """What makes the request's streams hand in hand with the run; None where they do not hang on it, or where a policy of
    the configuration looks ahead in them.
    """
    asks = getattr(request.blocks, "execution_driven", None)
    looks_ahead = (
        config.launch.schedule == "persistent" or config.launch.skip_prologue or config.l1.prefetcher_bytes
        or config.sm.register_release == "last_use" or config.sm.early_blocks
    )  # fmt: skip
    return None if request.window is not None or looks_ahead or asks is None else asks()


def with_marks(code: np.ndarray, times: frozenset[int]) -> np.ndarray:
    """CODE[2 * instructions]: each instruction, then the mark that stands for it. Those of `times` say when they issue."""
    code["kind"][sorted(times)] = TIME
    both = r.records(code.dtype, 2 * len(code))
    both[: len(code)], both[len(code) :] = code, code
    both.wait_bits[len(code) :] |= OPEN
    return both


class ExecutionDrivenPool(Pool):
    """Streams of resident blocks, piece by piece."""

    def __init__(self, program: Program, source: BlockSource, state: State, driven: ExecutionDriven) -> None:
        super().__init__(program, source, state)
        self.driven, self.count = driven, len(program.instructions)
        rows = np.zeros(2 * self.count, program.instructions.dtype)
        rows[: self.count] = program.instructions
        self.instructions = rows.view(np.recarray)
        self.executed = np.zeros(2 * self.count, np.int64)
        m = state.machine[0]
        m.execution_driven = 1
        m.answer_cycles = max(1, int(m.reply_latency + min(0, m.distances.min())))
        self.place_of: dict[int, int] = {}  # record of each block that is loaded
        self.times: dict[
            tuple[int, int], list[int]
        ] = {}  # by block and warp: numbers of its readings of the time to come
        self.order = np.asarray(getattr(source, "order", range(source.block_count)), np.int64)

    def refill(self) -> None:
        for number in np.flatnonzero(self.state.loaded.done):
            self._free(int(number))
        m = self.state.machine[0]
        wave, size = int(m.sms * m.blocks_per_sm), max(1, int(m.cluster_size))
        room = min(BATCH, len(self.state.loaded) - len(self.parts))
        count = min(room, wave - self.seen if self.seen < wave else int(m.sms))
        count = max(size, count - count % size)
        blocks = self.order[self.seen : self.seen + count]
        self.seen += len(blocks)
        pieces = self.driven.start(blocks)
        trace = self._marked(pieces, blocks)
        self._load(trace)
        numbers, warps = self.latest, self.source.warps_per_block
        self.place_of.update(zip(blocks.tolist(), numbers.tolist(), strict=True))
        records = self.state.loaded
        records.open[numbers, :warps] = np.where(pieces.ends, 0, OPEN).reshape(len(blocks), warps)
        self._number(pieces, records.access[numbers, :warps].reshape(-1))

    def _free(self, number: int) -> None:
        block = int(self.state.loaded[number].id)
        self.place_of.pop(block)
        self.driven.drop(block)
        super()._free(number)

    def _check(self, trace: BlockTrace) -> None:
        """A warp's first piece need not be all of it."""

    def _hand_over(self, trace: BlockTrace, numbers: np.ndarray) -> None:
        """Nobody waits by number."""

    def _marked(self, pieces: Pieces, blocks: np.ndarray) -> BlockTrace:
        """Pieces as blocks of the warps they have, each with a mark behind it that does not end its warp."""
        warps = len(pieces.block) // max(1, len(blocks))
        plain = BlockTrace(
            blocks, pieces.first, pieces.index, pieces.mask, pieces.active, pieces.first_access, pieces.addresses
        )
        conservation.whole(plain, self.program, warps, int(self.state.machine[0].cluster_size))
        goes_on = ~pieces.ends
        at = pieces.first[1:][goes_on]
        first = pieces.first + np.concatenate([[0], np.cumsum(goes_on)])
        index = np.insert(pieces.index, at, self.count + pieces.following[goes_on])
        mask, active = (np.insert(a, at, 0) for a in (pieces.mask, pieces.active))
        return BlockTrace(blocks, first, index, mask, active, pieces.first_access, pieces.addresses)

    def _number(self, pieces: Pieces, access: np.ndarray) -> None:
        """Number the accesses whose time counts. access: int64[W], the first access of each warp's piece."""
        code, performs = self.state.code, pieces.performs
        if not len(performs):
            return
        has = (code.space[pieces.index] != NO_SPACE) & (code.accessing[pieces.index] != 0)
        before = np.concatenate([[0], np.cumsum(has)])
        for w, _, number, _ in performs[performs[:, 3] == READS_TIME].tolist():
            self.times.setdefault((int(pieces.block[w]), int(pieces.warp[w])), []).append(number)
        warp, executed, number, waits = performs[performs[:, 3] != READS_TIME].T
        first = pieces.first[warp]
        self.state.accesses.signals[access[warp] + before[first + executed] - before[first]] = number << 1 | waits

    def perform(self) -> None:
        """What has reached the L2 takes place, and streams go on."""
        run, state = self.state.gpu[0], self.state
        there = state.performed[: int(run.performed)]
        numbers, cycles, sms = there.number.copy(), there.cycle.copy(), np.zeros(len(there), np.int64)
        run.performed, run.answer_by = 0, r.INF
        for k in np.flatnonzero(numbers < 0).tolist():
            warp = state.warps[-1 - numbers[k]]
            block = state.blocks[int(warp.block)]
            numbers[k], sms[k] = self.times[int(block.id), int(warp.number)].pop(0), block.sm
        pieces = self.driven.perform(numbers, cycles, sms)
        if len(pieces.block):
            self._extend(pieces)

    def _extend(self, pieces: Pieces) -> None:
        """Put pieces behind what their warps have not issued yet, in new places."""
        state, count = self.state, len(pieces.block)
        records = np.array([self.place_of[b] for b in pieces.block.tolist()])
        warps = self._warps(records, pieces.warp)
        trace = self._marked(pieces, np.arange(count))
        left, lengths, places = np.zeros((3, count, 3), np.int64)
        remaining(state.warps, state.code, state.stream, warps, left)
        lengths[:, 0] = np.diff(trace.first)
        starts = np.zeros((count, 1), np.int64)
        places[:, 0] = self._take("stream", left[:, 0] + lengths[:, 0]) + left[:, 0]
        rows = len(trace.addresses)
        accesses = spare.array(rows + 1, coalesce.ACCESS)
        lines = spare.array(rows * self.lines_per_row + 1 + self._words(trace), np.int64)
        load_blocks(self.instructions, state.code, trace.first, trace.index, trace.mask, trace.active, trace.first_access,
                    trace.addresses, state.stream, accesses.view(np.recarray), lines, starts, places, lengths, self.sums,
                    self.executed, self.scratch, self.known)  # fmt: skip
        places[:, 1] = self._take("accesses", left[:, 1] + lengths[:, 1]) + left[:, 1]
        places[:, 2] = self._take("lines", lengths[:, 2])
        settle(accesses.view(np.recarray), lines, state.accesses, state.lines, places, lengths)
        self._number(pieces, places[:, 1])
        parts, held = state.parts(), left + lengths
        open_ = np.where(pieces.ends, 0, OPEN)
        go_on(parts.machine.machine, parts.chip, parts.cores, warps, places - left, left, held, open_)
        for number, place, before, length in zip(
            records.tolist(), places.tolist(), left.tolist(), held.tolist(), strict=True
        ):
            self.parts[number] += [(n, p - b, h) for n, p, b, h in zip(self.arenas, place, before, length, strict=True)]

    def _warps(self, records: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Places of warps of loaded blocks among the machine's warps."""
        state = self.state
        there = state.loaded[records]
        blocks = state.blocks[there.sm * state.machine[0].block_places + there.slot]
        warps = blocks.warps[np.arange(len(records)), numbers]
        if not there.launched.all() or (blocks.id != there.id).any() or (warps == NONE).any():
            raise SsmsimError("a warp goes on that does not run", self.program.kernel, "report it")
        return np.asarray(warps)

    def finish(self) -> None:
        """The run has ended: what was counted for marks belongs to their instructions, whose executions count once."""
        self.perform()  # stores that nobody waited for
        self.executed = self.executed[: self.count]
        waits = self.state.stalls
        waits[: self.count] += waits[self.count :]
        self.state.stalls = waits[: self.count].copy()


@njit(cache=True)
def remaining(warps, code, stream, numbers, left):
    """left int64[W, 3]: what each warp has before its mark: instructions, the one issued last among them, and accesses."""
    for i in range(len(numbers)):
        warp = warps[numbers[i]]
        left[i, 0] = warp.end - warp.position
        for at in range(warp.position, warp.end - 1):
            one = code[stream[at] & INDEX]
            left[i, 1] += one.space != NO_SPACE and one.accessing != 0


@njit(cache=True)
def go_on(m, chip, cores, numbers, places, left, held, open_):
    """Move warps to their new places: one that stands at its mark goes on with what comes there."""
    for i in range(len(numbers)):
        w = numbers[i]
        warp = cores.warps[w]
        count, first, access = left[i, 0], places[i, 0], places[i, 1]
        at_mark = count == 1
        for k in range(count):
            cores.stream[first + k] = cores.stream[max(0, warp.position - 1 + k)]
        for k in range(left[i, 1]):
            cores.accesses[access + k] = cores.accesses[warp.access + k]
        warp.position, warp.end, warp.access = first + 1, first + held[i, 0], access
        if open_[i] == 0:
            warp.scoreboard &= ~(1 << STREAM_BIT)
            warp.long &= ~(1 << STREAM_BIT)
        if not at_mark:
            continue
        cycle, sub = chip.run.cycle, w // m.sm.warp_slots_per_subcore
        reason.settle(warp, cores.stalls, cycle)
        word = cores.stream[warp.position]
        warp.current, warp.off = word & INDEX, word >> r.OFF_BIT
        if cores.code[warp.current].line != warp.line:
            warp.line = NONE  # another one than the mark: fetched when it issues
        reconsider(warp, cores.subs[sub], cores.sms[sub // SUBCORES], cores.code, cores.stalls, cycle)
