"""Which operand slot a register stands in, as the reuse cache counts them: what the control words of captured kernels mark."""

import re
from pathlib import Path

import pytest

from ssmsim.config.load import load
from ssmsim.engines.embedded import instructions
from ssmsim.launch import read_launch
from ssmsim.sass.decode import decode, decode_launch
from ssmsim.trace.types import MAX_SOURCES

ROOT = Path(__file__).parents[2]
WORKLOADS = ("mamba1-2.8b", "mamba2-2.7b", "mamba2-8b")
MARKED = re.compile(r"R(\d+)\|?(?:\.\w+)*?\.reuse")


def programs(workload):
    """Of each cubin of a workload once."""
    found = {}
    for file in sorted((ROOT / f"traces/h200/{workload}").glob("*/launch.json")):
        launch = read_launch(file.parent)
        found.setdefault(launch.cubin_path.resolve(), launch)
    return (decode_launch(launch).program for launch in found.values())


def kept(row):
    """Registers in the slots that are marked."""
    slots = [slot for slot in range(8) if not row["skipped"] >> slot & 1][:MAX_SOURCES]
    return sorted(int(row[f"source{i}"]) for i, slot in enumerate(slots) if row["reuse"] >> slot & 1)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_what_a_control_word_marks_is_what_the_disassembly_does(workload):
    """Immediates, constants and uniform registers take a slot, too: FFMA R22, R22, 0.9, R17.reuse marks the third."""
    checked = 0
    for program in programs(workload):
        for row, text in zip(program.instructions, program.text, strict=True):
            if row["reuse"]:
                assert kept(row) == sorted(int(number) for number in MARKED.findall(text)), text
                checked += 1
    assert checked > 100


def test_registers_that_are_kept_are_read_once():
    """LOP3 and FFMA by turns, each with what it keeps in cells of its own: no bank is read twice.

    Microbenchmark sm/block_issue_priority: both.4, 1.15 cycles each.
    """
    cubin = ROOT / "traces/h100/microbenchmarks/launches/sm/cubins/block_issue_priority.both.cubin"
    program = decode(cubin, "both").program
    statics = instructions.translate(program, load(ROOT / "simconfigs/h100.yaml"))
    loop = [i for i, text in enumerate(program.text) if ".reuse" in text and ("FFMA" in text or "LOP3" in text)]
    reads = [max(statics[i].even_reads, statics[i].odd_reads) for i in loop[4:]]
    assert len(reads) > 20 and max(reads) == 1
