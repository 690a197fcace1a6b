"""Who may import whom: tracers and engines never meet, analysis sees results and counters alone."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/ssmsim"
VOCABULARY = {
    "errors",
    "files",
    "launch",
    "contents",
    "elf_attributes",
    "architecture",
    "counters",
    "results",
    "measured",
}
MIDDLE = {"config", "sass", "trace"}
MEETING = ("command.py", "run_launch.py", "benchmark.py")  # where a command brings tracer and engine together


def imports(path: Path) -> Iterator[str]:
    """Every ssmsim.X.Y that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{a.name}" for a in node.names]
        yield from (name for name in names if name.startswith("ssmsim."))


def packages(folder: Path) -> dict[Path, set[str]]:
    """Top-level part of each import, per file."""
    return {p: {name.split(".")[1] for name in imports(p)} for p in sorted(folder.rglob("*.py"))}


@pytest.mark.parametrize("name", sorted(VOCABULARY))
def test_the_vocabulary_imports_only_itself(name: str) -> None:
    assert {i.split(".")[1] for i in imports(SOURCE / f"{name}.py")} <= VOCABULARY


@pytest.mark.parametrize(
    ("package", "allowed"),
    [
        ("config", VOCABULARY | {"config"}),
        ("trace", VOCABULARY | {"trace"}),
        ("sass", VOCABULARY | {"sass", "trace"}),
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


def test_no_engine_names_a_tracer() -> None:
    """Not even to open one: the caller of an engine chooses the tracer, of what ran before, too."""
    engines = SOURCE / "engines"
    for path in (*(engines / "embedded").rglob("*.py"), *(engines / "accelsim").rglob("*.py"), engines / "request.py"):
        assert not [name for name in imports(path) if name.startswith("ssmsim.tracers")], path


def module_graph() -> dict[str, set[str]]:
    """The modules that each module of ssmsim imports anywhere in it, type checking included."""
    files = {".".join(("ssmsim", *p.relative_to(SOURCE).with_suffix("").parts)): p for p in SOURCE.rglob("*.py")}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        graph[name] = set()
        for imported in imports(path):
            while imported not in files:
                imported = imported.rpartition(".")[0]
            if imported not in (name, "ssmsim"):
                graph[name].add(imported)
    return graph


def cycle_of(graph: dict[str, set[str]]) -> list[str]:
    """The members of one cycle of imports; empty when there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_modules_and_packages_do_not_import_each_other_in_circles() -> None:
    modules = module_graph()
    assert modules["ssmsim.config.relations"] and modules["ssmsim.engines.embedded.simulate"]
    packages: dict[str, set[str]] = {}
    for name, imported in modules.items():
        of = packages.setdefault(name.split(".")[1] if "." in name else name, set())
        of |= {other.split(".")[1] for other in imported}
    assert cycle_of(modules) == []
    assert cycle_of({name: of - {name} for name, of in packages.items()}) == []


def test_a_circle_is_seen() -> None:
    assert set(cycle_of({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def test_analysis_reads_results_and_counters_only() -> None:
    """The report's front page tells what was run, so it reads the study's plan, too; energies come from the cost data, effects
    of factors from the arrays of their designs.
    """
    for path, names in packages(ROOT / "analysis").items():
        plan = {"study"} if path.name == "report.py" else set()
        assert names <= {"results", "counters", "errors", "files", "cost", "factorial"} | plan, path
