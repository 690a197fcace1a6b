"""Give microbenchmarks the names of a table (old name -> group/quantity) wherever the old ones stand in a checkout.

python -m ssmsim.microbenchmarks.rename [--check]

Moves programs, kept results, saved launches and their machine code, and replaces names in texts where they are used as a
microbenchmark's name: many old names are common words. What has the new name already is left as it is, so this may be run
again after a merge that brings old names. Numbers of results are not touched. The table is NAMES; the page beside it is
written from it.
"""

import argparse
import csv
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from ssmsim.errors import SsmsimError
from ssmsim.files import whole_file
from ssmsim.microbenchmarks.build import load_program

ROOT = Path(__file__).parents[3]
NAMES = Path("docs/validation/microbenchmark_names.csv")
PROGRAMS = Path("src/ssmsim/microbenchmarks/programs")
KEPT = ("traces/h200/microbenchmarks", "traces/h100/microbenchmarks")
MODULES = {"replay": "simulate", "words": "instruction_words"}  # of ssmsim.microbenchmarks
TESTS = {
    "timing/test_precedence": "timing/test_block_issue_priority",
    "timing/test_straight": "timing/test_instruction_cache_cold_misses",
    "timing/test_timeline": "timing/test_issue_timing",
    "timing/test_channel_rows": "timing/test_dram_bank_rows",
    "timing/test_mixed": "timing/test_dram_read_latency_under_load",
    "timing/test_stops": "timing/test_lsu_drain",
    "timing/test_places": "timing/test_ldgsts_inflight",
    "timing/test_handover": "timing/test_mio_queue",
    "timing/test_homes": "timing/test_address_map",
    "units/test_words": "units/test_instruction_words",
    "units/test_link_and_channel": "units/test_partition_link_and_bank_mapping",
    "units/test_pauses": "units/test_dram_pause_timing",
    "units/test_refresh_and_homes": "units/test_refresh_timing_and_slice_hash",
    "units/test_mixed_waits": "units/test_read_latency_under_load",
    "units/test_stores_and_cold": "units/test_store_capacity_and_cold_streams",
}
TEXTS = (".py", ".cu", ".cuh", ".md", ".yaml", ".rst", ".csv", ".json", ".toml", "Snakefile")
ELSEWHERE = (
    "tests/data/",
    "traces/h200/accelsim/",
    "src/ssmsim/microbenchmarks/rename.py",
    "tests/units/test_microbenchmark_rename.py",
    str(NAMES.with_suffix("")),
)
# Names that Markdown also has in backquotes for something else: they are replaced there before a colon alone.
ORDINARY = {
    "l1",
    "l2",
    "dram",
    "launch",
    "issue",
    "order",
    "shared",
    "constant",
    "local",
    "cold",
    "rows",
    "off",
    "beside",
}


def read_names(root: Path = ROOT) -> dict[str, str]:
    """Old name -> group/name."""
    with (root / NAMES).open(newline="") as file:
        return {row["old"]: row["new"] for row in csv.DictReader(file)}


class Texts:
    """Replacement of old names in one text, by the ways in which a microbenchmark is named."""

    def __init__(self, names: dict[str, str], cases: set[str]) -> None:
        """cases: all PROGRAM.CASE and PROGRAM.KERNEL, by old names, with their beginnings up to each point."""
        self.names, self.cases = names, cases
        any_old = "(?:" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")"
        self.one = rf"(?<![\w./-])({any_old})(?![\w/]|-\w)"
        gap, tick = r"(?:\s|\n *#)+", "`?"
        more = rf"(?:(?:, |,? and |,{gap}){tick}{any_old}{tick}(?![\w/.]))*"
        self.several = re.compile(rf"([Mm]icrobenchmarks{gap})({tick}{any_old}{tick}(?![\w/.]){more})")
        self.single = re.compile(rf"([Mm]icrobenchmark{gap}{tick}){any_old}(?![\w/.]\w)(?!/)")
        self.alone = re.compile(
            rf'(?:(?<=")|(?<=; )){any_old}(?:(?:, | and |, and )(?:{any_old}|[a-z_]+/\w+))*(?=[";])'
        )
        self.before = re.compile(self.one + r"(?= microbenchmarks?\b(?!/))")
        self.module = re.compile(rf"(?<=microbenchmarks\.programs\.)({any_old})(?= import (\w+)|\"|'|$)", re.M)
        self.dotted = re.compile(rf"(?<![\w./-])({any_old})((?:\.\w+)+)")
        self.saved = re.compile(rf"(?<=launches/)(cubins/|)({any_old})(?=\.)")
        self.file = re.compile(rf"(?<![\w.-])({any_old})(?=\.json\b|\.cu\b)(?<!(?<!microbenchmarks/)launch)")
        self.imported = re.compile(
            rf"^from ssmsim\.microbenchmarks\.programs import ({any_old}(?:, {any_old})*)$", re.M
        )

    def new(self, match: re.Match[str]) -> str:
        """The match's text with the new name in place of each old one."""
        return re.sub(self.one, lambda old: self.names[old[1]], match[0])

    def everywhere(self, text: str) -> str:
        """Ways of naming that are clear in any text."""
        text = self.modules(text)
        text = re.sub(r"(?<=ssmsim\.microbenchmarks\.)\w+(?= import)", lambda m: MODULES.get(m[0], m[0]), text)
        text = re.sub(r"(?<=tests/)\w+/test_\w+(?=\.py)", lambda m: TESTS.get(m[0], m[0]), text)
        text = self.module.sub(self._module, text)
        if "microbenchmark" in text:  # elsewhere link.json is any file
            text = self.file.sub(lambda m: self.names[m[1]], text)
        text = self.saved.sub(lambda m: self.names[m[2]].replace("/", f"/{m[1]}"), text)
        text = self.dotted.sub(self._case, text)
        for pattern in (self.several, self.single, self.before):
            text = pattern.sub(self.new, text)
        text = re.sub(r'(?<=^SOURCE = ")\w+(?=")', lambda m: self.names.get(m[0], m[0]), text, flags=re.M)
        text = re.sub(rf"(?<=see ){self.one}(?= in traces/)", lambda m: self.names[m[1]], text)
        return re.sub(rf"(?<=[\s`]\()(?!beside:){self.one}(?=: \w)", lambda m: self.names[m[1]], text)

    def modules(self, text: str) -> str:
        """Imported modules by their new names, and their uses."""
        for line in self.imported.findall(text):
            for old in line.split(", "):
                text = re.sub(rf"(?<![\w.\"'/]){old}(?=\.[A-Za-z_])", self.names[old].split("/")[1], text)

        def lines(match: re.Match[str]) -> str:
            new = [self.names[old].split("/") for old in match[1].split(", ")]
            return "\n".join(
                f"from ssmsim.microbenchmarks.programs.{group} import {name}" for group, name in sorted(new)
            )

        return self.imported.sub(lines, text)

    def _module(self, match: re.Match[str]) -> str:
        """Of `programs.l2 import latency_bandwidth` l2 is the group already."""
        grouped = f"{match[1]}/{match[2]}" in self.names.values()
        return match[0] if grouped else self.names[match[1]].replace("/", ".")

    def _case(self, match: re.Match[str]) -> str:
        known = match[0] in self.cases
        return self.names[match[1]] + match[2] if known else match[0]

    def source(self, text: str) -> str:
        """A field's source: PROGRAM: samples; PROGRAM: samples; PROGRAM and PROGRAM."""
        text = self.alone.sub(self.new, text)
        return re.sub(
            r"(?!beside: (?:store|load)\.)" + self.one + r"(?=(?: \(H[12]00\))?: )", lambda m: self.names[m[1]], text
        )

    def evidence(self, text: str) -> str:
        """PROGRAM, PROGRAM: samples; PROGRAM (a remark): what stands before the first colon are programs."""
        parts = []
        for part in text.split(";"):
            head, colon, rest = part.partition(":")
            programs, bracket, remark = head.partition("(")
            if not re.search(r"\w \w", programs):
                programs = re.sub(self.one, lambda m: self.names[m[1]], programs)
            parts.append(programs + bracket + remark + colon + self.source(rest))
        return ";".join(parts)

    def markdown(self, text: str) -> str:
        """Names in backquotes, in links to programs, and in cells of tables that hold nothing else."""

        def quoted(match: re.Match[str]) -> str:
            return match[0] if match[1] in ORDINARY and match[2] != ":" else f"`{self.names[match[1]]}`{match[2]}"

        def linked(match: re.Match[str]) -> str:
            return f"[`{self.names[match[1]]}`]({match[2]}{self.names[match[1]]}{match[3]})"

        def cell(match: re.Match[str]) -> str:
            named = set(re.findall(r"`([\w/]+)`", match[0]))
            groups = named & set(self.names.values()) or named & set(self.names) - ORDINARY
            clear = groups and named <= set(self.names) | set(self.names.values())
            return re.sub(rf"(?<=`){self.one}(?=`)", lambda old: self.names[old[1]], match[0]) if clear else match[0]

        text = re.sub(rf"\[`{self.one}`\]\(([^)]*/programs/)\1(\.py|\.cu)\)", linked, text)
        text = re.sub(r"(?<=\| )(?:`[\w/]+`(?:: [\w.]+)?(?:, |(?= \|)))+(?= \|)", cell, text)
        return re.sub(rf"`{self.one}`(:?)", quoted, text)


def known_cases(root: Path, names: dict[str, str]) -> set[str]:
    """PROGRAM.CASE of all results and PROGRAM.KERNEL of all kept machine code, by old names, and their beginnings."""
    olds = {new: old for old, new in names.items()}
    found = set()
    for kept in KEPT:
        for file in (root / kept).rglob("*.json"):
            name = file.relative_to(root / kept).with_suffix("").as_posix()
            if name in olds or name in names:
                loops = json.loads(file.read_text()).get("loops", {})
                found |= {f"{olds.get(name, name)}.{case}" for case in loops}
        for cubin in (root / kept / "launches").rglob("*.cubin"):
            group = cubin.parents[1].name
            program, _, kernel = cubin.stem.partition(".")
            found.add(f"{olds.get(f'{group}/{program}', program)}.{kernel}")
            found.add(f"{olds.get(f'{group}/{program}', program)}.{kernel}.cubin")
    beginnings = {".".join(case.split(".")[:n]) for case in found for n in range(2, case.count(".") + 2)}
    return found | beginnings


def moves(root: Path, names: dict[str, str]) -> Iterator[tuple[Path, Path]]:
    """(old path, new path) of every file or folder that is named by a program."""
    for old, new in MODULES.items():
        yield root / PROGRAMS.parent / f"{old}.py", root / PROGRAMS.parent / f"{new}.py"
    for old, new in TESTS.items():
        yield root / f"tests/{old}.py", root / f"tests/{new}.py"
    for old, new in names.items():
        group, name = new.split("/")
        for suffix in (".py", ".cu"):
            yield root / PROGRAMS / (old + suffix), root / PROGRAMS / group / (name + suffix)
        for kept in KEPT:
            yield root / kept / f"{old}.json", root / kept / group / f"{name}.json"
            launches = root / kept / "launches"
            for path in sorted(launches.glob(f"{old}.*")):
                yield path, launches / group / (name + path.name.removeprefix(old))
            for path in sorted((launches / "cubins").glob(f"{old}.*")):
                yield path, launches / group / "cubins" / (name + path.name.removeprefix(old))


def move(root: Path, names: dict[str, str]) -> int:
    """Carry the moves out, in git's index too; how many. SsmsimError where both names are there."""
    todo = [(old, new) for old, new in moves(root, names) if old.exists() and old.name != "__pycache__"]
    for old, new in todo:
        if new.exists():
            raise SsmsimError("both the old and the new name exist", old, f"merge it into {new.relative_to(root)}")
    for old, new in todo:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)
    for group in {new.split("/")[0] for new in names.values()}:
        package = root / PROGRAMS / group / "__init__.py"
        if package.parent.is_dir() and not package.exists():
            package.touch()
    if todo:
        subprocess.run(["git", "add", "-A", "--", str(PROGRAMS.parent), "tests", *KEPT], cwd=root, check=True)
    return len(todo)


def rewrite(path: Path, texts: Texts) -> str:
    """The file's text with new names."""
    text = path.read_text()
    if path.name == "launch.json":
        return re.sub(r'("microbenchmark": ")(\w+)(")', lambda m: m[1] + texts.names.get(m[2], m[2]) + m[3],
                      re.sub(r"(?<=\.\./cubins/)(\w+)(?=\.)", lambda m: texts.names.get(m[1], m[1]).split("/")[-1], text))  # fmt: skip
    if path.suffix == ".json":
        head = re.sub(r'(?<=^\{"program":")(\w+)(?=")', lambda m: texts.names.get(m[1], m[1]), text)
        return re.sub(r'(?<="isolates":")(?:[^"\\]|\\.)*', lambda m: texts.everywhere(texts.markdown(m[0])), head)
    if path.suffix == ".csv":
        return re.sub(r"^(\w+)(?=,)", lambda m: texts.names.get(m[1], m[1]), text, flags=re.M)
    text = texts.everywhere(text)
    if path.suffix in (".yaml", ".md"):
        text = re.sub(r"(?<=source: )\"[^\"\n]*\"", lambda m: texts.source(m[0]), text)
    if path.suffix == ".md":
        text = texts.markdown(text)
        table = path.parent.name == "microbenchmarks"
        row = re.compile(r"^(\|.*\| )([^|]*)( \|)$", re.M)
        return row.sub(lambda m: m[1] + texts.evidence(m[2]) + m[3], text) if table else text
    return text


def files(root: Path) -> Iterator[Path]:
    """Texts of the checkout in which a microbenchmark may be named; of kept files those of microbenchmarks alone."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True, capture_output=True, text=True)  # fmt: skip
    for name in listed.stdout.splitlines():
        kept = name.startswith(KEPT)
        if name.endswith(TEXTS) and not name.startswith(ELSEWHERE) and (root / name).is_file():
            if kept or not name.endswith((".json", ".csv")):
                yield root / name


def page(names: dict[str, str]) -> str:
    """The table for readers: old name, new name, and the first sentence of the program's docstring."""
    lines = ["# Names of the microbenchmarks", "",
             "Written by `python -m ssmsim.microbenchmarks.rename` from `microbenchmark_names.csv`: names before and after they",
             "were grouped by unit and named by what they measure.", "",
             "| Old name | Name | Measures |", "| --- | --- | --- |"]  # fmt: skip
    for old, new in names.items():
        lines.append(f"| {old} | `{new}` | {(load_program(new).__doc__ or '').splitlines()[0]} |")
    return "\n".join(lines) + "\n"


def replace(root: Path, write: Callable[[Path, str], None]) -> list[Path]:
    """Rewrite every text that holds old names; which."""
    names = read_names(root)
    texts = Texts(names, known_cases(root, names))
    changed = []
    for path in files(root):
        text = rewrite(path, texts)
        if text != path.read_text():
            write(path, text)
            changed.append(path)
    return changed


def _write(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; name what holds old names")
    given = parser.parse_args()
    names = read_names()
    if given.check:
        waiting = [old for old, _ in moves(ROOT, names) if old.exists()]
        for path in waiting + replace(ROOT, lambda path, text: None):
            print(path.relative_to(ROOT))
        return
    print(f"{move(ROOT, names)} moved, {len(replace(ROOT, _write))} texts changed")
    _write(ROOT / NAMES.with_suffix(".md"), page(names))


if __name__ == "__main__":
    main()
