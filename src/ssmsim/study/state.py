"""What earlier runs of a study have left, and whether it still is what it says."""

import sys
from collections.abc import Iterable
from typing import Any

from ssmsim.errors import SsmsimError
from ssmsim.study.keys import current
from ssmsim.study.plan import Plan

# Targets that no simulation is behind.
AWAY = (
    "docs",
    "captures",
    "search",
    "sampling",
    "waits",
    "ablation",
    "silicon",
    "results/site",
    "results/captured/",
    "results/evidence/",
)


def missing(plan: Plan) -> dict[str, list[str]]:
    """Batches of which a result is not there, damaged, edited or of other inputs: their mark -> those results."""
    found: dict[str, list[str]] = {}
    for mark, runs in zip(plan.done, plan.batches.values(), strict=True):
        for run in runs:
            path = run.path(plan.study.device)
            if current(plan.root / path, plan.key(run), run.names) is None:
                found.setdefault(mark, []).append(path)
    return found


def unfinished(plan: Plan, targets: Iterable[str]) -> tuple[list[str], list[str]]:
    """(marks to make anew for these targets, a line for each that claims to be finished).

    Snakemake by itself would keep a table whose results were deleted or damaged: it looks at files in its rules alone.
    """
    targets = set(targets)
    if targets and all(target.startswith(AWAY) for target in targets):
        return [], []
    again = missing(plan)
    told = [
        f"{mark}: {len(results)} of its results, {results[0]} first, are not those of the inputs any more"
        for mark, results in again.items()
        if (plan.root / mark).is_file()
    ]
    return list(again), told


def resume(workflow: Any, plan: Plan) -> None:
    """To be called after planning: what is not whole is made again without being asked for. `workflow` is Snakemake's.

    That is as --rerun-incomplete does, files of which a killed run may have left a half, and as --forcerun does, what is
    unfinished. Snakemake 9.27 gives a workflow its settings after it has read the Snakefile.
    """

    def settle(settings: Any) -> None:
        settings.force_incomplete = True
        if not workflow.is_main_process:
            return  # a job of a run that has settled this
        try:
            marks, told = unfinished(plan, settings.targets)
        except SsmsimError as error:
            sys.exit(f"ssmsim: {error}")
        for line in told:
            print(line, file=sys.stderr)
        settings.forcerun = {*settings.forcerun, *marks}

    class Resumed(type(workflow)):  # type: ignore[misc]
        def __setattr__(self, name: str, value: Any) -> None:
            if name == "dag_settings" and value is not None:
                settle(value)
            super().__setattr__(name, value)

    workflow.__class__ = Resumed
    if workflow.dag_settings is not None:
        settle(workflow.dag_settings)
