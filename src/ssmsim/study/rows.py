"""Gather the study: every simulated and measured row as one table, the hardware of every configuration as another.

    python -m ssmsim.study.rows STUDY [--sample true|false] --rows rows.csv --hardware hardware.csv --designs designs.csv

rows.csv: one line per result (ssmsim.results.Result.row), plus, of each launch, `order` (its place in the captured
sequence), `occurrences` (how many equal launches it stands for), `name` (short), `direction` (forward, backward),
`role` (ssm: a kernel of the SSM block; again: one that the backward pass recomputes; framework: PyTorch's own),
`blocks`, `threads_per_block`, `registers_per_thread`, `shared_memory_bytes`; `part_sms` is the size of the part of the
GPU that a row is estimated from (0: none, simulated on the whole), `draw` the seed of what it left to chance, `whole`
that every block was to be timed though the study samples; `held_out` marks workloads that the study keeps for validation;
measured rows have engine "measured", config "measured", or the name of a configuration that describes another measured
GPU, and further columns as the measured table has them. Rows of an engine that is given options have `options` (as given),
`options_lacking`, `without_option` and `modified_without_option` (fields of the configuration that no option carries, and
those of them that it modifies).
hardware.csv: config, field, value, for every number of every configuration.
designs.csv: the factorial designs (see designs).
"""

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from ssmsim.counters import COUNTERS
from ssmsim.engines.accelsim.render import GIVEN, LACKING, MODIFIED
from ssmsim.errors import SsmsimError, told
from ssmsim.factorial import array
from ssmsim.files import whole_file
from ssmsim.launch import Launch, read_launch
from ssmsim.measured import read_measured
from ssmsim.results import read_result
from ssmsim.study.keys import current
from ssmsim.study.plan import Plan, Run, make_plan
from ssmsim.study.points import design_points


def short_name(launch: str) -> str:
    """`04-chunk_scan_fwd_kernel` -> `chunk_scan_fwd`."""
    return re.sub(r"^\d+-", "", launch).removesuffix("_kernel").strip("_")


def roles(launches: list[str]) -> dict[str, tuple[str, str]]:
    """(direction, role) of the launches of one workload, from their names in sequence.

    The backward pass begins with the first launch that is named so or repeats an earlier forward kernel: it recomputes
    what the forward pass did not keep.
    """
    seen: set[str] = set()
    found, backward = {}, False
    for launch in sorted(launches):
        name = short_name(launch)
        own = "fwd" in name or "bwd" in name
        backward = backward or "bwd" in name or (own and name in seen)
        seen.add(name)
        role = "framework" if not own else "again" if backward and "fwd" in name else "ssm"
        found[launch] = ("backward" if backward else "forward", role)
    return found


def sequence(folder: Path) -> dict[str, dict[str, Any]]:
    """What the tables need to know of each launch of a workload. occurrences: how many equal launches it stands for."""
    from ssmsim.study.before import sequence as ran_in_order  # the engine takes a second to load

    launches: dict[str, Launch] = {p.parent.name: read_launch(p.parent) for p in sorted(folder.glob("*/launch.json"))}
    role = roles(list(launches))
    ran = Counter(ran_in_order(folder))
    return {
        name: {
            "order": order,
            "occurrences": ran.get(name, 1),
            "name": short_name(name),
            "direction": role[name][0],
            "role": role[name][1],
            "blocks": launch.blocks,
            "threads_per_block": launch.threads_per_block,
            "registers_per_thread": launch.registers_per_thread,
            "shared_memory_bytes": launch.shared_memory_bytes,
        }
        for order, (name, launch) in enumerate(launches.items())
    }


def measured_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of one measured table, as rows of the same kind.

    What a warm launch finds in the L2 differs when it runs again over its own data, as ncu does for counters of several
    passes (measured.schema.json: own). Those of the L2 are left out: a simulated warm launch follows another.
    """
    table = read_measured(file).table.copy()  # unfragmented
    schema = file.with_suffix(".schema.json")
    columns = json.loads(schema.read_text())["columns"] if schema.exists() else {}
    own = [name for name, how in columns.items() if name.startswith("lts__") and how.get("warm") == "own"]
    table.loc[table["cache"] == "warm", [name for name in own if name in table.columns]] = None
    table = table.assign(engine="measured", config="measured", workload=file.parent.name)
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


TOLD = {
    "options": GIVEN,
    "options_lacking": LACKING,
    "modified_without_option": MODIFIED,
    "without_option": "Accel-Sim has no knob for: ",
}
"""Column -> what the note with its names begins with."""


def told_options(notes: list[str]) -> dict[str, str | None]:
    """What the notes of a result say of options; None where they say nothing."""
    found = {
        column: next((note.removeprefix(begin) for note in notes if note.startswith(begin)), None)
        for column, begin in TOLD.items()
    }
    if found["without_option"] and found["modified_without_option"]:
        found["without_option"] = f"{found['modified_without_option']}, {found['without_option']}"
    return found


def result_row(plan: Plan, run: Run) -> dict[str, Any]:
    """The row of a run's result. Raises SsmsimError when there is none, or it is not of this study's inputs."""
    path = run.path(plan.study.device)
    result = current(plan.root / path, plan.key(run), run.names)
    if result is None:
        read_result(plan.root / path)  # says what is wrong with the file
        raise SsmsimError("made from other inputs than today's", path, "run the same command again: it is made anew")
    return result.row() | told_options(result.notes) | {"part_sms": run.sms, "draw": run.draw, "whole": run.whole}


def is_current(plan: Plan, run: Run) -> bool:
    return current(plan.root / run.path(plan.study.device), plan.key(run), run.names) is not None


def recorded_rows(plan: Plan, about: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of a real Accel-Sim, of the study's launches under the study's configurations."""
    results = [
        read_result(file) for file in sorted((plan.root / "traces" / plan.study.device / "accelsim").glob("*.json"))
    ]
    return [
        result.row() | told_options(result.notes) | {"part_sms": 0, "draw": 0, "whole": False}
        for result in results
        if result.launch in about.get(result.workload, {}) and result.config in plan.configs
    ]


def designs(plan: Plan) -> pd.DataFrame:
    """The factorial designs of a study: selection, factor, run, config, axis, relieved (0 or 1); axes in order."""
    lines = [
        {"selection": name, "factor": selection.design.factor, "run": run, "config": config, "axis": axis, "relieved": int(on)}
        for name, selection in plan.study.selections.items()
        if selection.design
        for run, (config, row) in enumerate(
            zip(design_points(plan.study, name), array(len(selection.design.axes)), strict=True)
        )
        for axis, on in zip(selection.design.axes, row, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(lines, columns=["selection", "factor", "run", "config", "axis", "relieved"])


def gather(plan: Plan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(rows, hardware) of a study whose simulations are done."""
    device = plan.root / "traces" / plan.study.device
    about = {workload: sequence(device / workload) for workload in plan.workloads}
    further = [run for axes in plan.further.values() for runs in axes.values() for run in runs]
    extra = [run for run in dict.fromkeys(further) if run not in set(plan.runs) and is_current(plan, run)]
    rows = [result_row(plan, run) for run in [*plan.runs, *extra]]
    for file in plan.measured:
        rows += measured_rows(plan.root / file)
    for gpu, files in plan.elsewhere.items():
        rows += [row | {"config": gpu} for file in files for row in measured_rows(plan.root / file)]
    rows += recorded_rows(plan, about)
    full = [row | about.get(row["workload"], {}).get(row["launch"], {}) for row in rows]
    hardware = [
        {"config": name, "field": f"{group}.{field}", "value": value}
        for name, config in plan.configs.items()
        for group, fields in config.model_dump(exclude={"name", "files", "provenance"}).items()
        for field, value in (fields | ({"sms": config.sm_count} if group == "gpu" else {})).items()
        if isinstance(value, int | float)
    ]
    table = pd.DataFrame(full)
    table["held_out"] = table.workload.isin(plan.study.held_out)
    for name in COUNTERS:
        if name not in table:
            table[name] = None
    return table, pd.DataFrame(hardware)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("study")
    parser.add_argument("--rows", required=True)
    parser.add_argument("--hardware", required=True)
    parser.add_argument("--designs", required=True)
    parser.add_argument("--sample", choices=["true", "false"], help="in place of the study's")
    given = parser.parse_args()
    try:
        plan = make_plan(given.study, sample=given.sample)
        rows, hardware = gather(plan)
    except SsmsimError as error:
        sys.exit(f"ssmsim: {error}")
    for output, table in ((given.rows, rows), (given.hardware, hardware), (given.designs, designs(plan))):
        with whole_file(output) as temporary:
            table.to_csv(temporary, index=False)


if __name__ == "__main__":
    sys.exit(told(main))
