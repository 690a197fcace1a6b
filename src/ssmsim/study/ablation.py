"""`python -m ssmsim.study.ablation FILE.csv`: a launch without some of its instructions, on two GPUs and in their models.

FILE.csv has what a GPU measured (`ssmsim measure --captured` of what `ssmsim ablate` writes) and at which clock; the
simulated cycles of its lines are made here, those that other sources of the engine made anew. `--table` prints Markdown.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any, cast

import pandas as pd

from ssmsim.capture.ablate import ablate
from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.embedded import digest
from ssmsim.errors import SsmsimError, told
from ssmsim.files import whole_file
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.study.batch import at_clock
from ssmsim.tracers import open_tracer

LAUNCH = "traces/h200/mamba2-2.7b/01-chunk_state_fwd_kernel"
COLUMNS = ("gpu", "off", "mhz", "measured_cycles", "simulated_cycles", "digest")
CYCLES = "gpc__cycles_elapsed.max"


def read(file: Path) -> list[dict[str, str]]:
    """The lines as text. Raises SsmsimError for a table without the columns that are needed."""
    try:
        rows = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise SsmsimError(f"cannot be read: {error}", file, "see analysis/ablation.csv") from None
    for column in COLUMNS:
        if column not in rows:
            raise SsmsimError(f"no column {column}", file, "see analysis/ablation.csv")
    return [{str(name): str(value) for name, value in row.items()} for row in rows.to_dict("records")]


def simulate(variant: Path, config: Path, mhz: int) -> float:
    """Cycles of one variant, every block timed, caches cold."""
    launch = read_launch(variant)
    program, engine = decode_launch(launch).program, cast(Any, open_engine("embedded"))
    source = open_tracer("emulated").blocks(launch, program)
    result = engine.simulate(program, source, launch, at_clock(load(config), mhz))
    return float(result.counters[CYCLES])


def fill(file: Path, root: Path) -> None:
    """Make the simulated cycles that another engine made; the file is written after each."""
    rows = read(file)
    wanted = [row for row in rows if row["digest"] != digest()]
    names = {off: f"v{number}" for number, off in enumerate(dict.fromkeys(row["off"] for row in rows if row["off"]), 1)}
    with tempfile.TemporaryDirectory() as folder:
        variants = {name: tuple(off.split(",")) for off, name in names.items()}
        written = ablate(read_launch(root / LAUNCH), variants, Path(folder) / "ablated")
        place = dict(zip(["", *names], written, strict=True))
        for row in wanted:
            variant = Path(folder) / "ablated" / place[row["off"]]
            cycles = simulate(variant, root / f"simconfigs/{row['gpu']}.yaml", int(row["mhz"]))
            row |= {"simulated_cycles": f"{cycles:.0f}", "digest": digest()}
            with whole_file(file) as temporary:
                pd.DataFrame(rows).to_csv(temporary, index=False)
            print(f"{row['gpu']} without {row['off'] or 'nothing'}: {cycles:,.0f} cycles", flush=True)


def table(rows: pd.DataFrame) -> str:
    """Markdown: a line per variant, the GPUs side by side, cycles in thousands."""
    gpus = list(dict.fromkeys(rows["gpu"]))
    titles = ["without", *(f"{gpu.upper()} {what}" for gpu in gpus for what in ("measured", "simulated", "error"))]
    lines = [f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|"]
    for off, part in rows.assign(off=rows["off"].fillna("")).groupby("off", sort=False):
        cells = ["nothing" if not off else f"`{off!s}`"]
        for gpu in gpus:
            row = part[part["gpu"] == gpu].iloc[0]
            error = float(row["simulated_cycles"]) / float(row["measured_cycles"]) - 1
            cells += [f"{float(row[f'{what}_cycles']) / 1e3:.1f}" for what in ("measured", "simulated")]
            cells.append(f"{100 * error:+.1f} %")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    path = Path(sys.argv[-1])
    if len(sys.argv) < 2 or path.name.startswith("-"):
        sys.exit("usage: python -m ssmsim.study.ablation [--table] FILE.csv")
    try:
        if "--table" in sys.argv:
            print(table(pd.DataFrame(read(path))))
        else:
            fill(path, Path(__file__).parents[3])
    except SsmsimError as error:
        sys.exit(f"ssmsim: {error}")


if __name__ == "__main__":
    sys.exit(told(main))
