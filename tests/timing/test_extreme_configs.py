"""Whatever value a configuration gives a field, it is refused by name or the run ends: none hangs, none breaks a check."""

from pathlib import Path

import pytest
from mixed import everything
from streams import EXIT, Op, Streams, assemble, launch, one_sm

from ssmsim.config.load import GROUPS, load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import checks, code, events, machine
from ssmsim.engines.embedded.pool import Pool
from ssmsim.engines.embedded.simulate import run_to_end

BASE = load(Path(__file__).parents[2] / "simconfigs/h200.yaml")
FACTORS = (0, 1 / 8, 8, 64)
FIELDS = [f"{group}.{name}" for group, kind in GROUPS.items() for name in kind.model_fields
          if isinstance(getattr(getattr(BASE, group), name), int | float) and not isinstance(getattr(getattr(BASE, group), name), bool)]  # fmt: skip
PLACES = {
    "sm.registers",
    "sm.blocks",
    "sm.warp_slots_per_subcore",
    "shared.max_bytes_per_block",
    "sm.register_allocation_unit",
}


def changed(field: str, factor: float) -> SimConfig | None:
    """A part of the GPU with the field so many times as large; None when the schema refuses it."""
    group, name = field.split(".")
    small = one_sm()
    values = small.model_dump()
    old = values[group][name]
    values[group][name] = type(old)(old * factor)
    try:
        return SimConfig.model_validate(values)
    except ValueError:
        return None


def finish(ops: list[Op], config: SimConfig, blocks: int) -> None:
    """Run blocks of two warps to their end. Raises what a simulation would."""
    warps = 2 * [list(range(len(ops)))]
    program = assemble(ops)
    state = machine.build(code.translate(program, config), launch(len(warps)), config, blocks)
    pool = Pool(program, Streams(ops, warps, blocks), state)
    events.schedule(state.events, int(state.machine[0].start), events.LAUNCH, 0, 0)
    state.gpu[0].launch_scheduled = 1
    run_to_end(state, pool, program, [])
    checks.conserve(state, int(pool.executed.sum()))


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in PLACES])
def test_a_field_far_from_its_value_is_refused_or_runs_to_the_end(field: str) -> None:
    program = everything()
    for factor in FACTORS:
        config = changed(field, factor)
        if config is not None:
            finish([*program, *program, EXIT], config, blocks=3)
