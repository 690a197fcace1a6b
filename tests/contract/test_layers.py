"""Who may import whom: tracers and engines never meet, analysis sees results and counters alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/ssmsim"
VOCABULARY = {"errors", "files", "launch", "contents", "cubin", "counters", "results", "measured"}
MIDDLE = {"config", "sass", "trace"}
MEETING = ("command.py", "replay.py")  # where a command brings tracer and engine together
INTERFACE = (
    "ssmsim.tracers.open_tracer"  # an engine may have another launch traced (warm caches), never a tracer's insides
)


def imports(path: Path) -> Iterator[str]:
    """Every ssmsim.X.Y that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{a.name}" for a in node.names]
        yield from (name for name in names if name.startswith("ssmsim."))


def packages(folder: Path) -> dict[Path, set[str]]:
    """Top-level part of each import, per file."""
    return {p: {name.split(".")[1] for name in imports(p) if name != INTERFACE} for p in sorted(folder.rglob("*.py"))}


@pytest.mark.parametrize("name", sorted(VOCABULARY))
def test_the_vocabulary_imports_only_itself(name: str) -> None:
    assert {i.split(".")[1] for i in imports(SOURCE / f"{name}.py")} <= VOCABULARY


@pytest.mark.parametrize(
    ("package", "allowed"),
    [
        ("config", VOCABULARY | {"config"}),
        ("sass", VOCABULARY | {"sass", "trace"}),
        ("trace", VOCABULARY | {"sass", "trace"}),
        ("tracers", VOCABULARY | MIDDLE | {"tracers"}),
        ("engines", VOCABULARY | MIDDLE | {"engines"}),
    ],
)
def test_a_package_imports_only_what_lies_above_it(package: str, allowed: set[str]) -> None:
    wrong = {
        str(p.relative_to(SOURCE)): sorted(names - allowed)
        for p, names in packages(SOURCE / package).items()
        if p.name not in MEETING and names - allowed
    }
    assert not wrong


def test_the_two_engines_do_not_know_each_other() -> None:
    for one, other in (("embedded", "accelsim"), ("accelsim", "embedded")):
        for path in (SOURCE / "engines" / one).rglob("*.py"):
            assert not [name for name in imports(path) if name.startswith(f"ssmsim.engines.{other}")], path


def test_analysis_reads_results_and_counters_only() -> None:
    for path, names in packages(ROOT / "analysis").items():
        assert names <= {"results", "counters", "errors"}, path
