"""Parameters and records: none is forgotten, none hides behind a method of NumPy."""

import importlib
import pkgutil

import numpy as np
from parameters_of import get
from streams import EXIT, assemble, launch, one_sm

from ssmsim.engines import embedded
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.state import machine
from ssmsim.engines.embedded.state.parameters import GROUPS, PARAMETERS


def test_every_field_of_the_machine_is_set_or_known_to_be_zero():
    """A field that parameters.py forgets would silently be 0."""

    config = one_sm(fetch__l1_latency_cycles=1, fetch__gpc_latency_cycles=1, fetch__l2_latency_cycles=1,
                    constant__miss_latency_cycles=1, launch__sm_interval_cycles=1, dram__refresh_interval_ns=1000,
                    l2__hit_latency_spread_cycles=(1,) * 7, noc__atomic_lane_header_bytes=1)  # fmt: skip
    state = machine.build(instructions.translate(assemble([EXIT]), config), launch(1), config, 1)
    m = state.machine[0]
    names = [name for name in PARAMETERS.names if name not in GROUPS]
    names += [f"{group}__{name}" for group, fields in GROUPS.items() for name in fields]
    unset = {name for name in names if not np.any(get(m, name))}
    off_today = {"launch__skip_prologue", "launch__rasterization_width", "persistent", "tiles_overlap", "l1__prefetch_lead_cycles",
                 "l1__prefetcher_bytes", "l1__prefetcher_loads", "l1__prefetcher_awaited_lines", "prefetch_places",
                 "mbarriers", "cluster_barriers", "handover", "execution_driven", "answer_cycles",
                 "sm__early_blocks", "shared__spill_space"}  # fmt: skip
    first_in_their_folder = {"warp_scheduler", "slice_hash", "l1_replacement", "l2_replacement"}
    assert unset <= off_today | first_in_their_folder, unset


def record_types() -> dict[str, np.dtype]:
    """Every record that a module of the engine declares, by module and name."""
    found = {}
    for info in pkgutil.walk_packages(embedded.__path__, f"{embedded.__name__}."):
        for name, value in vars(importlib.import_module(info.name)).items():
            if isinstance(value, np.dtype) and value.names:
                found[f"{info.name}.{name}"] = value
    return found


def test_no_field_hides_behind_a_method_of_numpy():
    """Without the JIT `record.fill` would be NumPy's."""
    taken, types = {*dir(np.recarray), *dir(np.record)}, record_types()
    assert len({id(kind) for kind in types.values()}) >= 20
    assert {name for kind in types.values() for name in kind.names} >= {"cycle", "wake", "burst_fp", "pending"}
    assert {name: set(kind.names) & taken for name, kind in types.items() if set(kind.names) & taken} == {}
