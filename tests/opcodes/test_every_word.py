"""Every instruction that the disassembler knows for sm_90a has a row, and whatever its modifiers it is decoded or refused by name."""

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ssmsim.errors import SsmsimError
from ssmsim.sass.control import control_fields
from ssmsim.sass.decode import _instruction, disassembler
from ssmsim.sass.instruction import Instruction
from ssmsim.sass.kernel_elf import Kernel
from ssmsim.sass.opcodes import OPCODES
from ssmsim.sass.records import instruction_records
from ssmsim.tracers.emulated.report import support

NUMBERS = 1 << 12  # of an opcode and the kinds of its operands: the lowest bits of a word
MODIFIERS = range(72, 105)
ROUNDS = 8


def words(seed: int) -> np.ndarray:
    """uint64[4096, 2]: each number once, modifiers at random (none of them, seed 0), registers or RZ."""
    random = np.random.default_rng(seed)
    chosen = random.random((NUMBERS, len(MODIFIERS))) < random.choice([0.03, 0.1, 0.3], (NUMBERS, 1)) * (seed > 0)
    low, high = np.arange(NUMBERS, dtype=np.uint64) | 7 << 12, np.full(NUMBERS, 0xFE200 << 32, np.uint64)
    for place, registers in ((16, (4, 255)), (24, (8, 16, 255)), (32, (12, 255))):
        low |= random.choice(np.array(registers, np.uint64), NUMBERS) << np.uint64(place)
    for k, bit in enumerate(MODIFIERS):
        high |= chosen[:, k].astype(np.uint64) << np.uint64(bit - 64)
    return np.stack([low, high | random.choice(np.array([16, 255], np.uint64), NUMBERS)], 1)


def told(made: np.ndarray, path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    path.write_bytes(made.tobytes())
    command = [disassembler(), "-b", "SM90a", *options, path]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@cache
def legal(folder: Path) -> list[tuple[np.ndarray, list[dict[str, str]]]]:
    """Of each round: the words that are instructions, and what the disassembler says of them. It names all others at once."""
    found = []
    for seed in range(ROUNDS):
        made = words(seed)
        bad = {int(n, 16) // 16 for n in re.findall("at address 0x([0-9a-f]+)", told(made, folder / "w.bin").stderr)}
        made = made[[i not in bad for i in range(NUMBERS)]]
        items = json.loads(told(made, folder / "w.bin", "-json").stdout)[1][0]["sass-instructions"]
        assert len(items) == len(made) > 100
        found.append((made, items))
    return found


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[np.ndarray, list[dict[str, str]]]]:
    return legal(tmp_path_factory.mktemp("words"))


def decoded(made: np.ndarray, items: list[dict[str, str]]) -> Iterator[Instruction]:
    """Those that are not refused; any other error than a SsmsimError fails the test."""
    kernel = Kernel("words", made, {}, {}, (), 0x210, 0, 255, 0, 0)
    for i, item in enumerate(items):
        try:
            yield _instruction(i, item, kernel)
        except SsmsimError as error:
            assert item["opcode"] in str(error) and error.what


def test_every_instruction_has_a_row(rounds: list[tuple[np.ndarray, list[dict[str, str]]]]) -> None:
    bases = {item["opcode"].split(".")[0] for _, items in rounds for item in items if item["opcode"]}
    assert len(bases) > 180
    assert bases <= set(OPCODES)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_every_word_is_decoded_or_refused_by_name(
    rounds: list[tuple[np.ndarray, list[dict[str, str]]]], seed: int
) -> None:
    made, items = rounds[seed]
    found = list(decoded(made, items))
    assert len(found) > len(items) // 2
    for ins in found:
        instruction_records([ins], [ins.opcode], control_fields(made[ins.index : ins.index + 1]))
        assert support(ins.opcode).timing
