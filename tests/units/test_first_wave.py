"""Which SM each of a launch's first blocks goes to, beside what an H200 and an H100 did."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssmsim.config.load import load
from ssmsim.engines.embedded.first_wave import first_wave

ROOT = Path(__file__).parents[2]
SAMPLES, H100_SAMPLES = (
    json.loads((ROOT / f"traces/{gpu}/microbenchmarks/launch/block_dispatch_rate.json").read_text())["samples"]
    for gpu in ("h200", "h100")
)
H200, H100 = (load(ROOT / f"simconfigs/{gpu}.yaml") for gpu in ("h200", "h100"))
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


# (blocks, threads) of launches whose blocks stay, of which the first SM's blocks were kept on an H100: blocks an SM.
KEPT = {(264, 1024): 2, (528, 512): 4, (1056, 256): 8, (1056, 128): 8}


@pytest.mark.parametrize(("launch", "fit"), KEPT.items())
def test_the_first_sm_gets_its_blocks_as_on_an_h100(launch: tuple[int, int], fit: int) -> None:
    """Met by the turns of its configuration and by no others; the GPC that is served first differs from launch to launch."""
    (blocks,) = [s["block"] for s in H100_SAMPLES["warps"] if (s["grid"], s["threads"]) == launch and not s["shared"]]
    met = []
    for turns in range(12):
        part: Any = H100.launch.model_copy(update={"apart_turns": turns})
        config = H100.model_copy(update={"launch": part})
        found = [first_wave(config, fit, launch[0], begin) for begin in range(8)]
        if sorted(set(blocks)) in [np.flatnonzero(one == one[0]).tolist() for one in found]:
            met.append(turns)
    assert met == [H100.launch.apart_turns]


@pytest.mark.parametrize("blocks", [1, 2, 5, 32])
def test_each_sm_has_its_blocks(blocks: int) -> None:
    assert np.bincount(first_wave(H200, blocks, 10000)).tolist() == [blocks] * 132
    assert np.bincount(first_wave(H200, 32, 132 * blocks)).tolist() == [blocks] * 132


def test_without_turns_every_sm_has_one_before_any_has_two() -> None:
    launch: Any = H200.launch.model_copy(update={"apart_turns": 0})
    assert first_wave(H200.model_copy(update={"launch": launch}), 2, 264).tolist() == [*range(132), *range(132)]
