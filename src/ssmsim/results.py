"""Result: one row of counters, from an engine or from a GPU; a counter that is not had is None, never 0."""

import json
import math
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file


class Sampled(BaseModel):
    """How a sampled run relates to the whole: fraction of the blocks simulated, 95 % interval of the cycles.

    ci95 None: the counters are those of the fragment itself, not scaled to the whole.
    """

    fraction: float
    ci95: tuple[float, float] | None = None


class Result(BaseModel):
    """One launch under one configuration.

    launch:    the launch folder's name; workload: its parent's; kernel: mangled name.
    config:    configuration name; engine: "embedded", "accelsim" or "measured"; digest: of engine and configuration.
    cache:     state of the L2 at the start.
    counters:  {ncu metric: value or None}; names are those of ssmsim.counters.
    notes:     what the engine could not express or assumed, for people.

    What it cost, None where not known: wall_seconds, cpu_seconds; peak_memory_bytes of the process; input_bytes that the
    engine replayed from (a trace, or the captured launch).
    """

    model_config = ConfigDict(extra="forbid")

    launch: str
    workload: str = ""
    kernel: str = ""
    config: str
    engine: str
    digest: str = ""
    cache: Literal["cold", "warm"] = "cold"
    counters: dict[str, float | None]
    wall_seconds: float = 0.0
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    input_bytes: int | None = None
    warp_instructions: int = 0
    sampled: Sampled | None = None
    notes: list[str] = []

    @field_validator("counters")
    @classmethod
    def _known(cls, counters: dict[str, float | None]) -> dict[str, float | None]:
        unknown = sorted(set(counters) - set(COUNTERS))
        if unknown:
            raise ValueError(f"unknown counters {', '.join(unknown)}")
        return {k: None if v is None or math.isnan(v) else v for k, v in counters.items()}

    def write(self, path: Path | str) -> None:
        with whole_file(path) as temporary:
            temporary.write_text(self.model_dump_json(indent=1) + "\n")

    def row(self) -> dict[str, Any]:
        """Flat dict for a table: identity, then every counter of ssmsim.counters (None where not had)."""
        head = self.model_dump(exclude={"counters", "sampled", "notes"})
        head["sampled_fraction"] = self.sampled.fraction if self.sampled else None
        head["ci95_low"], head["ci95_high"] = (self.sampled and self.sampled.ci95) or (None, None)
        return head | {name: self.counters.get(name) for name in COUNTERS}


def read_result(path: Path | str) -> Result:
    """Read one result file; raises SsmsimError naming the file and the field."""
    path = Path(path)
    try:
        return Result.model_validate(json.loads(path.read_text()))
    except FileNotFoundError:
        raise SsmsimError("no such result", path, "run the simulation first") from None
    except json.JSONDecodeError as error:
        raise SsmsimError(f"not JSON: {error}", path, "delete it and simulate again") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SsmsimError(f"field {field}: {first['msg']}", path, "delete it and simulate again") from None
