"""A GPU of your own: the L2 and DRAM a third nearer, beside the baseline.

    python examples/own_configuration.py

A configuration says only what differs from its base, and lies beside it. In the repository you would write
simconfigs/mine.yaml; here the folder is copied, so that nothing in it changes.
"""

import shutil
import tempfile
from pathlib import Path

from ssmsim.engines.run_launch import replay

ROOT = Path(__file__).parents[1]
LAUNCH = ROOT / "tests/data/captures/ssd-small/04-chunk_scan_fwd_kernel"
MINE = """\
base: h200
l2: {hit_latency_near_cycles: 190, hit_latency_far_cycles: 310}
dram: {latency_near_cycles: 370, latency_far_cycles: 490}
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "simconfigs"
        shutil.copytree(ROOT / "simconfigs", folder)
        (folder / "mine.yaml").write_text(MINE)
        cycles = {}
        for name in ("h200", "mine"):
            result = replay(LAUNCH, folder / f"{name}.yaml", "embedded")
            cycles[name] = result.counters["gpc__cycles_elapsed.max"] or 0.0
            print(f"{name:<6} {cycles[name]:>8,.0f} cycles")
    print(f"speed-up {cycles['h200'] / cycles['mine']:.3f}")


if __name__ == "__main__":
    main()
