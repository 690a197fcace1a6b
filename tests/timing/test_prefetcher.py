"""The prefetcher of an SM on hand-made loads: what it asks for, where it puts it, and what it can't hide."""

import pytest
from streams import EXIT, ROOT, one_sm, op, prepare, run

from ssmsim.config.load import load

BASE = 1 << 24
FAR = 1 << 12  # bytes between the lines of two loads
PARTS = {"l1__prefetcher_bytes": 4096, "l1__prefetcher_loads": 2, "l1__prefetcher_awaited_lines": 16}
USE = op("FADD R4, R0, R0", wait=[0], stall=10)
GROUP = [op("LDGDEPBAR", write=0), op("DEPBAR.LE SB0, 0x0", stall=2, depth=0)]


def ldg(k, lines=1):
    return op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[[BASE + FAR * k + 4 * lines * lane for lane in range(32)]])


def copy(k):
    return op("LDGSTS.E.BYPASS.128 [R1], desc[UR4][R2.64]", write=0, width=16,
              rows=[[16 * lane for lane in range(32)], [BASE + FAR * k + 16 * lane for lane in range(32)]])  # fmt: skip


def counts(done):
    """Lines asked for ahead, used, used before they had come, lost."""
    of = done.state.counts[0]
    return [int(of[f"prefetch_{name}"]) for name in ("lines", "used", "late", "lost")]


def chain(make, count=6):
    """So many loads, each waited for."""
    waits = [*GROUP, USE] if make is copy else [USE]
    return [one for k in range(count) for one in (make(k), *waits)] + [EXIT]


def cycles(ops, **changes):
    done = run(ops, config=one_sm(**changes))
    return done.cycles[0, 0][-1], done


@pytest.mark.parametrize("make", [ldg, lambda k: ldg(k, 4), copy], ids=["line", "lines", "copy"])
def test_loads_that_are_waited_for_overlap(make):
    """Six of them in the time of two and a bit, over the same ports and from the same DRAM; nothing is fetched twice."""
    ops = chain(make)
    alone, before = cycles(ops)
    ahead, after = cycles(ops, **PARTS)
    assert ahead < 0.45 * alone
    lines, used, late, lost = counts(after)
    assert lines == used == before.state.counts[0].l1_fills == after.state.counts[0].l1_fills
    assert late > 0 and lost == 0
    assert after.state.counts[0].dram_reads == before.state.counts[0].dram_reads


def test_depth_bounds_what_is_hidden():
    times = [cycles(chain(ldg), **PARTS | {"l1__prefetcher_loads": loads})[0] for loads in (1, 2, 5)]
    assert times[0] > times[1] > times[2]


def test_lines_on_their_way_are_bounded():
    one, four = (cycles(chain(ldg), **PARTS | {"l1__prefetcher_awaited_lines": lines})[0] for lines in (1, 4))
    assert one > 1.5 * four


def test_what_the_buffer_has_no_room_for_is_lost_and_fetched_again():
    """A place for two warps: what comes for one makes room for the other's line before it is used."""
    busy = [op("FADD R5, R6, R7", stall=15)] * 60
    ops = [one for k in range(4) for one in (ldg(k), USE, *busy)] + [EXIT]
    half, last = len(ops) // 2, len(ops) - 1
    warps = [[*range(half), last], [*range(half, last), last]]
    done = run(ops, warps, one_sm(**PARTS | {"l1__prefetcher_bytes": 128, "l1__prefetcher_loads": 1}))
    lines, used, _, lost = counts(done)
    assert lost > 0 and lines == used + lost
    assert done.state.counts[0].l1_fills == 4 + lost


def test_a_used_line_is_the_l1s():
    """The second load of a line hits the L1, the prefetcher leaves it out."""
    ops = [ldg(0), USE, ldg(1), USE, ldg(0), USE, EXIT]
    assert counts(cycles(ops, **PARTS)[1])[:2] == [2, 2]


def test_stores_and_atomics_are_left_alone():
    store = op("STG.E desc[UR4][R2.64], R0", read=0, rows=[[BASE + 4 * lane for lane in range(32)]])
    add = op("ATOMG.E.ADD R0, desc[UR4][R2.64], R4", write=0, rows=[[BASE + 4 * lane for lane in range(32)]])
    assert counts(cycles([store, add, USE, EXIT], **PARTS)[1]) == [0, 0, 0, 0]


def test_its_buffer_is_taken_from_the_l1():
    machines = [prepare([EXIT], [[0]], one_sm(**more), 1)[1].machine[0] for more in ({}, PARTS)]
    without, with_it = (int(m.l1_sets * m.l1_ways) for m in machines)
    assert 0 <= without - with_it - 4096 // 128 < 64, "whole sets"


@pytest.mark.parametrize(("field", "value"), [("prefetcher_loads", 0), ("prefetcher_awaited_lines", 0), ("prefetcher_bytes", 100),
                                              ("prefetch_lead_cycles", 1000)])  # fmt: skip
def test_a_prefetcher_without_one_of_its_parts_is_refused(field, value):
    with pytest.raises(ValueError, match=field):
        one_sm(**PARTS | {f"l1__{field}": value})


def test_the_configuration_has_all_parts():
    l1 = load(ROOT / "simconfigs/prefetcher.yaml").l1
    assert l1.prefetch_lead_cycles == 0
    assert min(l1.prefetcher_bytes, l1.prefetcher_loads, l1.prefetcher_awaited_lines) > 0
