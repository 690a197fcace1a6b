"""Which SM each of a launch's first blocks goes to, beside what an H200 did."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssmsim.config.load import load
from ssmsim.engines.embedded.first_wave import first_wave

ROOT = Path(__file__).parents[2]
SAMPLES = json.loads((ROOT / "traces/h200/microbenchmarks/launch/block_dispatch_rate.json").read_text())["samples"]
H200 = load(ROOT / "simconfigs/h200.yaml")
# (blocks, threads, bytes of shared memory) of launches whose blocks stay until every place is taken: blocks an SM.
STAY = {
    (132, 128, 0): 1,
    (264, 128, 0): 2,
    (1056, 128, 0): 8,
    (1056, 256, 0): 8,
    (528, 1024, 0): 2,
    (660, 256, 100 << 10): 2,
}


def distances(sms: list[int]) -> Counter[tuple[int, ...]]:
    """How many SMs got their blocks at such distances from one to the next."""
    places: dict[int, list[int]] = {}
    for k, sm in enumerate(sms):
        places.setdefault(sm, []).append(k)
    return Counter(tuple(np.diff(found).tolist()) for found in places.values())


@pytest.mark.parametrize(("launch", "fit"), STAY.items())
def test_an_sm_gets_its_blocks_as_on_an_h200(launch: tuple[int, int, int], fit: int) -> None:
    """To the block, but for the GPC that is served first, which differs from launch to launch."""
    (sms,) = [s["smid"] for s in SAMPLES["order"] if (s["grid"], s["threads"], s["shared"]) == launch and s["hold"]]
    found = [first_wave(H200, fit, launch[0], begin).tolist() for begin in range(8)]
    assert distances(sms[: len(found[0])]) in [distances(one) for one in found]


@pytest.mark.parametrize("blocks", [1, 2, 5, 32])
def test_each_sm_has_its_blocks(blocks: int) -> None:
    assert np.bincount(first_wave(H200, blocks, 10000)).tolist() == [blocks] * 132
    assert np.bincount(first_wave(H200, 32, 132 * blocks)).tolist() == [blocks] * 132


def test_without_turns_every_sm_has_one_before_any_has_two() -> None:
    launch: Any = H200.launch.model_copy(update={"apart_turns": 0})
    assert first_wave(H200.model_copy(update={"launch": launch}), 2, 264).tolist() == [*range(132), *range(132)]
