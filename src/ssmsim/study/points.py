"""Points of sweeps, runs of designs and rules that are off: their names, and the configurations that they stand for."""

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ssmsim.config.schema import SimConfig
from ssmsim.errors import SsmsimError
from ssmsim.factorial import array
from ssmsim.study.schema import AND, AT, Selection, Study


def _text(factor: float) -> str:
    """As short as it is without loss: two factors never have one name."""
    return f"{factor:g}" if float(f"{factor:g}") == factor else repr(float(factor))


def count(selection: Selection) -> int:
    """Configurations, sweep points and runs of a design, the baseline too, those counted twice that it names twice."""
    swept = sum(prod(map(len, sweep.values())) for sweep in selection.sweeps)
    designed = len(array(len(selection.design.axes))) if selection.design else 0
    return 1 + len(selection.configs) + len(selection.without) + swept + designed


def steps_of(selection: Selection) -> Iterator[dict[str, float]]:
    """Factor of each axis, point by point of the sweeps and the design."""
    for sweep in selection.sweeps:
        for factors in product(*sweep.values()):
            yield dict(zip(sweep, factors, strict=True))
    if selection.design:
        for row in array(len(selection.design.axes)):
            relieved = zip(selection.design.axes, row, strict=True)
            yield {axis: selection.design.factor for axis, is_relieved in relieved if is_relieved}


def design_points(study: Study, selection: str) -> list[str]:
    """Names of a design's configurations, row by row of its array; none without a design."""
    design = study.selections[selection].design
    if design is None:
        return []
    rows = array(len(design.axes))
    return [
        name_of({axis: design.factor for axis, on in zip(design.axes, row, strict=True) if on}, study) for row in rows
    ]


def name_of(steps: dict[str, float], study: Study) -> str:
    """Of the configuration with these factors of axes."""
    return point_name(steps, study.baseline)


def point_name(steps: Mapping[str, float], baseline: str) -> str:
    """`vector@2+dram@1.5`; the baseline's own name where no factor differs from 1."""
    return AND.join(f"{axis}{AT}{_text(factor)}" for axis, factor in steps.items() if factor != 1) or baseline


def scaled(value: int | float, factor: float, exponent: float) -> int | float:
    """value x factor ** exponent; a whole number stays one, and above 0."""
    result = value * factor**exponent
    return max(round(result), 1 if value else 0) if isinstance(value, int) else result


def until(selection: Selection) -> Iterator[tuple[str, float]]:
    """Axes and factors of which some run after the design."""
    if selection.design:
        yield from product(selection.design.axes, selection.design.until)


def sweep_point(study: Study, baseline: SimConfig, point: str, steps: dict[str, float], file: Path | str) -> SimConfig:
    """Configuration of one sweep point, validated as a file's would be."""
    values: dict[str, Any] = {}
    for axis, factor in steps.items():
        for field, exponent in study.axes[axis].items():
            value = values.get(field, _value(baseline, field))
            if isinstance(value, bool) or not isinstance(value, int | float):
                what = f"field axes.{axis}: {study.baseline} has no number {field!r}"
                raise SsmsimError(what, file, "see simconfigs/")
            values[field] = scaled(value, factor, exponent)
    return with_values(study, baseline, point, values, f"axes.{'+'.join(steps)}", file)


def _value(config: SimConfig, field: str) -> object:
    group, _, name = field.partition(".")
    return getattr(getattr(config, group, None), name, None)


def with_values(study: Study, baseline: SimConfig, point: str, changed: Mapping[str, object], where: str, file: Path | str) -> SimConfig:  # fmt: skip
    """The baseline with other values of some fields, validated as a file's would be; where: what in the study says so."""
    values = baseline.model_dump()
    for field, value in changed.items():
        group, _, name = field.partition(".")
        if _value(baseline, field) is None:
            raise SsmsimError(f"field {where}: {study.baseline} has no field {field!r}", file, "see simconfigs/")
        values[group][name] = tuple(value) if isinstance(value, list) else value
    try:
        return SimConfig.model_validate(values | {"name": point})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or first["msg"].removeprefix("Value error, ")
        raise SsmsimError(f"configuration {point}: {field.replace('|', ' ')}: {first['msg']}", file, "mend") from None
