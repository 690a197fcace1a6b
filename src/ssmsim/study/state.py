"""What earlier runs of a study have left, and whether it still is what it says."""

from ssmsim.study.keys import current
from ssmsim.study.plan import Plan


def missing(plan: Plan) -> dict[str, list[str]]:
    """Finished batches of which a result is not there, damaged, edited or of other inputs: mark -> those results."""
    found: dict[str, list[str]] = {}
    for mark, runs in zip(plan.done, plan.batches.values(), strict=True):
        if not (plan.root / mark).is_file():
            continue
        for run in runs:
            path = run.path(plan.study.device)
            if current(plan.root / path, plan.key(run), run.names) is None:
                found.setdefault(mark, []).append(path)
    return found


def take_back_marks(plan: Plan) -> list[str]:
    """Remove the marks of batches that are not finished any more, so that these run again; a line for each."""
    told = []
    for mark, results in missing(plan).items():
        (plan.root / mark).unlink()
        told.append(f"{mark}: {len(results)} of its results, {results[0]} first, are not those of the inputs any more")
    return told
