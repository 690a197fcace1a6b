"""Bounds that fields of a configuration share, where a value comes from, and what every group of fields is."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

# Beyond these no hardware lies that anyone would describe, and the engine's state stays within memory, its times within
# 64-bit integers and its pauses below what it takes for a deadlock.
LONGEST = 1 << 18  # cycles
Count = Annotated[int, Field(ge=1, le=1 << 24)]
Room = Annotated[int, Field(ge=0, le=1 << 24)]  # a count that may be none
Entries = Annotated[int, Field(ge=1, le=1 << 16)]
Bytes = Annotated[int, Field(ge=1, le=1 << 31)]
Megahertz = Annotated[int, Field(ge=100, le=4000)]
NonNegative = Annotated[float, Field(ge=0, le=LONGEST)]
Cycles = Annotated[int, Field(ge=0, le=LONGEST)]
# To what answers at the SM's unit, the cycle of asking included, which the engine takes off: 0 would be before it asked.
Latency = Annotated[int, Field(ge=1, le=LONGEST)]
Interval = Annotated[int, Field(ge=1, le=LONGEST)]
Rate = Annotated[float, Field(ge=1e-3, le=1e6)]
Share = Annotated[float, Field(ge=0.01, le=1)]
Bandwidth = Annotated[float, Field(ge=1, le=100_000)]
Nanoseconds = Annotated[float, Field(ge=0, le=100_000)]
# Name of a policy: a module of the engine's plug-in point, which says what it does.
Policy = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Kind = Literal["datasheet", "paper", "microbenchmark", "assumption", "modification"]


class Provenance(BaseModel):
    """Where a baseline value comes from; an assumption also says how much the result depends on it, once known."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    source: str = Field(min_length=1)
    kind: Kind
    sensitivity: str = ""


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


WITHOUT_EFFECT = ("Accel-Sim alone", "without effect on captured code")  # how a field's description says so


UNITS = {
    r"mhz$": "MHz", r"gb_per_s$": "GB/s", r"_ns$": "ns", r"bytes_per_cycle": "bytes per cycle", r"_kib$": "KiB",
    r"interval_cycles|cycles_per": "cycles", r"(^|_)bytes(_|$)": "bytes", r"_cycles(_|$)": "cycles", r"_lines(_|$)": "lines",
    r"lanes": "lanes", r"registers": "registers", r"entries": "entries", r"_instructions$": "instructions",
    r"per_cycle": "per cycle", r"warp_slots": "warps", r"_sectors$": "sectors", r"^sms": "SMs",
}  # fmt: skip


def unit_of(name: str) -> str:
    """The unit that a field's name states; "" for a plain number."""
    return next((unit for pattern, unit in UNITS.items() if re.search(pattern, name)), "")


def range_of(name: str, field: FieldInfo) -> str:
    """What a number may be, with its unit: "100 to 4000 MHz"; "" where the field has no range."""
    bounds: dict[str, Any] = {}
    for item in field.metadata:
        for key in ("ge", "gt", "le", "lt"):
            if getattr(item, key, None) is not None:
                bounds[key] = getattr(item, key)
    if not bounds.keys() & {"ge", "gt"} or not bounds.keys() & {"le", "lt"}:
        return ""
    low = f"{bounds['ge']:.12g}" if "ge" in bounds else f"above {bounds['gt']:.12g}"
    high = f"{bounds['le']:.12g}" if "le" in bounds else f"below {bounds['lt']:.12g}"
    return f"{low} to {high} {unit_of(name)}".rstrip()
