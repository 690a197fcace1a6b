"""Commands `cost` and `energy`."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from ssmsim.cost.interval import Interval
from ssmsim.files import Format, check_outputs, is_stdout, whole_file

COST = Format("cost", lambda head: head.startswith(b"{") and b'"mm2"' in head)
LONG_MICROSECONDS = 20  # below this, start and end of a kernel weigh as much as its work
ENERGY = Format("energy", lambda head: head.startswith(b"{") and b'"joules"' in head)


def register(app: typer.Typer) -> None:
    app.command()(cost)
    app.command()(energy)


def cost(
    config: Annotated[Path, typer.Argument(help="a file of simconfigs/")],
    baseline: Annotated[
        Path | None, typer.Option(help="what it is compared with; else the end of its chain of bases")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="write it here as JSON; -: to standard output")] = None,
) -> None:
    """Area and power of a configuration beyond its baseline's, per resource, with their range."""
    from ssmsim.config.load import chain, load
    from ssmsim.cost.area import difference, total, whole
    from ssmsim.cost.figures import costs

    base = baseline or chain(config)[-1]
    check_outputs({"--json": (json, COST)} if json else {}, [config, base])
    known, before = costs(), load(base)
    found = difference(known, before, load(config))
    if json is not None:
        data = {"config": config.stem, "baseline": base.stem, "process": known.process.name, "mm2": _data(found.mm2),
                "static_watts": _data(found.static), "busy_watts": _data(found.busy), "unknown": found.unknown,
                "resources": {part.name: {"unit": part.unit, "before": part.before, "after": part.after,
                                          "mm2": _data(part.mm2), "static_watts": _data(part.static),
                                          "busy_watts": part.busy and _data(part.busy)} for part in found.parts}}  # fmt: skip
        _write(json, data, COST)
        return
    rows = [[part.name, f"{part.before:,.6g} -> {part.after:,.6g} {part.unit}", _text(part.mm2), _text(part.static),
             _text(part.busy) if part.busy else "no figure"] for part in found.parts]  # fmt: skip
    rows.append(["together", "", _text(found.mm2), _text(found.static), _text(found.busy)])
    typer.echo(f"{config.stem} beside {base.stem}, {known.process.name}; (low to high)")
    typer.echo(_table(["resource", "number", "mm2", "W idle", "W at full use"], rows))
    covered = total(whole(known, before).values())
    share = covered.value / known.die.mm2
    typer.echo(f"resources of {base.stem} in all: {_text(covered)} mm2, {share:.0%} of a die of {known.die.mm2:g} mm2")
    for field in found.unknown:
        typer.echo(f"not in it: {field}, whose cost nobody has published")


def energy(
    launch: Annotated[
        Path, typer.Argument(help="a launch/1 folder, a result that `ssmsim simulate --json` wrote, or a measured.csv")
    ],
    config: Annotated[Path | None, typer.Option(help="a file of simconfigs/; for a launch")] = None,
    sample: Annotated[bool, typer.Option(help="simulate some thread blocks and estimate the whole")] = False,
    json: Annotated[Path | None, typer.Option(help="write it here as JSON; -: to standard output")] = None,
) -> None:
    """Energy of a launch by instruction class and memory level, with its range, from exact SASS counts and a simulation.

    Of a result alone, classes whose counters it lacks are named and left out. Of a measured table: of each of its cold rows, from
    the GPU's own counters.
    """
    from ssmsim.cost.energy import energy as of
    from ssmsim.cost.exact import exact_counters
    from ssmsim.cost.figures import costs
    from ssmsim.engines.run_launch import replay
    from ssmsim.errors import SsmsimError
    from ssmsim.launch import read_launch
    from ssmsim.results import read_result

    check_outputs({"--json": (json, ENERGY)} if json else {}, [launch])
    exact: dict[str, float] = {}
    if launch.suffix == ".csv":
        if config is not None or sample or json is not None:
            raise SsmsimError("--config, --sample and --json do not go with a measured table", launch, "leave them out")
        _of_measured(launch)
        return
    if launch.is_file():
        if config is not None or sample:
            raise SsmsimError("--config and --sample do not go with a result", launch, "name a launch/1 folder")
        result = read_result(launch)
    elif config is None:
        raise SsmsimError("no configuration", launch, "give --config, a file of simconfigs/")
    else:
        exact = exact_counters(read_launch(launch))
        result = replay(launch, config, sample=sample)
    if result.sampled is not None and result.sampled.ci95 is None:
        raise SsmsimError("counts some of the thread blocks, not the launch", launch, "simulate it whole")
    spent = of(costs(), result.counters | exact)
    if json is not None:
        data = {"launch": result.launch, "config": result.config, "joules": spent.joules and _data(spent.joules),
                "dynamic": _data(spent.dynamic), "static": spent.static and _data(spent.static), "seconds": spent.seconds,
                "watts": spent.watts and _data(spent.watts), "missing": spent.missing,
                "classes": {name: _data(value) for name, value in spent.classes.items()}}  # fmt: skip
        _write(json, data, ENERGY)
        return
    dynamic = spent.dynamic.value or 1.0
    rows = [
        [name, _text(value * 1e6), f"{value.value / dynamic:.1%}"]
        for name, value in spent.classes.items()
        if value.high
    ]
    rows.append(["dynamic", _text(spent.dynamic * 1e6), ""])
    rows += [["static", _text(spent.static * 1e6), ""]] if spent.static else []
    rows += [["together", _text(spent.joules * 1e6), ""]] if spent.joules else []
    typer.echo(f"{result.launch} under {result.config}; (low to high)")
    typer.echo(_table(["class", "microjoules", "of the dynamic"], rows))
    if spent.watts and spent.seconds:
        typer.echo(f"{spent.seconds * 1e6:,.2f} microseconds, {_text(spent.watts)} W in the mean")
    for name, counters in spent.missing.items():
        more = f" and {len(counters) - 1} more" if len(counters) > 1 else ""
        typer.echo(f"not in it: {name}, the result lacks {counters[0]}{more}")


def _of_measured(table: Path) -> None:
    """A line for each launch, and whether those that should take more power ran at a lower clock, as the board's limit makes them."""
    import numpy as np

    from ssmsim.cost.energy import energy as of
    from ssmsim.cost.figures import costs
    from ssmsim.measured import read_measured

    measured = read_measured(table)
    counted = _by_counter(table.with_name("energy.csv"))
    rows, long, ratios = [], [], []
    for (name, cache), counters in measured.rows.items():
        spent, clock = of(costs(), counters), measured.clocks.get((name, cache))
        if cache != "cold" or spent.joules is None or spent.watts is None or spent.seconds is None or clock is None:
            continue
        row = [name, f"{spent.seconds * 1e6:,.1f}", _text(spent.joules * 1e6), _text(spent.watts), str(clock)]
        if counted:
            row += [_text(spent.dynamic * 1e6), _number(counted[name] * 1e6) if name in counted else ""]
            ratios += [spent.dynamic.value / counted[name]] if name in counted else []
        rows.append(row)
        if spent.seconds * 1e6 >= LONG_MICROSECONDS:
            long.append((spent.watts.value, float(clock)))
    head = ["launch", "microseconds", "microjoules", "W in the mean", "MHz"]
    typer.echo(_table(head + (["dynamic microjoules", "by the GPU's counter"] if counted else []), rows))
    if ratios:
        typer.echo(f"dynamic energy of {len(ratios)} launches: {min(ratios):.2f} to {max(ratios):.2f} of what the GPU's counter gives, "
                   f"{np.exp(np.mean(np.log(ratios))):.2f} in the geometric mean")  # fmt: skip
    if len(long) > 2:
        ranks = np.argsort(np.argsort(np.array(long), axis=0, kind="stable"), axis=0, kind="stable")
        related = float(np.corrcoef(ranks[:, 0], ranks[:, 1])[0, 1])
        watts = [w for w, _ in long]
        typer.echo(f"{len(long)} of {LONG_MICROSECONDS} microseconds and more: {min(watts):.0f} to {max(watts):.0f} W, "
                   f"rank correlation with the clock {related:+.2f}")  # fmt: skip


def _by_counter(table: Path) -> dict[str, float]:
    """Joules of each launch beyond what an idle board takes in the same time, by energy.csv; none where it was not measured.

    Raises SsmsimError for a table of something else.
    """
    import csv

    from ssmsim.errors import SsmsimError

    if not table.is_file():
        return {}
    try:
        with table.open(newline="") as file:
            return {
                row["launch"]: float(row["joules"]) - float(row["idle_watts"]) * float(row["microseconds"]) * 1e-6
                for row in csv.DictReader(file)
            }
    except (KeyError, ValueError, TypeError) as error:
        raise SsmsimError(f"is no table of energy: {error}", table, "make it with `ssmsim measure --energy`") from None


def _data(interval: Interval) -> dict[str, float]:
    return {"low": interval.low, "value": interval.value, "high": interval.high}


def _text(interval: Interval) -> str:
    return f"{_number(interval.value)} ({_number(interval.low)} to {_number(interval.high)})"


def _number(value: float) -> str:
    """Four significant digits, never as a power of ten."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    """Columns as wide as they need."""
    lines = [head, *rows]
    wide = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, wide, strict=True)).rstrip() for line in lines)


def _write(path: Path, data: dict[str, Any], format_: Format) -> None:
    text = json_format.dumps(data, indent=1) + "\n"
    if is_stdout(path):
        typer.echo(text, nl=False)
        return
    with whole_file(path, format_) as temporary:
        temporary.write_text(text)
