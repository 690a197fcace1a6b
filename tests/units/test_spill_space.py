"""shared.spill_space: how much of a thread's local memory lies in shared memory, and what its accesses take there."""

import dataclasses

import numpy as np
import pytest
from small_gpu import ACTIVE, BENCHMARKS, ROOT, simulate, whole_gpu

from ssmsim.config.load import load
from ssmsim.engines.embedded.feed import coalesce
from ssmsim.engines.embedded.sm import instruction as kinds
from ssmsim.engines.embedded.state import records as r
from ssmsim.engines.embedded.state import spill_space
from ssmsim.engines.embedded.state.occupancy import occupancy
from ssmsim.engines.embedded.state.spill_space import spill_bytes
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.study import silicon
from ssmsim.trace.types import INSTRUCTION

MAMBA = ROOT / "traces/h100/mamba2-2.7b"
SPILLS = load(ROOT / "simconfigs/spill_space.yaml")
BOTH = BENCHMARKS / "l1/local_memory_throughput.both16.4.1"
SECTORS, WAVEFRONTS = "lts__t_sectors.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"


def limited(name, registers, folder):
    """A launch compiled for so many registers a thread."""
    row = {"change": "maxnreg", "value": str(registers)}
    return read_launch(silicon.variants(read_launch(MAMBA / name), [row], folder / "variants", SPILLS)[0])


@pytest.mark.parametrize(("name", "registers", "blocks", "local", "spilled"), [
    ("33-chunk_scan_bwd_ddAcs_stable_kernel", 80, 6, 24, 32),  # six blocks leave 24 KB: all of it, in pieces of 16 bytes
    ("33-chunk_scan_bwd_ddAcs_stable_kernel", 64, 7, 80, 16),  # a seventh leaves 15 KB, 17 bytes a thread
    ("25-chunk_scan_bwd_dcb_kernel", 64, 6, 40, 0),  # and here nothing: all of it stays local
    ("10-state_passing_bwd_kernel", 32, 16, 48, 32),
])  # fmt: skip
def test_what_fits_beside_all_resident_blocks_lies_there(name, registers, blocks, local, spilled, tmp_path):
    launch = limited(name, registers, tmp_path)
    assert decode_launch(launch).kernel.local_bytes == local
    found, plain = occupancy(launch, SPILLS), occupancy(launch, load(ROOT / "simconfigs/h100.yaml"))
    assert (found.blocks, found.spill_bytes) == (blocks, spilled)
    assert found.blocks == plain.blocks and plain.spill_bytes == 0, "occupancy is not lowered"
    threads = 32 * launch.warps_per_block
    assert blocks * (launch.shared_memory_bytes + 1024 + spilled * threads) <= found.carveout_bytes
    assert found.carveout_bytes >= plain.carveout_bytes and found.l1_bytes <= plain.l1_bytes


def test_early_blocks_have_room_for_theirs(tmp_path):
    launch = limited("33-chunk_scan_bwd_ddAcs_stable_kernel", 80, tmp_path)
    assert [spill_bytes(launch, SPILLS, blocks) for blocks in (6, 7)] == [32, 16]


def test_a_kernel_without_local_memory_is_as_ever():
    launch = read_launch(MAMBA / "33-chunk_scan_bwd_ddAcs_stable_kernel")
    assert occupancy(launch, SPILLS) == occupancy(launch, load(ROOT / "simconfigs/h100.yaml"))


def test_a_stack_without_a_size_is_refused(monkeypatch):
    launch = read_launch(MAMBA / "27-bmm_chunk_bwd_kernel")
    code = decode_launch(launch)
    recursive = dataclasses.replace(code, kernel=dataclasses.replace(code.kernel, grows_stack=True))
    monkeypatch.setattr(spill_space, "decode_launch", lambda _: recursive)
    with pytest.raises(SsmsimError, match="have a stack of their own") as refused:
        occupancy(launch, SPILLS)
    assert "STL" in str(refused.value), "the first instruction that would need it"


def access(width: int, offsets: np.ndarray, spilled: int):
    """(lines, wavefronts) of a local access of all lanes at these offsets."""
    ins, one = np.zeros(1, INSTRUCTION).view(np.recarray)[0], r.records(kinds.CODE, 1)[0]
    ins.width, one.space, one.spill_bytes = width, kinds.LOCAL, spilled
    found, lines = r.records(coalesce.ACCESS, 1)[0], np.zeros(256, np.int64)
    coalesce.one_access(ins, one, 0xFFFFFFFF, offsets.reshape(1, 32), 0, 1, found, lines, 0,
                        np.zeros(len(coalesce.SUMS), np.int64), coalesce.bank_words())  # fmt: skip
    return int(found.lines), int(found.wavefronts)


@pytest.mark.parametrize("width", [4, 8, 16])
def test_a_wavefront_a_register_whatever_the_offsets(width):
    """Word w of lane l lies in bank l: no conflict, also where lanes index on their own."""
    for offsets in (np.zeros(32, np.int64), width * np.arange(32)):
        assert access(width, offsets, 1024) == (0, width // 4)


def test_what_lies_beyond_stays_local():
    assert access(4, np.full(32, 16), 16)[0] == 1
    assert access(4, np.full(32, 12), 16) == (0, 1)
    assert access(4, 4 * np.arange(32), 64) == (16, 1), "sixteen lanes on each side"


def test_spills_pass_shared_memory_at_its_rate_and_not_the_l2():
    """16 words stored and loaded a round by four warps: 32 bytes per cycle to the L2 before, a wavefront each then."""
    local = simulate(BOTH, whole_gpu())
    spilled = simulate(BOTH, whole_gpu(shared__spill_space=True))
    accesses = int(spilled.counters[WAVEFRONTS] or 0) - int(local.counters[WAVEFRONTS] or 0)
    assert accesses % 4 == 0 and accesses >= 2 * 16 * 4, "as many of each warp"
    assert spilled.counters["smsp__inst_executed.sum"] == local.counters["smsp__inst_executed.sum"]
    assert spilled.counters[SECTORS] < local.counters[SECTORS] / 10
    assert accesses <= spilled.counters[ACTIVE] < local.counters[ACTIVE] / 1.3
