"""Columns of executed instructions to the text of an Accel-Sim trace, compiled; one file, as the scanner is.

Address modes are chosen as the tracer does (base_stride_compress of its tracer_tool.cu): 1, base and stride, when
the set lanes are one run of two or more with one difference; else 2, base and differences to the lane before.
"""

import numpy as np
from numba import njit

MAX_ADDRESS_BYTES = 2 + 19 + 32 * 21


@njit(cache=True, inline="never")
def _copy(out, p, text, start, end):
    for i in range(start, end):
        out[p] = text[i]
        p += 1
    return p


@njit(cache=True, inline="never")
def _hex(out, p, value, digits):
    """Lower-case hexadecimal of a 64-bit pattern, at least `digits` long."""
    bits = np.uint64(value)
    used = digits
    while used < 16 and bits >> np.uint64(4 * used) != 0:
        used += 1
    for i in range(used - 1, -1, -1):
        digit = (bits >> np.uint64(4 * i)) & np.uint64(15)
        out[p] = digit + (48 if digit < 10 else 87)
        p += 1
    return p


@njit(cache=True, inline="never")
def _decimal(out, p, value):
    if value < 0:
        out[p] = 45
        p += 1
        value = -value
    size = 1
    bound = 10
    while size < 19 and value >= bound:
        size += 1
        bound *= 10
    for i in range(size - 1, -1, -1):
        out[p + i] = 48 + value % 10
        value //= 10
    return p + size


@njit(cache=True, inline="always")
def _plain(address):
    """The tracer gives the address of an LDGSTS lane that only fills with zeros too; a BlockTrace holds ~address."""
    return address if address >= 0 else ~address


@njit(cache=True, inline="never")
def _addresses(out, p, mask, row):
    first = 0
    while first < 32 and mask >> first & 1 == 0:
        first += 1
    if first == 32:  # no lane: the tracer's untouched variables
        return _copy(out, p, NO_LANES, 0, len(NO_LANES))
    last = 31
    while mask >> last & 1 == 0:
        last -= 1
    stride = _plain(row[first + 1]) - _plain(row[first]) if first < 31 and mask >> (first + 1) & 1 else 0
    strided = first < last
    lane = first
    while strided and lane < last:
        lane += 1
        strided = mask >> lane & 1 == 1 and _plain(row[lane]) - _plain(row[lane - 1]) == stride
    # the stride is a 32-bit integer in the tracer
    strided = strided and -2147483648 <= stride <= 2147483647
    out[p] = 49 if strided else 50
    out[p + 1] = 32
    out[p + 2] = 48
    out[p + 3] = 120
    p = _hex(out, p + 4, _plain(row[first]), 1)
    out[p] = 32
    p += 1
    if strided:
        p = _decimal(out, p, stride)
        out[p] = 32
        return p + 1
    before = _plain(row[first])
    for lane in range(first + 1, last + 1):
        if mask >> lane & 1:
            p = _decimal(out, p, _plain(row[lane]) - before)
            out[p] = 32
            p += 1
            before = _plain(row[lane])
    return p


@njit(cache=True)
def print_blocks(out, ids, words, warps, first, index, mask, first_access, accesses, addresses, pieces, bounds, memory):
    """Text of blocks into `out` (uint8, long enough); returns the bytes used.

    ids: int64[B, 3] block x, y, z. words: as in `WORDS`. accesses: int64[I] rows of `addresses` that each execution
    of static instruction i owns; its last row is printed when memory[i]. The rest: BlockTrace and LineTable.
    """
    p = 0
    for b in range(len(ids)):
        p = _copy(out, p, words[0], 0, len(words[0]))
        for i in range(3):
            p = _decimal(out, p, ids[b, i])
            out[p] = 44 if i < 2 else 10
            p += 1
        for w in range(warps):
            warp = b * warps + w
            p = _copy(out, p, words[1], 0, len(words[1]))
            p = _decimal(out, p, w)
            p = _copy(out, p, words[2], 0, len(words[2]))
            p = _decimal(out, p, first[warp + 1] - first[warp])
            out[p] = 10
            p += 1
            row = first_access[warp]
            for n in range(first[warp], first[warp + 1]):
                i = index[n]
                lanes = np.int64(mask[n])
                p = _copy(out, p, pieces, bounds[i, 0], bounds[i, 1])
                p = _hex(out, p, lanes, 8)
                p = _copy(out, p, pieces, bounds[i, 1], bounds[i, 2])
                row += accesses[i]
                if memory[i]:
                    p = _addresses(out, p, lanes, addresses[row - 1])
                p = _copy(out, p, pieces, bounds[i, 2], bounds[i, 3])
        p = _copy(out, p, words[3], 0, len(words[3]))
    return p


WORDS = tuple(
    np.frombuffer(word, np.uint8)
    for word in (b"\n#BEGIN_TB\n\nthread block = ", b"\nwarp = ", b"\ninsts = ", b"\n#END_TB\n")
)
NO_LANES = np.frombuffer(b"1 0x0 0 ", np.uint8)
