"""Streams that are made hand in hand with an engine, without one: what is pending takes place in rounds, a fixed time apart.

For what is asked before anything is timed: can a launch be replayed, and which contents does its control hang on?
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ssmsim.trace.types import ExecutionDriven, Pieces, StartAgain

ROUND = 1000  # cycles
ROUNDS = 10_000


def run_untimed(driven: ExecutionDriven, blocks: np.ndarray) -> Iterator[Pieces]:
    """What some blocks execute, piece by piece; ends with them, or after ROUNDS. SsmsimError as from a replay."""
    while True:
        driven.begin(1000.0)
        try:
            yield from _rounds(driven, blocks)
            return
        except StartAgain:
            continue


def _rounds(driven: ExecutionDriven, blocks: np.ndarray) -> Iterator[Pieces]:
    pieces = driven.start(blocks)
    for k in range(1, ROUNDS):
        yield pieces
        numbers = pieces.performs[:, 2]
        if not len(numbers):
            return
        pieces = driven.perform(numbers, np.full(len(numbers), k * ROUND), np.zeros(len(numbers), np.int64))
