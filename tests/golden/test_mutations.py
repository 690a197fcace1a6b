"""A planted error in the semantics of any opcode is noticed: the launches of a pass no longer give the GPU's results.

Each opcode that the captured passes execute is made to compute something else, in turn; then launches that write
outputs are run from the memory that stood before them, and their outputs compared as test_full_mode.py does.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from captured import Captured, emulated, relative_error

from ssmsim.errors import SsmsimError
from ssmsim.sass.decode import decode_launch
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.opcodes import OPCODES, Access, Control
from ssmsim.tracers.emulated import run as runner
from ssmsim.tracers.emulated.operand_values import Group
from ssmsim.tracers.emulated.state import State

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("captures")]  # one worker emulates them, once
# Capture, numbers of the launches to run, outputs that they write; the cheapest first.
STAGES = [
    ("ssd-small", "39", "ddt dA ddt_bias"),
    ("ssd-small", "16 17", "dD"),
    ("ssd-small", "28", "dC"),
    ("ssd-small", "04", "out"),
    ("ssd-small", "25 26 27", "dB"),
    ("ssd-small", "15", "dx"),
    ("ssd-small", "29 30 31 32 33 34 35 36 37 38 39", "ddt dA ddt_bias"),
    ("ssd-small", "19 20 21 22 23 24 25 26 27 28", "dB dC"),
    ("mamba1-small", "06", "dA dD ddelta_bias"),
]
FLIP = np.uint32(0xC0400001)  # sign, exponent, mantissa and last bit of a float
# No value, nothing to get wrong here: they order memory or wait, which full mode does by running in order.
ORDERING = {
    "CCTL",
    "CGAERRBAR",
    "DEPBAR",
    "ERRBAR",
    "FENCE",
    "LDGDEPBAR",
    "MEMBAR",
    "NOP",
    "WARPGROUP",
    "ENDCOLLECTIVE",
}


# UPLOP3 starts a loop's flag that is set again before it decides anything: no result depends on it here.
SAME_FUNCTION = {"UPLOP3": "PLOP3"}


class Planter:
    """Wraps each instruction at compile time; those of the opcode `base` go wrong while it is set."""

    def __init__(self) -> None:
        self.base = ""
        self.executed: set[str] = set()
        self.instruction, self.move = runner.compile_instruction, runner.compile_move

    def corrupt(self, ins: Instruction, state: State, group: Group) -> None:
        """Flip bits of every register, and every predicate, that the instruction has written."""
        files: dict[str, Any] = {"R": state.r, "UR": state.ur, "P": state.p, "UP": state.up}
        for operand, wanted in zip(ins.destinations, ins.wants, strict=True):
            if operand is None or not wanted:
                continue
            for i in range(operand.index, operand.index + (operand.count if operand.kind in ("R", "UR") else 1)):
                file = files[operand.kind][i]
                value = file[group.index]
                lanes = np.broadcast_to(group.lanes if file.shape[1] == 32 else np.True_, value.shape)
                file[group.index] = np.where(lanes, ~value if value.dtype == bool else value ^ FLIP, value)

    def compile_instruction(self, ins: Instruction) -> Callable:
        execute = self.instruction(ins)

        def run(state: State, group: Group) -> None:
            execute(state, group)
            self.executed.add(ins.base)
            if ins.base == self.base:
                self.corrupt(ins, state, group)

        return run

    def compile_move(self, ins: Instruction, *rest: Any) -> Callable:
        """Loads give wrong values, stores, copies and atomics without a result are left out."""
        carry = self.move(ins, *rest)
        drops = ins.entry.access in (Access.STORE, Access.COPY) or not any(ins.wants)

        def run(state: State, group: Group, lanes: Any, rows: np.ndarray) -> None:
            self.executed.add(ins.base)
            wrong = ins.base == self.base
            if not (wrong and drops):
                carry(state, group, lanes, rows)
            if wrong and not drops:
                self.corrupt(ins, state, group)

        return run


class Stage:
    """Some launches of a pass, ready to run again and again from the memory before the first of them."""

    def __init__(self, capture: str, numbers: str, outputs: str) -> None:
        self.captured, _, before = emulated(capture)
        self.names = [n for n in self.captured.launches if n[:2] in numbers.split()]
        self.outputs, self.start = outputs.split(), before[self.names[0]]
        self.image, self.plans = self.captured.memory(), {}  # type: ignore[var-annotated]
        self.executed: set[str] = set()

    def agrees(self) -> bool:
        """Do the launches give the GPU's outputs?"""
        self.image.data[:] = self.start
        self.image.marks[:] = 1  # all of it is known
        try:
            self.captured.run(self.image, self.names, plans=self.plans)
        except (SsmsimError, IndexError):
            return False
        for name in self.outputs:
            value, measured = self.captured.result(self.image, name), self.captured.measured(name)
            if not relative_error(value, measured) < 1e-4:
                return False
            if self.captured.outputs[name]["dtype"] == "bfloat16" and (value == measured).mean() < 0.998:
                return False
        return True


Bench = tuple[Planter, list[Stage]]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    stages = [Stage(*stage) for stage in STAGES]
    planter = Planter()
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(runner, "compile_instruction", planter.compile_instruction)
        patch.setattr(runner, "compile_move", planter.compile_move)
        patch.setattr(runner, "MAX_INSTRUCTIONS", 20_000)
        yield planter, stages


def opcodes() -> list[str]:
    """Base opcodes of the kernels of all passes that compute, load or store."""
    return sorted(
        {
            ins.base
            for name in ("ssd-small", "ssd-ragged", "mamba1-small")
            for launch in Captured(name).launches.values()
            for ins in decode_launch(launch).instructions
            if ins.entry.control == Control.NONE
        }
        - ORDERING
    )


def test_without_an_error_every_stage_agrees(bench: Bench) -> None:
    for stage in bench[1]:
        assert stage.agrees(), stage.names


def test_an_error_in_any_opcode_is_noticed(bench: Bench) -> None:
    """Opcodes that no launch of the passes reaches are listed by name: sums over several blocks, failed assertions."""
    planter, stages = bench
    planter.base = ""
    for stage in stages:
        planter.executed = stage.executed = set()
        stage.agrees()
    reached = set.union(*(stage.executed for stage in stages))
    unnoticed = set()
    for base in sorted(reached - ORDERING):
        planter.base = base
        if all(stage.agrees() for stage in stages if base in stage.executed):
            unnoticed.add(base)
    assert unnoticed == SAME_FUNCTION.keys()
    for base, twin in SAME_FUNCTION.items():
        assert OPCODES[base].semantics == OPCODES[twin].semantics
    assert set(opcodes()) - reached == {"LEPC", "FLO", "POPC", "VOTEU"}
