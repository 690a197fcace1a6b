"""Machine words that programs write themselves, read back by nvdisasm."""

import itertools
import subprocess
from pathlib import Path

import pytest

from ssmsim.microbenchmarks.instruction_words import RZ, Step, clock, ffma, place, word
from ssmsim.microbenchmarks.programs.sm import issue_timing
from ssmsim.microbenchmarks.programs.sm.issue_timing import SEQUENCES
from ssmsim.sass.decode import disassembler


def test_words_say_what_their_text_says(tmp_path: Path) -> None:
    steps = {str(step): step for sequence in SEQUENCES.values() for step in sequence}.values()
    placed = place(steps, range(4, 190))
    file = tmp_path / "words.bin"
    file.write_bytes(b"".join(w.to_bytes(16, "little") for w in (*map(word, placed), clock(3, 2))))
    done = subprocess.run([str(disassembler()), "-b", "SM90", str(file)], capture_output=True, text=True, check=True)
    lines = [line.split("*/")[1].strip(" ;\t") for line in done.stdout.splitlines() if line.lstrip().startswith("/*")]
    assert lines == [*(one.text for one in placed), "CS2R.32 R3, SR_CLOCKLO"]


def test_stall_count_and_yield_stand_in_the_control_bits() -> None:
    [plain, other] = (word(place([ffma("eoz", 3, yields)], range(4, 90))[0]) for yields in (False, True))
    assert plain ^ other == 1 << 109
    assert plain >> 105 & 15 == 3


def test_registers_are_of_the_bank_and_width_asked_for_and_not_used_again_at_once() -> None:
    for sequence in SEQUENCES.values():
        placed = place(sequence, range(4, 190))
        for one in placed:
            for wish, register, width in zip(one.step.registers, one.registers, one.widths, strict=True):
                assert (register == RZ) == (wish == "z")
                if wish != "z":
                    assert register % 2 == (wish[-1] == "o") and (len(wish) > 1 or register % width == 0)
        for one, following in itertools.pairwise(placed):
            fresh = [
                {r for r, wish in zip(p.registers, p.step.registers, strict=True) if len(wish) == 1 and wish != "z"}
                for p in (one, following)
            ]
            assert fresh[0].isdisjoint(fresh[1])


def test_too_few_registers_are_refused() -> None:
    with pytest.raises(RuntimeError, match="too few"):
        place([Step("HMMA.16816.F32.BF16", ("e", "e", "e", "e"))], range(4, 12))


def chain(registers: list[int]) -> list[int]:
    """FFMAs as the source of issue_timing.cu has them: each register and the two behind it."""
    one = word(place([ffma("zzz")], range(4, 90))[0]) & ~(RZ << 16 | RZ << 24 | RZ << 32 | RZ << 64)
    return [
        one | a << 16 | a << 24 | b << 32 | c << 64
        for a, b, c in zip(registers, registers[1:], registers[2:], strict=False)
    ]


def test_the_host_loop_is_found_and_another_order_refused() -> None:
    run = chain(list(range(4, 190)))
    assert issue_timing._host([0, 0, *run, 0, run[0], 0]) == (2, 184, list(range(4, 188)))
    run[7], run[8] = run[8], run[7]
    with pytest.raises(RuntimeError, match="order"):
        issue_timing._host(run)
    with pytest.raises(RuntimeError, match="in a row"):
        issue_timing._host(chain(list(range(4, 90))))


def test_dependency_counters_stand_in_their_fields():
    """None unless asked for: 7, and no bit of those waited for."""
    plain = word(place([Step("MUFU.EX2", ("z", "z"))], [4])[0])
    asked = word(place([Step("MUFU.EX2", ("z", "z"), sets=2, waits=(0, 5))], [4])[0])
    assert (plain >> 110 & 7, plain >> 116 & 63) == (7, 0)
    assert (asked >> 110 & 7, asked >> 116 & 63) == (2, 0b100001)
