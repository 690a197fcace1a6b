"""Between the SMs and the L2: answers that several loads share, and stores that wait for their turn at a slice."""

import numpy as np
import pytest
from streams import EXIT, assemble, one_sm, op, run
from test_memory import BASE, LANES, in_l2, latency, load, use

from ssmsim.engines.embedded import coalesce, code, noc
from ssmsim.engines.embedded import records as r

WIDTH = 8  # bytes per cycle of a GPC's port: 16 cycles for a line


def copy(line):
    """Past the L1, which would join loads of one line itself."""
    return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, BASE + 4096 * line + 4 * LANES])


def waited(*lines: int) -> int:
    """Cycles from copies of lines that are in the L2 to the end of the last."""
    config = one_sm(noc__header_bytes=0, noc__reply_bytes_per_cycle_per_gpc=WIDTH, mio__copy_fill_cycles=0)
    wait = [op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), op("FADD R5, R4, R4")]
    cycles = run([*in_l2(4), *map(copy, lines), *wait, EXIT], config=config).cycles[0, 0]
    return cycles[-2] - cycles[-2 - len(wait)]


def test_an_answer_that_loads_share_passes_the_port_of_the_gpc_once():
    """The last of four lines comes when three have passed; a load that shares the second of two when both have."""
    assert waited(0, 1, 2, 3) - waited(0, 0, 1, 1) == 128 // WIDTH


@pytest.mark.parametrize(("share", "least", "most"), [(0, 0, 0), (655, 590, 690), (1024, 1000, 1000)])
def test_loads_of_another_tpc_meet_in_a_share_of_the_lines(share, least, most):
    m, primary, other = r.records(r.MACHINE, 1)[0], r.records(r.FILL, 1)[0], r.records(r.FILL, 1)[0]
    m.coalescer_share, primary.sm, met = share, 4, 0
    for line in range(1000):
        other.line, other.sm = 7919 * line, 6
        met += bool(noc.meets(m, primary, other))
        other.sm = 5  # of the same TPC
        assert noc.meets(m, primary, other)
    assert least <= met <= most


def test_a_load_goes_past_stores_that_wait_for_their_turn_in_its_slice():
    """Eight lines at a byte per cycle keep the port for 1,024 cycles; the load behind them hits at once."""
    slow = one_sm(l2__slices=1, dram__channels=1, l2__bytes=16 * 128 * 64, l2__slice_write_bytes_per_cycle=1)
    stores = [op("STG.E.128 desc[UR4][R2.64], R4", rows=[BASE + 8192 * 16 + 512 * i + 16 * LANES]) for i in range(2)]
    waiting = latency(*in_l2(1), *stores, load(BASE), use(), config=slow)
    assert waiting < latency(*in_l2(1), load(BASE), use(), config=slow) + 64


def counted(text: str, rows: list[np.ndarray], **fields: int) -> dict[str, int]:
    """What coalesce.one_access sums for one instruction."""
    program = assemble([op(text, rows=rows, **fields), EXIT])
    translated, sums = code.translate(program, one_sm()), np.zeros(len(coalesce.SUMS), np.int64)
    access, lines = r.records(r.ACCESS, 1)[0], np.zeros(128, np.int64)
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
