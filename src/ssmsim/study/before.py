"""What ran before a launch in the captured sequence, as far back as the L2 can hold anything of it."""

import json
from pathlib import Path

from ssmsim.engines.embedded.sampling.warm_caches import FILLINGS, allocations
from ssmsim.errors import SsmsimError
from ssmsim.launch import Launch, read_launch
from ssmsim.study.names import check_name


def ran_before(launch: Launch, l2_bytes: int) -> list[Launch]:
    """The launches before this one, oldest first; before the first comes the last, as the step repeats.

    Goes back until the allocations that these launches name, each counted once, fill an L2 of `l2_bytes` FILLINGS times,
    or to the launch itself, a step ago. Copies and fills between launches are left out: they have no launch folder, and
    the captured ones move at most 4 MB. Of equal launches that are stored once it is the first: what ran before the others may
    differ. Raises SsmsimError for a launch that sequence.json does not name.
    """
    names = sequence(launch.folder.parent)
    if launch.folder.name not in names:
        raise SsmsimError(f"no launch {launch.folder.name}", launch.folder.parent / "sequence.json", "capture it again")
    here = names.index(launch.folder.name)
    before: list[Launch] = []
    touched: dict[int, int] = {}  # address -> bytes
    for name in reversed(names[here:] + names[:here]):
        before.insert(0, read_launch(launch.folder.parent / name))
        for address, size in allocations(before[0]).items():
            touched[address] = max(size, touched.get(address, 0))
        if sum(touched.values()) >= FILLINGS * l2_bytes:
            break
    return before


def sequence(captured: Path) -> list[str]:
    """Names of a capture's launches in the order in which they ran: sequence.json's; without it, as they are numbered. One
    that stands for several equal ones is there for each.

    Raises SsmsimError for a sequence.json of another format.
    """
    file = captured / "sequence.json"
    if not file.is_file():
        return sorted(launch.parent.name for launch in captured.glob("*/launch.json"))
    try:
        operations = json.loads(file.read_bytes())["operations"]
        names = [operation["launch"] for operation in operations if "launch" in operation]
        if not all(isinstance(name, str) for name in names):
            raise TypeError("a launch that is no name")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SsmsimError(f"not a sequence: {error!r}", file, "capture it again") from None
    for name in dict.fromkeys(names):
        check_name(name, "launch", file)
    return names
