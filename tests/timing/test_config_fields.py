"""Fields of a configuration that the engine does not use say so in their description; none is forgotten in silence."""

import re
from pathlib import Path

from ssmsim.config.schema import SimConfig
from ssmsim.engines import embedded
from ssmsim.engines.embedded.state.parameters import GROUPS, POLICIES

# Compared with the launch's before it is simulated; what turns cycles of other clocks into the SM's (config/clocks.py).
ELSEWHERE = {"gpu.compute_capability", "gpu.name", "gpu.cycles_at_mhz", "l2.own_clock_share"}


def test_a_field_without_effect_on_the_engine_says_so() -> None:
    """Every whole number is handed to the compiled loop by its name: what counts is whether a unit reads it."""
    text = "\n".join(file.read_text() for file in Path(embedded.__file__).parent.rglob("*.py"))
    read = set(re.findall(r"\.(\w+)", text))
    chosen = {f"{group}.{field}" for _, _, group, field in POLICIES}
    without, said = set(), set()
    for group, kind in SimConfig.model_fields.items():
        for name, field in getattr(kind.annotation, "model_fields", {}).items():
            names = {name, *(engine for engine, source in GROUPS.get(group, {}).items() if source == name)}
            if not names & read and f"{group}.{name}" not in chosen | ELSEWHERE:
                without.add(f"{group}.{name}")
            if "Accel-Sim alone" in (field.description or ""):
                said.add(f"{group}.{name}")
    assert without == said
