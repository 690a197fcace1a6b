"""Whatever value a configuration gives a field, it is refused by name or the run ends: none hangs, none breaks a check."""

import pytest
from mixed import everything
from streams import EXIT, ROOT, Op, one_sm, op, prepare

from ssmsim.config.load import GROUPS, load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.embedded import conservation
from ssmsim.engines.embedded.simulate import run_to_end
from ssmsim.errors import SsmsimError

WHOLE, SMALL = load(ROOT / "simconfigs/h200.yaml").model_dump(), one_sm().model_dump()
NUMBERS = [(group, name) for group in GROUPS for name, value in WHOLE[group].items() if type(value) in (int, float)]
FACTORS = (0, 1 / 8, 8, 64)
WORDS = [[4 * lane for lane in range(32)]]  # without bank conflicts, which come later
MORE = [op("ATOMS.ADD R0, [R2], R4", write=0, rows=WORDS), op("S2R R0, SR_TID.X", write=1), op("LDS R0, [R2]", write=2, rows=WORDS),
        op("LDSM.16.M88.1 R0, [R2]", write=3, rows=[[16 * (lane % 8) for lane in range(32)]])]  # fmt: skip
# All that the units do, twice: as it goes, and with everything awaited at once.
PROGRAM = [*everything()[:-1], *MORE]
PROGRAM += [one for each in PROGRAM for one in (each, op("FADD R0, R1, R1", wait=range(6)))]


def finish(ops: list[Op], config: SimConfig) -> None:
    """Run three blocks of two warps to their end. Raises what a simulation would."""
    program, state, pool = prepare(ops, 2 * [list(range(len(ops)))], config, 3)
    run_to_end(state, pool, program, [])
    conservation.conserve(state, int(pool.executed.sum()))


def changed(group: str, name: str, factor: float) -> SimConfig:
    """A part of the GPU with the field so many times as large. Raises ValueError where the schema refuses it."""
    value = SMALL[group][name] or WHOLE[group][name]
    return SimConfig.model_validate(SMALL | {group: SMALL[group] | {name: type(value)(value * factor)}})


@pytest.mark.parametrize(("group", "name"), NUMBERS)
def test_a_field_far_from_its_value_is_refused_or_runs_to_the_end(group: str, name: str) -> None:
    for factor in FACTORS:
        try:
            config = changed(group, name, factor)
        except ValueError:
            continue
        try:
            finish([*PROGRAM, EXIT], config)
        except SsmsimError as error:
            assert "does not fit on an SM" in str(error)


@pytest.mark.parametrize("field", ["shared.load_latency_cycles", "shared.ldsm_latency_cycles", "shared.atomic_latency_cycles",
                                   "mio.shuffle_latency_cycles", "mio.lane_register_latency_cycles", "l1.hit_latency_cycles"])  # fmt: skip
def test_a_latency_of_0_would_hang_and_is_refused(field: str) -> None:
    """Past the schema it does: so the program above would tell of another such field."""
    group, name = field.split(".")
    config = one_sm()
    config = config.model_copy(update={group: getattr(config, group).model_copy(update={name: 0})})
    with pytest.raises(SsmsimError, match="deadlock"):
        finish([*PROGRAM, EXIT], config)
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        changed(group, name, 0)
