"""Points that no other beats: smaller and faster at once. Plain functions of (area, speed-up)."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Place = tuple[float, float]  # mm2, speed-up


def beats(one: Place, other: Place) -> bool:
    """No larger and no slower, and one of the two better."""
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def pareto(places: Mapping[Key, Place]) -> list[Key]:
    """Those that none beats, by area; of equal ones the first."""
    chosen: list[Key] = []
    fastest = float("-inf")
    for key in sorted(places, key=lambda key: (places[key][0], -places[key][1])):
        if places[key][1] > fastest:
            chosen.append(key)
            fastest = places[key][1]
    return chosen


def hypervolume(places: list[Place], largest: float, slowest: float) -> float:
    """Area under the front: mm2 up to `largest` times speed-up above `slowest`. What lies outside counts nothing."""
    inside = {i: place for i, place in enumerate(places) if place[0] < largest and place[1] > slowest}
    front = [inside[i] for i in pareto(inside)]
    ends = [*(place[0] for place in front[1:]), largest][: len(front)]
    return sum((end - mm2) * (speed - slowest) for (mm2, speed), end in zip(front, ends, strict=True))
