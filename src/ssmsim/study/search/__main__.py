"""Search for a configuration: `python -m ssmsim.study.search FILE [--cores N]`. Killed at any time, the same command goes on.

Writes results/searches/NAME: steps.csv, front.csv, winners.csv, front and progress as PNG and PDF; simulations lie in points/.
"""

import argparse
import os
import sys
from pathlib import Path

from ssmsim.errors import SsmsimError, told


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ssmsim.study.search", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, help="such as analysis/search.yaml")
    parser.add_argument(
        "--cores", type=int, default=os.cpu_count() or 1, help="processes at once; the result is the same"
    )
    given = parser.parse_args()
    if given.cores < 1:
        raise SsmsimError(f"{given.cores} is no number of processes", "--cores", "give 1 or more")
    from ssmsim.study.search.run import Found, run_search

    for told_or_found in run_search(given.file, cores=given.cores):
        if isinstance(told_or_found, Found):
            _write(told_or_found, Path("results/searches") / given.file.stem)
        else:
            print(told_or_found, flush=True)


def _write(found: "object", folder: Path) -> None:
    from ssmsim.study.search.figures import write_figures
    from ssmsim.study.search.run import Found
    from ssmsim.study.search.tables import write_tables

    assert isinstance(found, Found)
    for file in (*write_tables(found, folder), *write_figures(found, folder)):
        print(file)
    if found.search.target is not None:
        winner = found.winner
        if winner is None:
            print(f"no configuration that was simulated whole reaches {found.search.target:g}: see winners.csv")
        else:
            area = found.space.area(winner)
            print(f"{found.space.name(winner)}: {found.whole[winner]:.3f} times as fast, whole; {area.value:.1f} mm2 more "
                  f"({area.low:.1f} to {area.high:.1f})")  # fmt: skip


if __name__ == "__main__":
    sys.exit(told(main))
