"""The sums behind the microbenchmarks sm_memory/store_in_flight_capacity and l2/cold_stream_traffic, and their launches on a GPU that is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.microbenchmarks.programs.l2 import cold_stream_traffic as cold
from ssmsim.microbenchmarks.programs.sm_memory import store_in_flight_capacity as stores


@given(st.integers(0, 5000), st.integers(1, 8), st.integers(1, 20))
def test_the_bytes_of_a_stream_are_those_of_its_loop(size, depth, threads):
    step, moved = 16 * threads, 0
    for thread in range(threads):
        at = 16 * thread
        while at + (depth - 1) * step < size:
            at, moved = at + depth * step, moved + 16 * depth
    assert cold.stream_bytes(size, depth, threads) == moved


def test_times_are_summed_up_over_warps_and_on_one_sm():
    times = np.array([(100, 150, 400, 0), (110, 180, 390, 0), (9000, 9010, 9020, 7), (0, 0, 0, 0)], stores.TIMES)
    assert stores.summary(times) == {
        "issue_mean": pytest.approx(130 / 3), "issue_max": 70, "end_mean": pytest.approx(470 / 3), "end_max": 250, "total": 300,
    }  # fmt: skip


class Device:
    """A session and its GPU: a try is 100 cycles slower than the one before."""

    sms = 132

    def __init__(self):
        self.gpu, self.next, self.launches = self, 1 << 30, []

    def buffer(self, size):
        self.next += size
        return self.next - size

    def zero(self, address, size): ...

    def synchronize(self): ...

    def launch(self, kernel, grid, block, *arguments):
        self.launches.append((kernel, grid, block, *arguments))

    def download(self, address, count, dtype):
        slow = 100 * ((len(self.launches) - 1) % stores.TRIES)
        return np.array([(1, 11, 111 + slow, 5)] * count, dtype)


def test_of_the_tries_of_a_case_the_fastest_counts_and_each_has_lines_of_its_own():
    device = Device()
    found = stores.on_their_way(device)
    assert len(found) == 2 * 2 * 2 * 4 * 4 and {case["total"] for case in found.values()} == {110}
    assert found["st1_load.all.32.64"] == {
        "issue_mean": 10,
        "issue_max": 10,
        "end_mean": 100,
        "end_max": 100,
        "total": 110,
    }
    places = [512 * int(launch[7]) % stores.REGION for launch in device.launches[: stores.TRIES]]
    assert len(set(places)) == stores.TRIES


def test_every_counted_launch_has_its_bytes():
    device = Device()
    labels, moved = list(cold.counted(device)), cold.moved(device)
    assert labels == list(moved) and len(labels) == len(device.launches)
    for label, (kernel, *_, size) in zip(labels, device.launches, strict=True):
        reads, writes, _ = (int(part) for part in label.split(".")[0].split("_"))
        assert kernel == f"stream_{label.split('.')[0]}" and 0 < sum(moved[label].values()) <= (reads + writes) * (
            int(size) * 2
        )
    assert moved["1_1_4.20MB"] == {"read": 4 * 16 * 264 * 1024, "written": 4 * 16 * 264 * 1024}
    assert "1_1_4.12MB" not in labels
    assert {f"stream_{label.split('.')[0]}" for label in labels} >= set(cold.KEPT)
