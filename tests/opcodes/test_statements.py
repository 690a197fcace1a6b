"""Statements of PTX that ptxas compiles, carried out by the emulator, against plain models of the PTX ISA."""

from pathlib import Path

import numpy as np
import pytest
from replay import STRIDE, Compiled
from statement_models import CASES, DOUBLES, HALVES_OF_THREE, LEAVES_TWO, SMALL

from ssmsim.sass.decode import decode

STATEMENTS = list(CASES)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    folder: Path = tmp_path_factory.mktemp("statements")
    return Compiled(STATEMENTS, folder / "statements.cubin")


def inputs(statement: str, seed: int) -> np.ndarray:
    """uint32[threads, 256]: any bits; whole numbers where doubles are added; sets of lanes where b names them."""
    generator, case = np.random.default_rng(seed), CASES[statement]
    if statement in DOUBLES:
        whole = generator.integers(-50, 50, (case.threads, STRIDE // 8)).astype(np.float64)
        return whole.view(np.uint32)
    if statement in SMALL:  # bytes of 0.5 to 8 in both formats, whole accumulators
        some = generator.choice(
            np.array([0, 0x38, 0x3C, 0x40, 0x44, 0xB8, 0xBC, 0xC0, 0xC4], np.uint8), (case.threads, STRIDE)
        )
        words = some.view(np.uint32).copy()
        words[:, 16:24] = generator.integers(-99, 99, (case.threads, 8)).astype(np.float32).view(np.uint32)
        return words
    words = generator.integers(0, 1 << 32, (case.threads, STRIDE // 4), np.uint32)
    if statement in HALVES_OF_THREE:
        edges = np.array(
            [0, 0x8000, 1, 0x8001, 0x7C00, 0xFC00, 0x7C01, 0x7E00, 0x7F80, 0xFF80, 0x7FC0, 0xFFFF, 0x3C00], np.uint16
        )
        some = generator.choice(edges, (case.threads // 2, 6)).view(np.uint32)
        words[::2, :3] = some
    if "f32" in statement:  # numbers around those that fit, beside any bits
        some = generator.normal(size=case.threads) * 10.0 ** generator.integers(-6, 6, case.threads)
        words[::2, 0] = some.astype(np.float32).view(np.uint32)[::2]
    if case.masks:
        lane = np.arange(case.threads) % 32
        words[:, 1] = np.where(lane % 2, 0xAAAAAAAA, 0x55555555) if seed % 2 or case.parted else 0xFFFFFFFF
        words[:, 0] >>= np.uint32(generator.integers(0, 32))
        if "match" in statement:
            words[:, 0] = generator.integers(0, 1 + seed % 3, case.threads)
    return words


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s[:60])
def test_statement(statement: str, compiled: Compiled) -> None:
    case = CASES[statement]
    for seed in (1, 2, 3):
        given = inputs(statement, seed)
        with np.errstate(all="ignore"):
            expected = case.model(given)
        got = compiled.run(statement, given, n=1, threads=case.threads)[:, case.first : case.first + expected.shape[1]]
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("base", ["VIMNMX3", "VHMNMX"])
def test_minima_of_three_are_one_instruction(base: str, compiled: Compiled) -> None:
    assert any(opcode.split(".")[0] == base for s in STATEMENTS for opcode in compiled.opcodes(s))


def test_minima_that_say_which_was_taken(compiled: Compiled) -> None:
    """With predicates as results, beside those without."""
    minima = [
        i for s in STATEMENTS for i in decode(compiled.path, compiled.names[s]).instructions if i.base == "VIMNMX"
    ]
    assert any(d is not None and d.kind == "P" for i in minima for d in i.destinations[1:])


def test_lanes_leave_two_regions_at_once(compiled: Compiled) -> None:
    breaks = [i for i in decode(compiled.path, compiled.names[LEAVES_TWO]).instructions if i.base == "BREAK"]
    assert any(i.guard is not None and i.sources[1] is not None for i in breaks)


def test_registers_of_the_pool_are_granted(tmp_path: Path) -> None:
    """setmaxnreg.inc asks in a loop until it has them; the loop must end."""
    statement = "setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 232; mov.b32 t, a;"
    compiled = Compiled([statement], tmp_path / "pool.cubin", " .reqntid 128 .maxnreg 168")
    assert "USETMAXREG.TRY_ALLOC.CTAPOOL" in compiled.opcodes(statement)
    words = np.random.default_rng(4).integers(0, 1 << 32, (128, STRIDE // 4), np.uint32)
    np.testing.assert_array_equal(compiled.run(statement, words, threads=128)[:, 0], words[:, 0])
