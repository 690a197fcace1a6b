"""A few hundred cases of `python -m tests.fuzz` at every test run: no traceback, no wrong result without a word."""

from collections import Counter
from typing import Any

import pytest

from tests.fuzz.outcomes import count
from tests.fuzz.targets import targets

CASES = {"cubin": 4, "launch": 15, "arguments": 15, "configuration": 30, "trace": 30}  # others 60


@pytest.mark.parametrize("name", sorted(targets()))
def test_damaged_input_is_refused_in_one_line_or_gives_a_result(name: str, tmp_path) -> None:
    kept: dict[str, Any] = {}
    found: Counter[str] = count(targets()[name], CASES.get(name, 60), 0, tmp_path, kept)
    assert not kept, {where: repr(case)[:300] for where, case in kept.items()}
    assert found["clean error"]
