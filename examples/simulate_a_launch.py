"""Simulate one captured launch and print what Nsight Compute would have counted.

python examples/simulate_a_launch.py [LAUNCH] [CONFIG]
"""

import sys
from pathlib import Path

from ssmsim.counters import COUNTERS
from ssmsim.engines.run_launch import replay

ROOT = Path(__file__).parents[1]
LAUNCH = ROOT / "tests/data/captures/ssd-small/04-chunk_scan_fwd_kernel"
CONFIG = ROOT / "simconfigs/h200.yaml"
SHOWN = (
    "gpc__cycles_elapsed.max",  # from the kernel's start to its end
    "smsp__inst_executed.sum",  # warp instructions
    "smsp__issue_active.avg.pct_of_peak_sustained_active",  # cycles in which an issue slot is used
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "dram__bytes_read.sum",
)


def main(launch: Path = LAUNCH, config: Path = CONFIG) -> None:
    result = replay(launch, config, "embedded")
    print(f"{result.launch} on {result.config}, {result.cache} caches")
    for name in SHOWN:
        value = result.counters[name]
        print(f"{name:<55} {'–' if value is None else f'{value:,.1f}'.removesuffix('.0'):>12} {COUNTERS[name].unit}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
