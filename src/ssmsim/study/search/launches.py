"""The launches that a search's file names, checked before anything runs."""

from fnmatch import fnmatchcase
from pathlib import Path

from ssmsim.config.device import check_device
from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.study.names import check_inside
from ssmsim.study.search.schema import Search
from ssmsim.study.search.simulations import Launches


def chosen_launches(search: Search, baseline: SimConfig, root: Path, where: str) -> Launches:
    """(workload, launch) -> its folder. Raises SsmsimError for a pattern that matches nothing and for another GPU's launch."""
    found: Launches = {}
    traces = root / "traces" / search.device
    for workload, patterns in search.launches.items():
        check_inside(traces / workload, traces, f"workload {workload}", where)
        there = sorted(path.parent.name for path in (traces / workload).glob("*/launch.json"))
        if not there:
            what = f"field launches: no captured launches in {traces / workload}"
            raise SsmsimError(what, where, "capture the workload")
        for pattern in patterns:
            names = [name for name in there if fnmatchcase(name, pattern)]
            if not names:
                what = f"field launches.{workload}: no launch matches {pattern!r}"
                raise SsmsimError(what, where, f"{workload} has {', '.join(there)}")
            found |= {(workload, name): traces / workload / name for name in names}
    if not found:
        raise SsmsimError("field launches: selects no launch", where, 'give a pattern, "*" for all')
    for folder in found.values():
        launch = read_launch(folder)
        if not search.cross_device:
            check_device(launch, baseline)
        capability = ".".join(map(str, launch.device.compute_capability))
        if capability != baseline.gpu.compute_capability:
            what = f"captured on compute capability {capability}, {baseline.name} describes {baseline.gpu.compute_capability}"
            raise SsmsimError(what, folder, "leave it out")
    return found
