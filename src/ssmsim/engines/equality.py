"""Counters of a fixed set of launches and configurations, to the bit: the check of a change that must change no behaviour.

    python -m ssmsim.engines.equality write FILE     before the change
    python -m ssmsim.engines.equality compare FILE   after it; names every counter that differs, exit code 1

The set: small captures of Mamba-2 and Mamba-1 kernels on the baselines of both GPUs, every configuration of simconfigs/
on kernels of several classes, and microbenchmarks that load one unit each; cold, warm, sampled, and with what each
instruction waited for. Some ten minutes on two cores. Sources are named relative to the repository's root.
"""

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file

ROOT = Path(__file__).parents[3]
SMALL = "tests/data/captures/ssd-small"
EVERY_CONFIGURATION = ("04-chunk_scan_fwd_kernel", "08-state_passing_fwd_kernel")
SAMPLED = "traces/h200/mamba2-780m-holdout/01-chunk_state_fwd_kernel"
CASES = 24  # of the microbenchmarks' launches, evenly over their names


def pairs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(launch folder, configuration, options of the engine) of each run."""
    small = sorted(path.parent.name for path in (ROOT / SMALL).glob("*/launch.json"))
    for launch in small:
        yield f"{SMALL}/{launch}", "h200", {}
    for config in sorted(path.stem for path in (ROOT / "simconfigs").glob("*.yaml")):
        for launch in EVERY_CONFIGURATION:
            yield f"{SMALL}/{launch}", config, {}
    for kernel in ("00-selective_scan_fwd_kernel", "06-selective_scan_bwd_kernel"):
        for config in ("h200", "h100", "smem_x2"):
            yield f"tests/data/captures/mamba1-small/{kernel}", config, {}
    cases = sorted(path.parent for path in (ROOT / "traces/h200/microbenchmarks/launches").rglob("launch.json"))
    for case in cases[:: max(1, len(cases) // CASES)]:
        yield case.relative_to(ROOT).as_posix(), "h200", {}
    first, second = (f"{SMALL}/{launch}" for launch in (small[1], small[2]))
    yield second, "h200", {"warm": [str(ROOT / first), str(ROOT / second)]}
    yield second, "h100", {"warm": [str(ROOT / second)]}
    yield SAMPLED, "h200", {"sample": True}


def run(launch: str, config: str, options: dict[str, Any]) -> dict[str, Any]:
    """Counters of one run, and a hash of the table of stalls by instruction."""
    from ssmsim.engines.run_launch import replay

    with tempfile.TemporaryDirectory() as folder:
        stalls = Path(folder) / "stalls.csv"
        try:
            result = replay(ROOT / launch, ROOT / f"simconfigs/{config}.yaml", "embedded", stalls=stalls, **options)
        except SsmsimError as error:
            return {"error": error.what}
        return {**result.counters, "stalls": hashlib.sha256(stalls.read_bytes()).hexdigest()[:16]}


def name(launch: str, config: str, options: dict[str, Any]) -> str:
    return " ".join([launch, config, *sorted(options)])


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ("write", "compare"):
        print(__doc__)
        return 2
    file = Path(arguments[1])
    before = json.loads(file.read_text()) if arguments[0] == "compare" else {}
    after, different = {}, 0
    for launch, config, options in pairs():
        key = name(launch, config, options)
        after[key] = run(launch, config, options)
        if arguments[0] == "compare":
            changed = changes(before.get(key, {}), after[key])
            different += bool(changed)
            print(f"{'differs' if changed else 'equal  '} {key}{''.join(changed)}", flush=True)
    if arguments[0] == "write":
        with whole_file(file) as temporary:
            temporary.write_text(json.dumps(after, indent=1) + "\n")
    print(f"{len(after)} runs" + (f", {different} differ" if before else ""))
    return 1 if different else 0


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """A line for each counter that is not the same."""
    names = sorted(set(before) | set(after))
    return [f"\n  {n}: {before.get(n)} -> {after.get(n)}" for n in names if before.get(n) != after.get(n)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
