"""Address rows to what the LSU works on: 128-byte lines with sector masks, and shared-memory wavefronts.

Depends on addresses alone, so it is done once per executed instruction when a block is loaded; the LSU then counts
cycles. Exact counters (sectors, requests, wavefronts, conflicts) are summed here.
"""

import numpy as np
from numba import njit

from ssmsim.architecture import (
    BANK_BYTES,
    LANES,
    LINE_BYTES,
    LINE_SHIFT,
    MAX_CLUSTER,
    SECTOR_BYTES,
    SECTOR_SHIFT,
    SECTORS_PER_LINE,
    WORDS_PER_SECTOR,
)  # fmt: skip
from ssmsim.engines.embedded.bitmask import popcount
from ssmsim.engines.embedded.feed import async_words
from ssmsim.engines.embedded.feed.coalesce_cache import remember, repeat
from ssmsim.engines.embedded.feed.line_word import line_of, sectors_of, word_of
from ssmsim.engines.embedded.sm.instruction import (
    BULK_SPACE,
    COPY,
    LOCAL,
    MBARRIER,
    NAMED_BARRIER,
    NO_SPACE,
    REMOTE_STORE,
    SHARED,
)
from ssmsim.engines.embedded.state.pointers import unowned
from ssmsim.engines.embedded.state.records import OFF_BIT, record
from ssmsim.trace.types import SHARED_WINDOW, WINDOW_BYTES

ALL_WORDS = (1 << WORDS_PER_SECTOR) - 1  # of a sector
BARRIER_BITS = 8  # of a barrier's number; above it its threads

# Columns of the sums: per-launch totals that the addresses alone decide.
SUMS = ("load_requests", "load_sectors", "store_requests", "store_sectors", "wavefronts", "conflicts", "lines",
        "lanes_active", "lanes_on", "ideal_wavefronts", "matrix_wavefronts", "copy_wavefronts", "local_sectors")  # fmt: skip
(LOAD_REQUESTS, LOAD_SECTORS, STORE_REQUESTS, STORE_SECTORS, WAVEFRONTS, CONFLICTS, LINES, LANES_ACTIVE, LANES_ON,
 IDEAL, MATRIX_WAVEFRONTS, COPY_WAVEFRONTS, LOCAL_SECTORS) = range(len(SUMS))  # fmt: skip

# One executed memory instruction in the pool: its lines, and the cycles it occupies the data stage.
# awaits, signals: numbers of writes that it waits for or is, see handover.py; signals also of an access whose time counts,
# see execution_driven.py.
# words: of a store, the words that it writes whole in every sector that it writes in part, a bit each; of an atomic, a bit for
# each of its lines that has a single lane.
ACCESS = record("first_line", "lines", "wavefronts", "awaits", "signals", "words")


def bank_words() -> np.ndarray:
    """int64[banks, lanes + 2] for bank_wavefronts: column 0 counts the distinct words of a bank, the others hold them."""
    return np.zeros((LINE_BYTES // BANK_BYTES, LANES + 2), np.int64)


@njit(cache=True)
def bank_wavefronts(row, mask, width, lanes, scratch, joins=False):
    """Passes over the 32 four-byte banks: most distinct words in one bank, per group of lanes that fill 128 bytes.

    8-byte accesses go by half warps and 16-byte ones by quarter warps (CUDA guide, shared memory); a word that several
    lanes read is read once. LDSM and STSM: 16 bytes per row of a matrix, 8 rows a pass. scratch: bank_words().
    joins: a load, of which twice as many lanes go together when they share addresses (see paired).
    """
    words = max(1, width // BANK_BYTES)
    group = min(LANES, LANES // words)
    if joins and group < LANES and paired(row, mask):
        group *= 2
    total = 0
    for start in range(0, lanes, group):
        last = min(lanes, start + group)
        pieces = distinct_banks(row, mask, words, start, last)
        if pieces >= 0:
            total += pieces
            continue
        scratch[:, 0] = 0
        worst = 0
        for lane in range(start, last):
            if not mask >> lane & 1:
                continue
            for word in range(row[lane] >> 2, (row[lane] >> 2) + words):
                bank = scratch[word & 31]
                seen = 1
                while seen <= bank[0] and bank[seen] != word:
                    seen += 1
                if seen > bank[0]:
                    bank[seen] = word
                    bank[0] = seen
                    worst = max(worst, seen)
        total += worst
    return total


@njit(cache=True)
def paired(row, mask):
    """Whether each lane that is on has the address of its neighbour, or each that of the next but one.

    Our microbenchmark sm_memory/wide_access_wavefronts: loads of 8 bytes then take one wavefront and of 16 bytes two
    (1.01 and 2.01), whatever else lanes share; stores and LDSM never.
    """
    by_one = by_two = True
    for lane in range(LANES):
        if mask >> lane & 1:
            by_one &= not mask >> (lane ^ 1) & 1 or row[lane] == row[lane ^ 1]
            by_two &= not mask >> (lane ^ 2) & 1 or row[lane] == row[lane ^ 2]
    return by_one or by_two


@njit(cache=True)
def distinct_banks(row, mask, words, first, last):
    """The common case at once: 1 (0 with no lane on) when no two words share a bank, -1 when they have to be compared."""
    used = 0
    for lane in range(first, last):
        if mask >> lane & 1:
            for word in range(row[lane] >> 2, (row[lane] >> 2) + words):
                bit = 1 << (word & 31)
                if used & bit:
                    return -1
                used |= bit
    return 1 if used else 0


@njit(cache=True)
def add_line(lines, first, count, line, sectors, full):
    """Add sectors of one lane to the lines of its instruction; returns the new number of lines."""
    for i in range(first + count - 1, first - 1, -1):
        if line_of(lines[i]) == line:
            lines[i] |= word_of(0, full, sectors)
            return count
    lines[first + count] = word_of(line, full, sectors)
    return count + 1


@njit(cache=True)
def negative(row, mask):
    """Lanes of the mask that read nothing: an LDGSTS fills their place with zeros."""
    lanes = 0
    for lane in range(LANES):
        if mask >> lane & 1 and row[lane] < 0:
            lanes |= 1 << lane
    return lanes


@njit(cache=True)
def alike(row, mask):
    """Most lanes of the mask that copy from one address: an LDGSTS takes as many passes.

    Our microbenchmark sm_memory/ldgsts_word_occupancy: same, own, through the L1. Those past it were tried by hand
    alone: 16 lanes to 16 bytes, 15 cycles.
    """
    most, run, before, ascending = 1, 1, -1, True
    for lane in range(LANES):
        if mask >> lane & 1 and row[lane] >= 0:
            run = run + 1 if row[lane] == before else 1
            most, ascending = max(most, run), ascending and row[lane] >= before
            before = row[lane]
    if ascending:
        return most
    for lane in range(LANES):
        same = 0
        for other in range(LANES):
            same += mask >> other & 1 and row[other] == row[lane]
        most = max(most, same * (mask >> lane & 1 and row[lane] >= 0))
    return most


@njit(cache=True)
def global_lines(row, mask, lines, first):
    """Lines of a global access from lines[first] on, in lane order; returns how many. Lanes are aligned to their width."""
    count = 0
    for lane in range(LANES):
        if mask >> lane & 1 and row[lane] >= 0:
            sector = 1 << (row[lane] >> SECTOR_SHIFT & SECTORS_PER_LINE - 1)
            count = add_line(lines, first, count, row[lane] >> LINE_SHIFT, sector, 0)
    return count


@njit(cache=True)
def atomic_lines(row, mask, lines, first):
    """Requests of a global atomic from lines[first] on: how many, and a bit for each that has a single lane.

    Lanes that name one word go one after the other, so that there are as many requests for a line as lanes name the same of
    its words. Our microbenchmark l2/atomic_word_conflicts: ncu counts 1, 2, 4 ... 32 requests for so many lanes of a word,
    whether they lie beside each other or apart.
    """
    left, count, lone = np.int64(mask), 0, 0
    while left:
        done, start = 0, count
        for lane in range(LANES):
            if left >> lane & 1 and not named_before(row, done, lane):
                done |= 1 << lane
                line, sector = row[lane] >> LINE_SHIFT, 1 << (row[lane] >> SECTOR_SHIFT & SECTORS_PER_LINE - 1)
                at = start
                while at < count and line_of(lines[first + at]) != line:
                    at += 1
                if at == count:
                    lines[first + at], lone, count = word_of(line, 0, sector), lone | 1 << at, count + 1
                else:
                    lines[first + at], lone = lines[first + at] | sector, lone & ~(1 << at)
        left &= ~done
    return count, lone


@njit(cache=True)
def named_before(row, lanes, lane):
    """Whether one of these lanes, below this one, has its address."""
    before = False
    for other in range(lane):
        before |= lanes >> other & 1 != 0 and row[other] == row[lane]
    return before


@njit(cache=True)
def mark_full(row, mask, width, lines, first, count):
    """Set the full bits of the sectors whose 32 bytes this store covers; the words that it covers in each of the others."""
    words = ALL_WORDS
    for i in range(first, first + count):
        line = line_of(lines[i])
        for sector in range(SECTORS_PER_LINE):
            if lines[i] >> sector & 1:
                covered = 0
                for lane in range(LANES):
                    if mask >> lane & 1 and row[lane] >> SECTOR_SHIFT == line * SECTORS_PER_LINE + sector:
                        covered |= ((1 << width) - 1) << (row[lane] & SECTOR_BYTES - 1)
                if covered == (1 << SECTOR_BYTES) - 1:
                    lines[i] |= word_of(0, 1 << sector, 0)
                    continue
                for word in range(WORDS_PER_SECTOR):
                    if covered >> word * BANK_BYTES & 15 != 15:
                        words &= ~(1 << word)
    return words


@njit(cache=True)
def local_lines(row, mask, width, lines, first):
    """Local memory: word w of all 32 lanes lies in one line, so a warp that uses one offset fills width / 4 lines.

    Source: CUDA guide, local memory ("consecutive 32-bit words are accessed by consecutive thread IDs").
    """
    count = 0
    for lane in range(LANES):
        if mask >> lane & 1:
            sector = 1 << (lane >> 3)
            for word in range(row[lane] >> 2, (row[lane] + max(width, 4)) >> 2):
                count = add_line(lines, first, count, word, sector, sector)
    return count


@njit(cache=True)
def in_spill_space(row, mask, size):
    """Lanes whose local memory lies in shared memory: their lowest bytes (state/spill_space.py)."""
    lanes = 0
    if size:
        for lane in range(LANES):
            if mask >> lane & 1 and row[lane] < size:
                lanes |= 1 << lane
    return lanes


@njit(cache=True)
def load_block(
    program, code, index, mask, active, addresses, stream, accesses, lines, at, sums, executed, scratch, known, operands
):
    """Translate one warp's instructions into the pool.

    at: int64[3], next free place in stream, accesses and lines; moved on. stream gets the static index, bit 30 set
    when no lane is on. sums: int64[len(SUMS)]. executed: int64[instructions], counted up. known: see coalesce_cache.py.
    operands: whether words that are no lines are wanted (async_words.py).
    """
    program, code, addresses, lines, scratch, known = (
        unowned(program), unowned(code), unowned(addresses), unowned(lines), unowned(scratch), unowned(known),
    )  # fmt: skip
    own = np.zeros(len(SUMS), np.int64)
    row = 0
    last_on, on_lanes, last_active, active_lanes = np.uint32(0), 0, np.uint32(0), 0  # masks seldom change
    for i in range(len(index)):
        static, on = index[i], mask[i]
        stream[at[0] + i] = static if on else static | 1 << OFF_BIT
        executed[static] += 1
        if on != last_on:
            last_on, on_lanes = on, popcount(on)
        if active[i] != last_active:
            last_active, active_lanes = active[i], popcount(active[i])
        sums[LANES_ON] += on_lanes
        sums[LANES_ACTIVE] += active_lanes
        ins = program[static]
        rows = ins.accesses
        if rows == 0:
            continue
        one = code[static]
        if one.space != NO_SPACE:
            access = accesses[at[1]]
            access.first_line, access.lines, access.wavefronts, access.words = at[2], 0, 1 if on else 0, 0
            at[1] += 1
            if one.space >= MBARRIER:
                if on:
                    asynchronous(ins, one, on, addresses, row, access, lines, at, operands)
                row += rows
                continue
            if on and one.generic and in_cluster(addresses[row], on):
                of_cluster(ins, on, addresses[row], access, lines, at, operands, scratch)
                row += rows
                continue
            if on and not repeat(known[static], on, addresses, row, rows, access, lines, at[2], sums):
                own[:] = 0
                one_access(ins, one, on, addresses, row, rows, access, lines, at[2], own, scratch)
                if one.space != LOCAL:  # its lines lie closer
                    remember(known[static], on, addresses, row, rows, access, lines, at[2], own)
                for k in range(len(SUMS)):
                    sums[k] += own[k]
            at[2] += access.lines
        row += rows
    at[0] += len(index)


@njit(cache=True)
def asynchronous(ins, one, on, addresses, row, access, lines, at, operands):
    """A SYNCS, a store that an mbarrier counts, or a bulk copy, whose lines follow those of the block's other accesses."""
    more = 0
    if one.space == BULK_SPACE:
        access.lines = async_words.of_bulk_copy(addresses[row], lines, at[2]) if ins.accesses else 0
        more = async_words.OPERANDS
    elif one.space == NAMED_BARRIER:
        access.wavefronts = addresses[row, 0] | addresses[row, 1] << BARRIER_BITS
    elif one.space == REMOTE_STORE:
        access.wavefronts = async_words.of_remote_stores(on, ins.width, addresses[row], lines, at[2])
        more = 2 * access.wavefronts
    else:
        access.wavefronts = async_words.of_mbarriers(
            one, on, addresses[row], addresses[row + ins.accesses - 1], lines, at[2]
        )
        more = 2 * access.wavefronts
    at[2] += access.lines + (more if operands else 0)


@njit(cache=True)
def in_cluster(row, on):
    """Whether a generic access is to shared memory: its first lane says so for all, see conservation.whole."""
    for lane in range(LANES):
        if on >> lane & 1:
            return SHARED_WINDOW <= row[lane] < SHARED_WINDOW + WINDOW_BYTES * MAX_CLUSTER
    return False


@njit(cache=True)
def of_cluster(ins, on, row, access, lines, at, operands, scratch):
    """A generic access to shared memory: one word, the rank of the first lane's block and the bytes of all.

    Its number of wavefronts is negative, which tells it from one to global memory.
    """
    access.wavefronts = -max(1, bank_wavefronts(row, on, ins.width, LANES, scratch))
    if operands:
        first = 0
        while not on >> first & 1:
            first += 1
        lines[at[2]] = (row[first] - SHARED_WINDOW) // WINDOW_BYTES << 32 | popcount(on) * ins.width
        at[2] += 1


@njit(cache=True)
def one_access(ins, one, on, addresses, row, rows, access, lines, first, sums, scratch):
    """What one executed instruction asks for: `rows` rows of addresses from `row` on, its lines from `first` on."""
    if one.space == SHARED or one.space == COPY:
        lanes = LANES if not one.matrix else 8 * max(1, ins.destination_count, ins.source1_count)
        width = 16 if one.matrix else ins.width
        joins = one.space == SHARED and not one.matrix and not one.is_store and not one.is_atomic
        wavefronts = max(1, bank_wavefronts(addresses[row], on, width, min(lanes, LANES), scratch, joins))
        access.wavefronts = wavefronts
        if one.space == COPY and one.bypass:  # its lines come later; lanes that fill with zeros write at once
            access.wavefronts = bank_wavefronts(
                addresses[row], negative(addresses[row + rows - 1], on), width, LANES, scratch
            )
        # Of a copy past the L1 ncu counts some of its own beside its zeros, which is not understood: 0.9 in bwd_db,
        # bwd_dc and bwd_dcb of mamba2-2.7b, 0.15 and 0.05 in two products of Triton. One is assumed; nothing is timed
        # by it.
        counted = access.wavefronts + 1 if one.space == COPY and one.bypass else wavefronts
        sums[WAVEFRONTS] += counted
        if one.space == COPY:
            sums[COPY_WAVEFRONTS] += counted
        if one.matrix:
            sums[MATRIX_WAVEFRONTS] += wavefronts
        ideal = (
            max(1, (popcount(on) * width + LINE_BYTES - 1) // LINE_BYTES) if not one.matrix else min(lanes, LANES) // 8
        )
        sums[IDEAL] += ideal
        sums[CONFLICTS] += max(0, wavefronts - ideal)
    if one.space != SHARED:
        last = addresses[row + rows - 1]
        if one.space == LOCAL:
            spilled = in_spill_space(last, on, one.spill_bytes)
            access.lines = local_lines(last, on ^ spilled, ins.width, lines, first)
            if spilled:  # a row of the banks for each register
                access.wavefronts = max(1, ins.width // BANK_BYTES)
                sums[WAVEFRONTS] += access.wavefronts
                sums[IDEAL] += access.wavefronts
        else:
            if one.is_atomic:
                requests = atomic_lines(last, on, lines, first)
                access.lines, access.words = requests[0], requests[1]
            else:
                access.lines = global_lines(last, on, lines, first)
            if one.space != COPY and not one.is_atomic:
                access.wavefronts = max(1, bank_wavefronts(last, on, ins.width, LANES, scratch))
            if one.space == COPY:
                passes = alike(last, on)
                if passes > 1:
                    access.wavefronts = max(access.wavefronts, passes)
                if not one.bypass:  # what it copies is read from banks, too
                    read = on ^ negative(last, on)
                    access.wavefronts = max(access.wavefronts, bank_wavefronts(last, read, ins.width, LANES, scratch))
            if one.is_store:
                words = mark_full(last, on, ins.width, lines, first, access.lines)
                if not one.is_atomic:  # an addition needs what was there
                    access.words = words
        if access.lines:
            count_sectors(one, lines, first, access.lines, sums)


@njit(cache=True)
def count_sectors(one, lines, first, count, sums):
    sectors = 0
    for i in range(first, first + count):
        sectors += popcount(sectors_of(lines[i]))
    sums[LINES] += count
    if one.space == LOCAL:
        sums[LOCAL_SECTORS] += sectors
    elif one.is_atomic:  # ncu counts them apart
        return
    elif one.is_store:
        sums[STORE_REQUESTS] += 1
        sums[STORE_SECTORS] += sectors
    else:
        sums[LOAD_REQUESTS] += 1
        sums[LOAD_SECTORS] += sectors
