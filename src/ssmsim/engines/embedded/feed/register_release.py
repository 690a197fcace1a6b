"""Where the warps of loaded blocks give registers back: sm.register_release last_use.

A warp gives them back where all of its threads that have not exited stand at one instruction: what they can read is then
known from there on. While they stand at several, those that wait may need more than those that go on, so it keeps what it has.
"""

import numpy as np
from numba import njit

from ssmsim.engines.embedded.state.records import GIVE_BIT
from ssmsim.errors import SsmsimError
from ssmsim.trace.types import BlockTrace, Program


def mark(
    trace: BlockTrace, program: Program, code: np.ndarray, units: int, stream: np.ndarray, places: np.ndarray
) -> None:
    """Set GIVE_BIT in the streams of a trace's blocks. units: that a warp starts with; places: a block's first in `stream`.

    Raises SsmsimError where an instruction would need registers that its warp has given back.
    """
    warps = (len(trace.first) - 1) // len(trace.blocks)
    wrong = gives(code, trace.first, trace.index, trace.active, units, stream, places, warps)
    if wrong >= 0:
        raise SsmsimError(f"{program.text[int(trace.index[wrong])].strip()} needs registers that its warp has given back",
                          program.kernel, "this is a fault of the model; report it")  # fmt: skip


@njit(cache=True)
def gives(code, first, index, active, units, stream, places, warps):
    """Executed instruction that lacks registers, -1 when none does."""
    for w in range(len(first) - 1):
        begin, end = first[w], first[w + 1]
        at = places[w // warps] + begin - first[w // warps * warps]
        together = np.zeros(end - begin, np.bool_)
        later = np.uint32(0)
        for i in range(end - 1, begin - 1, -1):
            later |= active[i]
            together[i - begin] = active[i] == later
        held = units
        for i in range(begin + 1, end):
            one = code[index[i]]
            if together[i - begin] and one.holds < held:
                held = one.holds
                stream[at + i - begin] |= 1 << GIVE_BIT
            if one.needs > held:
                return i
    return -1
