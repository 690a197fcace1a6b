"""Documents: generated parts are current, every parameter has a unit's page, every page its parts, every link a target."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PARTS = [
    "What it models",
    "The rule",
    "Parameters and their sources",
    "Microbenchmarks that show it",
    "Error left",
    "Not modelled",
    "In the code",
]
WRITTEN = [
    *sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "traces/README.md", ROOT / "envs/README.md",
    *sorted((ROOT / "traces").glob("*/microbenchmarks/README.md")),
]  # fmt: skip
UNITS = [page for page in sorted((ROOT / "docs/model").glob("*.md")) if page.stem not in ("index", "sampling")]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text())


def anchors(page: Path) -> set[str]:
    """Anchors of headings as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    plain = [re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower() for heading in headings]
    return {re.sub(r"[\s]", "-", re.sub(r"[^\w\s-]", "", heading)) for heading in plain}


def test_generated_parts_are_current(generate: ModuleType) -> None:
    stale = [name(page) for page in generate.pages() if generate.render(page.read_text(), page) != page.read_text()]
    assert not stale, "run python docs/generate.py"


def test_a_changed_value_is_seen(generate: ModuleType) -> None:
    page = ROOT / "docs/model/l1.md"
    text = page.read_text()
    spoilt = re.sub(r"(`l1\.hit_latency_cycles`[^|]*\| )\S+", r"\g<1>999", text)
    assert spoilt != text and generate.render(spoilt, page) == text


def test_every_parameter_has_a_page(generate: ModuleType) -> None:
    assert [field for field in generate.fields() if generate.page_of(field) is None] == []


def test_every_parameter_is_on_the_page_of_parameters(generate: ModuleType) -> None:
    text = (ROOT / "docs/parameters.md").read_text()
    assert [field for field in generate.fields() if f"| `{field}`" not in text] == []


@pytest.mark.parametrize("page", UNITS, ids=name)
def test_a_units_page_has_all_parts(page: Path) -> None:
    assert re.findall(r"^## (.+)$", page.read_text(), re.MULTILINE)[: len(PARTS)] == PARTS


def test_every_unit_has_known_differences(generate: ModuleType) -> None:
    text = (ROOT / "docs/validation/known_differences.md").read_text()
    shown = set(re.findall(r"^## (.+)$", text, re.MULTILINE))
    assert {generate.title(page) for page in UNITS} <= shown


def test_an_unknown_block_or_file_is_refused(generate: ModuleType) -> None:
    page = ROOT / "docs/index.md"
    for what, complaint in (
        ("nonsense", "no generated block"),
        ("code absent.py", "no file"),
        ("parameters x.*", "no parameter"),
    ):
        with pytest.raises(generate.DocumentError, match=complaint):
            generate.render(f"<!-- generated {what} -->\n<!-- end of generated -->", page)


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in LINK.findall(prose(page)):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)
    assert not broken


def test_the_readme_is_short_and_has_one_test_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 160
    assert len(re.findall(r"^python3 -m venv .*pytest", text, re.MULTILINE)) == 1


def test_pages_are_in_the_sites_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    missing = [
        name(page)
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if f" {page.relative_to(ROOT / 'docs')}" not in menu
    ]
    assert missing == []
