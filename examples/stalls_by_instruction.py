"""Which instructions of a kernel wait, for what and how long.

python examples/stalls_by_instruction.py [LAUNCH]
"""

import sys
import tempfile
from pathlib import Path

import pandas as pd

from ssmsim.engines.request import Views
from ssmsim.engines.run_launch import replay

ROOT = Path(__file__).parents[1]
LAUNCH = ROOT / "tests/data/captures/ssd-small/04-chunk_scan_fwd_kernel"
CONFIG = ROOT / "simconfigs/h200.yaml"
ISSUED, LINES = ("selected", "not_selected"), 8


def main(launch: Path = LAUNCH) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stalls.csv"
        replay(launch, CONFIG, "embedded", views=Views(stalls=file))
        table = pd.read_csv(file)
    waits = table.drop(columns=["pc", "executed", "text", *ISSUED], errors="ignore").select_dtypes("number")
    table = table.assign(waited=waits.sum(axis=1), reason=waits.idxmax(axis=1))
    print(f"{launch.name}: {table.waited.sum():,.0f} warp cycles of waiting; the {LINES} heaviest instructions")
    for line in table.nlargest(LINES, "waited").itertuples():
        share = line.waited / table.waited.sum()
        print(
            f"{line.pc:>6}  {share:>5.1%}  {line.waited / line.executed:>6.0f} cycles each  {line.reason:<18} {line.text}"
        )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
