"""The examples run, and print what the documents show."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from ssmsim.study.plan import make_plan

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(example: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    arguments = [str(out / "sweep.png")] if example.stem == "sweep" else []
    monkeypatch.setattr(sys, "argv", [str(example), *arguments])
    runpy.run_path(str(example), run_name="__main__")
    return capsys.readouterr().out


def test_there_are_five() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_it_prints_what_the_documents_show(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(example, tmp_path, monkeypatch, capsys)
    shown = re.compile(rf"<!-- generated output examples/{example.name} -->\n\n(.*?)\n\n<!--", re.DOTALL)
    blocks = [block for page in generator().pages() for block in shown.findall(page.read_text())]
    assert blocks, "no document shows it"
    assert set(blocks) == {generator().as_output(printed)}, "run python docs/generate.py --examples"
    if example.stem == "sweep":
        assert (tmp_path / "sweep.png").stat().st_size > 10_000


def test_the_configuration_in_the_readme_is_the_examples() -> None:
    text = (ROOT / "examples/own_configuration.py").read_text()
    mine = yaml.safe_load(re.search(r'MINE = """\\\n(.*?)"""', text, re.DOTALL)[1])  # type: ignore[index]
    for page in ("README.md", "docs/how-to/add-a-configuration.md"):
        shown = re.findall(r"```yaml\n(base: .*?)```", (ROOT / page).read_text(), re.DOTALL)
        assert yaml.safe_load(shown[0]) == mine, page


def test_the_first_study_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    plan = make_plan("examples/first_study.yaml")
    assert len(plan.workloads) == 1
