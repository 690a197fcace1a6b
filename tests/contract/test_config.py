"""Configurations: what is wrong in one is an error with file, line and field; every field has a reader."""

from pathlib import Path

import pytest
import yaml

from ssmsim.config.fields import range_of
from ssmsim.config.load import GROUPS, chain, digest, load, without_effect
from ssmsim.errors import SsmsimError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "simconfigs"
FIELDS = {f"{group}.{name}": field for group, kind in GROUPS.items() for name, field in kind.model_fields.items()}


@pytest.fixture
def write(tmp_path: Path):
    """A modification of the baseline with this text, beside a copy of it."""
    for name in ("h100", "h200"):
        (tmp_path / f"{name}.yaml").write_text((FOLDER / f"{name}.yaml").read_text())

    def file(text: str, name: str = "mine", base: str = "base: h200\n") -> Path:
        path = tmp_path / f"{name}.yaml"
        path.write_text(base + text)
        return path

    return file


WRONG = {
    "sm: {issue_width: 2}": r"mine\.yaml:2: field sm\.issue_width: unknown; choose one of .*issue_per_subcore_per_cycle",
    "sms: {blocks: 2}": r"mine\.yaml:2: field sms: unknown",
    "sm:\n  blocks: -1": r"mine\.yaml:3: field sm\.blocks: .*greater than or equal to 1",
    "sm: {blocks: 65}": r"mine\.yaml:2: field sm\.blocks: .*less than or equal to 64",
    "sm: {blocks: many}": r"mine\.yaml:2: field sm\.blocks: .*valid integer",
    "sm: {blocks: 1.5}": r"mine\.yaml:2: field sm\.blocks: .*valid integer",
    "sm: {blocks: }": r"mine\.yaml:2: field sm\.blocks: .*valid integer",
    "noc: {reply_bytes_per_cycle_per_sm: 0}": r"mine\.yaml:2: field noc\.reply_bytes_per_cycle_per_sm: .*must be 0\.001 to 1000000 bytes per cycle",
    "noc: {reply_bytes_per_cycle_per_sm: .nan}": r"mine\.yaml:2: field noc\.reply_bytes_per_cycle_per_sm: ",
    "sm: {subcores: 8}": r"mine\.yaml:2: field sm\.subcores: .*4",
    "sm: 3": r"mine\.yaml:2: field sm: expected fields, not a value",
    "l2: {dirty_fraction: {source: me}}": r"mine\.yaml:2: field l2\.dirty_fraction: no value",
    "l2: {dirty_fraction: {value: 0.5, source: me, kind: guess}}": r"mine\.yaml:2: field l2\.dirty_fraction\.kind: ",
    "l2: {slices: 3}\nl2: {slices: 4}": r"mine\.yaml:3: field l2: given twice",
    "l2: {slices: 3": r"mine\.yaml:2: not YAML",
    "l2: {slices: 95}": r"mine\.yaml:2: field l2\.slices: is not a multiple of l2\.partitions",
    "l2: {bytes: 60000000}": r"mine\.yaml:2: field l2\.bytes: is not slices x ways",
    "l2: {hit_latency_far_cycles: 100}": r"mine\.yaml:2: field l2\.hit_latency_far_cycles: is below",
    "shared: {max_bytes_per_sm: 300000}": r"mine\.yaml:2: field shared\.max_bytes_per_sm: exceeds",
    "dram: {row_cycle_ns: 20}": r"mine\.yaml:2: field dram\.row_cycle_ns: is below dram\.row_miss_ns",
    "dram: {refresh_ns: 2000}": r"field dram\.refresh_interval_ns: does not exceed dram\.refresh_ns and",
    "mio: {gpu_fence_near_cycles: 30}": r"field mio\.gpu_fence_lead_cycles: is not below gpu_fence_near_cycles",
    "dram: {banks_per_channel: 129}": r"mine\.yaml:2: field dram\.banks_per_channel: .*less than or equal to 128",
    "shared: {load_latency_cycles: 0}": r"mine\.yaml:2: field shared\.load_latency_cycles: .*greater than or equal to 1",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_named(text: str, write) -> None:
    with pytest.raises(SsmsimError, match=WRONG[text]):
        load(write(text))


@pytest.mark.parametrize(("name", "text", "told"), [
    ("mine", "base: nowhere", r"nowhere\.yaml: no such configuration"),
    ("mine", "base: mine", r"mine\.yaml: base: leads in a circle"),
    ("mine", "base: [h200]", r"mine\.yaml:1: field base: expected a name"),
    ("mine", "- sm", r"mine\.yaml:1: expected groups of fields"),
    ("mine", "sm: {blocks: 32}", r"mine\.yaml:1: field sm\.blocks: a baseline value needs its source"),
    ("h200", "sm:\n  blocks: {value: 32, source: DS, kind: datasheet}", r"h200\.yaml: field gpu: missing|field gpu\.\w+: missing"),
])  # fmt: skip
def test_broken_chains_and_baselines(name: str, text: str, told: str, write) -> None:
    with pytest.raises(SsmsimError, match=told):
        load(write(text, name, base=""))


@pytest.mark.parametrize("field", ["sm.blocks", "dram.channels", "launch.skip_prologue"])
def test_a_missing_field_is_named(field: str, write) -> None:
    group, name = field.split(".")
    values = yaml.safe_load((FOLDER / "h100.yaml").read_text())
    del values[group][name]
    with pytest.raises(SsmsimError, match=rf"h100\.yaml: field {field}: missing"):
        load(write(yaml.safe_dump(values), "h100", base=""))


def test_the_last_word_counts_and_the_digest_follows_values_alone(write) -> None:
    first = load(write("# a comment\nsm: {blocks: 16}\n", "first"))
    second = load(write("sm: {blocks: 8}\nl2: {ways: 16}\n", "second", base="base: first\n"))
    same = load(write("sm: {blocks: 8}\n", "same"))
    assert [f.stem for f in chain(second.files[0])] == ["second", "first", "h200", "h100"]
    assert (first.sm.blocks, second.sm.blocks) == (16, 8)
    assert digest(first) != digest(second) == digest(same)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.yaml")), ids=lambda f: f.stem)
def test_every_committed_configuration_loads_and_differs_from_its_base(file: Path) -> None:
    files = chain(file)
    config = load(file)
    assert config.provenance.keys() == FIELDS.keys()
    if len(files) > 1:
        assert digest(config) != digest(load(files[1]))


@pytest.mark.parametrize(("text", "told"), [
    ("sm: {alu_latency_cycles: 40}", ["sm.alu_latency_cycles changes nothing here: without effect on captured code"]),
    ("tensor: {hmma_16816_latency_cycles: 240}", ["tensor.hmma_16816_latency_cycles changes nothing here"]),
    ("l1: {bytes_per_cycle: 256}", ["l1.bytes_per_cycle changes nothing here"]),
    ("sm: {blocks: 16}", []),
])  # fmt: skip
def test_a_modification_without_effect_is_told(text, told, write) -> None:
    notes = without_effect(load(write(text)))
    assert len(notes) == len(told) and all(note.startswith(begin) for note, begin in zip(notes, told, strict=True))


def test_every_number_has_a_range_and_every_range_a_unit_or_none() -> None:
    for name, field in FIELDS.items():
        if field.annotation in (int, float):
            assert range_of(name.split(".")[1], field), name
