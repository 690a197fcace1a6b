"""Tensor copies that an H200 carried out or faulted on: the emulator does the same, bit for bit."""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from async_programs import INPUT
from tensor_programs import OPERATIONS, SHARED, Copies, numbers, ranks

from ssmsim.errors import SsmsimError
from ssmsim.tracers.emulated.tensor_map import tensor_map

H200 = json.loads((Path(__file__).parents[1] / "data/tensor_copies/h200.json").read_text())["cases"]
UNMEASURED = {("prefetch", 3), ("prefetch", 5)}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return Copies(tmp_path_factory.mktemp("copies"))


def outcome(programs: Copies, case: dict) -> int | str:
    """What the emulator makes of a case of h200.json."""
    data = INPUT.to_bytes(8, "little") + bytes.fromhex(case["map"])[8:] + bytes(64)
    layout, memory = tensor_map(data, ""), numbers()
    words = min(layout.place_bytes + 256, SHARED) // 4
    launch = programs.launch(case["op"], data, case["at"], case["offsets"], layout.copy_bytes, words)
    try:
        run = programs.run(launch, memory)
    except SsmsimError as error:
        assert "a fault on a GPU" in str(error)
        return "fault"
    if case["op"] == "prefetch":
        return "no fault"
    if case["op"].endswith("load"):
        return zlib.crc32(run.out[: layout.place_bytes].tobytes())
    now = run.image.read(INPUT, memory.nbytes).view(np.uint32)
    where = np.flatnonzero(now != memory).astype(np.uint32)
    return zlib.crc32(where.tobytes() + now[where].tobytes())


@pytest.mark.parametrize(("op", "rank"), [(op, rank) for op in OPERATIONS for rank in ranks(op)])
def test_an_h200_did_the_same(programs: Copies, op: str, rank: int) -> None:
    cases = [case for case in H200 if case["op"] == op and len(case["at"]) == rank]
    assert cases or (op, rank) in UNMEASURED
    for case in cases:
        assert outcome(programs, case) == case["result"], case
