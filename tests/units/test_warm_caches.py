"""Caches before the launch: the untimed pass by hand-worked cases, and what it changes in a run."""

from pathlib import Path

import numpy as np
import pytest
from small_gpu import ACTIVE, CAPTURES, simulate, small_gpu

from ssmsim.engines import open_engine
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.memory import address_map, tag_store
from ssmsim.engines.embedded.memory.l2 import slice_cache
from ssmsim.engines.embedded.sampling import functional_warming, warm_caches
from ssmsim.engines.embedded.sm import instruction
from ssmsim.engines.embedded.state import counts, machine, occupancy, parameters
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state.counts import COUNTS
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
FITS = CAPTURES / "ssd-ragged/24-reduce_kernel"


LOCAL_MEMORY = ROOT / "traces/h200/microbenchmarks/launches/l1/local_memory_throughput.both16.4.1"


class Tags:
    """An L2 alone: requests of one SM after another, and what they cost."""

    def __init__(self, **changes):
        config, given = small_gpu(**changes), read_launch(FITS)
        fits, nothing = occupancy.occupancy(given, config), r.records(instruction.CODE, 1)
        self.m = parameters.parameters(nothing, given, config, fits, 1)[0]
        self.gpu, self.counts = r.records(counts.RUN, 1)[0], r.records(COUNTS, 1)[0]
        self.tags, self.lines = (
            r.records(kind, config.l2.bytes // 128) for kind in (tag_store.TAG, slice_cache.L2_LINE)
        )

    def send(self, line, sectors=15, full=0, store=0, atomic=0, near=True):
        """(L2 sectors, hits, DRAM sectors read, written) of a request from the owning partition (near) or the other."""
        before = self.counts.copy()
        home = int(address_map.home_of(self.m, line)) * 2 // self.m.l2.slices
        side = home if near else 1 - home
        functional_warming.through_l2(
            self.m, self.gpu, self.counts, self.tags, self.lines, side, line, sectors, full, store, atomic, 32
        )
        return tuple(int(self.counts[n] - before[n]) for n in ("l2_sectors", "l2_hits", "dram_reads", "dram_writes"))


def test_a_line_misses_once():
    l2 = Tags()
    assert l2.send(1000) == (4, 0, 4, 0)
    assert l2.send(1000) == (4, 4, 0, 0)


def test_a_miss_brings_the_neighbour_sector():
    l2 = Tags(l2__fetch_bytes=64)
    assert l2.send(1000, sectors=1) == (1, 0, 2, 0)
    assert l2.send(1000, sectors=2) == (1, 1, 0, 0)
    assert l2.send(1000, sectors=4) == (1, 0, 2, 0)


def test_the_other_partition_asks_the_owner_once_and_keeps_a_copy():
    l2 = Tags()
    assert l2.send(1000, near=False) == (8, 0, 4, 0)
    assert l2.send(1000, near=False) == (4, 4, 0, 0)
    assert l2.send(1000, near=True) == (4, 4, 0, 0)


def test_a_store_makes_the_copy_stale():
    l2 = Tags()
    l2.send(1000, near=False)
    l2.send(1000, full=15, store=1)
    assert l2.send(1000, near=False) == (8, 4, 0, 0)


SMALL = 6 * 8 * 16 * 128  # bytes: 8 sets of 16 ways in each of 6 slices


def test_a_written_line_goes_to_dram_when_its_way_is_taken():
    l2 = Tags(l2__bytes=SMALL)
    l2.send(1000, full=15, store=1)
    line, written = 1001, 0
    while not written and line < 5_000:
        written = l2.send(line)[3]
        line += 1
    assert written == 4


@pytest.mark.parametrize(("share", "dirty"), [(0.47, 7.5), (0.5, 8), (1.0, 16)])
def test_only_a_share_of_the_lines_stays_dirty(share, dirty):
    """Of 16 ways, in half ways: sets take turns at 7 and 8. What is written stays or is in DRAM, nothing twice."""
    l2 = Tags(l2__bytes=SMALL, l2__dirty_fraction=share)
    lines, written = len(l2.lines), 0
    for line in range(2 * lines):
        written += l2.send(line, full=15, store=1)[3]
    assert np.count_nonzero(l2.lines.dirty) == lines * dirty / 16
    assert written == 4 * (2 * lines - np.count_nonzero(l2.lines.dirty))


def test_the_line_used_longest_ago_goes_first():
    l2 = Tags(l2__bytes=SMALL)
    l2.send(1000)
    for line in range(2000, 2000 + 3_000):
        l2.send(line)
        l2.send(1000)
    assert l2.send(1000)[2] == 0
    for line in range(2000, 2000 + 3_000):
        l2.send(line)
    assert l2.send(1000)[2] == 4


def test_what_fits_is_not_read_again():
    config = small_gpu(l2__bytes=60 << 20)
    cold, warm = simulate(FITS, config), simulate(FITS, config, warm=(FITS,))
    assert (cold.cache, warm.cache) == ("cold", "warm")
    assert cold.counters["dram__bytes_read.sum"] > 100_000
    assert warm.counters["dram__bytes_read.sum"] == 0
    assert (
        warm.counters["lts__t_sector_hit_rate.pct"] > 90
    )  # below 100: copies in the partition that does not own the line
    assert warm.counters[ACTIVE] < 0.95 * cold.counters[ACTIVE]
    assert warm.counters["smsp__inst_executed.sum"] == cold.counters["smsp__inst_executed.sum"]


def test_another_launch_leaves_what_it_touched():
    cold = simulate(FITS, small_gpu())
    warm = simulate(FITS, small_gpu(), warm=(CAPTURES / "ssd-ragged/23-chunk_scan_bwd_dc_kernel",))
    assert 0 < warm.counters["dram__bytes_read.sum"] < cold.counters["dram__bytes_read.sum"]


ANOTHER = CAPTURES / "ssd-ragged/06-bmm_chunk_fwd_kernel"  # of other data
MUCH = CAPTURES / "ssd-ragged/15-chunk_scan_chunk_state_bwd_dx_kernel"


def dram_read(config, *before):
    return simulate(FITS, config, warm=before).counters["dram__bytes_read.sum"]


def test_what_several_launches_left_is_found():
    roomy = small_gpu(l2__bytes=60 << 20)
    assert dram_read(roomy, ANOTHER) > 100_000
    assert dram_read(roomy, FITS, ANOTHER) == dram_read(roomy, ANOTHER, FITS) == 0


def test_the_last_launch_leaves_most():
    config = small_gpu(l2__bytes=60 << 16)  # room for either, not for both
    assert 2 * dram_read(config, MUCH, FITS) < dram_read(config, FITS, MUCH)


def test_launches_before_need_a_tracer_that_the_caller_chose():
    launch = read_launch(FITS)
    program = decode_launch(launch).program
    source = open_tracer("emulated").blocks(launch, program)
    with pytest.raises(SsmsimError, match="no tracer is given"):
        open_engine("embedded").simulate(Request(program, source, launch, small_gpu(), warm=(ANOTHER,)))


def test_what_a_launch_stored_in_pieces_is_there_whole():
    config, before = small_gpu(l2__bytes=60 << 20), read_launch(CAPTURES / "ssd-ragged/24-reduce_kernel")
    program = decode_launch(before).program
    state = machine.build(instructions.translate(program, config), before, config, before.blocks)
    warm_caches.pass_through(state, before, open_tracer("emulated"), config, before.blocks)
    assert not state.l2_lines.partial.any()
    assert (state.l2_lines.valid & state.l2_lines.dirty == state.l2_lines.dirty).all()


def test_the_last_blocks_of_the_oldest_leave_what_all_do(monkeypatch):
    config, much = small_gpu(l2__bytes=SMALL), read_launch(MUCH)
    assert 0 < warm_caches.last_blocks(much, config) < much.blocks
    few = dram_read(config, MUCH, ANOTHER)
    monkeypatch.setattr(warm_caches, "last_blocks", lambda oldest, config: oldest.blocks)
    assert few == pytest.approx(dram_read(config, MUCH, ANOTHER), rel=0.02)


@pytest.mark.parametrize(
    "launch", [CAPTURES / "ssd-ragged/25-chunk_scan_bwd_dcb_kernel", LOCAL_MEMORY], ids=["dcb", "local"]
)
def test_timed_and_untimed_passes_read_and_write_the_same(launch):
    config = small_gpu(l2__bytes=60 << 20)
    cold = simulate(launch, config)
    given = read_launch(launch)
    program = decode_launch(given).program
    state = machine.build(instructions.translate(program, config), given, config, given.blocks)
    counts = r.records(COUNTS, 1)
    passed = functional_warming.Functional(program, state.code, state.machine, state, counts)
    source = open_tracer("emulated").blocks(given, program)
    while (trace := source.next_blocks(64)) is not None:
        passed.run(trace, source.warps_per_block)
    passed.end()
    # not equal to the last sector: a sector asked for while its neighbour is fetched may be fetched with another piece
    assert 32 * int(counts[0].dram_reads) == pytest.approx(cold.counters["dram__bytes_read.sum"], rel=0.002)
    assert int(np.sum(passed.executed)) == cold.counters["smsp__inst_executed.sum"]
    # which SM, hence which partition, writes a line is a matter of time; of local memory, where its warp's lies
    assert int(counts[0].l2_write_sectors) == pytest.approx(cold.counters["lts__t_sectors_op_write.sum"], rel=0.02)


def test_a_folder_that_is_no_launch_is_named(tmp_path):
    with pytest.raises(SsmsimError, match=r"launch\.json"):
        simulate(FITS, small_gpu(), warm=(tmp_path,))


def test_every_wave_deals_out_the_same_places_anew():
    """Twelve slots on four SMs: each wave has three blocks per SM, and a slot's blocks run on more than one."""
    slots = r.records(functional_warming.SLOT, 12)
    slots.later = np.arange(12) % 4
    waves = [[int(functional_warming.dealt(slots, 12, 12 * wave + i)) for i in range(12)] for wave in range(1, 9)]
    assert all(sorted(wave) == sorted(slots.later) for wave in waves)
    assert all(len({wave[i] for wave in waves}) > 1 for i in range(12))
