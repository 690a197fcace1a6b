"""A warp's pass through a loop that polls, as it is kept to be tried again (trials.py)."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trial:
    """A warp that came to the stretch at `start` and found a store in bytes `places` of the image.

    files: (register file, its numbers, values [n, lanes]) of what control hangs on. paths: (pc, mask, those it waits
    for) of its parked paths.
    """

    load: int
    start: int
    block: int
    warp: int
    mask: int
    files: list[tuple[str, list[int], np.ndarray]]
    paths: tuple[np.ndarray, np.ndarray, np.ndarray]
    convergence: np.ndarray
    places: np.ndarray
