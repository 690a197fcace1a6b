"""A configuration as Accel-Sim's options: what changes with a field, what is legal, what has no knob."""

from pathlib import Path

import pytest

from ssmsim.config.fields import Group
from ssmsim.config.load import load
from ssmsim.config.schema import SimConfig
from ssmsim.engines.accelsim.memory_options import memory_system
from ssmsim.engines.accelsim.render import GIVEN, LACKING, OUTSIDE, Rendered, render
from ssmsim.study.rows import told_options

SIMCONFIGS = Path(__file__).parents[2] / "simconfigs"
BASE = load(SIMCONFIGS / "h200.yaml")


def options(rendered: Rendered) -> dict[str, str]:
    lines = (rendered.files["gpgpusim.config"] + rendered.files["trace.config"]).splitlines()
    return dict(line[1:].split(" ", 1) for line in lines)


def changed(config: SimConfig, **groups) -> SimConfig:
    update = {name: getattr(config, name).model_copy(update=fields) for name, fields in groups.items()}
    return config.model_copy(update=update)


@pytest.mark.parametrize("version", ["1.3", "2.0"])
@pytest.mark.parametrize("file", sorted(SIMCONFIGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_configuration_of_the_study_renders_each_option_once(file, version):
    config = load(file)
    rendered = render(config, version)
    names = [
        line.split(" ")[0] for line in (rendered.files["gpgpusim.config"] + rendered.files["trace.config"]).splitlines()
    ]
    assert len(names) == len(set(names))
    modified = [field for field, p in config.provenance.items() if p.kind == "modification"]
    baseline = options(render(BASE, version))
    differs = options(rendered) != baseline
    without_knob = [note for note in rendered.notes if "modifies" in note or "changes nothing" in note]
    assert not modified or differs or without_knob or all(field in OUTSIDE for field in modified)


@pytest.mark.parametrize("version", ["1.3", "2.0"])
def test_every_field_is_carried_or_named_in_the_notes_and_none_is_both(version):
    rendered = render(BASE, version)
    named = {word.strip(",:") for note in rendered.notes if "no knob" in note for word in note.split()}
    fields = {
        f"{name}.{field}" for name, group in BASE if isinstance(group, Group) for field in type(group).model_fields
    }
    assert rendered.expressed <= fields
    assert fields - rendered.expressed == named & fields


def test_the_first_line_takes_a_legal_number_of_slices_and_keeps_capacity_and_bandwidth():
    memory = memory_system(BASE, "1.3")
    assert memory.slices in (16, 32, 64) and memory.indexing == 2
    assert memory.slices * memory.l2_sets * memory.l2_ways * BASE.l2.line_bytes == BASE.l2.bytes
    assert memory.l2_sets & (memory.l2_sets - 1) == 0
    wide = memory_system(BASE, "2.0")
    assert wide.slices == BASE.l2.slices and wide.indexing == 6
    assert memory.l2_mhz * memory.slices == pytest.approx(wide.l2_mhz * wide.slices, rel=1e-3)
    for system in (memory, wide):
        assert system.dram_mhz * system.channels * 32 / 1e3 == pytest.approx(BASE.dram.peak_gb_per_s, rel=1e-3)


@pytest.mark.parametrize(
    ("group", "field", "value", "option"),
    [
        ("sm", "xu_lanes_per_subcore", 8, "trace_opcode_latency_initiation_sfu"),
        ("sm", "alu_lanes_per_subcore", 32, "trace_opcode_latency_initiation_int"),
        ("sm", "registers", 131072, "gpgpu_shader_registers"),
        ("tensor", "flops_per_cycle_per_subcore", 4096, "trace_opcode_latency_initiation_spec_op_3"),
        ("l2", "bytes", 2 * BASE.l2.bytes, "gpgpu_cache:dl2"),
        ("l1", "hit_latency_cycles", 60, "gpgpu_l1_latency"),
        ("dram", "peak_gb_per_s", 9600.0, "gpgpu_clock_domains"),
        ("dram", "latency_far_cycles", 1500, "dram_latency"),
    ],
)
def test_a_field_moves_its_option(group, field, value, option):
    before = options(render(BASE, "1.3"))
    after = options(render(changed(BASE, **{group: {field: value}}), "1.3"))
    assert before[option] != after[option]


def test_a_modification_without_a_knob_is_the_first_note(tmp_path):
    for name in ("h100", "h200"):
        (tmp_path / f"{name}.yaml").write_text((SIMCONFIGS / f"{name}.yaml").read_text())
    (tmp_path / "m.yaml").write_text("base: h200\nfetch: {l0_prefetch_lines: 1}\n")
    first = render(load(tmp_path / "m.yaml"), "1.3").notes[0]
    assert "no knob for what this configuration modifies: fetch.l0_prefetch_lines" in first


def test_the_network_file_has_a_port_for_every_sm_and_slice():
    rendered = render(BASE, "1.3", "intersim2")
    assert f"k = {BASE.sm_count + 64};" in rendered.files["interconnect.icnt"]
    assert options(rendered)["inter_config_file"] == "interconnect.icnt"


def told(rendered: Rendered, begin: str) -> str:
    (found,) = (note.removeprefix(begin) for note in rendered.notes if note.startswith(begin))
    return found


def test_the_options_given_are_listed_with_their_values():
    rendered = render(BASE, "1.3")
    lines = (rendered.files["gpgpusim.config"] + rendered.files["trace.config"]).splitlines()
    assert told(rendered, GIVEN) == " ".join(lines)
    assert told(rendered, LACKING) == "none"


def test_an_option_that_the_version_lacks_is_left_out_by_name_and_its_fields_count_as_not_carried():
    gone = ("gpgpu_lrc_enabled", "gpgpu_l1_latency")
    rendered = render(BASE, "2.0", has=lambda option: option not in gone)
    assert set(told(rendered, LACKING).split(", ")) == set(gone)
    assert not set(gone) & set(options(rendered))
    assert "l1.hit_latency_cycles" not in rendered.expressed
    assert any("no knob" in note and "l1.hit_latency_cycles" in note for note in rendered.notes)


def test_a_study_finds_the_notes_on_options():
    rendered = render(load(SIMCONFIGS / "dram_x1.5.yaml"), "1.3", has=lambda option: option != "dram_latency")
    row = told_options(list(rendered.notes))
    assert row["options"] == told(rendered, GIVEN) and row["options_lacking"] == "dram_latency"
    assert row["modified_without_option"] == "l2.slice_fill_bytes_per_cycle, dram.banks_per_channel"
    assert {"dram.banks_per_channel", "dram.latency_near_cycles"} <= set(row["without_option"].split(", "))
    assert set(told_options(["of another engine"]).values()) == {None}
