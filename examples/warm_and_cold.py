"""Warm against cold: a launch with empty caches, and with the L2 as the launches before it left it.

python examples/warm_and_cold.py
"""

from pathlib import Path

from ssmsim.engines.run_launch import replay

ROOT = Path(__file__).parents[1]
STEP = ROOT / "tests/data/captures/ssd-small"
LAUNCH = STEP / "03-bmm_chunk_fwd_kernel"
BEFORE = tuple(STEP / name for name in ("01-chunk_state_fwd_kernel", "02-state_passing_fwd_kernel"))
CONFIG = ROOT / "simconfigs/h200.yaml"
COUNTERS = {
    "gpc__cycles_elapsed.max": "cycles",
    "lts__t_sector_hit_rate.pct": "% L2 hit",
    "dram__bytes_read.sum": "bytes read",
}


def main() -> None:
    for name, before in (("cold", ()), ("warm", BEFORE)):
        result = replay(LAUNCH, CONFIG, "embedded", warm=before)
        print(name, *(f"{result.counters[counter] or 0:>10,.0f} {unit}" for counter, unit in COUNTERS.items()))


if __name__ == "__main__":
    main()
