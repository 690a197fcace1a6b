"""Bit patterns worth trying, by PTX type: the edges of each format, and random ones around them."""

import numpy as np
from ptx_model import FLOATS, parts_of, width_of


def edges(kind: str) -> list[int]:
    """Zeros, ones, subnormals, ties, largest, infinities and NaNs; for integers the ends of every narrower type."""
    if kind not in FLOATS:
        bits = width_of(kind)
        ends = {0, 1, 2, 3, 7, (1 << bits) - 1, (1 << bits) - 2}
        for b in range(7, bits):
            ends |= {(1 << b) - 1, 1 << b, (1 << b) + 1, (1 << bits) - (1 << b), (1 << bits) - (1 << b) - 1}
        return sorted(e & (1 << bits) - 1 for e in ends)
    exponent_bits, fraction_bits = FLOATS[kind]
    top, bias = (1 << exponent_bits) - 1, (1 << exponent_bits - 1) - 1
    one, ulp = bias << fraction_bits, 1
    normal, tie, infinity = 1 << fraction_bits, one + (1 << fraction_bits - 1), top << fraction_bits
    positive = [0, ulp, normal - 1, normal, normal + 1, one, one + ulp, one - ulp, tie, one - normal, one + normal]
    positive += [infinity - 1, infinity, infinity | 1 << fraction_bits - 1]
    for power in (4, 5, 7, 8, 15, 16, 24, 31, 32, 52, 53, 63, 64, 127, 149):  # where integers and narrower floats end
        if power <= bias:
            base = bias + power << fraction_bits
            positive += [base, base - 1, base + 1, base + (1 << max(fraction_bits - power - 1, 0))]
            positive += [max(bias - power, 0) << fraction_bits, (max(bias - power, 0) << fraction_bits) + 1]
    sign = 1 << exponent_bits + fraction_bits
    return sorted({v for p in positive for v in (p, p | sign)})


def patterns(kinds: list[str], count: int, seed: int) -> list[np.ndarray]:
    """One uint64[count] per source: half edges in random combinations, half random bits, some nearly opposite."""
    generator = np.random.default_rng(seed)
    columns = []
    for kind in kinds:
        element, repeat = parts_of(kind)
        bits = width_of(element)
        word = np.zeros(count, np.uint64)
        for part in range(repeat):
            edge = generator.choice(np.array(edges(element), np.uint64), count)
            wild = generator.integers(0, (1 << bits) - 1, count, np.uint64, endpoint=True)
            chosen = np.where(np.arange(count) % 2 == 0, edge, wild)
            word |= chosen << np.uint64(part * bits)
        columns.append(word)
    if len(columns) > 1 and kinds[0] == kinds[-1] and kinds[0] in FLOATS:
        near = np.arange(count) % 8 == 3  # opposite values a few units apart: cancellation
        step = generator.integers(0, 4, count, np.uint64)
        columns[-1] = np.where(near, (columns[0] ^ np.uint64(1 << width_of(kinds[0]) - 1)) ^ step, columns[-1])
    return columns
