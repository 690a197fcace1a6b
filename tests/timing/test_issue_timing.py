"""Short straight lines, the issue of each instruction against the H200's, to the cycle (microbenchmark sm/issue_timing)."""

import json
from pathlib import Path

import pytest
from streams import EXIT, issued, one_sm, op

from ssmsim.microbenchmarks.instruction_words import RZ, Placed, Step, place
from ssmsim.microbenchmarks.programs.sm.issue_timing import SEQUENCES
from ssmsim.trace.types import NO_REGISTER

pytestmark = pytest.mark.silicon

RESULTS = Path(__file__).parents[2] / "traces/h200/microbenchmarks/sm/issue_timing.json"
MEASURED = json.loads(RESULTS.read_text())["samples"]["issue"]
CONFIG = one_sm()
CLOCK = op("CS2R.32 R250, SR_CLOCKLO", stall=2, destination=250)

# One mark for each place of the second clock read: . as measured, 1 to 9 cycles later, a to i earlier.
DIFFERS = {
    # operands: a register waits for one of the same bank and operand position, the model for any of its bank
    "alt": "....11111111111",
    "eee_eeo": "...111111",
    "slots.eee_eeo": "...11",
    "slots.eee_eoe": "...11",
    "slots.eee_oee": "...11",
    "slots.eeo_eoe": "...11",
    "slots.eeo_oee": "...11",
    "slots.eoe_eeo": "...11",
    "slots.eoe_oee": "...11",
    "slots.oee_eeo": "...11",
    "slots.oee_eoe": "...11",
    "random.0": "....111111111",
    "random.1": ".....1111.111",
    "random.2": "...111111.1.1",
    "random.3": ".......aabaaa",
    "random.4": ".....111111.1",
    "random.6": "......1111111",
    "random.8": "...1111.111..",
    "random.9": ".........1111",
    # fp32 takes the half that the last FFMA or IMAD.MOV did not take; in the model FFMAs take turns
    # (sm/instruction_pair_throughput: ffma_imad)
    "imad.ffma": ".....111233345555",
    "imad.ffma2": "......a..a..a..a..aaaa",
    "imad.ffma3": ".......1111122233333333",
    "mix.FFFIFIIIIFFIFF": "....11111122122",
    "mix.IFFFIFFIIFIIII": "..1112222222222",
    "mix.IFIIIIFFFIFFFF": "..1222222223333",
    "mix.FFFFIIIFIIIIII": ".....aaa.111111",
    "wide.behind_ffma": ".....aaaaaaa",
    # nearer than a compiler lets them be: the result is not there yet, and nothing waits
    "wide.fed.1": "......55555",
    "wide.fed.2": "......55555",
    "wide.fed.3": "......44444",
    "wide.fed_lop.4": "......33333",
    # one cycle lost when operands are read behind MUFU
    "mufu.ffma": ".......aaaa",
    # the first behind an HMMA can read between its operands; in the loop as a whole the cycles are the same but for two FFMAs
    "hmma.ffma": "......3........",
    "hmma.lop": ".....311111",
    "hmma.ff.2": "...3cb1eda",
    "hmma.ff.3": "...3.ba2acb1b",
    "hmma.ff.4": "...3..a.3..a.3..",
    "hmma.ff.6": "...3....ba.....ba.....",
    "hmma.ff.8": "...3......ba.......ba.......",
    "hmma.ff.10": "...3........ba.........ba.........",
}


def as_op(placed: Placed):
    destination, *sources = placed.registers or (RZ,)
    return op(placed.text, placed.step.stall, yields=placed.step.yields, reuse=placed.step.reuse,
              destination=-1 if destination == RZ else destination,
              sources=[(NO_REGISTER, 0) if r == RZ else (r, count) for r, count in zip(sources, placed.widths[1:], strict=True)])  # fmt: skip


def replayed(sequence: list[Step]) -> list[int]:
    """As the measurement: one run for each place of the second clock read."""
    ops = [as_op(placed) for placed in place(sequence, range(4, 190))]
    found = []
    for k in range(len(ops) + 1):
        cycles = issued([CLOCK, *ops[:k], CLOCK, *ops[k:], EXIT], CONFIG)
        found.append(cycles[k + 1] - cycles[0])
    return found


def marks(ours: list[int], measured: list[int]) -> str:
    return "".join(
        "." if a == b else chr(48 + a - b) if a > b else chr(96 + b - a) for a, b in zip(ours, measured, strict=True)
    )


@pytest.mark.parametrize("name", SEQUENCES)
def test_issue_to_the_cycle(name: str) -> None:
    """To the cycle, but for the sequences above: there as far off as noted, so that a change of either shows."""
    measured = MEASURED[name]["cycles"]
    assert marks(replayed(SEQUENCES[name]), measured) == DIFFERS.get(name, "." * len(measured))


def test_every_sequence_was_measured() -> None:
    assert MEASURED.keys() == SEQUENCES.keys()
    assert DIFFERS.keys() <= SEQUENCES.keys()
