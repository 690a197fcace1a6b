"""The measuring side of the microbenchmarks without a GPU: declarations, parameters, patched code, saved results."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from ssmsim.cli import build_app
from ssmsim.launch import read_launch
from ssmsim.microbenchmarks.build import PROGRAMS, choose, load_program, programs
from ssmsim.microbenchmarks.case import Chase, Random, Zeros, f32, i32, pack, u64
from ssmsim.microbenchmarks.rename import NAMES, page, read_names
from ssmsim.microbenchmarks.simulate import with_rounds
from ssmsim.sass.decode import decode_launch

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "traces/h200/microbenchmarks"
LAUNCHES = RESULTS / "launches"


@pytest.mark.parametrize("name", programs())
def test_a_program_has_a_source_a_sentence_and_measurements(name):
    module = load_program(name)
    source = module.source() if hasattr(module, "source") else ""
    if not source:
        source = (PROGRAMS / f"{getattr(module, 'SOURCE', name)}.cu").read_text()
    assert module.__doc__ and "global__" in source + (PROGRAMS / "common.cuh").read_text()
    assert getattr(module, "LOOPS", []) or getattr(module, "MEASUREMENTS", []) or hasattr(module, "counted")


@pytest.mark.parametrize("name", [n for n in programs() if hasattr(load_program(n), "LOOPS")])
def test_loops_have_names_of_their_own_and_more_rounds_the_second_time(name):
    loops = load_program(name).LOOPS
    assert len({loop.name for loop in loops}) == len(loops)
    for loop in loops:
        assert 0 < loop.rounds[0] < loop.rounds[1] and loop.operations > 0 and loop.threads <= 1024


def test_parameters_lie_at_their_natural_alignment():
    data = pack([u64(1), i32(2), f32(1.0), i32(3), u64(4), np.array([5, 6], np.uint32)])
    assert len(data) == 40
    assert [int.from_bytes(data[at : at + 4], "little") for at in (0, 8, 16, 24, 32, 36)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("seed", [None, 7])
def test_a_chase_visits_every_element_once(seed):
    base, chase = 1 << 40, Chase(64 << 10, 128, seed)
    ring, seen, at = chase.contents(base), set(), base
    for _ in range(512):
        seen.add(at)
        at = int(ring[(at - base) // 8])
    assert at == base and len(seen) == 512 and all((a - base) % 128 == 0 for a in seen)


def test_random_buffers_fill_their_size_and_zeros_have_no_contents():
    assert Random(1 << 20).contents(0).nbytes == 1 << 20
    assert Zeros(1 << 20).contents(0) is None


def test_the_jumps_visit_every_landing_place_and_count_each_round():
    """Walk the patched machine code as a warp would: 63 hops, counter and compare once, then the branch back."""
    decoded = decode_launch(read_launch(LAUNCHES / "sm/instruction_cache_latency.hops63.1.1")).program
    text = [line.strip() for line in decoded.text]
    target = decoded.instructions["target"]
    back = max(i for i, line in enumerate(text) if re.match(r"@!P\d BRA", line) and 0 <= target[i] < i)
    at, landed, executed = int(target[back]), [], []
    while at != back:
        executed.append(text[at])
        assert len(executed) < 10_000
        if text[at].startswith("BRA"):
            landed.append(int(target[at]))
            at = int(target[at])
        else:
            at += 1
    assert len(landed) == len(set(landed)) == 63
    assert sum(line.startswith("UIADD3") for line in executed) == 1
    assert sum(line.startswith("ISETP") for line in executed) == 1
    distances = np.abs(np.diff(landed))
    assert (distances % 16 == 0).all() and np.median(distances) > 64  # far apart: more than a few lines of 8


H100_RESULTS = ROOT / "traces/h100/microbenchmarks"
NAMED = re.compile(rf"(?<![\w/.])((?:{'|'.join(sorted({name.split('/')[0] for name in programs()}))})/[a-z0-9_]+)")


def fields(config: str) -> dict[str, dict]:
    """Every field of a file of simconfigs/ that has a source."""
    groups = yaml.safe_load((ROOT / f"simconfigs/{config}.yaml").read_text())
    return {f"{g}.{k}": leaf for g, group in groups.items() if isinstance(group, dict) for k, leaf in group.items()}


@pytest.mark.parametrize("config, results", [("h200", [RESULTS, H100_RESULTS]), ("h100", [H100_RESULTS])])
def test_every_microbenchmark_that_a_source_names_is_there_with_results(config, results):
    named = 0
    for field, leaf in fields(config).items():
        found = NAMED.findall(leaf["source"])
        for name in found:
            assert name in programs(), f"{field}: {leaf['source']}"
            assert any((folder / f"{name}.json").is_file() for folder in results), f"{field}: no results of {name}"
        if leaf["kind"] == "microbenchmark":
            see = re.match(r"see (\w+)$", leaf["source"])
            same_group = see and f"{field.split('.')[0]}.{see[1]}" in fields(config)
            assert found or same_group or leaf["source"].startswith("device query"), f"{field}: {leaf['source']}"
        named += len(found)
    assert named > (100 if config == "h100" else 10)


TEXTS = [
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "tests").rglob("*.py"),
    RESULTS / "README.md",
    ROOT / "traces/README.md",
]


def test_every_microbenchmark_that_a_text_names_is_there():
    named = set()
    for path in TEXTS:
        text = path.read_text()
        said = re.findall(rf"[Mm]icrobenchmarks?\s+`?{NAMED.pattern}", text)
        quoted = re.findall(rf"`{NAMED.pattern}`", text) if path.suffix == ".md" else []
        assert set(said + quoted) <= set(programs()), f"{path}: {sorted(set(said + quoted) - set(programs()))}"
        named |= set(said)
    assert len(named) > 20


def test_every_program_is_in_the_table_of_names_once():
    names = read_names()
    assert sorted(names.values()) == programs() and len(names) == len(programs())
    assert (ROOT / NAMES.with_suffix(".md")).read_text() == page(names)


def test_programs_are_chosen_by_name_or_by_group():
    assert choose(["l2/atomic_throughput", "l1"]) == [
        "l2/atomic_throughput",
        *(p for p in programs() if p[:3] == "l1/"),
    ]
    assert choose(["dram", "dram/bandwidth"]) == [p for p in programs() if p.startswith("dram/")]
    with pytest.raises(KeyError):
        choose(["atomic_throughput"])


def test_the_listing_has_every_program_below_its_group_and_needs_no_folder():
    shown = CliRunner().invoke(build_app(), ["microbench", "--list"])
    lines = shown.output.splitlines()
    assert shown.exit_code == 0
    assert lines[lines.index("l2/") + 1].startswith("  l2/atomic_throughput")
    assert sum(line.startswith("  ") for line in lines) == len(programs())


def test_saved_launches_hold_the_measured_cycles_of_the_results():
    checked = 0
    for file in sorted(LAUNCHES.glob("*/*/launch.json"))[::12]:
        launch = json.loads(file.read_text())
        name, _, case = file.parent.relative_to(LAUNCHES).as_posix().partition(".")
        row = json.loads((RESULTS / f"{name}.json").read_text())["loops"][case]
        assert launch["microbenchmark"]["cycles_many"] == row["cycles_many"] and launch["kernel"] == row["kernel"]
        assert launch["provenance"]["microbenchmark"] == name
        assert (file.parent / launch["cubin"]).is_file()
        checked += 1
    assert checked > 40


def test_rounds_are_changed_in_the_parameters_alone():
    launch = read_launch(LAUNCHES / "sm/instruction_latency_throughput.ffma.chain")
    other = with_rounds(launch, 77)
    assert int.from_bytes(other.param_bytes[8:12], "little", signed=True) == 77
    assert other.param_bytes[:8] + other.param_bytes[12:] == launch.param_bytes[:8] + launch.param_bytes[12:]
    assert other.cubin_path == launch.cubin_path
