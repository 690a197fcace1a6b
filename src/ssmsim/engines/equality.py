"""Counters of a fixed set of launches and configurations, to the bit: the check of a change that must change no behaviour.

    python -m ssmsim.engines.equality write FILE     before the change
    python -m ssmsim.engines.equality compare FILE   after it; names every counter that differs, exit code 1

With `--record` a comparison in which nothing differs adds a line to analysis/equal_engines.csv: tables of evidence that the engine
before has made then count as today's. With `--only TEXT` only the runs whose line (launch, configuration, options) holds that text.

The set: small captures of Mamba-2 and Mamba-1 kernels on the baselines of both GPUs, every configuration of simconfigs/
on kernels of several classes, and microbenchmarks that load one unit each; cold, warm, sampled, and with what each
instruction waited for. Some ten minutes on two cores. Sources are named relative to the repository's root.
"""

import argparse
import csv
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ssmsim.engines.embedded import sources
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file

ROOT = Path(__file__).parents[3]
EQUAL = ROOT / "analysis/equal_engines.csv"
SMALL = "tests/data/captures/ssd-small"
EVERY_CONFIGURATION = ("04-chunk_scan_fwd_kernel", "08-state_passing_fwd_kernel")
SAMPLED = "traces/h200/mamba2-780m-holdout/01-chunk_state_fwd_kernel"
LAUNCHES = "traces/h200/microbenchmarks/launches"
CASES = (
    "sm_memory/hgmma_ldgsts_contention.rs128.ca16.4",
    "l2/atomic_throughput.red.8.1.4",
    "sm/barrier_latency.sync.8",
    "sm/mma_arithmetic_overlap.ss256.ffma3.2.2",
    "dram/load_latency_by_pattern.lines8.16",
    "l1/miss_throughput.rows4.32",
    "sm_memory/fence_latency.cta_store.4.1",
    "sm_memory/fill_data_bank_contention.ldg.8",
    "sm_memory/source_register_release.cg16.4.16",
    "sm/instruction_fetch_throughput.code64.16.1",
    "l1/latency_capacity_bandwidth.ldg128_far.stride128.16",
    "l2/latency_bandwidth.red_l2.1blocks",
    "l1/local_memory_throughput.store16.16.1",
    "sm_memory/data_bank_contention.lds128.shfl",
    "noc/multicast_bandwidth.same.32",
    "l2/partial_sector_store_throughput.16.32.all.4.cold",
    "dram/bandwidth_by_access_size.both.128.8",
    "sm/instruction_latency_throughput.lop3.chain",
    "sm/load_wait_issue_contention.lds.lop3.0",
    "sm/load_wait_issue_contention.shfl.lop3.2",
    "sm_memory/shared_memory_bank_conflicts.lds32.stride128.warps0_4",
    "sm_memory/shared_memory_bank_conflicts.sts32.stride128.warps0",
    "sm/mufu_source_hold.ex2.16.16",
    "sm_memory/global_access_lsu_occupancy.lds128.stg128.2",
    "sm/hgmma_throughput.n32.rs.8.1",
)


def pairs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(launch folder, configuration, options of replay()) of each run."""
    small = sorted(path.parent.name for path in (ROOT / SMALL).glob("*/launch.json"))
    for launch in small:
        yield f"{SMALL}/{launch}", "h200", {}
    for config in sorted(path.stem for path in (ROOT / "simconfigs").glob("*.yaml")):
        for launch in EVERY_CONFIGURATION:
            yield f"{SMALL}/{launch}", config, {}
    for kernel in ("00-selective_scan_fwd_kernel", "06-selective_scan_bwd_kernel"):
        for config in ("h200", "h100", "smem_x2"):
            yield f"tests/data/captures/mamba1-small/{kernel}", config, {}
    for case in CASES:
        yield f"{LAUNCHES}/{case}", "h200", {}
    first, second = (f"{SMALL}/{launch}" for launch in (small[1], small[2]))
    yield second, "h200", {"warm": (ROOT / first, ROOT / second)}
    yield second, "h100", {"warm": (ROOT / second,)}
    yield SAMPLED, "h200", {"sample": True}


def run(launch: str, config: str, options: dict[str, Any]) -> dict[str, Any]:
    """Counters of one run, and a hash of the table of stalls by instruction."""
    from ssmsim.engines.request import Views
    from ssmsim.engines.run_launch import replay

    with tempfile.TemporaryDirectory() as folder:
        stalls = Path(folder) / "stalls.csv"
        try:
            file = ROOT / f"simconfigs/{config}.yaml"
            result = replay(ROOT / launch, file, "embedded", cross_device=True, views=Views(stalls=stalls), **options)
        except SsmsimError as error:
            return {"error": error.what}
        return {**result.counters, "stalls": hashlib.sha256(stalls.read_bytes()).hexdigest()[:16]}


def name(launch: str, config: str, options: dict[str, Any]) -> str:
    return " ".join([launch, config, *sorted(options)])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", metavar="TEXT", default="", help="the runs whose line holds this")
    parser.add_argument(
        "--record", action="store_true", help="note that both engines are equal, when they are in all runs"
    )
    given = parser.parse_args(arguments)
    before = json.loads(given.file.read_text()) if given.action == "compare" else {}
    made_by = before.pop("digest", "")
    after, different = {}, 0
    for launch, config, options in pairs():
        key = name(launch, config, options)
        if given.only not in key:
            continue
        after[key] = run(launch, config, options)
        if given.action == "compare":
            changed = changes(before.get(key, {}), after[key])
            different += bool(changed)
            print(f"{'differs' if changed else 'equal  '} {key}{''.join(changed)}", flush=True)
    if given.action == "write":
        with whole_file(given.file) as temporary:
            temporary.write_text(json.dumps({"digest": sources.digest()} | after, indent=1) + "\n")
    if given.record and made_by and not different and len(after) == len(before):
        record(made_by, len(after))
    print(f"{len(after)} runs" + (f", {different} differ" if before else ""))
    return 1 if different or not after else 0


def record(before: str, runs: int) -> None:
    """A line of EQUAL: the engine with the digest `before` and today's gave the same counters in so many runs."""
    rows = [*csv.reader(EQUAL.read_text().splitlines())] if EQUAL.is_file() else [["digest", "same_as", "runs"]]
    with whole_file(EQUAL) as temporary, temporary.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([*rows, [before, sources.digest(), str(runs)]])


def equal_digests(file: Path | None = None) -> dict[str, int]:
    """Digests of the engines that give what today's gives, and in how many runs that was seen; today's own, in none."""
    file = file or EQUAL
    found = {sources.digest(): 0}
    rows = list(csv.DictReader(file.read_text().splitlines())) if file.is_file() else []
    for row in reversed(rows):  # the newest last
        if row["same_as"] in found:
            runs = int(row["runs"])
            found[row["digest"]] = min(runs, found[row["same_as"]] or runs)
    return found


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """A line for each counter that is not the same."""
    names = sorted(set(before) | set(after))
    return [f"\n  {n}: {before.get(n)} -> {after.get(n)}" for n in names if before.get(n) != after.get(n)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
