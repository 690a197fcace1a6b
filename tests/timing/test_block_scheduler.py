"""Start and end of thread blocks, to the cycle, on one SM between hand-made streams."""

import csv
from pathlib import Path

import pytest
from streams import EXIT, one_sm, op, run

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.embedded import block_scheduler
from ssmsim.engines.embedded.sm import core
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS
from ssmsim.engines.request import Request
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[2]

BASE = 1 << 24
ADD = op("FADD R0, R1, R2")
STORE = op("STG.E desc[UR4][R2.64], R0", read=0, rows=[[BASE + 4 * lane for lane in range(32)]])


def active(ops, config):
    """Cycles from the block's launch to the retirement of its only warp."""
    return int(run(ops, config=config).state.sms[0].active)


@pytest.mark.parametrize("interval", [1, 24])
def test_blocks_start_one_per_interval(interval):
    config = one_sm(launch__sm_interval_cycles=interval, fetch__l1_interval_cycles=1)
    cycles = run([ADD, EXIT], config=config, blocks=4).cycles
    assert [cycles[b, 0][0] for b in range(4)] == [interval * b for b in range(4)]


def test_the_whole_gpu_starts_so_many_blocks_per_cycle():
    config = one_sm(gpu__sms_per_gpc=(2, 2), launch__blocks_per_cycle=0.25)
    cycles = run([ADD, EXIT], config=config, blocks=4).cycles
    assert [cycles[b, 0][0] for b in range(4)] == [0, 4, 8, 12]


def test_a_block_that_waits_for_room_starts_after_the_release():
    """One block per SM: exit, retirement a cycle later, release, then the first instruction's way."""
    config = one_sm(sm__blocks=1)
    cycles = run([ADD, EXIT], config=config, blocks=2).cycles
    n = config.launch
    assert cycles[1, 0][0] == cycles[0, 0][1] + 1 + n.release_cycles + n.first_instruction_cycles


def test_blocks_spread_before_they_share():
    config = one_sm(gpu__sms_per_gpc=(2, 2))
    state = run([ADD] * 20 + [EXIT], config=config, blocks=6).state
    assert state.loaded.sm[:6].tolist() == [0, 1, 2, 3, 0, 1]


def test_a_warp_leaves_when_its_last_store_has_its_operands():
    """Once its operands are out of the registers; nothing waits for its acknowledgement."""
    config = one_sm()
    alone, stored = active([ADD, EXIT], config), active([STORE, EXIT], config)
    assert alone == config.launch.first_instruction_cycles + 1 + 1
    read = config.mio.read_release_cycles + config.mio.subcore_interval_cycles  # of one register
    assert stored == config.launch.first_instruction_cycles + 1 + read


def test_a_warp_leaves_with_its_last_load():
    """Also when no instruction waits for it."""
    config = one_sm()
    lds = op("LDS R0, [R2]", write=0, rows=[[4 * lane for lane in range(32)]])
    expected = config.launch.first_instruction_cycles + config.shared.load_latency_cycles
    assert active([lds, EXIT], config) == expected


@pytest.mark.parametrize("skip", [False, True])
def test_a_persistent_kernel_runs_its_prologue_in_the_first_wave(skip):
    """One block at a time: each after the first starts at its load, 40 cycles sooner over its life."""
    load = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[[BASE + 4 * lane for lane in range(32)]])
    ops = [op("FADD R0, R1, R2", stall=10)] * 4 + [load, op("FADD R4, R0, R0", wait=[0]), EXIT]
    cycles = run(ops, config=one_sm(sm__blocks=1, launch__skip_prologue=skip), blocks=3).cycles
    lives = [cycles[b, 0][-1] - cycles[b, 0][0] for b in range(3)]
    hit = one_sm().l1.hit_latency_cycles
    assert lives[0] > 40 + hit
    assert lives[1:] == [hit + 1 + (0 if skip else 40)] * 2
    assert [len(cycles[b, 0]) for b in range(3)] == ([7, 3, 3] if skip else [7, 7, 7])


@pytest.mark.parametrize(
    ("warps", "turn", "room"), [(2, 0, True), (2, 1, False), (2, 3, False), (1, 1, True), (1, 2, False), (4, 2, True)]
)
def test_warps_go_to_the_sub_cores_in_strict_turn(warps, turn, room):
    """Room for one warp in sub-cores 0 and 1, none in 2 and 3; blocks of four warps are limited by their number alone."""
    m, sm, subs = r.records(PARAMETERS, 1)[0], r.records(core.SM, 1)[0], r.records(core.SUBCORE, 4)
    m.warps_per_block, m.subcore_warps, sm.next_subcore = warps, 3, turn
    subs.taken = [2, 2, 3, 3]
    assert block_scheduler.fits(m, sm, subs, 0) == room


@pytest.mark.parametrize("blocks", [1, 4])
def test_the_kernel_ends_when_the_last_block_has_been_taken_note_of(blocks):
    """A block per SM, one end in 100 cycles: blocks that end within less than that wait for one another."""
    config = one_sm(gpu__sms_per_gpc=(2, 2), launch__successor_blocks_per_cycle=0.01)
    done = run([ADD, EXIT], config=config, blocks=blocks).state
    last = max(int(block.finished) for block in done.loaded[:blocks])
    first = min(int(block.finished) for block in done.loaded[:blocks])
    assert last - first < 100
    assert int(done.gpu[0].finish) == first + 100 * blocks


@pytest.mark.parametrize("launch", ["01-empty_kernel", "02-empty_kernel"])
def test_empty_kernels_end_so_long_after_the_last_sm(launch):
    """132 and 1,056 blocks of four warps, H200, for the first time: 2,867 and 3,811 cycles; with 1,056 SMs end sooner here."""
    folder = ROOT / "traces/h200/empty"
    measured = [row for row in csv.DictReader((folder / "measured.csv").open()) if row["launch"] == launch]
    elapsed, active = "gpc__cycles_elapsed.max", "sm__cycles_active.max"
    idle = [float(row[elapsed]) - float(row[active]) for row in measured if row["cache"] == "cold"]
    capture = read_launch(folder / launch)
    program = decode_launch(capture).program
    source = open_tracer("emulated").blocks(capture, program)
    got = (
        open_engine("embedded")
        .simulate(Request(program, source, capture, load(ROOT / "simconfigs/h200.yaml")))
        .counters
    )
    assert got[elapsed] - got[active] == pytest.approx(idle[0], abs=180)
    took = [float(row[elapsed]) for row in measured if row["cache"] == "cold"]
    assert got[elapsed] == pytest.approx(took[0], rel=0.02)


@pytest.mark.parametrize(("warps", "turn", "first"), [
    (1, 1, [0, 1, 2, 3]), (2, 1, [0, 2, 0, 2]), (3, 1, [0, 3, 2, 1]), (4, 1, [0, 1, 2, 3]), (5, 1, [0, 1, 2, 3]), (8, 1, [0, 1, 2, 3]),
    (4, 0, [0, 0, 0, 0]), (6, 0, [0, 2, 0, 2]),
])  # fmt: skip
def test_a_block_begins_where_the_last_one_ended(warps, turn, first):
    """Full blocks further by launch.full_block_turn: steps of our microbenchmark launch/warp_slot_allocation."""
    state = run([ADD, EXIT], [[0, 1]] * warps, one_sm(launch__full_block_turn=turn), blocks=4).state
    assert state.blocks.first_subcore[:4].tolist() == first
