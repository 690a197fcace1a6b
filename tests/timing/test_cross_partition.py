"""Questions to the other partition in their order, and hits on copies that wait for answers: by hand, and as measured."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import EXIT, issued, one_sm, op, run
from test_memory_latency import BASE, LANES, load, use

from ssmsim.config.load import load as load_config
from ssmsim.engines.embedded.memory import dram, noc
from ssmsim.engines.embedded.memory.l2 import cross_partition, slice_cache
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS

ROOT = Path(__file__).parents[2]
SHOWN = (25, 50, 75)  # percentiles


def empty(places: int):
    return r.records(slice_cache.SLICE, 1)[0], r.records(dram.TRANSACTION, places + 1)


def in_order(slice_, transactions) -> list[int]:
    found, number = [], int(slice_.first_asked)
    while number:
        found.append(number)
        number = int(transactions[number].later)
    return found


@given(st.lists(st.integers(0, 30), max_size=60))
def test_questions_stay_in_order_whichever_is_answered(moves):
    """Each number asks when it is not waiting, and is answered when it is."""
    slice_, transactions = empty(31)
    waiting: list[int] = []
    for number in (m + 1 for m in moves):
        if number in waiting:
            cross_partition.remove(slice_, transactions, number)
            waiting.remove(number)
        else:
            cross_partition.append(slice_, transactions, number)
            waiting.append(number)
        assert in_order(slice_, transactions) == waiting and slice_.asked == len(waiting)
        assert slice_.last_asked == (waiting[-1] if waiting else 0)


def waits_for(waiting: int, answers: int, home: int) -> int:
    m, fill = r.records(PARAMETERS, 1)[0], r.records(noc.TRANSFER, 1)[0]
    slice_, transactions = empty(waiting)
    for number in range(1, waiting + 1):
        cross_partition.append(slice_, transactions, number)
    m.l2.copy_hit_answers, fill.slice, fill.home = answers, 0, home
    return int(cross_partition.holds_up(m, slice_, transactions, fill))


@pytest.mark.parametrize(
    ("waiting", "answers", "home", "expected"),
    [(0, 3, 1, 0), (1, 3, 1, 1), (2, 3, 1, 2), (3, 3, 1, 3), (9, 3, 1, 3), (9, 1, 1, 1), (9, 3, 0, 0), (9, 0, 1, 0)],
)
def test_a_hit_on_a_copy_waits_for_the_third_question_and_one_at_home_for_none(waiting, answers, home, expected):
    assert waits_for(waiting, answers, home) == expected


def bring(address):
    return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, address + 4 * LANES])


def hit(page: int, answers: int) -> int:
    """Cycles that a warp's load of a line in the L2 takes just after another has asked DRAM for lines of both partitions."""
    config, pause = one_sm(l2__partitions=2, l2__copy_hit_answers=answers), op("FADD R5, R4, R4", stall=15)
    wait = [op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), pause]
    misses = [bring(BASE + 4096 * (2 + i) + 256 * line) for i in range(4) for line in range(2)]
    first = [bring(BASE + 4096 * page), *wait, *misses, EXIT]
    asked_at = issued(first, config)[-2]
    second = [*[pause] * (asked_at // 15 + 4), load(BASE + 4096 * page), use(), EXIT]
    warps = [list(range(len(first))), list(range(len(first), len(first) + len(second)))]
    cycles = run([*first, *second], warps, config).cycles[0, 1]
    return int(cycles[-2] - cycles[-3])


def test_a_load_behind_reads_of_the_other_partition_waits_when_it_hits_a_copy():
    """The page at home hits as ever; the other's waits for as many answers as the field says."""
    free, one, three = (sorted(hit(page, answers) for page in range(2)) for answers in (0, 1, 3))
    assert free[0] == free[1] == one[0] == three[0]
    assert free[1] + 100 < one[1] < three[1]


def modelled(rate: float, latency: int, answers: int, rng: np.random.Generator) -> np.ndarray:
    """Waits of hits beside lines of the other partition, two at a time as pieces of 512 B bring them, so many per cycle."""
    times = np.sort(np.repeat(rng.uniform(0, 4e6, int(4e6 * rate / 2)), 2))
    at = rng.uniform(1e4, 4e6, 6000)
    done = times + latency
    first, last = np.searchsorted(done, at), np.searchsorted(times, at) - 1
    awaited = np.minimum(first + answers - 1, last)
    return np.where(last < first, 0, done[np.maximum(awaited, 0)] - at)


def test_hits_on_copies_wait_as_long_as_on_the_gpu_at_every_rate():
    """The quartiles of each cell; the reads of each partition's SMs are spread over its slices."""
    cells = json.loads((ROOT / "traces/h100/microbenchmarks/noc/partition_link_bandwidth.json").read_text())["samples"][
        "hits"
    ]
    config = load_config(ROOT / "simconfigs/h100.yaml")
    latency = config.dram.latency_far_cycles - config.l2.hit_latency_near_cycles
    idle, rng, off = np.array(cells["idle.all"]["copies"][1:4]), np.random.default_rng(1), []
    for name, cell in cells.items():
        if name.endswith(".all") and not name.startswith("idle"):
            rate = cell["lines_per_1000_cycles"] / 1000 / config.l2.slices
            waits = modelled(rate, latency, config.l2.copy_hit_answers, rng)
            off.append(np.percentile(waits, SHOWN) - (np.array(cell["copies"][1:4]) - idle))
            assert np.abs(np.array(cell["near"][1:4]) - cells["idle.all"]["near"][1:4]).max() < 20, name
    assert len(off) >= 6
    assert np.abs(off).mean() < 50 and np.abs(np.mean(off)) < 25
