"""What is fuzzed: a valid input of each format, how it is damaged, and the code that must cope with it.

A target's `run` gets the damaged input and a scratch folder. It returns nothing, raises SsmsimError for what is refused,
and AssertionError for a wrong result without a word, where that can be known.
"""

import contextlib
import functools
import io
import json
import lzma
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import yaml

from ssmsim import cli
from ssmsim.config.load import load
from ssmsim.engines.compare import error_table
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.measured import read_measured
from ssmsim.results import Result, read_result
from ssmsim.sass.decode import decode_launch
from ssmsim.study.before import sequence
from ssmsim.study.schema import read_study
from ssmsim.trace.accelsim_reader import read_trace
from ssmsim.tracers.emulated.report import inspection
from tests.fuzz.mutate import NASTY_NUMBERS, NASTY_TEXT, damaged_bytes, damaged_tree, damaged_words, json_text

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "traces/h200/mamba2-2.7b/37-vectorized_elementwise_kernel"
LAUNCHES = [
    SMALL,
    ROOT / "traces/h200/mamba2-780m-holdout/39-chunk_cumsum_bwd_kernel",
    ROOT / "traces/h200/empty/00-empty_kernel",
]
MEASURED = ROOT / "traces/h200/empty/measured.csv"
TRACE = ROOT / "tests/data/captures/ssd-small/38-vectorized_elementwise_kernel/nvbit.traceg.xz"
STUDY = ROOT / "analysis/study.yaml"
H100 = ROOT / "simconfigs/h100.yaml"


@dataclass(frozen=True)
class Target:
    """sound: an undamaged input. cases: strategy of damaged ones. run: what reads one, in a scratch folder that the next
    case reuses.
    """

    name: str
    sound: Any
    cases: st.SearchStrategy[Any]
    run: Callable[[Any, Path], None]


@functools.cache
def launch_json(folder: Path) -> dict[str, Any]:
    """launch.json with files named by absolute path, so that a damaged copy finds them."""
    data: dict[str, Any] = json.loads((folder / "launch.json").read_text())
    data["cubin"] = str((folder / data["cubin"]).resolve())
    for buffer in data["buffers"]:
        if "contents" in buffer:
            buffer["contents"] = str((folder / buffer["contents"]).resolve())
    return data


def run_launch(data: bytes, folder: Path) -> None:
    (folder / "launch.json").write_bytes(data)
    launch = read_launch(folder)
    decode_launch(launch)
    if launch.threads_per_block <= 1024 and launch.blocks < 1 << 40:
        inspection(launch, 1)


def run_cubin(data: bytes, folder: Path) -> None:
    described = launch_json(SMALL) | {"cubin": "kernel.cubin"}
    (folder / "kernel.cubin").write_bytes(data)
    (folder / "launch.json").write_text(json.dumps(described))
    launch = read_launch(folder)
    decode_launch(launch)
    inspection(launch, 1)


def run_configuration(data: bytes, folder: Path) -> None:
    if not (folder / "h200.yaml").exists():
        shutil.copy(H100.with_name("h200.yaml"), folder / "h200.yaml")
        shutil.copy(H100, folder / "h100.yaml")
    (folder / "mine.yaml").write_bytes(data)
    config = load(folder / "mine.yaml")
    from ssmsim.engines.embedded import instructions
    from ssmsim.engines.embedded.state import machine

    launch = read_launch(SMALL)
    machine.build(instructions.translate(decode_launch(launch).program, config), launch, config, launch.blocks)


def run_baseline(data: bytes, folder: Path) -> None:
    (folder / "base.yaml").write_bytes(data)
    load(folder / "base.yaml")


def run_study(data: bytes, folder: Path) -> None:
    (folder / "study.yaml").write_bytes(data)
    read_study(folder / "study.yaml")


def run_sequence(data: bytes, folder: Path) -> None:
    (folder / "sequence.json").write_bytes(data)
    sequence(folder)


def run_trace(data: bytes, folder: Path) -> None:
    (folder / "kernel.traceg").write_bytes(data)
    read_trace(folder / "kernel.traceg")


RESULT = Result(launch="00-empty_kernel", workload="empty", kernel="k", config="h200", engine="embedded",
                counters={"gpc__cycles_elapsed.max": 11621.0, "dram__bytes_read.sum": None}, wall_seconds=0.5, notes=["n"])  # fmt: skip


def run_result(data: bytes, folder: Path) -> None:
    (folder / "r.json").write_bytes(data)
    if read_result(folder / "r.json") != RESULT:
        raise AssertionError("an edited result was read")


def run_measured(data: bytes, folder: Path) -> None:
    if not (folder / "r.json").exists():
        RESULT.write(folder / "r.json")
    (folder / "measured.csv").write_bytes(data)
    for row in read_measured(folder / "measured.csv").rows.values():
        if any(value is not None and not 0 <= value < 1e19 for value in row.values()):
            raise AssertionError("an absurd counter was read")
    error_table(folder / "r.json", folder / "measured.csv")


def run_arguments(arguments: list[str], folder: Path) -> None:
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as told,
    ):
        code = cli.run(arguments)
    if code == 2:
        if told.getvalue().count("\n") != 1:
            raise AssertionError("a wrong argument took more than a line")
        raise SsmsimError(told.getvalue())


@st.composite
def arguments(draw: st.DrawFn) -> list[str]:
    """A command line with nasty values; simulations are kept out by a configuration that does not exist."""
    number = st.one_of(
        st.sampled_from([n for n in NASTY_NUMBERS if isinstance(n, int)]).map(str), st.integers(-5, 5).map(str)
    )
    value = st.one_of(
        number,
        st.sampled_from([text for text in NASTY_TEXT if "\0" not in text]),
        st.text("0123456789,=x-", max_size=12),
    )
    command = draw(st.sampled_from(("inspect", "simulate", "reshape", "trace", "compare", "count", "ablate", "agree")))
    one = draw(value)
    return {
        "inspect": ["inspect", str(SMALL), f"--blocks={one}"],
        "simulate": ["simulate", str(SMALL), "--config", "none.yaml", f"--sm-clock-mhz={one}", f"--sample-instructions={draw(value)}",
                     f"--json={draw(value)}"],
        "reshape": ["reshape", str(SMALL), "-o", "out", f"--grid={one}", f"--param={draw(value)}={draw(number)}"],
        "trace": ["trace", str(SMALL), "-o", one or "out", f"--blocks={draw(number)}", "--tracer", draw(value)],
        "compare": ["compare", one, "--measured", draw(value)],
        "count": ["count", one, f"--most={draw(number)}"],
        "ablate": ["ablate", str(SMALL), "-o", "out", f"--off={one}"],
        "agree": ["agree", one],
    }[command]  # fmt: skip


FIELDS = {f"{group}.{name}": given["value"] for group, fields in yaml.safe_load(H100.read_text()).items()
          for name, given in fields.items()}  # fmt: skip
FACTORS = (0, 0.001, 0.1, 0.25, 0.5, 1, 2, 3, 4, 10, 100, 1000, 10**6, -1)


def _times(old: Any, factor: float) -> str:
    if isinstance(old, list):
        return str([_times(value, factor) for value in old]).replace("'", "")
    if isinstance(old, bool) or not isinstance(old, int | float):
        return json.dumps(old)
    return str(round(old * factor)) if isinstance(old, int) else str(old * factor)


WORDS = st.one_of(st.sampled_from(NASTY_NUMBERS).map(str), st.sampled_from(NASTY_TEXT), st.integers(-10, 100000).map(str),
                  st.floats().map(str), st.lists(st.integers(-5, 300), max_size=9).map(str))  # fmt: skip


@st.composite
def modifications(draw: st.DrawFn) -> bytes:
    """A modification of the baseline with one to three fields set to anything."""
    lines = ["base: h200"]
    for field in draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=3)):
        group, name = field.split(".")
        old = FIELDS[field]
        near = st.sampled_from(FACTORS).map(lambda factor, old=old: _times(old, factor))
        value = draw(st.one_of(near, near, near, WORDS))
        lines.append(f"{group}: {{{name}: {value}}}")
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def texts(text: bytes, tree: Any) -> st.SearchStrategy[bytes]:
    """Damage of a JSON file: of its bytes, and of its values."""
    return st.one_of(damaged_bytes(text), damaged_tree(tree).map(json_text), damaged_tree(tree).map(json_text))


def targets() -> dict[str, Target]:
    """Every target by name."""
    launch = st.sampled_from(LAUNCHES).map(launch_json).flatmap(lambda data: texts(json_text(data), data))
    study = STUDY.read_text()
    sequence_ = {"format": "sequence/1", "operations": [{"launch": "00-a"}, {"copy": 1}, {"launch": "01-b"}]}
    cubin = Path(launch_json(SMALL)["cubin"]).read_bytes()
    trace = lzma.decompress(TRACE.read_bytes())
    head = trace[: 1 << 14]
    made = [
        Target("launch", json_text(launch_json(SMALL)), launch, run_launch),
        Target("cubin", cubin, damaged_bytes(cubin), run_cubin),
        Target("configuration", b"base: h200\n", st.one_of(modifications(), modifications().flatmap(damaged_bytes)), run_configuration),
        Target("baseline", H100.read_bytes(), st.one_of(damaged_words(H100.read_text()), damaged_bytes(H100.read_bytes())), run_baseline),
        Target("study", study.encode(), st.one_of(damaged_words(study), damaged_bytes(study.encode()),
                                  damaged_tree(yaml.safe_load(study)).map(json_text)), run_study),
        Target("sequence", json_text(sequence_), texts(json_text(sequence_), sequence_), run_sequence),
        Target("trace", trace, st.one_of(damaged_bytes(trace), damaged_words(trace.decode()), damaged_bytes(head)), run_trace),
        Target("result", RESULT.text().encode(), texts(RESULT.text().encode(), json.loads(RESULT.text())), run_result),
        Target("measured", MEASURED.read_bytes(), st.one_of(damaged_words(MEASURED.read_text()), damaged_bytes(MEASURED.read_bytes())), run_measured),
        Target("arguments", ["inspect", str(SMALL)], arguments(), run_arguments),
    ]  # fmt: skip
    return {target.name: target for target in made}
