"""The sums behind the microbenchmark dram/read_latency_under_load, and its launches on a GPU that is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.microbenchmarks.programs.dram import read_latency_under_load as program

WAITS = st.lists(st.integers(-500, 5000), min_size=1, max_size=60).map(np.array)
EDGES = range(program.LOWEST + program.BIN, program.HIGHEST + 1, program.BIN)


@given(WAITS)
def test_a_histogram_keeps_every_wait_and_says_how_many_are_longer(waits):
    counts = program.histogram(waits)
    assert counts.sum() == len(waits) and len(counts) == len(EDGES) + 1
    for i, edge in enumerate(EDGES):
        assert counts[i + 1 :].sum() == (waits >= edge).sum()
        assert program.beyond(counts, np.array([edge]))[0] == pytest.approx((waits >= edge).mean())


@given(WAITS, st.floats(program.LOWEST, program.HIGHEST))
def test_the_share_beyond_a_limit_lies_between_those_of_the_borders_around_it(waits, limit):
    counts, below = program.histogram(waits), program.LOWEST + (limit - program.LOWEST) // program.BIN * program.BIN
    low, share, high = program.beyond(counts, np.array([below, limit, min(below + program.BIN, program.HIGHEST)]))
    assert low >= share - 1e-9 and share >= high - 1e-9


def test_every_read_waits_longer_than_what_is_below_the_histogram():
    assert program.beyond(program.histogram(np.array([30, 2000])), np.array([-5000]))[0] == 1


@given(st.floats(1, 2000), st.integers(1, 66), st.integers(0, 2000))
def test_a_pace_gives_the_rate_or_what_warps_without_a_pause_can_do(rate, blocks, own):
    pause = program.pace(rate, blocks, own)
    assert pause >= 0
    if pause:
        assert blocks * program.WARPS * program.PIECE / (pause + own) == pytest.approx(rate, rel=0.51 / (pause + own))
    else:
        assert blocks * program.WARPS * program.PIECE / (own + 0.5) <= rate


def test_halves_of_l2_are_told_apart_beside_a_few_strays():
    near, strays = np.random.default_rng(1).integers(580, 610, 400), np.array([500] * 20 + [1200] * 20)
    side = program.far(np.concatenate([near, near + 180, strays]))
    assert not side[:400].any() and side[400:800].all()


class Device:
    """A session and its GPU: lone reads take 100 cycles more beside others, far pages 180 more than near ones."""

    sms = 132

    def __init__(self):
        self.gpu, self.next, self.uploaded, self.kernels = self, 1 << 30, {}, []

    def buffer(self, size):
        self.next += size
        return self.next - size

    def facts(self):
        return {"clock_khz": 2_000_000}

    def upload(self, address, data):
        self.uploaded[address] = data

    def zero(self, address, size): ...

    def sweep(self): ...

    def synchronize(self): ...

    def launch(self, kernel, grid, block, *arguments):
        self.kernels.append((kernel, arguments))

    def download(self, address, count, dtype):
        kernel, arguments = self.kernels[-1]
        if kernel == "mixed" and count == 5:
            return np.array([2 * program.STOP // program.PIECE, program.STOP // program.PIECE, 5000, 20_000, 10_000])
        lines = self.uploaded[int(arguments[2])][:count]
        busy = kernel == "mixed" and any(crew["warps"][0] for crew in arguments[4:6])
        return (600 + lines // 32 % 3 // 2 * 180 + 100 * busy).astype(dtype)


def test_a_cell_says_rates_and_waits_by_side():
    device = Device()
    bench = program.Bench(device)
    idle, cell = bench.cell(0, 0), bench.cell(300, 0)
    assert cell["gb_per_s"] == pytest.approx([4, 2], rel=1e-4) and cell["bytes_per_cycle"] == pytest.approx(
        [2, 1], rel=1e-4
    )
    assert (idle["mean"], cell["mean"], cell["far"]["mean"]) == (0, 100, 100)
    assert cell["reads"] == sum(cell["histogram"]) == 5000 and 1500 < cell["far"]["reads"] < 1800
    readers, writers = next(arguments for kernel, arguments in device.kernels[::-1] if kernel == "mixed")[4:6]
    assert readers["warps"] == program.WARPS and writers["warps"] == 0 and readers.nbytes == 24


def test_the_grid_has_an_idle_cell_before_and_after():
    found = program.rates(Device())
    assert [name for name in found if name.startswith("idle")] == ["idle_before", "idle_after"]
    assert len(found) == len(program.READ) * len(program.WRITTEN) + 1 and found["30.900"]["asked_gb_per_s"] == [30, 900]


def test_pages_of_a_partition_are_its_own():
    device = Device()
    found = program.partitions(device)
    assert set(found) == {"far_pages", *program.PARTITIONS} and found["far_pages"] == pytest.approx(
        [1 / 3] * 2, abs=0.01
    )
    crews = [arguments[4:6] for kernel, arguments in device.kernels if kernel == "mixed"]
    assert [len(crew) for crew in crews] == [2] * len(program.PARTITIONS)
    read, written = (device.uploaded[int(crew["pages"][0])] for crew in crews[-1])  # fn
    assert (read % 3 == 2).all() and (written % 3 != 2).all() and len(read) == len(written) == program.CHOSEN
    assert read.min() >= program.REGION and written.min() >= 2 * program.REGION
