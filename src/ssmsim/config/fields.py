"""Bounds that fields of a configuration share, where a value comes from, and what every group of fields is."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1, le=1 << 40)]
NonNegative = Annotated[float, Field(ge=0, le=1 << 20)]
Cycles = Annotated[int, Field(ge=0, le=1 << 20)]
# To what answers at the SM's unit, the cycle of asking included, which the engine takes off: 0 would be before it asked.
Latency = Annotated[int, Field(ge=1, le=1 << 20)]
Rate = Annotated[float, Field(gt=0, le=1e6)]
Nanoseconds = Annotated[float, Field(ge=0, le=1e6)]
# Name of a policy: a module of the engine's plug-in point, which says what it does.
Policy = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Kind = Literal["datasheet", "paper", "microbenchmark", "assumption", "modification"]


class Provenance(BaseModel):
    """Where a baseline value comes from; an assumption also says how much the result depends on it, once known."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(min_length=1)
    kind: Kind
    sensitivity: str = ""


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
