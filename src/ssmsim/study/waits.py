"""`python -m ssmsim.study.waits OUT.csv`: where warps wait, by ncu's warp sampler and by the model's, a line per launch.

For the launches whose samples were kept (`stall_samples.csv.xz` of a workload), at the clock of their measurement, sampled.
`--table` prints OUT.csv as Markdown. An overlap is the part of two distributions that they have in common, the sum of the
smaller of each pair of shares: over the lines of eight instructions that warps wait at and over the reasons. So few samples
differ by chance: `chance` is the overlap of as many drawn from the
model's own shares, in the mean.
"""

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from os import cpu_count
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.embedded import digest
from ssmsim.errors import told
from ssmsim.files import whole_file
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.study.batch import at_clock
from ssmsim.trace.types import Program
from ssmsim.tracers import open_tracer

ROOT = Path(__file__).parents[3]
LINE = 128  # bytes of code
CLOCK = "sm__cycles_elapsed.avg.per_second"
NAMED = {"no_instructions": "no_instruction", "warpgroup_arrive": "gmma"}  # by the sampler: by the counters


def overlap(one: pd.Series, other: pd.Series) -> float:
    """What two distributions over an index have in common, 0 to 1."""
    both = pd.concat([one / one.sum(), other / other.sum()], axis=1).fillna(0.0)
    return float(both.min(axis=1).sum())


def by_chance(shares: pd.Series, samples: int) -> float:
    """Overlap of a distribution with `samples` drawn from it, in the mean (normal approximation of each count)."""
    p = (shares / shares.sum()).to_numpy()
    return float(1 - np.sqrt(p * (1 - p) / (2 * np.pi * samples)).sum())


def kept(root: Path) -> Iterator[tuple[str, str]]:
    """Workloads and launches with samples."""
    for file in sorted((root / "traces/h200").glob("*/stall_samples.csv.xz")):
        for launch in pd.read_csv(file)["launch"].unique():
            yield file.parent.name, str(launch)


def compare(root: Path, workload: str, name: str) -> dict[str, object]:
    """One line of the table."""
    folder = root / "traces/h200" / workload
    measured = pd.read_csv(folder / "measured.csv").query("cache == 'cold' and launch == @name").to_dict("records")[0]
    launch = read_launch(folder / name)
    config = at_clock(load(root / "simconfigs/h200.yaml"), round(float(measured[CLOCK]) / 1e6))
    program, engine = decode_launch(launch).program, cast(Any, open_engine("embedded"))
    with tempfile.TemporaryDirectory() as folder_:
        file = Path(folder_) / "samples.csv"
        source = open_tracer("emulated").blocks(launch, program)
        engine.simulate(program, source, launch, config, sample=True, samples=file)
        model = as_noted(pd.read_csv(file), program)
    gpu = pd.read_csv(folder / "stall_samples.csv.xz").query("launch == @name").replace({"reason": NAMED})
    lines, reasons = zip(*(parts(samples) for samples in (gpu, model)), strict=True)
    taken = int(gpu["samples"].sum())
    return {"workload": workload, "launch": name, "samples": taken, "lines": overlap(*lines), "lines_chance": by_chance(lines[1], taken),
            "reasons": overlap(*reasons), "reasons_chance": by_chance(reasons[1], taken), "digest": digest()}  # fmt: skip


def as_noted(samples: pd.DataFrame, program: Program) -> pd.DataFrame:
    """With the waits that the GPU's sampler notes at the instruction behind where it does: those at the end, and at DEPBAR."""
    opcodes = pd.Series([program.opcodes[row["opcode"]] for row in program.instructions], program.instructions["pc"])
    late = samples["pc"].map(lambda pc: opcodes[int(pc, 16)].startswith("DEPBAR")) & (
        samples["reason"] == "long_scoreboard"
    )
    moved = samples["pc"].map(lambda pc: f"{int(pc, 16) + 16:#x}")
    return samples.assign(pc=samples["pc"].where(~(late | (samples["reason"] == "drain")), moved))


def parts(samples: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Samples by line of code, and by reason."""
    line = samples["pc"].map(lambda pc: int(pc, 16) // LINE)
    return samples.groupby(line)["samples"].sum(), samples.groupby("reason")["samples"].sum()


def table(rows: pd.DataFrame) -> str:
    """Markdown, and the means over all samples."""
    lines = ["| launch | samples | at the same eight instructions | by chance at most | for the same reason | by chance at most |",
             "| --- " * 6 + "|"]  # fmt: skip
    for row in rows.itertuples():
        shares = (row.lines, row.lines_chance, row.reasons, row.reasons_chance)
        cells = (
            f"{row.workload}/{row.launch}",
            f"{row.samples:,}",
            *(f"{100 * cast(float, share):.0f} %" for share in shares),
        )
        lines.append(f"| {' | '.join(cells)} |")
    weights = rows["samples"]
    means = [100 * float((rows[name] * weights).sum() / weights.sum()) for name in ("lines", "reasons")]
    said = (f"Of {weights.sum():,} samples of {len(rows)} launches {means[0]:.0f} % are at the eight instructions where the model has them, "
            f"{means[1]:.0f} % wait for what it says.")  # fmt: skip
    return "\n".join([said, "", *lines])


def fill(out: Path, root: Path) -> None:
    """Make the lines that `out` lacks, or that other sources of the engine made; the file is written after each."""
    old = pd.read_csv(out).to_dict("records") if out.exists() else []
    rows = {(str(row["workload"]), str(row["launch"])): row for row in old if row["digest"] == digest()}
    with ProcessPoolExecutor(cpu_count()) as pool:
        jobs = [pool.submit(compare, root, *one) for one in kept(root) if one not in rows]
        for job in as_completed(jobs):
            row: dict[Any, Any] = dict(job.result())
            rows[row["workload"], row["launch"]] = row
            with whole_file(out) as temporary:
                pd.DataFrame([rows[one] for one in sorted(rows)]).to_csv(temporary, index=False, float_format="%.4f")


def main() -> None:
    path = Path(sys.argv[-1])
    if len(sys.argv) < 2 or path.name.startswith("-"):
        sys.exit("usage: python -m ssmsim.study.waits [--table] FILE.csv")
    if "--table" in sys.argv:
        if not path.is_file():
            sys.exit(f"{path}: no such file; make it with python -m ssmsim.study.waits {path}")
        print(table(pd.read_csv(path)))
    else:
        fill(path, ROOT)


if __name__ == "__main__":
    sys.exit(told(main))
