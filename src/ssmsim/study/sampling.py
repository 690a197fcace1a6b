"""`python -m ssmsim.study.sampling OUT.csv`: sampled against full runs of captured launches, a line per pair.

Fills in what OUT.csv lacks, so it can be stopped and taken up again; a pair made by other engine sources is made anew.
CASES are launches that fill many waves, on the whole GPU (all of mamba2-2.7b and mamba2-8b that are sampled) or on a part of it, under
several configurations, and one that does not and is timed whole. `--table` prints the file as Markdown with what all pairs say together.
"""

import csv
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ssmsim.config.load import load
from ssmsim.engines import open_engine
from ssmsim.engines.embedded.sources import digest
from ssmsim.engines.request import Request
from ssmsim.errors import told
from ssmsim.files import whole_file
from ssmsim.launch import read_launch
from ssmsim.results import Result
from ssmsim.sass.decode import decode_launch
from ssmsim.study.part import part_of
from ssmsim.tracers import open_tracer

CYCLES, L2_HIT = "gpc__cycles_elapsed.max", "lts__t_sector_hit_rate.pct"
DRAM = ("dram__bytes_read.sum", "dram__bytes_write.sum")
COLUMNS = ("launch", "config", "sms", "waves", "full_cycles", "sampled_cycles", "low", "high", "blocks_timed", "instructions_timed",
           "full_seconds", "sampled_seconds", "l2_hit_points", "dram_bytes", "digest")  # fmt: skip
# Launch, configuration, SMs.
CASES = [
    *(("mamba2-780m-holdout/" + name, "h200", sms) for name, sms in (
        ("04-chunk_scan_fwd_kernel", 16), ("15-chunk_scan_chunk_state_bwd_dx_kernel", 16), ("25-chunk_scan_bwd_dcb_kernel", 16),
        ("33-chunk_scan_bwd_ddAcs_stable_kernel", 16), ("01-chunk_state_fwd_kernel", 4), ("09-chunk_scan_bwd_dstates_kernel", 4),
        ("19-chunk_state_bwd_db_kernel", 4), ("23-chunk_scan_bwd_dc_kernel", 4), ("10-state_passing_bwd_kernel", 2),
        ("20-reduce_kernel", 4), ("26-reduce_kernel", 8), ("25-chunk_scan_bwd_dcb_kernel", 132))),
    *(("mamba2-2.7b/" + name, "h200", sms) for name, sms in (
        ("02-state_passing_fwd_kernel", 8), ("08-state_passing_fwd_kernel", 8), ("10-state_passing_bwd_kernel", 16),
        ("24-reduce_kernel", 8))),
    *(("mamba2-780m-holdout/" + name, config, 16) for name, config in (
        ("04-chunk_scan_fwd_kernel", "smem_x2"), ("04-chunk_scan_fwd_kernel", "oracle_prefetch"),
        ("04-chunk_scan_fwd_kernel", "regfile_x2"), ("04-chunk_scan_fwd_kernel", "l2_x2"),
        ("25-chunk_scan_bwd_dcb_kernel", "oracle_launch"), ("25-chunk_scan_bwd_dcb_kernel", "smem_x2_issue_x2"))),
    *((name, "h200", 132) for name in (
        "mamba2-8b/20-reduce_kernel", "mamba2-8b/24-reduce_kernel", "mamba2-8b/09-chunk_scan_bwd_dstates_kernel",
        "mamba2-8b/01-chunk_state_fwd_kernel", "mamba2-2.7b/33-chunk_scan_bwd_ddAcs_stable_kernel",
        "mamba2-2.7b/04-chunk_scan_fwd_kernel", "mamba2-8b/26-reduce_kernel", "mamba2-8b/07-chunk_state_fwd_kernel",
        "mamba2-2.7b/15-chunk_scan_chunk_state_bwd_dx_kernel", "mamba2-8b/04-chunk_scan_fwd_kernel",
        "mamba2-8b/33-chunk_scan_bwd_ddAcs_stable_kernel", "mamba2-8b/15-chunk_scan_chunk_state_bwd_dx_kernel",
        "mamba1-2.8b/00-selective_scan_fwd_kernel")),
]  # fmt: skip


def timed(run: Callable[[], Result]) -> tuple[Result, float]:
    """A result and the seconds of processor time that it took."""
    start = time.process_time()
    return run(), time.process_time() - start


def pair(root: Path, name: str, config_name: str, sms: int) -> dict[str, object]:
    """One line of the table. root: of the repository."""
    launch, config = read_launch(root / "traces/h200" / name), load(root / f"simconfigs/{config_name}.yaml")
    config = config if sms == config.sm_count else part_of(config, sms)
    program, engine = decode_launch(launch).program, open_engine("embedded")

    def run(sample: bool) -> Result:
        source = open_tracer("emulated").blocks(launch, program)
        return engine.simulate(Request(program, source, launch, config, sample=sample))

    (full, full_seconds), (part, seconds) = timed(lambda: run(False)), timed(lambda: run(True))
    got, true = part.counters, full.counters
    low, high = part.sampled.ci95 if part.sampled and part.sampled.ci95 else (got[CYCLES], got[CYCLES])
    return {
        "launch": name, "config": config_name, "sms": sms,
        "waves": round(launch.blocks / (engine.resident(launch, config) * sms), 1), "full_cycles": true[CYCLES],
        "sampled_cycles": got[CYCLES], "low": low, "high": high,
        "blocks_timed": part.sampled.fraction if part.sampled else 1.0,
        "instructions_timed": part.warp_instructions / full.warp_instructions,
        "full_seconds": round(full_seconds, 2), "sampled_seconds": round(seconds, 2),
        "l2_hit_points": (got[L2_HIT] or 0) - (true[L2_HIT] or 0),
        "dram_bytes": sum(got[n] or 0 for n in DRAM) / max(1, sum(true[n] or 0 for n in DRAM)) - 1, "digest": digest(),
    }  # fmt: skip


def fill(out: Path, root: Path) -> None:
    """Make the pairs that `out` lacks; the file is written after each."""
    rows = {key(row): row for row in read(out) if row["digest"] == digest()} if out.exists() else {}
    pair(root, *CASES[8])  # compiles
    for case in CASES:
        if tuple(map(str, case)) not in rows:
            rows[tuple(map(str, case))] = pair(root, *case)
            with whole_file(out) as temporary, temporary.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS)
                writer.writeheader()
                writer.writerows(rows.values())
            print(line(rows[tuple(map(str, case))]), flush=True)


def read(out: Path) -> list[dict[str, object]]:
    with out.open(newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]


def key(row: dict[str, object]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in COLUMNS[:3])


def numbers(row: dict[str, object]) -> tuple[float, bool, float]:
    """Error of the cycles, whether the interval holds the full run, processor time as a share of the full run's."""
    value = {name: float(str(row[name])) for name in COLUMNS[3:-1]}
    error = value["sampled_cycles"] / value["full_cycles"] - 1
    inside = value["low"] <= value["full_cycles"] <= value["high"]
    return error, inside, value["sampled_seconds"] / value["full_seconds"]


def line(row: dict[str, object]) -> str:
    """The pair as a row of the Markdown table."""
    (error, inside, share), value = numbers(row), {name: float(str(row[name])) for name in COLUMNS[3:-1]}
    cells = (*key(row), f"{value['waves']:.1f}", f"{100 * error:+.1f} %", "yes" if inside else "no",
             f"{100 * value['instructions_timed']:.0f} %", f"{100 * share:.0f} %", f"{value['l2_hit_points']:+.1f}",
             f"{100 * value['dram_bytes']:+.1f} %")  # fmt: skip
    return f"| {' | '.join(cells)} |"


def table(rows: list[dict[str, object]]) -> str:
    """All pairs as Markdown, and what they say together."""
    titles = ("launch", "configuration", "SMs", "waves", "cycles", "in the interval", "instructions timed", "processor time",
              "L2 hit, points", "DRAM bytes")  # fmt: skip
    errors, inside, _ = zip(*(numbers(row) for row in rows), strict=True)
    within = sum(abs(error) <= 0.03 for error in errors)
    said = (f"{len(rows)} pairs: cycles within 3 % in {within}, worst {100 * max(errors, key=abs):+.1f} %; in the interval "
            f"{sum(inside)}.")  # fmt: skip
    return "\n".join([said, "", f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|", *map(line, rows)])


def main() -> None:
    path = Path(sys.argv[-1])
    if len(sys.argv) < 2 or path.name.startswith("-"):
        sys.exit("usage: python -m ssmsim.study.sampling [--table] FILE.csv")
    if "--table" in sys.argv:
        print(table(read(path)))
    else:
        fill(path, Path(__file__).parents[3])


if __name__ == "__main__":
    sys.exit(told(main))
