"""A configuration: every parameter of the model, unit in its name, within its bounds and without contradictions."""

from typing import Self

from pydantic import Field, model_validator

from ssmsim.config.fields import Provenance
from ssmsim.config.gpu import Hardware
from ssmsim.config.relations import contradictions


class SimConfig(Hardware):
    """A whole simulated GPU. `name`, `files` and `provenance` are set by the loader."""

    name: str = "unnamed"
    files: tuple[str, ...] = ()
    provenance: dict[str, Provenance] = Field(default_factory=dict)

    @property
    def assumptions(self) -> dict[str, Provenance]:
        """Fields whose value nobody measured, for the report's list."""
        return {field: p for field, p in self.provenance.items() if p.kind == "assumption"}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for wrong, field, why in contradictions(self):
            if wrong:
                raise ValueError(f"{field}|{why}")
        return self
