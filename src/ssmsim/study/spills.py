"""Spilling kernels with their local memory where it is today and in shared memory (shared.spill_space), a line per run.

    python -m ssmsim.study.spills analysis/spills.csv

Kernels are those of WORKLOAD/maxnreg: the same PTX compiled for fewer registers, on the whole GPU, sampled, caches cold.
Draws as a study's (docs/reference/pipeline.md). Lines that this engine has made are kept.
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.embedded.sources import digest
from ssmsim.engines.request import Request
from ssmsim.errors import told
from ssmsim.files import whole_file
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.study import silicon
from ssmsim.tracers import open_tracer

COLUMNS = ("launch", "registers", "config", "draw", "cycles", "l2_sectors", "digest")
TRACES, CONFIGS, DRAWS = "traces/h100/mamba2-2.7b", ("h100", "spill_space"), 2
COMPILED = {"33-chunk_scan_bwd_ddAcs_stable_kernel": (80, 64)}


def run(launch: Launch, config: Path, draw: int) -> tuple[int, int]:
    """Cycles, and sectors that the L2 was asked for."""
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    blocks = tracer.blocks(launch, program)
    request = Request(program, blocks, launch, load(config), tracer, sample=True, seed=draw)
    counters = open_engine("embedded").simulate(request).counters
    return int(counters[silicon.CYCLES] or 0), int(counters["lts__t_sectors.sum"] or 0)


def fill(file: Path, root: Path) -> None:
    """Make the lines that are missing or another engine's; the file is written after each."""
    known = pd.read_csv(file).to_dict("records") if file.is_file() else []
    kept = {tuple(row[name] for name in COLUMNS[:4]): row for row in known if row["digest"] == digest()}
    rows = []
    for name, limits in COMPILED.items():
        with tempfile.TemporaryDirectory() as folder:
            lines = [{"change": "maxnreg", "value": str(limit)} for limit in limits]
            launch, base = read_launch(root / TRACES / name), load(root / "simconfigs/h100.yaml")
            places = silicon.variants(launch, lines, Path(folder) / "variants", base)
            for limit, place in zip(limits, places, strict=True):
                for config in CONFIGS:
                    for draw in range(DRAWS):
                        key = (name, limit, config, draw)
                        if key not in kept:
                            cycles, sectors = run(read_launch(place), root / f"simconfigs/{config}.yaml", draw)
                            kept[key] = dict(zip(COLUMNS, (*key, cycles, sectors, digest()), strict=True))
                            print(*key, f"{cycles:,} cycles", flush=True)
                        rows.append(kept[key])
                        with whole_file(file) as temporary:
                            pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(temporary, index=False)


if __name__ == "__main__":
    sys.exit(told(lambda: fill(Path(sys.argv[1]), Path(__file__).parents[3])))
