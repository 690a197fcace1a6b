"""The arithmetic of energy by a counter, with a counter and a clock that are not real."""

from pathlib import Path

import pytest

from ssmsim.capture import device
from ssmsim.capture.energy import COLUMNS, Row, Window, batch_of, measure_energy, measure_launches, window, write_energy
from ssmsim.errors import SsmsimError

SMALL = Path(__file__).parents[1] / "data/captures/mamba1-small"


class Bench:
    """A GPU that takes `watts` while it works, with a counter that is updated every `update` seconds."""

    def __init__(self, watts: float = 500.0, update: float = 0.1, run_seconds: float = 50e-6) -> None:
        self.watts, self.update, self.run_seconds = watts, update, run_seconds
        self.now, self.joules, self.shown, self.updated, self.runs = 0.0, 0.0, 1_000_000, 0.0, 0

    def clock(self) -> float:
        return self.now

    def work(self, runs: int) -> None:
        self.runs += runs
        self.now += runs * self.run_seconds
        self.joules += runs * self.run_seconds * self.watts
        if self.now - self.updated >= self.update:
            self.updated, self.shown = self.now, 1_000_000 + int(self.joules * 1e3)

    def millijoules(self) -> int:
        return self.shown


@pytest.mark.parametrize("update", [0.02, 0.1, 0.3])
def test_a_window_counts_launches_between_updates(update: float) -> None:
    bench = Bench(update=update)
    found = window(bench, bench.work, 100, 3.0, bench.clock)
    assert found.joules == pytest.approx(500 * 50e-6, rel=1e-3)
    assert found.watts == pytest.approx(500, rel=1e-3)
    assert found.seconds >= 3.0 and found.runs < bench.runs  # what ran before the first update does not count


def test_a_batch_is_long_beside_a_look_at_the_counter() -> None:
    bench = Bench(run_seconds=1e-5)
    assert batch_of(bench.work, bench.clock) in (9_999, 10_000)
    slow = Bench(run_seconds=0.2)
    assert batch_of(slow.work, slow.clock) == 1


def test_a_counter_that_stands_still_or_falls_is_refused() -> None:
    still = Bench(update=1e9)
    with pytest.raises(SsmsimError, match="stood still for 5 s"):
        window(still, still.work, 100, 3.0, still.clock)
    falling = Bench()

    def work(runs: int) -> None:
        falling.work(runs)
        falling.shown -= 5

    with pytest.raises(SsmsimError, match="the energy counter fell"):
        window(falling, work, 100, 3.0, falling.clock)


def test_rows_of_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    monkeypatch.setattr(
        "ssmsim.capture.energy.time.sleep", lambda seconds: bench.work(int(seconds / bench.run_seconds))
    )
    monkeypatch.setattr("ssmsim.capture.energy.window.__defaults__", (3.0, bench.clock))
    monkeypatch.setattr("ssmsim.capture.energy.batch_of.__defaults__", (bench.clock,))
    rows = measure_launches(bench, {"00-a": ("a", bench.work), "01-b": ("b", bench.work)})
    assert [(row.launch, row.kernel, len(row.windows)) for row in rows] == [("00-a", "a", 5), ("01-b", "b", 5)]
    assert rows[0].idle_watts == pytest.approx(500, rel=1e-2)


def test_the_table(tmp_path: Path) -> None:
    write_energy(
        tmp_path / "energy.csv", [Row("00-a", "a", [Window(1_000_000, 2.0, 4000), Window(1_100_000, 2.2, 4000)], 120.0)]
    )
    head, line = (tmp_path / "energy.csv").read_text().splitlines()
    assert head == ",".join(COLUMNS)
    assert line == "00-a,a,2,4000,525,0.0909,0.2625,0.0909,500,120"


def test_without_a_gpu_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise SsmsimError("no GPU: no NVIDIA driver (libcuda.so.1)", "", "run this on a machine with an NVIDIA GPU")

    monkeypatch.setattr(device, "require", none)
    with pytest.raises(SsmsimError, match="no GPU"):
        measure_energy(SMALL, tmp_path)
    with pytest.raises(SsmsimError, match="no captured launches"):
        measure_energy(tmp_path, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.gpu
def test_energy_of_a_small_capture_on_a_gpu(tmp_path: Path) -> None:
    """Between idle and the most that a Hopper board may take."""
    measure_energy(SMALL, tmp_path)
    rows = [line.split(",") for line in (tmp_path / "energy.csv").read_text().splitlines()[1:]]
    assert rows
    for row in rows:
        joules, watts, idle = float(row[6]), float(row[8]), float(row[9])
        assert joules > 0 and 30 < idle < 300 and idle * 0.9 < watts < 1000
