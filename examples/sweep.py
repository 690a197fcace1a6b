"""A sweep with a plot: cycles of a kernel over the latency of L2 and DRAM, and over the bandwidth of L2 slices.

python examples/sweep.py [OUT.png]
"""

import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib
import yaml

from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.run_launch import replay

matplotlib.use("Agg")
from matplotlib import pyplot

ROOT = Path(__file__).parents[1]
LAUNCH = ROOT / "tests/data/captures/ssd-small/03-bmm_chunk_fwd_kernel"
FACTORS = (0.5, 1, 2)
LATENCY = (
    "l2.hit_latency_near_cycles",
    "l2.hit_latency_far_cycles",
    "dram.latency_near_cycles",
    "dram.latency_far_cycles",
)
BANDWIDTH = ("l2.slice_bytes_per_cycle", "l2.slice_write_bytes_per_cycle", "l2.slice_fill_bytes_per_cycle")
AXES = {"latency of L2 and DRAM": LATENCY, "bandwidth of L2 slices": BANDWIDTH}


def modification(base: SimConfig, fields: tuple[str, ...], factor: float) -> str:
    """The text of a configuration that scales some fields of the baseline."""
    groups: dict[str, dict[str, float]] = {}
    for field in fields:
        group, name = field.split(".")
        value = getattr(getattr(base, group), name)
        groups.setdefault(group, {})[name] = type(value)(value * factor)
    return yaml.safe_dump({"base": "h200"} | groups)


def main(out: Path) -> None:
    base = load(ROOT / "simconfigs/h200.yaml")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "simconfigs"
        shutil.copytree(ROOT / "simconfigs", folder)
        file = folder / "point.yaml"
        figure, panel = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
        for name, fields in AXES.items():
            cycles = []
            for factor in FACTORS:
                file.write_text(modification(base, fields, factor))
                cycles.append(replay(LAUNCH, file, "embedded").counters["gpc__cycles_elapsed.max"] or 0.0)
                print(f"{name} x {factor:<4g} {cycles[-1]:>8,.0f} cycles")
            panel.plot(FACTORS, cycles, marker="o", label=name)
        panel.set(xlabel="factor on the baseline", ylabel="cycles", xscale="log", xticks=FACTORS, xticklabels=FACTORS)
        panel.set_title(LAUNCH.name, fontsize=9)
        panel.legend(fontsize=8)
        out.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(out, dpi=150)
        pyplot.close(figure)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results/examples/sweep.png")
