"""`python -m ssmsim.study.silicon FILE.csv`: what a change of a resource does to a kernel, on a GPU and in its model.

A GPU lets a few of its resources be changed without touching its settings. Each line of FILE.csv is a launch and a change:

    none                           as captured; the others are told beside it
    blocks_per_sm  2               more shared memory per block, so that two fit on an SM: occupancy
    sms            64              a green context of so many SMs; `place` says how many it has got in each GPC
    off            LDGSTS.E [,STG  instructions whose guard is false (ssmsim.capture.ablate)
    maxnreg        64              compiled for at most so many registers per thread; told beside the same compiler's 255

    --measure   fill in what this machine's GPU gives (needs ncu); lines that are measured are kept
    --table     print Markdown, and the error of the change by kind
Without either, cycles that another engine simulated are made anew. Caches are cold. A launch that was captured on another
GPU than the line's is named with that one's folder: h100/mamba2-2.7b/04-chunk_scan_fwd_kernel.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ssmsim.capture.ablate import ablate
from ssmsim.config.clocks import at_clock
from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines import open_engine
from ssmsim.engines.embedded.sources import digest
from ssmsim.engines.request import Request
from ssmsim.errors import SsmsimError, told
from ssmsim.files import whole_file
from ssmsim.launch import Launch, read_launch
from ssmsim.sass.decode import decode_launch
from ssmsim.tracers import open_tracer

COLUMNS = (
    "gpu",
    "launch",
    "change",
    "value",
    "place",
    "mhz",
    "measured_cycles",
    "spread",
    "simulated_cycles",
    "digest",
)
CHANGES = ("none", "blocks_per_sm", "sms", "off", "maxnreg")
CYCLES, TIME = "gpc__cycles_elapsed.max", "gpu__time_duration.sum"
REPETITIONS = 5
Row = dict[str, str]


def read(file: Path) -> list[Row]:
    """The lines as text. Raises SsmsimError for a table without these columns, or a line that is no change."""
    try:
        table = pd.read_csv(file, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise SsmsimError(f"cannot be read: {error}", file, "see analysis/silicon.csv") from None
    for column in COLUMNS:
        if column not in table:
            raise SsmsimError(f"no column {column}", file, "see analysis/silicon.csv")
    rows = [{str(name): str(value) for name, value in row.items()} for row in table.to_dict("records")]
    for number, row in enumerate(rows, 2):
        if row["change"] not in CHANGES:
            raise SsmsimError(f"line {number}: no change {row['change']!r}", file, f"one of {', '.join(CHANGES)}")
    return rows


def write(file: Path, rows: list[Row]) -> None:
    with whole_file(file) as temporary:
        pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(temporary, index=False)


def shared_bytes(blocks: int, config: SimConfig) -> int:
    """Shared memory of a block of which at most so many fit on an SM, as much as possible."""
    unit = config.shared.allocation_unit_bytes
    each = config.shared.max_bytes_per_sm // blocks - config.shared.reserved_bytes_per_block
    return min(each // unit * unit, config.shared.max_bytes_per_block)


def variants(launch: Launch, rows: list[Row], out: Path, config: SimConfig) -> list[Path]:
    """A capture with the launch as each line has it; its folders, line by line. Lines of `sms` change nothing of it."""
    names = {
        f"v{number}": row for number, row in enumerate(rows) if row["change"] in ("off", "blocks_per_sm", "maxnreg")
    }
    off = {name: tuple(row["value"].split(",")) if row["change"] == "off" else () for name, row in names.items()}
    shared = {
        name: shared_bytes(int(row["value"]), config) for name, row in names.items() if row["change"] == "blocks_per_sm"
    }
    cubins = {name: compiled(launch, row["value"]) for name, row in names.items() if row["change"] == "maxnreg"}
    for name, size in shared.items():
        if size <= launch.shared_memory_bytes:
            what = f"{names[name]['value']} blocks per SM leave {size} bytes of shared memory to each"
            raise SsmsimError(what, launch.folder, f"it uses {launch.shared_memory_bytes}: name fewer blocks")
    written = ablate(launch, off, out, shared, cubins)
    place = dict(zip(["", *names], written, strict=True))
    return [out / place[f"v{number}" if f"v{number}" in names else ""] for number in range(len(rows))]


def compiled(launch: Launch, registers: str) -> bytes:
    """The cubin of the launch's kernel for at most so many registers: WORKLOAD/maxnreg/LAUNCH-N.cubin."""
    file = launch.folder.parent / "maxnreg" / f"{launch.folder.name}-{registers}.cubin"
    try:
        return file.read_bytes()
    except OSError:
        raise SsmsimError("no such compilation", file, "compile the kernel's PTX: ptxas --maxrregcount") from None


def configuration(row: Row, base: SimConfig) -> SimConfig:
    """The GPU with the SMs that the line's context had, at the clock of its measurement."""
    changed = base
    if row["change"] == "sms":
        sms = tuple(count for count in map(int, row["place"].split()) if count)
        changed = base.model_copy(update={"gpu": base.gpu.model_copy(update={"sms_per_gpc": sms})})
    return at_clock(SimConfig.model_validate(changed.model_dump()), int(row["mhz"]))


def simulate(variant: Path, config: SimConfig) -> float:
    """Cycles of one variant on the whole of `config`, sampled in time, caches cold."""
    launch = read_launch(variant)
    program, tracer = decode_launch(launch).program, open_tracer("emulated")
    source = tracer.blocks(launch, program)
    result = open_engine("embedded").simulate(Request(program, source, launch, config, tracer, sample=True))
    return float(result.counters[CYCLES] or 0)


def captured_in(row: Row, root: Path) -> Path:
    """The folder of a line's launch."""
    name = Path(row["launch"])
    return root / "traces" / (name if len(name.parts) > 2 else Path(row["gpu"], name))


def by_launch(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["gpu"], row["launch"]), []).append(row)
    return found


def fill(file: Path, root: Path) -> None:
    """Simulate the measured lines whose cycles another engine made; the file is written after each."""
    rows = read(file)
    for (gpu, name), lines in by_launch(rows).items():
        wanted = [row for row in lines if row["measured_cycles"] and row["digest"] != digest()]
        if not wanted:
            continue
        base = load(root / f"simconfigs/{gpu}.yaml")
        with tempfile.TemporaryDirectory() as folder:
            launch = read_launch(captured_in(lines[0], root))
            for row, variant in zip(wanted, variants(launch, wanted, Path(folder) / "variants", base), strict=True):
                cycles = simulate(variant, configuration(row, base))
                row |= {"simulated_cycles": f"{cycles:.0f}", "digest": digest()}
                write(file, rows)
                print(f"{name} {row['change']} {row['value']}: {cycles:,.0f} cycles", flush=True)


def measure(file: Path, root: Path) -> None:
    """Measure the lines that are not; what a GPU refuses is said and left open."""
    rows = read(file)
    for (gpu, name), lines in by_launch(rows).items():
        wanted = [row for row in lines if not row["measured_cycles"]]
        base = load(root / f"simconfigs/{gpu}.yaml")
        with tempfile.TemporaryDirectory() as folder:
            launch = read_launch(captured_in(lines[0], root))
            occupied = [row for row in wanted if row["change"] in ("none", "blocks_per_sm")]
            off = [row for row in wanted if row["change"] == "off"]
            limited = [row for row in wanted if row["change"] == "maxnreg"]
            parts = [[row] for row in wanted if row["change"] == "sms"]
            for number, group in enumerate(filter(None, [occupied, off, limited, *parts])):
                try:
                    _measure_group(launch, group, Path(folder) / str(number), base)
                except SsmsimError as error:
                    print(
                        f"ssmsim: {name} {group[0]['change']} {group[0]['value']}: {error}", file=sys.stderr, flush=True
                    )
                write(file, rows)


def _measure_group(launch: Launch, rows: list[Row], folder: Path, base: SimConfig) -> None:
    """Lines that run in one process: all on the same SMs."""
    from ssmsim.capture import ncu
    from ssmsim.capture.measure import captured, counters, median, spread_cell

    sms = rows[0]["value"] if rows[0]["change"] == "sms" else "0"
    places = [path.name for path in variants(launch, rows, folder, base)]
    program = [sys.executable, "-m", "ssmsim.capture.relaunch", str(folder), "--repeat", str(REPETITIONS), "--sms", sms]
    table, _ = counters(program, captured(folder), "cold", ncu.IN_SEQUENCE, one_pass=True, repetitions=REPETITIONS)
    found = {one.launch: one.values for one in table}
    for row, place in zip(rows, places, strict=True):
        cycles, nanoseconds = median(found[place][CYCLES]), median(found[place][TIME])
        if not cycles or not nanoseconds:
            raise SsmsimError("ncu gave no cycles", launch.folder, "measure again")
        row |= {"mhz": f"{1e3 * cycles / nanoseconds:.0f}", "measured_cycles": f"{cycles:.0f}"}
        row |= {"spread": spread_cell(found[place][CYCLES])}
        row |= {"place": _place(int(sms)) if sms != "0" else ""}
        print(f"{row['launch']} {row['change']} {row['value']}: {cycles:,.0f} cycles measured", flush=True)


def _place(sms: int) -> str:
    """SMs in each GPC of a context that asks for so many, in a process of its own: a context stays."""
    line = [sys.executable, "-m", "ssmsim.capture.sm_partition", str(sms)]
    told_ = subprocess.run(line, capture_output=True, text=True, check=False)
    if told_.returncode:
        raise SsmsimError(f"where the SMs lie was not found: {told_.stderr.strip().splitlines()[-1]}", "", "")
    return " ".join(told_.stdout.splitlines()[-1].split()[3:])


@dataclass(frozen=True)
class Compared:
    """A change of one launch: times the cycles of the launch that it is told beside. error: of that factor.

    idle_gpcs: the context had no SM in some GPCs. The counter of cycles is the fastest GPC's, which then is an idle one.
    """

    gpu: str
    launch: str
    change: str
    value: str
    measured: float
    simulated: float
    idle_gpcs: bool = False

    @property
    def kind(self) -> str:
        return f"{self.change}, some GPCs idle" if self.idle_gpcs else self.change

    @property
    def error(self) -> float:
        return self.simulated / self.measured - 1


def compared(rows: list[Row]) -> list[Compared]:
    """Lines that are measured and simulated, each beside its launch as captured (maxnreg: as the same compiler makes it)."""
    found = []
    for (gpu, name), lines in by_launch(rows).items():
        both = [row for row in lines if row["measured_cycles"] and row["simulated_cycles"]]
        bases = {
            row["change"]: row for row in both if (row["change"], row["value"]) in (("none", ""), ("maxnreg", "255"))
        }
        for row in both:
            base = bases.get("maxnreg" if row["change"] == "maxnreg" else "none")
            if base is None or row is base:
                continue
            measured, simulated = (
                float(row[f"{what}_cycles"]) / float(base[f"{what}_cycles"]) for what in ("measured", "simulated")
            )
            idle = "0" in row["place"].split()
            found.append(Compared(gpu, name, row["change"], row["value"], measured, simulated, idle))
    return found


def table(rows: list[Row]) -> str:
    """Markdown: the error of a change by kind, then line by line, times the launch as captured."""
    changes = compared(rows)
    lines = ["| change | launches | changes | times the cycles, measured | mean absolute error of the change | worst |",
             "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for kind in sorted({one.kind for one in changes}, key=lambda kind: (CHANGES.index(kind.split(",")[0]), kind)):
        part = [one for one in changes if one.kind == kind]
        worst, measured = max(part, key=lambda one: abs(one.error)), [one.measured for one in part]
        mean = sum(abs(one.error) for one in part) / len(part)
        lines.append(
            f"| `{kind}` | {len({one.launch for one in part})} | {len(part)} | {min(measured):.2f} to {max(measured):.2f} "
            f"| {100 * mean:.1f} % | {100 * worst.error:+.1f} % ({worst.launch.split('/')[-1]}, `{worst.value}`) |"
        )
    lines += [
        "",
        "| GPU | launch | change | measured | simulated | error of the change |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {one.gpu} | {one.launch} | `{one.change} {one.value}` | {one.measured:.3f} | {one.simulated:.3f} | {100 * one.error:+.1f} % |"
        for one in changes
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    root = Path(__file__).parents[3]
    try:
        if given.table:
            print(table(read(given.file)))
        else:
            (measure if given.measure else fill)(given.file, root)
    except SsmsimError as error:
        sys.exit(f"ssmsim: {error}")


if __name__ == "__main__":
    sys.exit(told(main))
