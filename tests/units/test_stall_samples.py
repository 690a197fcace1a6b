"""Warp samples of ncu's report: places from the kernel's start, reasons by the sampler's names, tied to the captured launches."""

import csv
import io
import lzma
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ssmsim.capture import ncu, stall_samples
from ssmsim.capture.measure import captured
from ssmsim.errors import SsmsimError

SMALL = Path(__file__).parents[1] / "data" / "captures" / "mamba1-small"


class Values:
    """What ncu's module has of a metric by instruction."""

    def __init__(self, pairs: list[tuple[int, int]]) -> None:
        self.pairs = pairs

    def correlation_ids(self) -> "Values":
        return Values([(address, address) for address, _ in self.pairs])

    def num_instances(self) -> int:
        return len(self.pairs)

    def as_uint64(self, i: int) -> int:
        return self.pairs[i][1]


class Action:
    """A profiled kernel that begins at 0x7000."""

    metrics: ClassVar[dict[str, list[tuple[int, int]]]] = {
        "inst_executed": [(0x7000, 4), (0x7010, 4), (0x7020, 4)],
        "smsp__pcsamp_warps_issue_stalled_wait": [(0x7010, 3), (0x7020, 0)],
        "smsp__pcsamp_warps_issue_stalled_wait_not_issued": [(0x7010, 2)],
        "smsp__pcsamp_warps_issue_stalled_selected": [(0x7020, 5)],
        "smsp__pcsamp_sample_buffer_full": [(0x7000, 1)],
    }

    def metric_names(self) -> list[str]:
        return list(self.metrics)

    def metric_by_name(self, name: str) -> Values:
        return Values(self.metrics[name])


def test_places_count_from_the_kernels_first_instruction() -> None:
    assert sorted(stall_samples._samples(Action())) == [(0x10, "wait", 3), (0x20, "selected", 5)]


def kernels(samples: list[tuple[int, str, int]]) -> list[dict[str, Any]]:
    launches = captured(SMALL).values()
    return [{"kernel": one.kernel, "grid": one.grid, "block": one.block, "samples": samples} for one in launches]


def test_samples_go_to_the_launches_of_the_capture(tmp_path: Path) -> None:
    launches = captured(SMALL)
    rows = stall_samples.of_launches(kernels([(0x100, "wait", 2), (0x20, "wait", 1)]), launches)
    stall_samples.write(tmp_path / "samples.csv.xz", rows)
    table = list(csv.DictReader(io.StringIO(lzma.decompress((tmp_path / "samples.csv.xz").read_bytes()).decode())))
    assert [row["launch"] for row in table] == [name for name in launches for _ in range(2)]
    assert [(row["pc"], row["samples"]) for row in table[:2]] == [("0x20", "1"), ("0x100", "2")]


def test_a_run_of_other_kernels_is_refused() -> None:
    other = kernels([])
    other[0]["grid"] = (1, 1, 7)
    with pytest.raises(SsmsimError, match="has grid"):
        stall_samples.of_launches(other, captured(SMALL))


def test_the_sampler_looks_every_2048_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ncu, "find", lambda: Path("ncu"))
    line = stall_samples.command(Path("r.ncu-rep"), ["python"])
    assert 1 << 5 + int(line[line.index("--warp-sampling-interval") + 1]) == stall_samples.INTERVAL == 2048


def test_no_ncu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ncu.shutil, "which", lambda name: None)
    monkeypatch.setattr(ncu, "INSTALLED", ())
    with pytest.raises(SsmsimError, match="no ncu found"):
        ncu.find()
