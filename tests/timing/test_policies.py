"""Plug-in points: each policy and its alternative simulated, with the difference that follows from what they say."""

import numpy as np
import pytest
from streams import EXIT, assemble, launch, one_sm, op, run
from test_dram import Channel

from ssmsim.engines.embedded import instructions, plugins
from ssmsim.engines.embedded.memory import address_map, dram_schedulers, replacement
from ssmsim.engines.embedded.memory.l2 import hash as hashes
from ssmsim.engines.embedded.sm import schedulers
from ssmsim.engines.embedded.state import machine
from ssmsim.errors import SsmsimError

LINE, BASE = 128, 1 << 24
FIRST_READY, FCFS = (plugins.number(dram_schedulers, name, "") for name in ("first_ready", "fcfs"))


@pytest.mark.parametrize("package", [schedulers, replacement, hashes, dram_schedulers])
def test_a_policy_is_found_by_listing_its_folder(package):
    assert len(plugins.names(package)) >= 2
    assert [plugins.number(package, name, "f") for name in plugins.names(package)] == list(
        range(len(plugins.names(package)))
    )


def test_an_unknown_policy_is_refused_with_the_names_there_are():
    with pytest.raises(SsmsimError, match=r"issue.policy.*no 'oldest'.*greedy_then_oldest, loose_round_robin"):
        run([EXIT], config=one_sm(issue__policy="oldest"))


def order(policy: str) -> list[int]:
    """Warps of one sub-core (0, 4, 8 of the SM) in the order in which their six independent additions issue."""
    warps = [list(range(7)) if w % 4 == 0 else [6] for w in range(9)]
    result = run(
        [op("IADD3 R0, R0, R0, R0")] * 6 + [EXIT],
        warps,
        config=one_sm(issue__policy=policy, sm__alu_lanes_per_subcore=32),
    )
    at = sorted((cycle, w) for w in (0, 4, 8) for cycle in result.cycles[0, w][:6])
    return [w for _, w in at]


def test_greedy_stays_with_a_warp_and_round_robin_goes_round():
    greedy, robin = order("greedy_then_oldest"), order("loose_round_robin")
    assert greedy[:6] == [greedy[0]] * 6
    assert sorted(robin[:3]) == [0, 4, 8] and robin[:3] == robin[3:6]


def hit_rate(policy: str) -> float:
    """Of loads that go round a tenth more lines than the L1 holds."""
    config = one_sm(l1__replacement=policy)
    state = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1)
    lines = int(state.machine[0].l1_sets * state.machine[0].l1_ways) * 11 // 10
    loads = [op("LDG.E R0, [R2]", write=0, rows=[[BASE + LINE * (i % lines)] * 32]) for i in range(3 * lines)]
    counts = run([*loads, EXIT], config=config).state.counts[0]
    return float(counts.l1_hits / counts.l1_sectors)


def test_lru_loses_every_line_of_a_loop_that_does_not_fit_and_random_keeps_some():
    """The classic case: least recently used gives up just what is asked for next."""
    assert hit_rate("lru") < 0.02
    assert hit_rate("pseudo_random") > 0.3


def test_a_modulo_hash_sends_a_stride_to_one_slice():
    homes = {}
    for name in ("mixed_rounds", "modulo"):
        config = one_sm(l2__hash=name, l2__slices=8, l2__bytes=8 * 16 * 128 * 64)
        m = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1).machine[0]
        stride = int(m.l2_granule) * 8
        homes[name] = np.array([address_map.home_of(m, stride * i) for i in range(256)])
        places = {(address_map.home_of(m, line), address_map.number_of(m, line)) for line in range(1 << 12)}
        assert len(places) == 1 << 12  # no two lines share a place
    assert len(set(homes["modulo"])) == 1
    assert np.bincount(homes["mixed_rounds"], minlength=8).max() < 64


def test_first_ready_goes_round_a_busy_bank_and_fcfs_waits_for_it():
    """Two reads of rows of one bank, one of another: FCFS serves them as they came."""
    answers = {}
    for number in (FIRST_READY, FCFS):
        channel = Channel(dram_scheduler=number)
        first = channel.push(1, 1000)
        second, other = channel.push(1, 1000, which=1), channel.push(2, 1000)
        done = channel.answers()
        answers[number] = [done[x] for x in (first, second, other)]
    assert answers[FIRST_READY][2] < answers[FIRST_READY][1]
    assert answers[FCFS][2] > answers[FCFS][1]
