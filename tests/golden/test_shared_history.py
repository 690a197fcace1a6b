"""A slice through shared memory: cut to the stores that loads really meet, watched, and made whole again when it
must be.
"""

from pathlib import Path

import numpy as np
from emulator import full, make_launch

from ssmsim.sass.decode import decode_launch
from ssmsim.trace.compare import compare
from ssmsim.tracers.emulated.source import EmulatedBlocks

BLOCK = (96, 1, 1)


def relay(folder: Path, other: int, record: bool) -> tuple[EmulatedBlocks, tuple]:
    arguments = [np.zeros(96 * 3, np.float32), np.arange(96, dtype=np.float32), other]
    launch, arrays = make_launch(folder, "relay", arguments, (3, 1, 1), BLOCK, record=record)
    return EmulatedBlocks(launch, None), (launch, arrays)


def carried(source: EmulatedBlocks, base: str) -> list[bool]:
    plan = source.tracing.plan
    assert plan is not None
    return [c for i, c in zip(plan.code.instructions, plan.part.computes, strict=True) if i.base == base]


def test_addresses_pass_through_shared_memory_beside_unrecorded_data(tmp_path: Path) -> None:
    source, (launch, arrays) = relay(tmp_path, other=-1, record=False)
    _, whole = full(launch, arrays)
    source._batch = 3
    trace = source.next_blocks(3)
    assert trace is not None and not compare(decode_launch(launch).program, trace, whole).rows(
        source.tracing.code.program
    )
    assert carried(source, "LDG") == [False] and sum(carried(source, "STS")) == 1


def test_a_store_that_the_first_block_never_made(tmp_path: Path) -> None:
    """Block 1 stores other places: the short slice meets it, gives up, and the whole one gives the right addresses."""
    source, (launch, arrays) = relay(tmp_path, other=1, record=True)
    (out, _), whole = full(launch, arrays)
    assert out[96:192].tolist() == [3.0 * t for t in range(96)]
    first, rest = source.next_blocks(1), source.next_blocks(2)
    assert first is not None and rest is not None and rest.blocks.tolist() == [1, 2]
    assert sum(carried(source, "STS")) == 3
    addresses = [
        t.addresses[t.first_access[3 * b] : t.first_access[3 * b + 3]]
        for t, n in ((first, 1), (rest, 2))
        for b in range(n)
    ]
    assert np.array_equal(np.concatenate(addresses), whole.addresses)
