"""Count what becomes of damaged inputs.

    python -m tests.fuzz --cases 10000 --seed 1 [--target launch] [--keep FOLDER]

Prints a line per target, then each place of a traceback, timeout or silent wrong result; exit code 1 when there is one.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fuzz.outcomes import CLASSES, count
from tests.fuzz.targets import targets

WEIGHTS = {"cubin": 0.5, "arguments": 0.5, "launch": 0.7}  # what costs more, less often; others 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", choices=sorted(targets()))
    parser.add_argument("--keep", type=Path, help="folder for one input of each fault")
    given = parser.parse_args()
    chosen = {name: target for name, target in targets().items() if not given.target or name in given.target}
    whole = sum(WEIGHTS.get(name, 1.0) for name in chosen)
    bad = 0
    print(f"{'target':14s}" + "".join(f"{name:>21s}" for name in CLASSES) + f"{'s':>8s}")
    for name, target in chosen.items():
        kept: dict[str, Any] = {}
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = count(target, round(given.cases * WEIGHTS.get(name, 1.0) / whole), given.seed, Path(folder), kept)
        numbers = "".join(f"{found[kind]:21d}" for kind in CLASSES)
        print(f"{name:14s}{numbers}{time.monotonic() - begin:8.0f}", flush=True)
        for number, (where, case) in enumerate(kept.items()):
            bad += 1
            print(f"    {where}", flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                data = case if isinstance(case, bytes) else "\0".join(case).encode("utf-8", "surrogatepass")
                (given.keep / f"{name}-{number}").write_bytes(data)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
