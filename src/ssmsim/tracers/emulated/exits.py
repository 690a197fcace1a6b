"""EXIT with a predicate of its own: a GPU counts the lanes that leave, not those that pass the guard."""

import numpy as np

from ssmsim.sass.opcodes import Control
from ssmsim.trace.types import Program


def conditional_exits(program: Program) -> np.ndarray:
    """bool per static instruction: EXIT that also asks a predicate of its own (`@P0 EXIT P1`)."""
    records = program.instructions
    own = records["predicates_read"] & ~np.where(records["predicate"] >= 0, 1 << records["predicate"].clip(0), 0)
    return np.asarray((records["control"] == Control.EXIT) & (own != 0))
