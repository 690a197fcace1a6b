"""Every field of a configuration reaches the engine, or says that it does not."""

from typing import Any

from mixed import everything
from streams import EXIT, assemble, launch, one_sm, op

from ssmsim.config.load import GROUPS
from ssmsim.engines.embedded import instructions
from ssmsim.engines.embedded.state import machine

ELSEWHERE = {"gpu.compute_capability", "gpu.name"}  # compared with the launch's before it is simulated
MORE = [op(text) for text in ("FENCE.VIEW.ASYNC.S", "HMMA.1688.F32 R0, R4, R6, R0", "HADD2 R0, R1, R2", "DADD R0, R2, R4", "S2R R0, SR_TID.X",
                              "S2R R0, SR_CTAID.X",
                              "ATOMS.ADD R0, [R2], R4", "BRA 0x0", "LOP3.LUT R0, R1, R2, R3, 0x0, !PT")]  # fmt: skip
MORE.append(op("LDS.64 R0, [R2]", width=8))


class Reading:
    """A configuration, or a group of one, that notes which fields are read."""

    def __init__(self, of: Any, read: set[str], group: str = "") -> None:
        self._of, self._read, self._group = of, read, group

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._of, name)
        if name in GROUPS and not self._group:
            return Reading(value, self._read, name)
        self._read.add(f"{self._group}.{name}")
        return value


def test_a_field_without_effect_on_the_engine_says_so() -> None:
    read: set[str] = set()
    config: Any = Reading(one_sm(), read)
    program = assemble([*everything(), *MORE, EXIT])
    machine.build(instructions.translate(program, config), launch(4), config, 1)
    fields = {f"{group}.{name}": field for group, kind in GROUPS.items() for name, field in kind.model_fields.items()}
    without = {field for field in fields if "Accel-Sim alone" in (fields[field].description or "")}
    assert fields.keys() - read - ELSEWHERE == without
