"""The measuring side of the microbenchmarks without a GPU: declarations, parameters, patched code, saved results."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from ssmsim.launch import read_launch
from ssmsim.microbenchmarks.build import PROGRAMS, programs
from ssmsim.microbenchmarks.case import Chase, Random, Zeros, f32, i32, pack, u64
from ssmsim.microbenchmarks.simulate import with_rounds
from ssmsim.sass.decode import decode_launch

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "traces/h200/microbenchmarks"
LAUNCHES = RESULTS / "launches"


def program(name: str):
    return importlib.import_module(f"ssmsim.microbenchmarks.programs.{name}")


@pytest.mark.parametrize("name", programs())
def test_a_program_has_a_source_a_sentence_and_measurements(name):
    module = program(name)
    source = module.source() if hasattr(module, "source") else ""
    if not source:
        source = (PROGRAMS / f"{getattr(module, 'SOURCE', name)}.cu").read_text()
    assert module.__doc__ and "global__" in source + (PROGRAMS / "common.cuh").read_text()
    assert getattr(module, "LOOPS", []) or getattr(module, "MEASUREMENTS", []) or hasattr(module, "counted")


@pytest.mark.parametrize("name", [n for n in programs() if hasattr(program(n), "LOOPS")])
def test_loops_have_names_of_their_own_and_more_rounds_the_second_time(name):
    loops = program(name).LOOPS
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


FOLDERS = RESULTS, ROOT / "traces/h100/microbenchmarks"


def test_every_measured_value_of_the_baseline_names_a_program_with_results():
    baseline = yaml.safe_load((ROOT / "simconfigs/h200.yaml").read_text())
    leaves = {f"{g}.{k}": leaf for g, group in baseline.items() if isinstance(group, dict) for k, leaf in group.items()}
    measured = {name: leaf for name, leaf in leaves.items() if leaf["kind"] == "microbenchmark"}
    assert len(measured) > 50
    for field, leaf in measured.items():
        named = [
            p
            for p in re.findall(r"(\w+):", leaf["source"])
            if any((folder / f"{p}.json").is_file() for folder in FOLDERS)
        ]
        assert named or leaf["source"].startswith(("see ", "device query")), f"{field}: {leaf['source']}"


def test_saved_launches_hold_the_measured_cycles_of_the_results():
    checked = 0
    for file in sorted(LAUNCHES.glob("*/launch.json")):
        launch = json.loads(file.read_text())
        name, _, case = file.parent.name.partition(".")
        row = json.loads((RESULTS / f"{name}.json").read_text())["loops"][case]
        assert launch["microbenchmark"]["cycles_many"] == row["cycles_many"] and launch["kernel"] == row["kernel"]
        checked += 1
        if checked == 40:
            break
    assert checked == 40


def test_rounds_are_changed_in_the_parameters_alone():
    launch = read_launch(LAUNCHES / "sm/instruction_latency_throughput.ffma.chain")
    other = with_rounds(launch, 77)
    assert int.from_bytes(other.param_bytes[8:12], "little", signed=True) == 77
    assert other.param_bytes[:8] + other.param_bytes[12:] == launch.param_bytes[:8] + launch.param_bytes[12:]
    assert other.cubin_path == launch.cubin_path
