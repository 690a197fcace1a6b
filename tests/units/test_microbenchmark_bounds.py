"""Bounds of cases are of cases that were measured, once each."""

import json

import pytest
from measured_bounds import GPUS, TRACES, rows


def measured(gpu: str, case: str) -> bool:
    program, _, name = case.partition(".")
    results = json.loads((TRACES / gpu / f"microbenchmarks/{program}.json").read_text())
    if name in results.get("loops", {}) or any(row["label"] == name for row in results.get("counted", [])):
        return True
    samples = results.get("samples", {})
    kind, _, rest = name.partition(".")
    return rest in samples.get(kind, {}) or any(name in cells for cells in samples.values())


@pytest.mark.parametrize("gpu", GPUS)
def test_every_bound_is_of_a_case_that_was_measured(gpu: str) -> None:
    assert not [row.case for row in rows(gpu) if not measured(gpu, row.case)]


@pytest.mark.parametrize("gpu", GPUS)
def test_every_case_has_one_bound_and_the_file_is_sorted(gpu: str) -> None:
    keys = [(row.quantity, row.case, row.launches_of) for row in rows(gpu)]
    assert keys == sorted(set(keys))
    assert all(0 < row.bound < 0.2 for row in rows(gpu))


@pytest.mark.parametrize("gpu", GPUS)
def test_launches_of_loops_are_saved(gpu: str) -> None:
    for row in rows(gpu):
        if row.quantity == "cycles_per_round":
            assert (TRACES / row.launches_of / "microbenchmarks/launches" / row.case / "launch.json").is_file(), row
        else:
            assert row.launches_of == "", row
