"""Write the generated parts of the documents from the schema, the configurations and the engine's sources.

    python docs/generate.py              fills every block in place, but for the outputs of examples
    python docs/generate.py --examples   these too: simulates for a minute or two
    python docs/generate.py --check      says which are out of date, and fails

A block stands between `<!-- generated WHAT ARGUMENT ... -->` and `<!-- end of generated -->`; WHAT is a name in BLOCKS.
The site (docs/site.py) renders the same blocks when it is built. Numbers of the study are not made here: see analysis/readme.py.
"""

import ast
import posixpath
import re
import subprocess
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from ssmsim.config.load import GROUPS, chain, load
from ssmsim.config.schema import SimConfig

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
ENGINE = "src/ssmsim/engines/embedded"
PROGRAMS = ROOT / "src/ssmsim/microbenchmarks/programs"
GPUS = ("h200", "h100")
BLOCK = re.compile(r"(<!-- generated ([^>]*?) -->\n).*?(<!-- end of generated -->)", re.DOTALL)
MARK = re.compile(r"<!-- generated ([^>]*?) -->")
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
NO_PROGRAM = ("common",)
OUTPUT = "output"


class DocumentError(Exception):
    """A document asks for something that is not there."""


def source(file: str) -> str:
    """Path in the repository of a file of the engine, or of another one named from src/ on."""
    return file if file.startswith("src/") else f"{ENGINE}/{file}"


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def render(text: str, page: Path, examples: bool = False) -> str:
    """The page with each of its blocks made anew, outputs of examples only when asked for. Raises DocumentError."""

    def block(found: re.Match[str]) -> str:
        what, *arguments = found[2].split()
        if what == OUTPUT and not examples:
            return found[0]
        if what not in BLOCKS:
            raise DocumentError(f"{page}: no generated block {what!r}; choose one of {', '.join(BLOCKS)}")
        return f"{found[1]}\n{BLOCKS[what](page, arguments)}\n\n{found[3]}"

    return BLOCK.sub(block, text)


def link(page: Path, target: str) -> str:
    """Path of a file of the repository as seen from a page. Raises DocumentError when there is none."""
    if not (ROOT / target).exists():
        raise DocumentError(f"{page.relative_to(ROOT)}: no file {target}")
    return posixpath.relpath(target, page.relative_to(ROOT).parent.as_posix())


# Parameters


@cache
def gpu(name: str) -> SimConfig:
    return load(ROOT / f"simconfigs/{name}.yaml")


def fields() -> list[str]:
    """Every parameter, group.field, in the schema's order."""
    return [f"{group}.{name}" for group, kind in GROUPS.items() for name in kind.model_fields]


@cache
def _pages_of_fields() -> dict[str, Path]:
    """Each parameter to the page of a unit with the longest pattern that it matches."""
    patterns = []
    for page in sorted((DOCS / "model").glob("*.md")):
        for what, *arguments in (mark.split() for mark in MARK.findall(page.read_text())):
            if what == "parameters":
                patterns += [(len(pattern), pattern, page) for pattern in arguments]
    patterns.sort(reverse=True)
    found: dict[str, Path] = {}
    for field in fields():
        page = next((page for _, pattern, page in patterns if fnmatchcase(field, pattern)), None)
        if page:
            found[field] = page
    return found


def page_of(field: str) -> Path | None:
    """The page of a unit that has this parameter."""
    return _pages_of_fields().get(field)


def own_fields(page: Path, patterns: list[str]) -> list[str]:
    return [field for field in fields() if any(fnmatchcase(field, p) for p in patterns) and page_of(field) == page]


def _value(config: SimConfig, field: str) -> str:
    group, name = field.split(".")
    value = getattr(getattr(config, group), name)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _description(field: str) -> str:
    group, name = field.split(".")
    return GROUPS[group].model_fields[name].description or ""


def _source(field: str) -> str:
    """Kind and source; that of the second GPU too where it has one of its own."""
    texts: list[str] = []
    for name in GPUS:
        where = gpu(name).provenance[field]
        text = f"*{where.kind}*: {where.source}" + (f" ({where.sensitivity})" if where.sensitivity else "")
        if text not in texts:
            texts.append(text if not texts else f"{name.upper()} {text}")
    return " — ".join(texts)


@cache
def abbreviations() -> dict[str, str]:
    """Short names of sources, as the heads of the baseline files explain them."""
    found: dict[str, str] = {}
    for name in GPUS:
        head = " ".join(
            line[1:].strip()
            for line in (ROOT / f"simconfigs/{name}.yaml").read_text().splitlines()
            if line.startswith("#")
        )
        for listed in re.findall(r"Sources: (.*?)\. Sources of kind", head):
            found |= dict(one.strip().split(" ", 1) for one in listed.split(";"))
    return found


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def parameters(page: Path, arguments: list[str]) -> str:
    """Table of the parameters that match the patterns and stand on no page with a longer pattern."""
    chosen = own_fields(page, arguments) if page.parent.name == "model" else [
        field for field in fields() if any(fnmatchcase(field, pattern) for pattern in arguments)
    ]  # fmt: skip
    if not chosen:
        raise DocumentError(f"{page}: no parameter is called {' or '.join(arguments)}")
    rows = []
    for field in chosen:
        text = _description(field)
        rows.append(
            [
                f"`{field}`" + (f"<br>{text}" if text else ""),
                *(_value(gpu(name), field) for name in GPUS),
                _source(field),
            ]
        )
    used = {
        short: long
        for short, long in abbreviations().items()
        if any(re.search(rf"\b{short}\b", row[-1]) for row in rows)
    }
    legend = "; ".join(f"{short}: {long}" for short, long in used.items())
    shown = table(["Parameter", *(name.upper() for name in GPUS), "Where the value comes from"], rows)
    return f"{shown}\n\n{legend}." if legend else shown


def assumptions(page: Path, arguments: list[str]) -> str:
    """Parameters that nobody measured."""
    rows = []
    for field in gpu(GPUS[0]).assumptions:
        unit = page_of(field)
        where = f"[{title(unit)}]({link(page, f'docs/model/{unit.name}')})" if unit else "–"
        rows.append([f"`{field}`", _value(gpu(GPUS[0]), field), where, gpu(GPUS[0]).provenance[field].source])
    return table(["Parameter", "Value", "Unit", "What is known"], rows)


def configurations(page: Path, arguments: list[str]) -> str:
    """Every file of simconfigs/: its base, what it says of itself."""
    rows = []
    for file in sorted((ROOT / "simconfigs").glob("*.yaml")):
        comment = []
        for line in file.read_text().splitlines():
            if not line.startswith("#"):
                break
            comment.append(line.lstrip("# "))
        bases = chain(file)[1:]
        text = " ".join(comment).split(". ")[0].rstrip(".")
        rows.append([f"[{file.stem}]({link(page, f'simconfigs/{file.name}')})", bases[0].stem if bases else "–", text])
    return table(["Configuration", "Base", "What it is"], rows)


# Microbenchmarks


@cache
def programs() -> dict[str, str]:
    """Name, group/quantity where they are grouped, to the program's own text."""
    found = {}
    for file in sorted(PROGRAMS.rglob("*.py")):
        name = str(file.relative_to(PROGRAMS).with_suffix(""))
        if file.stem.startswith("__") or name in NO_PROGRAM:
            continue
        text = ast.get_docstring(ast.parse(file.read_text()))
        if text:
            found[name] = text
    return found


def _in_source(text: str) -> set[str]:
    """Programs in the source of a field: `NAME: sample; NAME, NAME (H100): sample`."""
    words = set(re.findall(r"(?<![\w/])([a-z0-9_/]+)(?=(?: \(H[12]00\))?:)", text))
    words |= set(re.findall(r"see ([a-z0-9_/]+) in traces", text))
    for part in text.split(";"):
        heads = re.split(r", | and | \(H[12]00\)", part.partition(":")[0].strip()) if ":" in part else []
        words |= set(heads) if set(filter(None, heads)) <= set(programs()) else set()
    return words & set(programs())


def _in_code(text: str) -> set[str]:
    """Programs that code names: `microbenchmark NAME`, `microbenchmarks NAME and NAME`, `(NAME: sample)`."""
    words = set(re.findall(r"\(([a-z0-9_/]+)(?=:)", text)) | set(re.findall(r"([a-z0-9_/]+) microbenchmark", text))
    name = r"[a-z0-9_/`]+(?: \([^)]*\))?"
    for run in re.findall(
        rf"[Mm]icrobenchmarks?,?\s(?:#\s*)?({name}(?:(?:, |,? and |,?\s+(?:#\s*)?and\s){name})*)", text
    ):
        words |= set(re.findall(r"[a-z0-9_/]+", re.sub(r"\([^)]*\)", "", run)))
    return words & set(programs())


@cache
def setters() -> dict[str, list[str]]:
    """Program -> parameters whose source names it."""
    found: dict[str, list[str]] = {name: [] for name in programs()}
    for field in fields():
        for name in set().union(*(_in_source(gpu(one).provenance[field].source) for one in GPUS)):
            if any(gpu(one).provenance[field].kind == "microbenchmark" for one in GPUS):
                found[name].append(field)
    return found


def _results(page: Path, name: str) -> str:
    found = []
    for device in GPUS:
        file = f"traces/{device}/microbenchmarks/{name}.json"
        if (ROOT / file).is_file():
            found.append(f"[{device.upper()}]({link(page, file)})")
    return ", ".join(found) or "–"


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[a-z0-9)])\. (?=[A-Z])", paragraph)[0].rstrip(".")


def microbenchmarks(page: Path, arguments: list[str]) -> str:
    """Programs that the parameters of this page (patterns) or the unit's sources (files) name; all of them without arguments."""
    files = [argument for argument in arguments if argument.endswith(".py")]
    patterns = [argument for argument in arguments if not argument.endswith(".py")]
    own = set(own_fields(page, patterns)) if patterns else set()
    chosen = set(programs())
    if arguments:
        in_sources = set().union(*(_in_code((ROOT / source(file)).read_text()) for file in files))
        chosen = {name for name, sets in setters().items() if own & set(sets)} | in_sources
    rows = []
    for name in sorted(chosen):
        program = link(page, f"src/ssmsim/microbenchmarks/programs/{name}.py")
        sets = [f"`{field}`" for field in setters()[name] if not own or field in own]
        rows.append(
            [f"[`{name}`]({program})", _first_sentence(programs()[name]), ", ".join(sets) or "–", _results(page, name)]
        )
    return table(["Microbenchmark", "What it measures", "Sets here" if own else "Sets", "Results"], rows)


# Code and pages


def code(page: Path, arguments: list[str]) -> str:
    """The unit's files, each with the first sentence of its docstring."""
    rows = []
    for file in arguments:
        path = source(file)
        target = link(page, path)
        text = ast.get_docstring(ast.parse((ROOT / path).read_text())) or ""
        rows.append(f"- [{file}]({target}): {_first_sentence(text)}.")
    return "\n".join(rows)


def title(page: Path) -> str:
    found = HEADING.search(page.read_text())
    if not found:
        raise DocumentError(f"{page}: no title")
    return found[1]


def units(page: Path, arguments: list[str]) -> str:
    """Table of the pages of units: what each models, how many parameters it has, and how many of these are assumed."""
    rows = []
    menu = re.findall(r" model/(\w+\.md)", (ROOT / "mkdocs.yml").read_text())
    for unit in (DOCS / "model" / name for name in menu):
        text = unit.read_text()
        if unit.name == "index.md" or "## What it models" not in text:
            continue
        models = text.split("## What it models\n", 1)[1].strip().split("\n\n")[0].replace("\n", " ")
        own = [field for field in fields() if page_of(field) == unit]
        assumed = [field for field in own if field in gpu(GPUS[0]).assumptions]
        rows.append([f"[{title(unit)}]({unit.name})", _first_sentence(models), str(len(own)), str(len(assumed))])
    return table(["Unit", "What it models", "Parameters", "Of them assumed"], rows)


def differences(page: Path, arguments: list[str]) -> str:
    """The known differences of one unit, from the table of all of them. Links to its neighbours lead there from the unit's page."""
    text = (DOCS / "validation/known_differences.md").read_text()
    heading = " ".join(arguments)
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise DocumentError(f"{page}: known_differences.md has no section {heading!r}")
    lines = [line for line in found[1].splitlines() if line.startswith("|")]
    text = "\n".join(lines).replace("](#", "](known_differences.md#")
    return re.sub(r"\]\((?=\w+\.md\b)", "](../validation/", text)


def commands(page: Path, arguments: list[str]) -> str:
    """The commands of `ssmsim`, with their options."""
    import typer

    from ssmsim.cli import build_app

    group: Any = typer.main.get_command(build_app())
    parts = []
    for name, command in sorted(group.commands.items()):
        rows = []
        for parameter in command.params:
            if parameter.name == "help":
                continue
            shown = (
                parameter.name.upper()
                if parameter.param_type_name == "argument" or not parameter.opts[0].startswith("-")
                else parameter.opts[0]
            )
            rows.append([f"`{shown}`", getattr(parameter, "help", "") or ""])
        parts.append(f"### ssmsim {name}\n\n{(command.help or '').strip()}\n\n{table(['Argument', 'Meaning'], rows)}")
    return "\n\n".join(parts)


def plugins(page: Path, arguments: list[str]) -> str:
    """Modules of a folder of plug-ins (`packages`: its packages alone), commands aside: name and first sentence."""
    rows = []
    for module in sorted((ROOT / arguments[0]).iterdir()):
        file = module / "__init__.py" if module.is_dir() else module
        if file.suffix != ".py" or not file.is_file() or module.name.startswith("_") or module.name == "command.py":
            continue
        text = ast.get_docstring(ast.parse(file.read_text())) or ""
        if text and (module.is_dir() or "packages" not in arguments):
            rows.append([f"[`{module.stem}`]({link(page, f'{arguments[0]}/{module.name}')})", _first_sentence(text)])
    return table(["Name", "What it is"], rows)


def output(page: Path, arguments: list[str]) -> str:
    """What an example prints."""
    done = subprocess.run([sys.executable, ROOT / arguments[0]], capture_output=True, text=True, check=False)
    if done.returncode:
        raise DocumentError(f"{page}: {arguments[0]} fails: {done.stderr.strip().splitlines()[-1]}")
    return as_output(done.stdout)


def as_output(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


# Cost


def _range(one: Any, factor: float = 1.0) -> str:
    return f"{one.value * factor:.3g} ({one.low * factor:.3g} to {one.high * factor:.3g})"


def cost(page: Path, arguments: list[str]) -> str:
    """Figures of the cost model: `areas` (of one, and of all that an H100 has), `energies`, `others` or `sources`."""
    from ssmsim.cost.area import counts, total, whole
    from ssmsim.cost.figures import costs

    known, config = costs(), gpu("h100")
    what = arguments[0] if arguments else ""
    if what == "areas":
        there, areas = counts(known, config), whole(known, config)
        rows = [
            [f"`{name}`", f"`{one.count}`", f"{there[name]:,.4g} {one.unit}", _range(known.area(one), 1e6), _range(areas[name]),
             f"*{one.kind}*: {one.source}"] for name, one in known.resources.items()
        ]  # fmt: skip
        together = total(areas.values())
        share = together.value / known.die.mm2
        rows.append(["together", "", "", "", _range(together), f"{share:.0%} of the die. {known.die.source}"])
        return table(
            ["Resource", "How many", "Of an H100", "µm² of one", "mm² of all", "Where the figure comes from"], rows
        )
    if what == "energies":
        rows = [
            [f"`{name}`" + (f"<br>{one.what}" if one.what else ""), f"`{one.count}`", _range(one.pj), f"*{one.kind}*: {one.source}"]
            for name, one in known.energies.items()
        ]  # fmt: skip
        return table(["Class", "How many", "pJ of one", "Where the figure comes from"], rows)
    if what == "others":
        density, static, watts = known.process.transistors_per_mm2, known.static, known.static_watts
        rows = [[f"transistors per mm², {known.process.name}", _range(density, 1e-6) + " million", f"*{density.kind}*: {density.source}"],
                ["static power of added area, W per mm²", _range(static), f"*{static.kind}*: {static.source}"],
                ["static power of the board, W", _range(watts), f"*{watts.kind}*: {watts.source}"]]  # fmt: skip
        return table(["Figure", "Value", "Where it comes from"], rows)
    if what == "sources":
        return "\n".join(f"- {short}: {text}." for short, text in known.sources.items())
    raise DocumentError(f"{page}: cost has areas, energies, others and sources, not {what!r}")


BLOCKS: dict[str, Callable[[Path, list[str]], str]] = {
    "parameters": parameters,
    "assumptions": assumptions,
    "configurations": configurations,
    "microbenchmarks": microbenchmarks,
    "code": code,
    "units": units,
    "differences": differences,
    "commands": commands,
    "cost": cost,
    "plugins": plugins,
    OUTPUT: output,
}


def main(arguments: list[str]) -> int:
    stale = []
    for page in pages():
        before = page.read_text()
        after = render(before, page, "--examples" in arguments)
        if after != before:
            stale.append(str(page.relative_to(ROOT)))
            if "--check" not in arguments:
                page.write_text(after)
    if "--check" in arguments and stale:
        print(f"out of date: {', '.join(stale)}; run python docs/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except DocumentError as error:
        sys.exit(str(error))
