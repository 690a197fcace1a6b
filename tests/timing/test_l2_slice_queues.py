"""Requests that wait at a busy slice: whose turn it is, by hand and as shares and standing found it on the GPU."""

import json

import numpy as np
import pytest
from streams import EXIT, ROOT, Streams, assemble, launch, op, prepare

from ssmsim.config.load import load
from ssmsim.engines.embedded import conservation, event_queue, instructions, loop
from ssmsim.engines.embedded.feed.block_pool import Pool
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.address_map import home_of
from ssmsim.engines.embedded.memory.l2 import slice_cache, slice_queues
from ssmsim.engines.embedded.sm import core
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS

MEASURED = ROOT / "traces/h100/microbenchmarks"
H100 = load(ROOT / "simconfigs/h100.yaml")
OF_A_SLICE = (0, 1, 4, 5)  # lines of a KB (microbenchmark l2/slice_hash)


def hand_made(sms_of_cpcs):
    """Machine and SMs of one partition, a slice and requests of which none waits; SMs numbered CPC by CPC."""
    m = r.records(PARAMETERS, 1)[0]
    m.sms, m.cpcs, m.l2.partitions, m.l2.slices = sum(sms_of_cpcs), len(sms_of_cpcs), 1, 1
    sms = r.records(core.SM, int(m.sms))
    sms.cpc = np.repeat(np.arange(len(sms_of_cpcs)), sms_of_cpcs)
    nodes = r.records(slice_queues.NODE, 4 * int(m.cpcs + m.sms + 3))
    return m, sms, r.records(slice_cache.SLICE, 1), nodes, r.records(noc.TRANSFER, 40)


def served(sms_of_cpcs, asked, kind=slice_queues.LOADS):
    """SMs in the order in which their requests are taken when all of `asked` (SMs, in order of arrival) wait."""
    m, sms, slices, nodes, fills = hand_made(sms_of_cpcs)
    for index, sm in enumerate(asked, 1):
        fills[index].sm = sm
        slice_queues.wait(m, sms, slices, nodes, fills, index, kind)
    assert slices[0].waiting == len(asked)
    order = []
    while slice_queues.front(m, nodes, 0, kind):
        order.append(int(fills[slice_queues.front(m, nodes, 0, kind)].sm))
        slice_queues.take(m, slices, nodes, fills, 0, kind)
    assert slices[0].waiting == 0
    return order


@pytest.mark.parametrize("kind", [slice_queues.LOADS, slice_queues.STORES])
def test_cpcs_take_turns_and_the_sms_of_each(kind):
    """CPCs of two SMs and one: however many wait of SM 0, SM 1 has every second turn of theirs and SM 2 every second of all."""
    assert served((2, 1), [0, 0, 0, 1, 1, 2, 2], kind) == [0, 2, 1, 2, 0, 1, 0]


def test_one_that_comes_later_waits_a_turn_of_all():
    assert served((1, 1, 1), [0, 0, 0, 1, 1, 2]) == [0, 1, 2, 0, 1, 0]


@pytest.mark.parametrize("kind", [slice_queues.QUESTIONS, slice_queues.MISSES])
def test_the_other_partitions_questions_and_misses_come_in_order(kind):
    assert served((2, 1), [0, 0, 2, 1, 0], kind) == [0, 0, 2, 1, 0]


@pytest.mark.parametrize(("asked", "missed"), [(5, 9), (9, 5), (5, 5)])
def test_the_older_of_question_and_miss_is_offered_a_place_first(asked, missed):
    """Both are tried again in that cycle, in this order; of equal age the question is first."""
    m, sms, slices, nodes, fills = hand_made((1,))
    calendar = r.records(event_queue.EVENT, event_queue.WHEEL + 8)
    event_queue.prepare(calendar)
    for index, kind, since in ((1, slice_queues.QUESTIONS, asked), (2, slice_queues.MISSES, missed)):
        fills[index].since = since
        slice_queues.wait(m, sms, slices, nodes, fills, index, kind)
    slice_cache.offer(m, slices, nodes, fills, calendar, 0, 20)
    tried = []
    while node := event_queue.take(calendar, 20):
        tried.append((int(calendar[node].a), int(calendar[node].b) - 1))
    question, miss = (1, slice_queues.QUESTIONS), (2, slice_queues.MISSES)
    assert tried == ([question, miss] if asked <= missed else [miss, question])


def slice_lines():
    """Addresses of four lines that one slice owns, of one that another owns, and the side of the first."""
    m = machine.build(instructions.translate(assemble([EXIT]), H100), launch(1), H100, 1).machine[0]
    first = 1 << 24 >> 7
    lines = [first + i for i in OF_A_SLICE]
    (home,) = {int(home_of(m, line)) for line in lines}
    half = H100.l2.slices // 2
    elsewhere = next(line for line in range(first + 256, first + 4096, 32) if home_of(m, line) % half != home % half)
    return lines, elsewhere, home // half


LINES, ELSEWHERE, SIDE = slice_lines()


def add(line):
    return op(
        "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R4", rows=[[128 * line + 4 * lane for lane in range(32)]]
    )


def done_when(stop, state, pool, look):
    """Run, looking every 100 cycles, until `look` is true or everything is done."""
    while not look(state) and int(state.gpu[0].cycle) < stop:
        status = loop.run(state.table(), int(state.gpu[0].cycle) + 100)
        if status == loop.NEED_BLOCKS:
            pool.refill()
        elif status == loop.FINISHED:
            break
        else:
            assert status == loop.PAUSED


def test_sms_of_small_cpcs_get_as_much_more_of_a_slice_as_measured():
    """Additions of all SMs, when half are done: in each partition of 16 SMs of a GPC four get 1.5 times what the others do."""
    ops = [add(LINES[k % 4]) for k in range(40)]
    _, state, pool = prepare([*ops, EXIT], [list(range(41))] * 8, H100, 132)
    total = 132 * 8 * 40
    done_when(10**6, state, pool, lambda s: int(s.sms.stores_acknowledged.sum()) > total // 2)
    got = state.sms.stores_acknowledged / state.sms.stores_acknowledged.mean()
    small = np.bincount(state.sms.cpc)[state.sms.cpc] == 4
    sides = state.sms.side == SIDE
    ratio = [got[small & side].mean() / got[~small & side].mean() for side in (sides, ~sides)]
    measured = np.array(
        json.loads((MEASURED / "noc/bandwidth_fairness.json").read_text())["samples"]["got"]["adds of a slice"][
            "shares"
        ]
    )
    few = measured > 1.2
    assert few.sum() % 4 == 0
    on_the_gpu = np.median(measured[few]) / np.median(measured[~few])
    assert on_the_gpu == pytest.approx(1.5, abs=0.01)
    assert ratio == pytest.approx([on_the_gpu, on_the_gpu], abs=0.08)
    assert got[sides].sum() == pytest.approx(got[~sides].sum(), rel=0.2)  # on the GPU as much


class Prober(Streams):
    """The first block has other warps than all others."""

    def __init__(self, ops, first, others, blocks):
        super().__init__(ops, first, blocks)
        self.others = others

    def next_blocks(self, count):
        trace = super().next_blocks(1 if self.given == 0 else count)
        self.warps = self.others
        return trace


def behind(number):
    """Cycles of a hit elsewhere behind `number` additions to a slice that 131 other SMs keep busy."""
    adds = [add(LINES[k % 4]) for k in range(64)]
    elsewhere = [[128 * ELSEWHERE + 4 * lane for lane in range(32)]]
    load = op("LDG.E.STRONG.GPU R8, desc[UR4][R2.64]", write=0, rows=elsewhere)
    use = op("FADD R9, R8, R8", wait=[0], write=-1)
    ops = [*adds, load, use, EXIT]
    chain = [64, 65] * 12  # brings the line to L2 and lets the others begin
    wait = [op("MUFU.RCP R10, R10", write=1), op("FADD R11, R10, R10", wait=[1])]
    ops += wait
    pause = [67, 68] * 60
    first = [chain + pause + list(range(number)) + [64, 65, 67, 68, 67, 68, 66]] + [[66]] * 7
    others = [[k % 64 for k in range(120)] + [66]] * 8
    program = prepare(ops, others, H100, 132)[0]
    state = machine.build(instructions.translate(program, H100), launch(8), H100, 132)
    pool = Pool(program, Prober(ops, first, others, 132), state)
    event_queue.schedule(state.events, int(state.machine[0].launch.start_cycles), event_queue.LAUNCH, 0, 0)
    state.gpu[0].launch_scheduled = 1
    issued = {}
    target = len(chain) + len(pause) + number
    while target + 2 not in issued:
        now = int(state.gpu[0].cycle)
        status = loop.run(state.table(), now + 4)
        assert status in (loop.NEED_BLOCKS, loop.PAUSED)
        if status == loop.NEED_BLOCKS:
            pool.refill()
        mine = np.flatnonzero((state.warps.block >= 0) & (state.warps.number == 0))
        mine = [w for w in mine if state.blocks[state.warps[w].block].id == 0]
        if mine:
            issued.setdefault(int(state.warps[mine[0]].position) - int(state.warps[mine[0]].end) + len(first[0]), now)
    return issued[target + 2] - issued[target + 1]


def test_an_sms_additions_to_a_busy_slice_hold_up_no_load_elsewhere():
    """On the GPU from 20 on they do, which is not in the model."""
    measured = json.loads((MEASURED / "noc/request_queue_depth.json").read_text())["samples"]["behind"]
    assert behind(16) < behind(0) + 100
    assert measured["adds.1.16"][2] < measured["nobody.1.0"][2] + 100


def test_everything_that_waited_is_answered():
    ops = [add(LINES[k % 4]) for k in range(12)]
    _, state, pool = prepare([*ops, EXIT], [list(range(13))] * 4, H100, 132)
    done_when(10**7, state, pool, lambda s: False)
    conservation.conserve(state, int(pool.executed.sum()))
    assert state.slices.waiting.sum() == 0
