"""Text lines of an Accel-Sim trace to columns of integers, compiled: a megabyte in some milliseconds.

The whole scanner is this one file, because Numba's on-disk cache does not see changes in other files.
"""

import numpy as np
from numba import njit

# columns of a record
BLOCK, WARP, PC, MASK, OPCODE, DESTINATION, SOURCE, WIDTH, IMMEDIATE, ROW, LINE = 0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14
COLUMNS = 15
MAX_SOURCES = 5  # the tracer's own limit
NO_REGISTER = -1
OTHER_REGISTER = -2  # a uniform register or predicate (version 5 has none)

ERRORS = (
    "",
    "the line ends early",
    "the PC is not a hexadecimal number",
    "bad mask: 8 hexadecimal digits expected",
    "bad number of registers",
    "bad register",
    "bad memory width",
    "bad address mode: 0 (list), 1 (base and stride) or 2 (base and differences) expected",
    "bad address",
    "address mode 1 with a mask whose lanes are not one run",
    "bad immediate",
    "fields after the immediate",
    "bad block or warp number",
    "block or warp outside the grid",
    "more opcodes than any kernel has",
    "an instruction outside a warp's part",
    "a thread block begins before the one before it ends",
    "the number of instructions differs from the line 'insts'",
    "not a line of a trace",
    "bad line number field",
    "a warp appears twice in its block",
)

_SPACE, _NEWLINE, _RETURN = 32, 10, 13
_TABLE = 8192


@njit(cache=True, inline="never")
def _blank(text, p, end):
    """First position that is not a blank."""
    while p < end and (text[p] == _SPACE or text[p] == _RETURN):
        p += 1
    return p


@njit(cache=True, inline="never")
def _number(text, p, end, base):
    """(value, next position) of one whole token, 0x allowed in hex; next is -1 when it is not a number of that base."""
    p = _blank(text, p, end)
    negative = p < end and text[p] == 45
    if negative:
        p += 1
    if base == 16 and p + 2 < end and text[p] == 48 and text[p + 1] == 120:
        p += 2
    start = p
    value = 0
    while p < end:
        c = text[p]
        if 48 <= c <= 57:
            digit = c - 48
        elif base == 16 and 97 <= c <= 102:
            digit = c - 87
        else:
            break
        value = value * base + digit
        p += 1
    if p == start or p - start > 20 or (p < end and text[p] != _SPACE and text[p] != _RETURN):
        return 0, -1
    return (-value if negative else value), p


@njit(cache=True, inline="never")
def _register(text, p, end):
    p = _blank(text, p, end)
    if p < end and text[p] == 82:  # R
        return _number(text, p + 1, end, 10)
    if p < end and (text[p] == 85 or text[p] == 80):  # U, P
        while p < end and text[p] != _SPACE:
            p += 1
        return OTHER_REGISTER, p
    return 0, -1


@njit(cache=True, inline="never")
def _opcode(text, p, end, slots, starts, lengths, count):
    """(number, next position, count): the token's place in the list of distinct opcodes, added when new."""
    start = p
    key = np.uint32(2166136261)
    while p < end and text[p] != _SPACE:
        key = np.uint32((key ^ np.uint32(text[p])) * np.uint32(16777619))
        p += 1
    length = p - start
    slot = np.int64(key % np.uint32(_TABLE))
    while slots[slot] >= 0:
        known = slots[slot]
        if lengths[known] == length:
            i = 0
            while i < length and text[starts[known] + i] == text[start + i]:
                i += 1
            if i == length:
                return known, p, count
        slot = (slot + 1) % _TABLE
    if count >= len(starts):
        return -1, p, count
    slots[slot] = count
    starts[count] = start
    lengths[count] = length
    return count, p, count + 1


@njit(cache=True, inline="never")
def _addresses(text, p, end, mask, row):
    """(error, next position): fills row[0..31] when it has 32 places."""
    mode, p = _number(text, p, end, 10)
    if p < 0 or mode < 0 or mode > 2:
        return 7, p
    keep = len(row) == 32
    stride = 0
    address = 0
    if mode > 0:
        address, p = _number(text, p, end, 16)
        if p < 0:
            return 8, p
    if mode == 1:
        stride, p = _number(text, p, end, 10)
        if p < 0:
            return 8, p
        run = mask
        while run != 0 and run & 1 == 0:
            run >>= 1
        if run & (run + 1) != 0:
            return 9, p
    first = True
    for lane in range(32):
        if mask >> lane & 1 == 0:
            continue
        if mode == 0:
            address, p = _number(text, p, end, 16)
        elif not first:
            delta = stride
            if mode == 2:
                delta, p = _number(text, p, end, 10)
            address += delta
        if p < 0:
            return 8, p
        first = False
        if keep:
            row[lane] = address
    return 0, p


@njit(cache=True, inline="never")
def _instruction(text, p, end, lineinfo, tail_needed, columns, row, slots, starts, lengths, count):
    """(error, count): one instruction line from its PC on into columns[...] and row[...]."""
    if lineinfo:
        _, p = _number(text, p, end, 10)
        if p < 0:
            return 19, count
    columns[PC], p = _number(text, p, end, 16)
    if p < 0 or columns[PC] < 0:
        return 2, count
    p = _blank(text, p, end)
    start = p
    mask, p = _number(text, p, end, 16)
    if p - start != 8 or text[start] == 45 or text[start + 1] == 120:
        return 3, count
    columns[MASK] = mask
    registers, p = _number(text, p, end, 10)
    if p < 0 or registers < 0 or registers > 1:
        return 4, count
    columns[DESTINATION] = NO_REGISTER
    if registers:
        columns[DESTINATION], p = _register(text, p, end)
        if p < 0:
            return 5, count
    p = _blank(text, p, end)
    if p >= end:
        return 1, count
    columns[OPCODE], p, count = _opcode(text, p, end, slots, starts, lengths, count)
    if columns[OPCODE] < 0:
        return 14, count
    registers, p = _number(text, p, end, 10)
    if p < 0 or registers < 0 or registers > MAX_SOURCES:
        return 4, count
    for i in range(MAX_SOURCES):
        columns[SOURCE + i] = NO_REGISTER
        if i < registers:
            columns[SOURCE + i], p = _register(text, p, end)
            if p < 0:
                return 5, count
    columns[WIDTH], p = _number(text, p, end, 10)
    if p < 0 or columns[WIDTH] < 0 or columns[WIDTH] > 1024:
        return 6, count
    if columns[WIDTH]:
        error, p = _addresses(text, p, end, mask, row)
        if error:
            return error, count
    columns[IMMEDIATE] = 0
    if _blank(text, p, end) < end:
        columns[IMMEDIATE], p = _number(text, p, end, 10)
        if p < 0:
            return 10, count
    elif tail_needed:
        return 1, count
    return (0 if _blank(text, p, end) >= end else 11), count


@njit(cache=True, inline="never")
def _starts(text, p, end, word):
    if p + len(word) > end:
        return False
    for i in range(len(word)):  # noqa: SIM110 (generators do not compile)
        if text[p + i] != word[i]:
            return False
    return True


@njit(cache=True, inline="never")
def _triple(text, p, end, values):
    """Parse x,y,z; False when it is not three numbers."""
    place = 0
    digits = 0
    values[:] = 0
    while p < end:
        c = text[p]
        if 48 <= c <= 57:
            values[place] = values[place] * 10 + c - 48
            digits += 1
        elif c == 44 and digits and place < 2:
            place += 1
            digits = 0
        else:
            break
        p += 1
    return place == 2 and digits > 0 and _blank(text, p, end) == end


@njit(cache=True)
def scan(text, line, raw, old, lineinfo, tail_needed, grid, warps, words, records, addresses, slots, starts, lengths):
    """Scan all lines of `text` (uint8), the first being number `line` of its file.

    raw:       lines begin with block and warp; else they are grouped by #BEGIN_TB, "thread block", "warp", "insts".
    old:       version below 3: grouped lines begin with block and warp too, which are passed over.
    words:     the four group words and #END_TB as uint8 arrays.
    records:   int64[lines, COLUMNS], filled; ROW is the row of `addresses`, -1 for none.
    addresses: int64[rows, 32], or [rows, 0] to count only.
    Returns (error, line, records, rows, opcodes): error 0 or an index into ERRORS with the faulty line.
    """
    begin, thread, warp_word, insts, finish = words
    size = len(text)
    count = rows = opcodes = 0
    p = 0
    triple = np.zeros(3, np.int64)
    none = np.zeros(0, np.int64)
    inside = False
    block = warp = -1
    left = 0
    while p < size:
        end = p
        while end < size and text[end] != _NEWLINE:
            end += 1
        start = p
        p = end + 1
        q = _blank(text, start, end)
        if q == end:
            line += 1
            continue
        if end == size:  # no newline: cut
            return 1, line, count, rows, opcodes
        record = records[count]
        if raw or 48 <= text[q] <= 57 or 97 <= text[q] <= 102:
            if raw or old:
                for i in range(3):
                    triple[i], q = _number(text, q, end, 10)
                    if q < 0:
                        return 12, line, count, rows, opcodes
                number, q = _number(text, q, end, 10)
                if q < 0:
                    return 12, line, count, rows, opcodes
            if raw:
                if min(triple) < 0 or (triple >= grid).any() or number < 0 or number >= warps:
                    return 13, line, count, rows, opcodes
                block = triple[0] + grid[0] * (triple[1] + grid[1] * triple[2])
                warp = number
            elif warp < 0:
                return 15, line, count, rows, opcodes
            elif left == 0:
                return 17, line, count, rows, opcodes
            left -= 1
            row = none
            if rows < len(addresses) and addresses.shape[1] == 32:
                row = addresses[rows]
            error, opcodes = _instruction(
                text, q, end, lineinfo, tail_needed, record, row, slots, starts, lengths, opcodes
            )
            if error:
                return error, line, count, rows, opcodes
            record[BLOCK], record[WARP], record[LINE], record[ROW] = block, warp, line, -1
            if record[WIDTH]:
                record[ROW] = rows
                rows += 1
            count += 1
        elif _starts(text, q, end, begin):
            if inside:
                return 16, line, count, rows, opcodes
            inside, block, warp, left = True, -1, -1, 0
        elif _starts(text, q, end, finish):
            if left or not inside:
                return 17, line, count, rows, opcodes
            inside, warp = False, -1
        elif _starts(text, q, end, thread):
            if not inside or not _triple(text, q + len(thread), end, triple):
                return 12, line, count, rows, opcodes
            if (triple >= grid).any():
                return 13, line, count, rows, opcodes
            block = triple[0] + grid[0] * (triple[1] + grid[1] * triple[2])
        elif _starts(text, q, end, warp_word):
            if left:
                return 17, line, count, rows, opcodes
            number, q = _number(text, q + len(warp_word), end, 10)
            if q < 0 or block < 0:
                return 12, line, count, rows, opcodes
            if number < 0 or number >= warps:
                return 13, line, count, rows, opcodes
            if number <= warp:
                return 20, line, count, rows, opcodes
            warp = number
        elif _starts(text, q, end, insts):
            left, q = _number(text, q + len(insts), end, 10)
            if q < 0 or left < 0 or warp < 0:
                return 12, line, count, rows, opcodes
        else:
            return 18, line, count, rows, opcodes
        line += 1
    if left > 0 and not raw:
        return 17, line, count, rows, opcodes
    return 0, line, count, rows, opcodes


WORDS = tuple(
    np.frombuffer(word, np.uint8) for word in (b"#BEGIN_TB", b"thread block = ", b"warp = ", b"insts = ", b"#END_TB")
)


def opcode_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Empty slots, starts and lengths for one call of `scan`."""
    return np.full(_TABLE, -1, np.int64), np.zeros(2048, np.int64), np.zeros(2048, np.int64)
