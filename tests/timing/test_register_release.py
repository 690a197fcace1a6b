"""sm.register_release last_use: when the next block starts, to the cycle, on hand-made warps, and on captured launches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams import EXIT, FULL, ROOT, assemble, launch, one_sm, op, prepare, run

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.embedded import conservation, instructions, loop
from ssmsim.engines.embedded.feed import register_release
from ssmsim.engines.embedded.sm import instruction as kinds
from ssmsim.engines.embedded.state import occupancy
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.sass.liveness import Pressure
from ssmsim.tracers import open_tracer

ADD = op("FADD R0, R1, R2", stall=4)
OPS = [ADD] * 400 + [EXIT]
START = 287 + 200  # launch.release_cycles and launch.first_instruction_cycles
ROOM = 4 * 1536  # registers: of each sub-core, of which a warp of 32 a thread takes 1,024
ALL = list(range(len(OPS)))


def config(**changes):
    return one_sm(**{"sm__registers": ROOM, "sm__register_release": "last_use", "sm__early_blocks": 1} | changes)


@pytest.fixture
def falls(monkeypatch):
    """Have all programs need 32 registers a thread before an instruction, and so many from there on."""

    def to(registers: int, first: int) -> None:
        def fake(code) -> Pressure:
            holds = tuple(registers if i >= first else 32 for i in range(len(code.instructions)))
            return Pressure(holds, holds)

        monkeypatch.setattr(instructions, "code_of", lambda program: program)
        monkeypatch.setattr(instructions, "pressure", fake)

    return to


def begins(done, block: int) -> int:
    return done.cycles[block, 0][0]


def test_the_next_block_starts_when_its_registers_are_back(falls):
    """16 of 32 registers go with the issue before instruction 100, 4 x 99 behind the first: half a warp and a whole one fit.

    The fourth sub-core has its first line of code six cycles later than the first.
    """
    falls(16, 100)
    done = run(OPS, [ALL] * 4, config(), blocks=2)
    assert begins(done, 1) == 6 + 4 * 99 + START
    assert done.cycles[0, 0] == [4 * i for i in range(len(OPS))], "the first block is as fast as ever"


def test_a_register_too_many_is_a_block_too_late(falls):
    """24 registers are three units of 256: three and four are more than the six of a sub-core."""
    falls(24, 100)
    late = run(OPS, [ALL] * 4, config(), blocks=2)
    kept = run(OPS, [ALL] * 4, config(sm__register_release="block_end", sm__early_blocks=0), blocks=2)
    assert late.cycles == kept.cycles
    assert begins(late, 1) >= 4 * 400 + START


def test_every_subcore_needs_room(falls):
    """One warp of four still holds all of its registers."""
    falls(16, 100)
    short = list(range(50)) * 12 + ALL  # it comes to instruction 100 later
    done = run(OPS, [ALL, ALL, ALL, short], config(), blocks=2)
    assert begins(done, 1) == done.cycles[0, 3][600 + 99] + START


@pytest.mark.parametrize("limit", [{"sm__blocks": 1}, {"sm__warp_slots_per_subcore": 1}])
def test_blocks_and_warp_slots_still_bound_residency(falls, limit):
    falls(16, 100)
    assert begins(run(OPS, [ALL] * 4, config(**limit), blocks=2), 1) >= 4 * 400 + START


def test_shared_memory_still_bounds_residency_and_has_room_for_early_blocks():
    small = launch(4, shared_memory_bytes=60 << 10)
    assert [occupancy.occupancy(small, config(sm__early_blocks=early)).most for early in (1, 2, 8)] == [2, 3, 3]
    early, plain = (occupancy.occupancy(small, one) for one in (config(), one_sm(sm__registers=ROOM)))
    assert (early.blocks, plain.blocks, plain.most) == (1, 1, 1)
    assert early.carveout_bytes >= 2 * (60 << 10) > plain.carveout_bytes and early.l1_bytes < plain.l1_bytes


def test_registers_that_stores_have_yet_to_read_come_back_later(falls):
    """Eight stores of four registers wait for the sub-core's port; the last one's registers are read long after its issue."""
    lanes = [512 * lane for lane in range(32)]
    store = op("STG.E.128 [R2], R4", sources=[(2, 2), (4, 4)], width=16, rows=[lanes])
    ops = [ADD] * 88 + [store] * 8 + [ADD] * 400 + [EXIT]
    falls(16, 96)
    done = run(ops, [list(range(len(ops)))] * 4, config(), blocks=2)
    assert begins(done, 1) > max(done.cycles[0, w][95] for w in range(4)) + START + 6


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 24), st.integers(1, 6), st.lists(st.integers(0, 300), min_size=1, max_size=6), st.integers(0, 31),
       st.integers(1, 350), st.integers(1, 4))  # fmt: skip
def test_registers_are_conserved(blocks, room, starts, left, first, early):
    """Whatever the warps: all end, no sub-core ever holds more than it has, and all is free at the end."""
    warps = [ALL[start:] for start in starts]
    slots = -(-len(warps) // 4)
    given_ = config(sm__registers=4 * 1024 * slots * room, sm__early_blocks=early)
    with pytest.MonkeyPatch.context() as patch:
        holds = tuple(left if i >= first else 32 for i in range(len(OPS)))
        patch.setattr(instructions, "code_of", lambda program: program)
        patch.setattr(instructions, "pressure", lambda code: Pressure(holds, holds))
        _, state, pool = prepare(OPS, warps, given_, blocks)
    m = state.machine[0]
    while (status := loop.run(state.table(), int(state.gpu[0].cycle) + 50)) != loop.FINISHED:
        assert status in (loop.PAUSED, loop.NEED_BLOCKS)
        if status == loop.NEED_BLOCKS:
            pool.refill()
        assert (state.subs.held <= m.subcore_units).all() and int(state.sms[0].blocks) <= m.blocks_per_sm + early
    conservation.conserve(state, int(pool.executed.sum()))
    assert not state.subs.held.any() and int(state.gpu[0].blocks_done) == blocks


def marked(active: list[int], holds: list[int], needs: list[int]) -> tuple[int, list[int]]:
    """(instruction that lacks registers, those before which a warp of 8 units gives some back)."""
    code = r.records(kinds.CODE, len(active))
    code.holds, code.needs = holds, needs
    stream, index = np.zeros(len(active), np.int32), np.arange(len(active), dtype=np.int32)
    wrong = register_release.gives(code, np.array([0, len(active)]), index, np.array(active, np.uint32), 8, stream,
                                   np.array([0]), 1)  # fmt: skip
    return wrong, np.flatnonzero(stream >> r.GIVE_BIT & 1).tolist()


def test_threads_at_two_places_keep_what_the_others_need():
    """Half of the lanes go on alone: nothing is given back before they have met the others, or those have left."""
    half = FULL >> 16
    assert marked([FULL, half, half, FULL ^ half, FULL, FULL], [8, 2, 2, 8, 4, 2], [8, 2, 2, 8, 4, 2]) == (-1, [4, 5])
    assert marked([FULL, FULL ^ half, half, half], [8, 0, 4, 2], [8, 0, 4, 2]) == (-1, [2, 3]), "the others have exited"
    assert marked([FULL] * 4, [8, 2, 4, 2], [8, 2, 4, 2])[0] == 2, "a rule that forgets a path is told"


def test_a_program_without_its_cubin_is_refused():
    with pytest.raises(SsmsimError, match="was not decoded from a cubin"):
        instructions.translate(assemble(OPS), config())


@pytest.mark.parametrize(("fields", "why"), [
    ({"sm__early_blocks": 0}, "no block would start"),
    ({"sm__register_release": "block_end"}, "needs sm.register_release: last_use"),
    ({"launch__schedule": "persistent"}, "does not go with launch.schedule: persistent"),
])  # fmt: skip
def test_contradictions_are_refused(fields, why):
    with pytest.raises(ValueError, match=why):
        config(**fields)


def replayed(name: str, **changes):
    folder = ROOT / "tests/data/captures" / name
    captured = read_launch(folder)
    program, tracer = decode_launch(captured).program, open_tracer("emulated")
    changed = load(ROOT / "simconfigs/h200.yaml").model_dump()
    for field, value in ({"gpu__sms_per_gpc": (1,)} | changes).items():
        group, name_ = field.split("__")
        changed[group][name_] = value
    given_ = type(config()).model_validate(changed)
    return open_engine("embedded").simulate(
        Request(program, tracer.blocks(captured, program), captured, given_, tracer)
    )


@pytest.mark.parametrize(
    "name", ["ssd-small/33-chunk_scan_bwd_ddAcs_stable_kernel", "ssd-small/09-chunk_scan_bwd_dstates_kernel"]
)
def test_a_captured_launch_does_the_same_work_in_no_more_time(name):
    """On one SM, so that blocks must follow each other: the same instructions and bytes."""
    kept = replayed(name)
    given_ = replayed(name, sm__register_release="last_use", sm__early_blocks=1)
    for counter in ("smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"):
        assert kept.counters[counter] == given_.counters[counter]
    cycles = [run_.counters["gpc__cycles_elapsed.max"] for run_ in (kept, given_)]
    assert cycles[1] <= 1.01 * cycles[0]


def test_a_launch_whose_code_cannot_be_analysed_is_refused_by_its_instruction():
    with pytest.raises(SsmsimError, match="where it goes is not known") as refused:
        replayed("ssd-small/16-reduce_kernel", sm__register_release="last_use", sm__early_blocks=1)
    assert "CALL" in str(refused.value)
