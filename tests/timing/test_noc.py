"""Between the SMs and the L2: answers that several loads share, and stores that wait for their turn at a slice."""

import numpy as np
import pytest
from streams import EXIT, assemble, one_sm, op, run
from test_memory_latency import BASE, CONFIG, LANES, in_l2, latency, load, use

from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.memory import noc
from ssmsim.engines.embedded.memory.l2 import slice_cache
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS

WIDTH = 8  # bytes per cycle of a link: 16 cycles for a line


def copy(line):
    """Past the L1, which would join loads of one line itself."""
    return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, BASE + 4096 * line + 4 * LANES])


def waited(*lines: int) -> int:
    """Cycles from copies of lines that are in the L2, all in one slice, to the end of the last."""
    config = one_sm(
        noc__header_bytes=0,
        noc__reply_bytes_per_cycle_per_gpc=WIDTH,
        mio__copy_fill_cycles=0,
        l2__slices=1,
        dram__channels=1,
    )
    wait = [op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), op("FADD R5, R4, R4")]
    cycles = run([*in_l2(4), *map(copy, lines), *wait, EXIT], config=config).cycles[0, 0]
    return cycles[-2] - cycles[-2 - len(wait)]


def test_an_answer_that_loads_share_passes_the_link_once():
    """Four lines pass it, or two; the port of the SM takes each load's for a cycle, shared or not."""
    assert waited(0, 1, 2, 3) - waited(0, 0, 1, 1) == 2 * 128 // WIDTH - 1


@pytest.mark.parametrize(
    ("pause", "there"), [(0, 1), (40, 1), *((pause, 1) for pause in range(55, 80)), (300, 1), (300, 0), (900, 0)]
)
def test_a_load_joins_another_until_its_slice_has_answered_and_a_window_longer(pause, there):
    """Of a line that the L2 holds, up to 66 cycles apart; of one from DRAM, as much longer as DRAM takes."""
    away = CONFIG.dram.latency_near_cycles - CONFIG.l2.hit_latency_near_cycles if not there else 0
    fill = [op("FADD R6, R7, R7", stall=s) for s in [15] * (pause // 15) + [1 + pause % 15]]
    wait = [op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), EXIT]
    result = run([*in_l2(4 * there), copy(8 - 8 * there), *fill, copy(8 - 8 * there), *wait])
    issued = result.cycles[0, 0]
    apart = issued[-1 - len(wait)] - issued[-2 - len(wait) - len(fill)]
    assert apart == pause + 2
    assert result.state.counts[0].merged == (apart < away + CONFIG.noc.coalescer_window_cycles)


@pytest.mark.parametrize("lead", [0, 100, 200, 1000])
def test_a_load_does_not_join_one_that_its_sm_has(lead):
    """Answers may come at once, as with a prefetcher: then a load of the line goes to the L2 itself, and is answered."""
    wait = [op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), EXIT]
    loads = [one for pause in (1, 5, 15) for one in (copy(0), op("FADD R6, R7, R7", stall=pause))]
    counts = run([*in_l2(1), *loads, *wait], config=one_sm(l1__prefetch_lead_cycles=lead)).state.counts[0]
    assert (counts.merged == 2) == (lead < 1000)


def test_each_gpc_has_a_link_of_its_own_to_a_slice():
    """At 8 B per cycle a line takes 16 cycles, which those behind it wait."""
    m, slice_ = r.records(PARAMETERS, 1)[0], r.records(slice_cache.SLICE, 1)[0]
    m.reply_link_fp = (1 << 16) // 8
    assert [noc.through(m, slice_, gpc, 128, 100) for gpc in (0, 0, 1, 0)] == [100, 116, 100, 132]
    assert noc.through(m, slice_, 1, 32, 120) == 120


def test_a_shared_answer_reaches_both_sms_of_a_tpc_at_once_and_other_tpcs_soon():
    m, first, other = (r.records(kind, 1)[0] for kind in (PARAMETERS, noc.TRANSFER, noc.TRANSFER))
    m.noc.shared_reply_skew_cycles, first.sm, late = 12, 4, set()
    for line in range(500):
        first.line = other.line = line
        for other.sm in (4, 5):
            assert noc.apart(m, first, other) == 0
        other.sm = 6
        late.add(int(noc.apart(m, first, other)))
    assert late == set(range(12))


def test_a_load_goes_past_stores_that_wait_for_their_turn_in_its_slice():
    """Eight lines at a byte per cycle keep the port for 1,024 cycles; the load behind them hits at once."""
    slow = one_sm(l2__slices=1, dram__channels=1, l2__bytes=16 * 128 * 64, l2__slice_write_bytes_per_cycle=1)
    stores = [op("STG.E.128 desc[UR4][R2.64], R4", rows=[BASE + 8192 * 16 + 512 * i + 16 * LANES]) for i in range(2)]
    waiting = latency(*in_l2(1), *stores, load(BASE), use(), config=slow)
    assert waiting < latency(*in_l2(1), load(BASE), use(), config=slow) + 64


def counted(text: str, rows: list[np.ndarray], **fields: int) -> dict[str, int]:
    """What coalesce.one_access sums for one instruction."""
    program = assemble([op(text, rows=rows, **fields), EXIT])
    translated, sums = instructions.translate(program, one_sm()), np.zeros(len(coalesce.SUMS), np.int64)
    access, lines = r.records(coalesce.ACCESS, 1)[0], np.zeros(128, np.int64)
    coalesce.one_access(program.instructions.view(np.recarray)[0], translated[0], 0xFFFFFFFF, np.array(rows), 0, len(rows), access, lines,
                        0, sums, np.zeros((32, 34), np.int64))  # fmt: skip
    return dict(zip(coalesce.SUMS, sums.tolist(), strict=True))


@pytest.mark.parametrize(
    "text", ["ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R2.64], R4", "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R4"]
)
def test_atomics_are_neither_loads_nor_stores(text):
    """ncu counts them as op_atom and op_red: 11-column_sums of a kernel of ours, 1,048,576 sectors of loads beside 8,192."""
    sums = counted(text, [BASE + 4 * LANES])
    assert (sums["load_sectors"], sums["store_sectors"], sums["load_requests"], sums["store_requests"]) == (0, 0, 0, 0)
    assert sums["lines"] == 1


def test_a_copy_past_the_l1_counts_one_wavefront_beside_its_zeros():
    to, of = 16 * LANES, BASE + 16 * LANES
    text = "LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]"
    assert counted(text, [to, of], width=16)["wavefronts"] == 1
    assert counted(text, [to, np.where(LANES < 8, -1, of)], width=16)["wavefronts"] == 2
    assert counted("LDGSTS.E.128 [R4], desc[UR4][R2.64]", [to, of], width=16)["wavefronts"] == 4
