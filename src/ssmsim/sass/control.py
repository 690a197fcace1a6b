"""The scheduling bits that the assembler puts into every 128-bit instruction word (sm_70 and later)."""

import numpy as np

# Field: (lowest bit of the 128-bit word, number of bits). Checked against `.reuse` in the disassembly (tests/opcodes).
FIELDS = {
    "stall": (105, 4),
    "yields": (109, 1),  # stored inverted: 0 asks the warp to give way
    "write_barrier": (110, 3),  # 7: none
    "read_barrier": (113, 3),  # 7: none
    "wait_mask": (116, 6),
    "reuse": (122, 4),
}


def control_fields(words: np.ndarray) -> dict[str, np.ndarray]:
    """Control fields of `words`, uint64[instructions, 2] (low half, high half): int64 arrays, barriers -1 for none."""
    fields = {}
    for name, (low, bits) in FIELDS.items():
        value = ((words[:, 1] >> np.uint64(low - 64)) & np.uint64((1 << bits) - 1)).astype(np.int64)
        if name == "yields":
            value = 1 - value
        elif name.endswith("barrier"):
            value[value == 7] = -1
        fields[name] = value
    return fields


def branch_offset(low: int, high: int) -> int:
    """Bytes that a branch, call or return adds to the next instruction's address: bits 16-23 and 34-81, times 4."""
    upper = ((high << 64 | low) >> 34) & ((1 << 48) - 1)
    value = upper << 8 | low >> 16 & 0xFF
    return (value - (1 << 56) if upper >> 47 else value) * 4
