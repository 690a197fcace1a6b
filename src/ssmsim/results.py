"""Result: one row of counters, from an engine or from a GPU; a counter that is not had is None, never 0."""

import hashlib
import json
import math
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ssmsim.counters import COUNTERS
from ssmsim.errors import SsmsimError
from ssmsim.files import Format, read_json, whole_file

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Whole = Annotated[int, Field(ge=0)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


RESULT = Format("result", lambda head: head.startswith(b"{") and b'"engine":' in head and b'"counters":' in head)


class Sampled(BaseModel):
    """How a sampled run relates to the whole: fraction of the blocks simulated, 95 % interval of the cycles.

    ci95 None: the counters are those of the fragment itself, not scaled to the whole.
    """

    model_config = ConfigDict(extra="forbid")

    fraction: Annotated[float, Field(ge=0, le=1)]
    ci95: tuple[Finite, Finite] | None = None


class Result(BaseModel):
    """One launch under one configuration.

    launch:    the launch folder's name; workload: its parent's; kernel: mangled name.
    config:    configuration name; engine: "embedded", "accelsim" or "measured"; digest: of engine and configuration.
    cache:     state of the L2 at the start.
    counters:  {ncu metric: value or None}; names are those of ssmsim.counters.
    notes:     what the engine could not express or assumed, for people.

    What it cost, None where not known: wall_seconds, cpu_seconds; peak_memory_bytes of the process; input_bytes that the
    engine replayed from (a trace, or the captured launch).

    The file holds one more field, `checksum`: see `checksum`.
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
    wall_seconds: Seconds = 0.0
    cpu_seconds: Seconds | None = None
    peak_memory_bytes: Whole | None = None
    input_bytes: Whole | None = None
    warp_instructions: Whole = 0
    sampled: Sampled | None = None
    notes: list[str] = []

    @field_validator("counters")
    @classmethod
    def _known(cls, counters: dict[str, float | None]) -> dict[str, float | None]:
        unknown = sorted(set(counters) - set(COUNTERS))
        if unknown:
            raise ValueError(f"unknown counters {', '.join(unknown)}")
        endless = [name for name, value in counters.items() if value is not None and math.isinf(value)]
        if endless:
            raise ValueError(f"{endless[0]} is infinite")
        return {k: None if v is None or math.isnan(v) else v for k, v in counters.items()}

    def text(self) -> str:
        """The file's text: one JSON object with its checksum."""
        data = json.loads(self.model_dump_json())
        return json.dumps(data | {"checksum": checksum(data)}, indent=1, ensure_ascii=False) + "\n"

    def write(self, path: Path | str) -> None:
        with whole_file(path) as temporary:
            temporary.write_text(self.text(), encoding="utf-8")

    def row(self) -> dict[str, Any]:
        """Flat dict for a table: identity, then every counter of ssmsim.counters (None where not had)."""
        head = self.model_dump(exclude={"counters", "sampled", "notes"})
        head["sampled_fraction"] = self.sampled.fraction if self.sampled else None
        head["ci95_low"], head["ci95_high"] = (self.sampled and self.sampled.ci95) or (None, None)
        return head | {name: self.counters.get(name) for name in COUNTERS}


def checksum(data: dict[str, Any]) -> str:
    """SHA-256 of every field but `checksum` itself, keys in order, so that white space does not count."""
    rest = {name: value for name, value in data.items() if name != "checksum"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_result(path: Path | str) -> Result:
    """Read one result file; raises SsmsimError naming the file when it is damaged, edited or of another format."""
    path = Path(path)
    if not path.exists():
        raise SsmsimError("no such result", path, "run the simulation first")
    data = read_json(path, "delete it and simulate again")
    if not isinstance(data, dict) or not {"launch", "config", "engine", "counters"} <= data.keys():
        raise SsmsimError("not a result", path, "name a file that `ssmsim simulate --json` wrote")
    if "checksum" not in data:
        raise SsmsimError("field checksum: missing", path, "delete it and simulate again")
    if data.pop("checksum") != checksum(data):
        raise SsmsimError("its checksum does not match: damaged or edited", path, "delete it and simulate again")
    try:
        return Result.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SsmsimError(f"field {field}: {first['msg']}", path, "delete it and simulate again") from None
