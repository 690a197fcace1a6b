"""Two-level factorial designs: few runs in which every axis is relieved in half, and so is every other within each half.

An orthogonal array of strength 3: a Hadamard matrix above its negative (fold-over), an axis per column. Over all runs the
effect of an axis is clear of every interaction of two; over the half in which one axis is relieved, that of every other
axis can still be told. Plackett and Burman, The Design of Optimum Multifactorial Experiments, Biometrika 33 (1946), 305-325,
whose generators these are; Box and Wilson (1951) for the fold-over. For processors: Yi, Lilja and Hawkins, A Statistically
Rigorous Approach for Improving Simulation Methodology, HPCA 2003.
"""

import numpy as np

GENERATORS = {4: "++-", 8: "+++-+--", 12: "++-+++---+-"}  # first rows of the cyclic part, by the matrix's order


def hadamard(order: int) -> np.ndarray:
    """int64[order, order] of 1 and -1: rows, and columns, at right angles to each other."""
    first = np.array([1 if sign == "+" else -1 for sign in GENERATORS[order]])
    cyclic = np.array([np.roll(first, shift) for shift in range(order - 1)] + [[-1] * (order - 1)])
    return np.column_stack([np.ones(order, np.int64), cyclic])


def array(axes: int) -> np.ndarray:
    """bool[runs, axes]: whether an axis is relieved in a run. The last run has none relieved, half of all each one.

    Columns beyond `axes` of the matrix are left out: a design may be over fewer axes than it has room for.
    """
    order = next(order for order in sorted(GENERATORS) if order >= axes)
    matrix = hadamard(order)
    runs = np.vstack([matrix, -matrix])
    runs = runs * -runs[-1] if not (runs[-1] == -1).all() else runs  # one run is the baseline's
    return np.asarray(runs[:, :axes] > 0)


def effects(relieved: np.ndarray, response: np.ndarray) -> np.ndarray:
    """What relieving each axis adds to the response on average over the runs, float[axes].

    relieved: bool[runs, axes], balanced: each axis in half of the runs; response: float[runs].
    """
    signs = np.where(relieved, 1.0, -1.0)
    return np.asarray(signs.T @ response / (len(response) / 2))


def unused(axes: int, response: np.ndarray) -> np.ndarray:
    """The same of the columns that no axis has, float[order - axes]: as large as chance and interactions of three make them."""
    order = len(response) // 2
    return effects(array(order), response)[axes:]
