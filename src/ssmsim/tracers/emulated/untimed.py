"""Streams that are made hand in hand with an engine, without one: what is pending takes place in rounds, a fixed time apart.

For what is asked before anything is timed: can a launch be replayed, and which contents does its control hang on? The first blocks
wait for none that comes later, in the launches that share out work or look back.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ssmsim.trace.types import ExecutionDriven, Pieces, StartAgain

ROUND = 1000  # cycles
ROUNDS = 1024


def run_untimed(driven: ExecutionDriven, blocks: np.ndarray, rounds: int = ROUNDS) -> Iterator[Pieces]:
    """What some blocks execute, piece by piece; ends with them, or after that many rounds: they may wait for blocks that are not among
    them, or take the work of all. SsmsimError as from a replay.
    """
    while True:
        driven.begin(1000.0)
        try:
            yield from _rounds(driven, blocks, rounds)
            return
        except StartAgain:
            continue


def _rounds(driven: ExecutionDriven, blocks: np.ndarray, rounds: int) -> Iterator[Pieces]:
    pieces = driven.start(blocks)
    for k in range(1, rounds):
        yield pieces
        numbers = pieces.performs[:, 2]
        if not len(numbers):
            return
        pieces = driven.perform(numbers, np.full(len(numbers), k * ROUND), np.zeros(len(numbers), np.int64))
