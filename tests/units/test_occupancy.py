"""Blocks that fit on an SM, against the resident warps that an H200 had."""

from pathlib import Path

import pandas as pd
import pytest

from ssmsim.config.load import load
from ssmsim.engines.embedded.state.occupancy import occupancy
from ssmsim.launch import read_launch

ROOT = Path(__file__).parents[2]
CONFIG = load(ROOT / "simconfigs/h200.yaml")
MANY_WAVES = [
    (table.parent / row.launch, row["sm__warps_active.avg.pct_of_peak_sustained_active"])
    for table in sorted((ROOT / "traces/h200").glob("*/measured.csv"))
    for _, row in pd.read_csv(table).iterrows()
    if row.cache == "cold" and row["gpu__time_duration.sum"] > 100_000 and not row.kernel.startswith("empty")
]


@pytest.mark.parametrize(("folder", "measured"), MANY_WAVES, ids=lambda value: getattr(value, "name", None))
def test_residency_is_what_long_launches_show(folder: Path, measured: float) -> None:
    """Starts and ends keep the average below the limit, a wrong rule would miss by a whole block.

    Warps and cycles are counted in two passes, which differ by a part of a percent: layer_norm_bwd, one block for all of its
    time, has 50.11 of 50.
    """
    launch = read_launch(folder)
    blocks = min(occupancy(launch, CONFIG).blocks, -(-launch.blocks // CONFIG.sm_count))
    limit = 100 * blocks * launch.warps_per_block / 64
    one = 100 * launch.warps_per_block / 64
    assert limit - max(1.0, 0.2 * blocks) * one < measured <= 1.005 * limit


def test_two_warps_of_138_registers_fit_six_times() -> None:
    """Each sub-core's 16,384 registers hold three warps of 4,608: twelve warps, six blocks (ncu: 17.4 % of 64 warps)."""
    assert occupancy(read_launch(ROOT / "traces/h200/mamba2-2.7b/04-chunk_scan_fwd_kernel"), CONFIG).blocks == 6
