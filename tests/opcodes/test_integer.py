"""Integer and bit instructions: our own cubin, on the emulator and, on request, the GPU, against unbounded integers.

`pytest -m gpu tests/opcodes/test_integer.py` runs the same bodies with the GPU as the machine.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from integer_model import CASES
from integer_programs import GROUPS
from oracles import emulate, on_gpu
from values import patterns

from ssmsim.errors import SsmsimError

Run = Callable[..., np.ndarray]
COUNT = 256


def check(run: Run, group: int, columns: list[np.ndarray]) -> None:
    """All cases of a group on the columns of words, case by case against the model."""
    count = len(columns[0])
    out = run("integer", columns, 8 * len(GROUPS[group]) * count, 64, count // 64, kernel=f"integer{group}")
    for name, row in zip(GROUPS[group], out.view(np.uint64).reshape(-1, count).tolist(), strict=True):
        model = CASES[name][1]
        for words, got in zip(zip(*(c.tolist() for c in columns), strict=True), row, strict=True):
            expected = model(*words)
            assert got == expected, f"{name} {[hex(w) for w in words]}: {got:#x}, exact is {expected:#x}"


def edges() -> list[np.ndarray]:
    """Words whose halves are ends of integer types as well as random ones; small second and third words for shifts."""
    columns = [np.concatenate([a, b]) for a, b in zip(patterns(["u64"] * 3, 128, 5), halves(128), strict=True)]
    columns[1][::7] &= np.uint64(0xFF)
    columns[2][::5] &= np.uint64(0x3F)
    columns[1][3::16] = columns[0][3::16]
    return columns


def halves(count: int) -> list[np.ndarray]:
    parts = patterns(["u32"] * 6, count, 6)
    return [parts[2 * i] | parts[2 * i + 1] << np.uint64(32) for i in range(3)]


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_edges_and_random_words(group: int) -> None:
    check(emulate, group, edges())


WORD = st.one_of(st.integers(0, (1 << 64) - 1), st.integers(0, 70), st.integers((1 << 64) - 70, (1 << 64) - 1))


@pytest.mark.parametrize("group", range(len(GROUPS)))
@settings(max_examples=3, deadline=None, phases=[Phase.generate])
@given(words=st.lists(st.tuples(WORD, WORD, WORD), min_size=64, max_size=64))
def test_any_words(group: int, words: list[tuple[int, int, int]]) -> None:
    check(emulate, group, [np.array(c, np.uint64) for c in zip(*words, strict=True)])


@pytest.mark.gpu
@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_the_gpu_agrees_with_the_model(group: int) -> None:
    check(on_gpu, group, edges())


@pytest.mark.parametrize("opcode", ["IADD3", "IMAD", "SHF", "LEA", "ISETP", "LOP3", "PRMT"])
def test_a_planted_error_is_found(opcode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One bit wrong in any of the main opcodes makes the comparison fail."""
    from ssmsim.sass import decode as decoding
    from ssmsim.sass.opcodes import OPCODES
    from ssmsim.tracers.emulated import execute

    whole = execute.find

    def planted(name: str) -> Callable[..., object]:
        function = whole(name)
        if name != OPCODES[opcode].semantics:
            return function

        def wrong(*arguments: object, **extras: object) -> object:
            result = function(*arguments, **extras)
            first, *rest = result if isinstance(result, tuple) else (result,)
            if first is None:
                return (None, rest[0] ^ np.uint32(1), *rest[1:])
            bad = ~first if first.dtype == bool else first ^ np.uint32(1)
            return (bad, *rest)

        return wrong

    monkeypatch.setattr(execute, "find", planted)
    monkeypatch.setattr(decoding, "_cache", {})
    for group in range(len(GROUPS)):
        try:
            check(emulate, group, edges())
        except (AssertionError, SsmsimError):  # a wrong address may leave every buffer
            return
    pytest.fail("no case saw it")
