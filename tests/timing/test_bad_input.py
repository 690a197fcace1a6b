"""What the engine cannot replay is an error that names the cause; what it can never hangs."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed import HGMMA, everything, programs
from streams import EXIT, Streams, assemble, launch, one_sm, op, run

from ssmsim.engines import open_engine
from ssmsim.engines.embedded import conservation, instructions
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.trace.types import LOCAL_WINDOW, SHARED_WINDOW, BlockTrace

CONFIG = one_sm()
ADD, SYNC = op("FADD R0, R1, R2"), op("BAR.SYNC 0x0", barrier=0)
LOAD = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[list(range(0, 128, 4))])


def simulate(ops, warps, config=CONFIG, blocks=1, source=None, **changes):
    source = source or Streams(ops, warps, blocks)
    return open_engine("embedded").simulate(Request(assemble(ops), source, launch(len(warps), **changes), config))


@pytest.mark.parametrize(("cause", "config", "change"), [
    ("registers", {"sm__registers": 32768}, {"registers_per_thread": 64, "block": (1024, 1, 1)}),
    ("shared memory", {"shared__max_bytes_per_block": 100_000}, {"shared_memory_bytes": 200_000}),
    ("warps", {"sm__warp_slots_per_subcore": 4}, {"block": (1024, 1, 1)}),
])  # fmt: skip
def test_a_block_that_cannot_fit(cause, config, change):
    with pytest.raises(SsmsimError, match=f"does not fit.*too much of its {cause}"):
        simulate([EXIT], [[0]] * 32, one_sm(**config), **change)


def test_too_many_threads():
    with pytest.raises(ValueError, match="1056 in x, no GPU launches more than 1024"):
        launch(33)


def test_an_unknown_opcode_names_its_place():
    program = assemble([EXIT])
    wrong = dataclasses.replace(program, opcodes=("FROBNICATE",), text=("FROBNICATE R0",))
    with pytest.raises(SsmsimError, match=r"hand_made at 0x0 \(FROBNICATE R0\).*unknown opcode"):
        instructions.translate(wrong, CONFIG)


@pytest.mark.parametrize("number", [16, -1])
def test_a_barrier_that_no_block_has(number):
    """-1: named by a register."""
    with pytest.raises(SsmsimError, match=r"at 0x0 \(BAR.SYNC R4\).*barriers 0 to 15"):
        simulate([op("BAR.SYNC R4", barrier=number), EXIT], [[0, 1]])


@pytest.mark.parametrize("last", [0, 1])
def test_a_stream_that_ends_without_exit(last):
    """Also one that ends inside a barrier."""
    with pytest.raises(SsmsimError, match=f"block 0 warp 1: the stream ends with {('BAR.SYNC', 'FADD')[last]}"):
        simulate([SYNC, ADD, EXIT], [[0, 2], [0, last] if last else [0]])


def test_a_deadlock_names_warp_and_barrier():
    ops = [op("BAR.SYNC 0x1", barrier=1), op("BAR.SYNC 0x2", barrier=2), EXIT]
    told = r"deadlock at cycle \d+: block 0 warp 0 waits at 0x0 \(BAR.SYNC 0x1\) for barrier 1, reached by 1 of 2 warps"
    with pytest.raises(SsmsimError, match=told):
        simulate(ops, [[0, 2], [1, 2]])


def test_a_deadlock_behind_a_barrier_that_defers_names_the_barrier():
    ops = [op("BAR.SYNC.DEFER_BLOCKING 0x3", barrier=3), ADD, LOAD, op("BAR.SYNC 0x2", barrier=2), EXIT]
    told = r"warp 0 waits at 0x0 \(BAR.SYNC.DEFER_BLOCKING 0x3\) for barrier 3, reached by 1 of 2 warps"
    with pytest.raises(SsmsimError, match=told):
        simulate(ops, [[0, 1, 2, 4], [3, 4]])


def test_a_warpgroup_that_never_gathers_is_a_deadlock():
    ops = [op("WARPGROUP.ARRIVE"), op(HGMMA, gmma_n=64, gmma_k=16, gmma_commits=1, rows=[[0] * 32]), SYNC, EXIT]
    with pytest.raises(SsmsimError, match=r"deadlock.*warp 0 waits at 0x10 \(HGMMA.*for gmma"):
        simulate(ops, [[0, 1, 2, 3]] * 3 + [[2, 3]])


def test_a_warpgroup_that_stays_incomplete_is_a_deadlock():
    gmma = op("HGMMA.64x64x16.F32.BF16 R24, R100, gdesc[UR4], R24, gsb0", gmma_n=64, gmma_k=16, gmma_commits=1,
              rows=[[0] * 32])  # fmt: skip
    ops = [gmma, op("WARPGROUP.DEPBAR.LE gsb0, 0x0", depth=0), SYNC, EXIT]
    with pytest.raises(SsmsimError, match=r"deadlock.*warp 0 waits at 0x10 \(WARPGROUP.DEPBAR.*for barrier"):
        simulate(ops, [[0, 1, 2, 3]] * 3 + [[2, 3]])


def test_another_architecture():
    a100 = {"name": "A100", "compute_capability": (8, 0)}
    with pytest.raises(SsmsimError, match=r"captured on compute capability 8\.0, h200 has 9\.0"):
        simulate([EXIT], [[0]], device=a100)


def test_a_source_that_ends_early():
    streams = Streams([EXIT], [[0]], blocks=3)
    streams.given = 2  # gives one block more, then None
    with pytest.raises(SsmsimError, match="ended after 1 blocks of 3"):
        simulate([EXIT], [[0]], source=streams)


BROKEN = {
    "a stream per warp": lambda t: {"first": t.first[:-1]},
    "streams one after another": lambda t: {"first": t.first + 1},
    "a mask per instruction": lambda t: {"mask": t.mask[1:]},
    "instructions of this kernel": lambda t: {"index": t.index + 1},
    "lane addresses in rows of a warp's lanes": lambda t: {"addresses": t.addresses[:, :31]},
    "rows of addresses to the end": lambda t: {"addresses": t.addresses[1:]},
    "block 0 warp 0: 3 rows of addresses for instructions that need 2": lambda t: {"first_access": np.array([0, 3, 4])},
}  # fmt: skip


@pytest.mark.parametrize("told", BROKEN)
def test_a_broken_source(told):
    class Broken(Streams):
        def next_blocks(self, count: int) -> BlockTrace | None:
            trace = super().next_blocks(count)
            return trace and dataclasses.replace(trace, **BROKEN[told](trace))

    ops, warps = [LOAD, EXIT], [[0, 0, 1], [0, 0, 1]]
    with pytest.raises(SsmsimError, match=told):
        simulate(ops, warps, source=Broken(ops, warps))


def test_a_source_with_another_number_of_warps():
    with pytest.raises(SsmsimError, match="a stream per warp"):
        simulate([EXIT], [[0]] * 2, source=Streams([EXIT], [[0]]))


@pytest.mark.parametrize(("address", "told"), [(1 << 24, ""), (SHARED_WINDOW + 64, r"LD\.E R0.*generic"),
                                               (LOCAL_WINDOW, r"LD\.E R0.*generic")])  # fmt: skip
def test_a_generic_access_to_shared_memory_is_refused_not_mistaken(address, told):
    ops = [LOAD, op("LD.E R0, desc[UR4][R2.64]", write=0, rows=[[1 << 24] * 31 + [address]]), EXIT]
    if told:
        with pytest.raises(SsmsimError, match=told):
            simulate(ops, [[0, 1, 2]])
    else:
        assert simulate(ops, [[0, 1, 2]]).warp_instructions == 3


@given(programs(), st.integers(1, 2), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_random_programs_end_and_keep_the_conservation_laws(ops, groups, blocks):
    """simulate() checks the laws after every run; queues and miss entries are few, so that everything has to wait."""
    config = one_sm(l1__miss_lines=33, mio__queue_entries_per_subcore=2, mio__lg_queue_entries=1, l2__partitions=2,
                    l2__miss_lines_per_slice=2, dram__queue_entries_per_channel=2, tensor__hgmma_queue_entries=1)  # fmt: skip
    result = simulate(ops, [list(range(len(ops)))] * 4 * groups, config, blocks)
    assert result.warp_instructions == 4 * len(ops) * groups * blocks


LAWS = {
    "instructions issued": lambda s: s.counts.issued,
    "instructions selected": lambda s: s.stalls[:, conservation.SELECTED],
    "warps retired": lambda s: s.counts.retired_warps,
    "memory instructions answered": lambda s: s.counts.answers,
    "places of copies given back": lambda s: s.sms.places_taken_fp,
    "places of lines given back": lambda s: s.sms.awaited,
    "SM lines awaited": lambda s: s.sms.misses,
    "stores acknowledged": lambda s: s.sms.stores_acknowledged,
    "bytes of stores": lambda s: s.sms.stores,
    "fences waiting": lambda s: s.sms.fences_waiting,
    "bytes that reach the SMs": lambda s: s.counts.reply_bytes,
    "sectors awaited": lambda s: s.l2_lines.pending,
    "L2 requests waiting": lambda s: s.slices.asked,
    "DRAM transactions waiting": lambda s: s.channels.writes,
    "events to come": lambda s: s.events.b,
    "warps resident": lambda s: s.gpu.warps_alive,
    "request entries free": lambda s: s.requests.next[-1:],
    "entries of lines free": lambda s: s.fills.payload,
    "entries of DRAM transactions free": lambda s: s.transactions.sectors,
    "stall table": lambda s: s.counts.warp_cycles,
}


@pytest.fixture(scope="module")
def finished():
    ops = everything()
    result = run(ops, [list(range(len(ops)))] * 4)
    return result.state, 4 * len(ops)


@pytest.mark.parametrize("law", LAWS)
def test_each_law_can_be_broken(law, finished):
    state, executed = finished
    field = LAWS[law](state)
    kept = field.copy()
    field += 1
    with pytest.raises(SsmsimError, match=f"conservation broken: {law}"):
        conservation.conserve(state, executed)
    field[:] = kept
    conservation.conserve(state, executed)
