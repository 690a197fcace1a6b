"""Loads, stores and copies of one warp, to the cycle: each level answers exactly at the latency its field states."""

import numpy as np
import pytest
from streams import EXIT, FULL, issued, one_sm, op, run

from ssmsim.engines.embedded.memory import dram, noc
from ssmsim.engines.embedded.memory.l2 import slice_cache
from ssmsim.engines.embedded.state import parameters
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.parameters import PARAMETERS

CONFIG = one_sm()
LANES = np.arange(32)
BASE = 0x7F00_1000_0000 - 0x1000_0000  # any address below the windows of generic addresses


def load(address=BASE, stride=4, barrier=0, **fields):
    return op("LDG.E R0, desc[UR4][R2.64]", write=barrier, rows=[address + stride * LANES], **fields)


def use(barrier=0):
    return op("FADD R4, R0, R0", wait=[barrier])


def latency(*ops, config=CONFIG):
    """Cycles from the issue of the next to last instruction to that of the last."""
    cycles = issued([*ops, EXIT], config)
    return cycles[len(ops) - 1] - cycles[len(ops) - 2]


def test_shared_load():
    row = [4 * LANES]
    assert latency(op("LDS R0, [R2]", write=0, rows=row), use()) == CONFIG.shared.load_latency_cycles


@pytest.mark.parametrize(("stride", "ways"), [(4, 1), (8, 2), (16, 4), (128, 32), (0, 1)])
def test_bank_conflicts_add_two_cycles_a_pass(stride, ways):
    ops = op("LDS R0, [R2]", write=0, rows=[stride * LANES]), use()
    assert latency(*ops) == CONFIG.shared.load_latency_cycles + 2 * (ways - 1)


def test_l1_hit_after_miss():
    first = [load(), use(), op("FADD R5, R4, R4", stall=15)]
    assert latency(*first, load(), use()) == CONFIG.l1.hit_latency_cycles


def test_a_load_marked_not_to_allocate_leaves_nothing_in_the_l1():
    once = op("LDG.E.NA.CONSTANT R0, desc[UR4][R2.64]", write=0, rows=[BASE + 4 * LANES])
    ops = [once, use(), op("FADD R5, R4, R4", stall=15), once, use(), EXIT]
    assert run(ops).state.counts[0].l1_fills == 2


def test_l2_hit_is_the_near_latency():
    """Lines that a bypassing copy brought into the L2 alone."""
    copy = op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, BASE + 4 * LANES])
    wait = [copy, op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), op("FADD R5, R4, R4", stall=15)]
    assert latency(*wait, load(), use()) == CONFIG.l2.hit_latency_near_cycles


def test_dram_is_the_miss_latency():
    config = one_sm(dram__peak_gb_per_s=5000.0)  # as fast a channel as the H200's
    assert abs(latency(load(), use(), config=config) - CONFIG.dram.latency_near_cycles) <= 2  # not whole cycles


def test_sectors_on_their_way_are_waited_for_once():
    """A second load of the line is answered with the first, and asks for nothing."""
    result = run([load(barrier=0), load(barrier=1), use(1), EXIT])
    counts = result.state.counts[0]
    assert counts.l1_fills == 1
    assert counts.dram_reads == 4
    alone = issued([load(), use(), EXIT])
    assert 0 <= result.cycles[0, 0][2] - alone[1] <= 2


def test_misses_beyond_the_entries_wait():
    few, many = one_sm(l1__miss_lines=1), CONFIG
    ops = [load(BASE + 4096 * i, barrier=i) for i in range(4)] + [use(3), EXIT]
    slow, fast = issued(ops, few), issued(ops, many)
    assert slow[4] > fast[4] + 2 * (CONFIG.dram.latency_near_cycles - 200)


def test_copy_group_waits_for_its_copies_only():
    """DEPBAR.LE SB0, 1 lets the younger group stay in flight."""
    near, far = BASE, BASE + (1 << 20)

    def copy(address):
        return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, address + 16 * LANES])

    ops = [copy(near), op("LDGDEPBAR", write=0), copy(far), op("LDGDEPBAR", write=0),
           op("DEPBAR.LE SB0, 0x1", depth=1), op("DEPBAR.LE SB0, 0x0", depth=0), EXIT]  # fmt: skip
    cycles = issued(ops)
    assert cycles[4] < cycles[5] or cycles[4] > 400
    assert cycles[5] > CONFIG.dram.latency_near_cycles


def test_zero_filled_lanes_read_nothing():
    ops = [op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64], P0", rows=[16 * LANES, ~(BASE + 16 * LANES)]),
           op("LDGDEPBAR", write=0), op("DEPBAR.LE SB0, 0x0", depth=0), EXIT]  # fmt: skip
    counts = run(ops).state.counts[0]
    assert counts.l1_fills == 0
    assert counts.dram_reads == 0


@pytest.mark.parametrize(("lanes", "later"), [(32, 3), (24, 2), (0, 1)])
def test_lanes_that_fill_with_zeros_write_at_once(lanes, later):
    """128 bytes a cycle, and a load from shared memory waits for them; the lines of other lanes come when it is over."""
    source = np.where(np.arange(32) < lanes, ~(BASE + 16 * LANES), BASE + 16 * LANES)
    copy = op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64], P0", rows=[16 * LANES, source])
    ops = [copy, op("LDS R0, [R2]", write=1, rows=[4 * LANES]), use(1), EXIT]
    alone = issued([op("LDS R0, [R2]", write=1, rows=[4 * LANES]), use(1), EXIT])
    cycles = issued(ops)
    assert cycles[2] - cycles[1] - (alone[1] - alone[0]) == later


def test_predicated_off_load_moves_nothing():
    result = run([load(mask=0), use(), EXIT])
    assert result.state.counts[0].l1_sectors == 0


@pytest.mark.parametrize(("guard", "mask"), [("@!PT ", 0), ("", 0), ("", 1)])
def test_an_instruction_that_is_on_in_no_lane_takes_the_unit_for_a_cycle(guard, mask):
    """Three between two loads of many passes; with a single lane each has a pass, two cycles from the warp's next."""
    row = [128 * LANES]
    ops = [op("LDS R0, [R2]", write=0, rows=row), *[op(f"{guard}LDS RZ, [RZ]", rows=row, mask=mask)] * 3,
           op("LDS R0, [R2]", write=1, rows=row), use(0), use(1), EXIT]  # fmt: skip
    cycles = issued(ops)
    own = CONFIG.shared.warp_wavefront_cycles
    assert cycles[-2] - cycles[-3] == 32 * own + 3 * (own if mask else 1)


def test_a_store_hits_the_sectors_that_one_before_it_wrote():
    """Four stores of 4 bytes, 16 apart: 16 sectors each, the same ones. All of them reach the L2."""
    stores = [op("STG.E desc[UR4][R2.64], R0", read=1, rows=[BASE + 4 * i + 16 * LANES]) for i in range(4)]
    counts = run([*stores, EXIT]).state.counts[0]
    assert (counts.l1_sectors, counts.l1_hits) == (64, 48)
    assert counts.l2_write_sectors == 64


def test_store_goes_through_and_is_not_kept():
    """A store leaves for the L2 whole; a load after it misses the L1 and hits the L2."""
    store = op("STG.E desc[UR4][R2.64], R0", read=1, rows=[BASE + 4 * LANES])
    idle = [op("FADD R5, R4, R4", stall=15)] * 40
    result = run([store, *idle, load(), use(), EXIT])
    counts = result.state.counts[0]
    assert counts.l2_write_sectors == 4
    assert counts.dram_reads == 0
    assert result.cycles[0, 0][-2] - result.cycles[0, 0][-3] == CONFIG.l2.hit_latency_near_cycles


@pytest.mark.parametrize(("lanes", "reads"), [(8, 0), (7, 2)])
def test_part_of_a_sector_is_fetched_when_it_is_read(lanes, reads):
    """Eight lanes write the sector whole; of seven the rest is missing, and 64 bytes are fetched."""
    store = op("STG.E desc[UR4][R2.64], R0", read=1, rows=[BASE + 4 * LANES], mask=(1 << lanes) - 1)
    idle = [op("FADD R5, R4, R4", stall=15)] * 40
    result = run([store, *idle, load(BASE, stride=0), use(), EXIT])
    assert result.state.counts[0].dram_reads == reads


def test_local_memory_is_written_through_and_hit_in_the_l1():
    store = op("STL [R1], R0", read=1, rows=[[16] * 32])
    idle = [op("FADD R5, R4, R4", stall=15)] * 4
    result = run([store, *idle, op("LDL R0, [R1]", write=0, rows=[[16] * 32]), use(), EXIT])
    counts = result.state.counts[0]
    assert (counts.l2_write_sectors, counts.l2_read_sectors, counts.l1_load_hits) == (4, 0, 4)
    assert result.cycles[0, 0][-2] - result.cycles[0, 0][-3] == CONFIG.l1.hit_latency_cycles


def test_exchange_between_lanes():
    ops = op("SHFL.BFLY PT, R0, R1, 0x1, 0x1f", write=0), use()
    assert latency(*ops) == CONFIG.mio.shuffle_latency_cycles


def test_far_partition_costs_more_once_and_then_is_kept():
    """Two partitions on one SM: of many lines about half are the other's; a second pass over them is near."""
    config = one_sm(l2__partitions=2, l1__unified_bytes=256 << 10)
    lines = [BASE + 256 * i for i in range(64)]

    def copy(address):
        return op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, address + 4 * LANES])

    wait = [op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0)]
    result = run([*map(copy, lines), *wait, *map(copy, lines), *wait, EXIT], config=config)
    counts = result.state.counts[0]
    assert 64 <= counts.l2_far <= 4 * 64 - 64
    assert counts.l2_read_hits == 4 * 64


def in_l2(count):
    """Bring `count` lines, 4 KB apart, into the L2 alone."""
    copies = [op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, BASE + 4096 * i + 4 * LANES])
              for i in range(count)]  # fmt: skip
    wait = [op("LDGDEPBAR", write=5), op("DEPBAR.LE SB5, 0x0", depth=0), op("FADD R5, R4, R4", stall=15)]
    return [*copies, *wait]


def between_answers(second, **changes):
    """Cycles between the answers to a load of the first line and to `second`, both from the L2, asked for at once."""
    ops = [*in_l2(9), load(BASE, barrier=0), second, use(0), use(1), EXIT]
    cycles = issued(ops, one_sm(noc__header_bytes=0, **changes))
    return cycles[-2] - cycles[-3]


@pytest.mark.parametrize("width", [8, 16, 32])
def test_the_port_of_an_sm_takes_lines_one_after_another(width):
    assert between_answers(load(BASE + 4096, barrier=1), noc__reply_bytes_per_cycle_per_sm=width) == 128 // width


@pytest.mark.parametrize("width", [8, 16, 32])
def test_the_link_of_a_slice_to_a_gpc_takes_lines_one_after_another(width):
    one = {
        "l2__slices": 1,
        "dram__channels": 1,
        "l2__bytes": 16 * 128 * 64,
        "noc__reply_bytes_per_cycle_per_gpc": width,
    }
    assert between_answers(load(BASE + 4096, barrier=1), **one) == 128 // width


@pytest.mark.parametrize("width", [8, 16, 32])
def test_a_slice_gives_lines_one_after_another(width):
    one = {"l2__slices": 1, "dram__channels": 1, "l2__bytes": 16 * 128 * 64, "l2__slice_bytes_per_cycle": width}
    assert between_answers(load(BASE + 4096, barrier=1), **one) == 128 // width


def atomic(barrier, address=BASE):
    return op("ATOMG.E.ADD.STRONG.GPU PT, R0, desc[UR4][R2.64], R4", write=barrier, rows=[address + 4 * LANES])


def test_an_atomic_is_a_load_from_the_l2_and_its_latency():
    expected = CONFIG.l2.hit_latency_near_cycles + CONFIG.l2.atomic_latency_cycles
    assert latency(*in_l2(1), atomic(0), use()) == expected


@pytest.mark.parametrize("interval", [3, 5])
def test_a_slice_does_one_sector_of_atomics_per_interval(interval):
    """Two on one line of four sectors: the second waits for the four of the first."""
    ops = [*in_l2(1), atomic(0), atomic(1), use(0), use(1), EXIT]
    cycles = issued(ops, one_sm(l2__atomic_interval_cycles=interval))
    assert cycles[-2] - cycles[-3] == 4 * interval


def test_an_atomic_makes_the_l1_copy_stale():
    """The load after it misses the L1 again."""
    result = run([load(), use(), atomic(1), use(1), load(), use(), EXIT])
    assert result.state.counts[0].l1_fills == 3
    assert result.state.counts[0].dram_reads == 4


@pytest.mark.parametrize("registers", [1, 3])
def test_a_sub_core_hands_on_two_cycles_per_source_register(registers):
    """The second load is answered so much later than the first."""
    first = op("LDS R0, [R2]", write=0, rows=[4 * LANES], sources=[(2, registers)])
    cycles = issued([first, op("LDS R0, [R2]", write=1, rows=[4 * LANES]), use(0), use(1), EXIT])
    assert cycles[-2] - cycles[-3] == CONFIG.mio.subcore_interval_cycles * registers


def whole_lines(count, first=BASE):
    """Stores of 16 bytes per lane, four lines each."""
    return [op("STG.E.128 desc[UR4][R2.64], R4", read=1, rows=[first + 512 * i + 16 * LANES], width=16)
            for i in range(count // 4)]  # fmt: skip


def test_beyond_the_dirty_share_the_oldest_lines_go_to_dram_and_stay():
    """128 lines in sets of 16: 7 or 8 of each set stay dirty at 0.47; all 128 are still there to be read."""
    config = one_sm(l2__bytes=128 * 128)
    idle = [op("FADD R5, R4, R4", stall=15)] * 80
    loads = [load(BASE + 128 * (128 + i), barrier=i % 6) for i in range(128)]
    result = run([*whole_lines(256), *idle, *loads, EXIT], config=config)
    counts, lines = result.state.counts[0], result.state.l2_lines
    assert np.count_nonzero(lines.dirty) == 60
    assert counts.dram_writes == 4 * (256 - 60)
    assert (counts.dram_reads, counts.l2_read_hits) == (0, 4 * 128)


def test_a_store_leaves_a_copy_in_the_partition_that_it_passes():
    """Read back, every line hits near, whoever owns it."""
    idle = [op("FADD R5, R4, R4", stall=15)] * 80
    loads = [load(BASE + 128 * i, barrier=i % 6) for i in range(64)]
    result = run([*whole_lines(64), *idle, *loads, EXIT], config=one_sm(l2__partitions=2))
    counts = result.state.counts[0]
    assert 64 * 4 < counts.l2_write_sectors < 2 * 64 * 4  # those that pass count twice
    assert counts.l2_read_hits == 64 * 4
    assert counts.l2_far == counts.dram_reads == 0


def test_a_line_of_the_other_partition_is_farther():
    """Without copies every load goes to the owner: of two pages each lies in another partition."""
    config, found = one_sm(l2__partitions=2, l2__far_copies=False), set()
    for page in range(2):
        copy = op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, BASE + 4096 * page + 4 * LANES])
        wait = [copy, op("LDGDEPBAR", write=1), op("DEPBAR.LE SB1, 0x0", depth=0), op("FADD R5, R4, R4", stall=15)]
        found.add(latency(*wait, load(BASE + 4096 * page), use(), config=config))
    assert found == {CONFIG.l2.hit_latency_near_cycles, CONFIG.l2.hit_latency_far_cycles}


@pytest.mark.parametrize(("first", "second", "merged"), [(FULL, FULL, 1), (FULL, 1, 1), (1, FULL, 0)])
def test_a_gpc_asks_once_for_what_is_on_its_way(first, second, merged):
    """Copies past the L1: the second joins the first when that brings all it wants."""
    ops = [op("LDGSTS.E.BYPASS.128 [R4], desc[UR4][R2.64]", rows=[4 * LANES, BASE + 4 * LANES], mask=mask)
           for mask in (first, second)]  # fmt: skip
    counts = run([*ops, op("LDGDEPBAR", write=0), op("DEPBAR.LE SB0, 0x0", depth=0), EXIT]).state.counts[0]
    sectors = [4 if mask == FULL else 1 for mask in (first, second)]
    assert counts.merged == merged
    assert counts.l2_read_sectors == sum(sectors) - merged * sectors[1]
    assert counts.l1_fill_sectors == sum(sectors)


def test_loads_pass_stores_that_wait_for_their_port():
    """20 stores of 512 B keep the port for 16 cycles each at least; the load behind them is served when they are queued."""
    stores = [op("STG.E.128 desc[UR4][R2.64], R4", rows=[BASE + 512 * i + 16 * LANES]) for i in range(20)]
    ops = [*stores, op("LDS R0, [R2]", write=0, rows=[4 * LANES]), use(), EXIT]
    held = issued(ops, one_sm(l1__store_backlog_cycles=0))[-2]
    free = issued(ops, one_sm(l1__store_backlog_cycles=1000))[-2]
    assert held >= 19 * 16 > 20 * 4 + CONFIG.shared.load_latency_cycles >= free


def test_slices_are_as_far_as_measured():
    """From each GPC: quantiles within two cycles of those measured, and the mean of all that a GPC sees is near 0.

    Microbenchmark l2/latency_bandwidth: lines.
    """
    config = one_sm(l2__hit_latency_spread_cycles=(-39, -26, -16, -2, 15, 29, 50))
    m = run([EXIT], config=config).state.machine[0]
    found = np.array([[noc.distance(m, gpc, slice_) for slice_ in range(noc.DISTANCES)] for gpc in range(8)])
    quantiles = np.quantile(found, parameters.QUANTILES, axis=1).T
    assert np.abs(quantiles - np.array(config.l2.hit_latency_spread_cycles)).max() <= 2
    assert np.abs(found[:, :48].mean(1)).max() <= 2


@pytest.mark.parametrize("spread", [(0,) * 7, (-39, -26, -16, -2, 15, 29, 50)])
def test_nothing_arrives_before_it_was_sent(spread):
    """The way to the L2 may be set to nothing, as a prefetcher does: slices nearer than the mean are not reached earlier."""
    fast = one_sm(l1__prefetch_lead_cycles=1000, l2__hit_latency_spread_cycles=spread, l2__slices=2)
    loads = [load(BASE + 256 * i, barrier=i % 6) for i in range(24)]
    result = run([*loads, *(use(i) for i in range(6)), EXIT], config=fast)
    assert result.state.counts[0].answers == 24


@pytest.mark.parametrize(("reads", "writes", "free"), [(3, 3, True), (4, 0, False), (0, 4, False)])
def test_a_slice_has_as_many_places_for_reads_as_for_writes(reads, writes, free):
    m, slice_, transactions = (
        r.records(PARAMETERS, 1)[0],
        r.records(slice_cache.SLICE, 1)[0],
        r.records(dram.TRANSACTION, 1),
    )
    m.l2.miss_lines_per_slice, transactions[0].sectors = 4, 100
    slice_.misses, slice_.writes = reads, writes
    assert slice_cache.room(m, slice_, transactions, 0, 0, 0) == free


PASSES = 31  # of a load of 32 lines at the data banks, less one that the handing on hides


def behind(loads: int, modifier: str = "") -> int:
    """Cycles that an LDS takes behind loads of 32 lines each, with an L1 of 168 lines and 36 more that may be awaited."""
    small = one_sm(shared__carveouts_kib=(228,), l1__awaited_lines_beyond=36)
    far = [
        op(f"LDG.E{modifier} R0, desc[UR4][R2.64]", write=0, rows=[BASE + 4096 * i + 128 * LANES]) for i in range(loads)
    ]
    return latency(*far, op("LDS R6, [R8]", write=1, rows=[4 * LANES]), use(1), config=small)


def test_a_load_that_finds_no_place_for_its_data_holds_up_what_is_behind_it():
    """192 lines may be on their way, 224 may not: the seventh load waits until some of the first have come."""
    six, seven = behind(6), behind(7)
    assert six == behind(5) + PASSES
    assert seven > six + CONFIG.l2.hit_latency_near_cycles


def test_what_goes_past_the_l1_needs_no_place_there():
    assert behind(7, ".NA") == behind(6, ".NA") + PASSES


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize(("before", "waits"), [(1 << 24, True), (0, False)])
def test_a_line_keeps_its_place_until_the_one_that_asked_for_it_is_answered(before, waits, copies):
    """192 lines from L2 come soon; their warp's answers wait for the load before them, from DRAM or from L2 as well."""
    slow = one_sm(
        shared__carveouts_kib=(228,),
        l1__awaited_lines_beyond=36,
        dram__latency_near_cycles=3000,
        dram__latency_far_cycles=3000,
    )
    lines = [BASE + 4096 * i + 128 * LANES for i in range(8)]
    barrier = op("BAR.SYNC.DEFER_BLOCKING 0x0", barrier=0)
    warm = [op("LDG.E.STRONG.GPU R0, desc[UR4][R2.64]", write=0, rows=[row]) for row in lines]
    far = op("LDG.E.STRONG.GPU R0, desc[UR4][R2.64]", write=1, rows=[BASE + 4096 * 7 + before + 4 * (LANES % 8)])
    held = [
        op("LDGSTS.E [R4], desc[UR4][R2.64]", rows=[4 * LANES, row]) if copies
        else op("LDG.E R0, desc[UR4][R2.64]", write=1, rows=[row])
        for row in lines[:6]
    ]  # fmt: skip
    other = op("LDG.E R0, desc[UR4][R2.64]", write=0, rows=[lines[6]])
    ops = [
        *warm,
        use(),
        barrier,
        far,
        *held,
        EXIT,
        barrier,
        op("LDS R0, [R2]", write=0, rows=[4 * LANES]),
        use(),
        *[op("FADD R5, R4, R4", stall=15)] * 100,
        other,
        use(),
        EXIT,
    ]
    second = len(warm) + 2 + 1 + len(held) + 1
    cycles = run(ops, [list(range(second)), list(range(second, len(ops)))], slow).cycles[0, 1]
    took = cycles[-2] - cycles[-3]
    assert (took > 1000) == waits and took < (3000 if waits else 400)


def behind_copies(count: int, modifier: str) -> int:
    """Cycles that an LDS takes behind copies of a line each, of which three through the L1 or six past it have places."""
    few = one_sm(mio__copies_awaited=3, mio__place_share=0.5)
    far = [
        op(f"LDGSTS.E{modifier} [R4], desc[UR4][R2.64]", rows=[16 * LANES, BASE + 512 * i + 16 * (LANES % 8)])
        for i in range(count)
    ]
    return latency(*far, op("LDS R6, [R8]", write=1, rows=[4 * LANES]), use(1), config=few)


@pytest.mark.parametrize(("modifier", "places"), [(".128", 3), (".BYPASS.128", 6)])
def test_a_copy_that_finds_no_place_holds_up_what_is_behind_it(modifier, places):
    last, one_more = behind_copies(places, modifier), behind_copies(places + 1, modifier)
    assert last < behind_copies(places - 1, modifier) + 8
    assert one_more > last + CONFIG.l2.hit_latency_near_cycles
