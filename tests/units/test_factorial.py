"""Factorial designs: every axis relieved in half of the runs, and so is every other within each half."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.factorial import array, effects, unused


@pytest.mark.parametrize(("axes", "runs"), [(3, 8), (4, 8), (5, 16), (8, 16), (9, 24), (10, 24), (12, 24)])
def test_orthogonal_array_of_strength_3(axes: int, runs: int) -> None:
    relieved = array(axes)
    assert relieved.shape == (runs, axes)
    for columns in combinations(range(axes), min(3, axes)):
        settings, counts = np.unique(relieved[:, columns], axis=0, return_counts=True)
        assert len(settings) == 2 ** len(columns) and len(set(counts)) == 1
    assert not relieved[-1].any() and relieved.all(1).sum() == 1  # the baseline, and everything at once


@given(st.lists(st.floats(-10, 10), min_size=10, max_size=10), st.floats(-10, 10), st.integers(0, 9), st.integers(0, 9))
def test_effects_are_clear_of_interactions_of_two(worth: list[float], together: float, a: int, b: int) -> None:
    """Also within the half in which one axis is relieved, as far as no other pair interacts."""
    relieved = array(10)
    signs = np.where(relieved, 1.0, -1.0)
    response = signs @ np.array(worth) / 2 + (together * signs[:, a] * signs[:, b] / 2 if a != b else 0.0)
    assert effects(relieved, response) == pytest.approx(worth, abs=1e-9)
    assert unused(10, response) == pytest.approx([0, 0], abs=1e-9)
    half = relieved[:, a]
    rest = [axis for axis in range(10) if axis != a]
    found = effects(relieved[half][:, rest], response[half])
    expected = [worth[axis] + (together if axis == b and a != b else 0.0) for axis in rest]
    assert found == pytest.approx(expected, abs=1e-9)


def test_unused_columns_show_interactions_of_three() -> None:
    signs = np.where(array(12), 1.0, -1.0)
    response = signs[:, 0] * signs[:, 1] * signs[:, 2]
    assert np.abs(unused(10, response)).max() > 0
