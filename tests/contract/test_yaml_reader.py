"""YAML 1.2 with strict types: plain words mean what its core schema says, and what two versions read differently is refused."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssmsim.config.load import load
from ssmsim.config.yaml_reader import parse_yaml, read_yaml
from ssmsim.errors import SsmsimError
from ssmsim.study.schema import read_study

ROOT = Path(__file__).parents[2]
CORE = {
    "": None, "~": None, "null": None, "true": True, "FALSE": False, "0": 0, "-12": -12, "+3": 3, "0o17": 15, "0x1F": 31,
    "1.5": 1.5, ".5": 0.5, "1e3": 1000.0, "-1.5e-3": -0.0015, ".inf": math.inf, "-.INF": -math.inf,
    "on": "on", "Off": "Off", "yes": "yes", "NO": "NO", "y": "y", "1:30": "1:30", "190:20:30": "190:20:30", "1_000": "1_000",
    "0b101": "0b101", "2026-11-27": "2026-11-27", "0x": "0x", "1e": "1e", "'1'": "1", '"true"': "true", "<<": "<<", "=": "=",
}  # fmt: skip


@pytest.mark.parametrize("word", CORE)
def test_plain_words_by_the_core_schema(word):
    value = parse_yaml(f"a: {word}", "f").plain()["a"]
    assert (value, type(value)) == (CORE[word], type(CORE[word]))


@pytest.mark.parametrize(("text", "told"), [
    ("a:\n  b: 010", r"f:2: field a\.b: 010 could be octal"),
    ("a: -07", "f:1: field a: -07 could be octal"),
    ("a: !!int 3", r"f:1: field a: tag !!int is not supported"),
    ("a: !!python/object/apply:os.system [x]", "f:1: field a: tag .*python.* is not supported"),
    ("a: !mine {b: 1}", "f:1: field a: tag !mine"),
    ("a: !!timestamp x", "f:1: field a: tag !!timestamp"),
    ("a: 1\nb: 2\na: 3", "f:3: field a: given twice; keep one"),
    ("a: {b: 1, c: 2,\n  b: 3}", r"f:2: field a\.b: given twice"),
    ('a: {b: 1, "b": 3}', r"f:1: field a\.b: given twice"),
    ("a: [1, {b: 1, b: 2}]", r"f:1: field a\.1\.b: given twice"),
    ("? [1, 2]\n: 3", "f:1: a key must be plain text"),
    ("&k a: 3", "f:1: a key must be plain text"),
    ("a: &x [*x]", r"f:1: field a\.0: alias \*x leads in a circle"),
    ("a: *x", r"f:1: field a: alias \*x is not defined"),
    ("a: 1\n---\nb: 2", "f:2: a second document"),
    ("%YAML 1.1\n---\na: 1", "directives"),
    ("a: " + "[" * 50 + "]" * 50, "nested more than 20 deep"),
    ("[" * 100000, "nested more than 20 deep"),
    ("a: " + "9" * 5000, "too many digits"),
    ("a: {b: 1", "f:1: not YAML"),
    ("a:\n\t- b", "f:2: not YAML"),
    ("a: \x00", "f:1: not YAML"),
])  # fmt: skip
def test_what_is_refused_names_line_and_field(text, told):
    with pytest.raises(SsmsimError, match=told) as error:
        parse_yaml(text, "f")
    assert "\n" not in str(error.value)


def test_repeated_aliases_are_bounded():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10))
    with pytest.raises(SsmsimError, match="more than 200000 values"):
        parse_yaml(bomb, "f")


def test_an_alias_is_the_value():
    assert parse_yaml("a: &x {b: [1, 2]}\nc: *x", "f").plain()["c"] == {"b": [1, 2]}


def test_lines_of_values():
    node = parse_yaml("a:\n  - 1\n  - b:\n      c: 2\n", "f")
    assert [node.line_of(path) for path in ((), ("a", 0), ("a", 1, "b", "c"), ("a", 1, "b", "d"))] == [1, 2, 4, 4]


@given(st.text(max_size=40))
def test_any_text_is_a_value_or_one_line(text):
    try:
        parse_yaml(text, "f").plain()
    except SsmsimError as error:
        assert str(error).startswith("f:") and "\n" not in str(error)


@pytest.mark.parametrize("data", [b"\xff\xfea", b"\x80", b"a: \xed\xa0\x80"])
def test_bytes_that_are_no_text(data, tmp_path):
    (tmp_path / "x.yaml").write_bytes(data)
    with pytest.raises(SsmsimError, match="not UTF-8"):
        read_yaml(tmp_path / "x.yaml")


def test_a_byte_order_mark_is_left_out(tmp_path):
    (tmp_path / "x.yaml").write_bytes(b"\xef\xbb\xbfa: 1")
    assert read_yaml(tmp_path / "x.yaml").plain() == {"a": 1}


@pytest.fixture
def mine(tmp_path):
    for name in ("h100", "h200"):
        (tmp_path / f"{name}.yaml").write_text((ROOT / f"simconfigs/{name}.yaml").read_text())
    return tmp_path / "mine.yaml"


@pytest.mark.parametrize(("text", "told"), [
    ("sm: {xu_lanes_per_subcore: on}", r"field sm\.xu_lanes_per_subcore: .*integer"),
    ("sm: {xu_lanes_per_subcore: true}", r"field sm\.xu_lanes_per_subcore: .*integer"),
    ("sm: {xu_lanes_per_subcore: 010}", r"field sm\.xu_lanes_per_subcore: 010 could be octal"),
    ("sm: {xu_lanes_per_subcore: 1:30}", r"field sm\.xu_lanes_per_subcore: .*integer"),
    ("sm: {xu_lanes_per_subcore: 1e3}", r"field sm\.xu_lanes_per_subcore: .*integer"),
    ("sm: {xu_lanes_per_subcore: 4.0}", r"field sm\.xu_lanes_per_subcore: .*integer"),
    ("sm: {xu_lanes_per_subcore: '4'}", r"field sm\.xu_lanes_per_subcore: .*integer"),
    ("sm: {xu_lanes_per_subcore: !!int abc}", r"field sm\.xu_lanes_per_subcore: tag !!int"),
    ("sm: {xu_lanes_per_subcore: {value: 1, 2: 3}}", r"field sm\.xu_lanes_per_subcore\.source"),
    ("sm: {xu_lanes_per_subcore: {value: 1, value: 2}}", r"field sm\.xu_lanes_per_subcore\.value: given twice"),
    ("sm: {xu_lanes_per_subcore: &a [*a]}", "circle"),
    ("launch: {skip_prologue: on}", r"field launch\.skip_prologue: .*boolean"),
    ("launch: {skip_prologue: 1}", r"field launch\.skip_prologue: .*boolean"),
    ("gpu: {sm_clock_mhz: 1980000000}", r"field gpu\.sm_clock_mhz: .*must be 100 to 4000 MHz"),
    ("gpu: {sm_clock_mhz: -5}", r"field gpu\.sm_clock_mhz: .*must be 100 to 4000 MHz"),
    ("gpu: {cycles_at_mhz: 0}", r"field gpu\.cycles_at_mhz: .*must be 100 to 4000 MHz"),
    ("gpu: {sm_clock_mhz: 400}", r"field gpu\.sm_clock_mhz: is more than 4 times"),
    ("gpu: {sms_per_gpc: []}", r"field gpu\.sms_per_gpc: "),
    ("gpu: {sms_per_gpc: [1000000000]}", r"field gpu\.sms_per_gpc: "),
    ("tensor: {hgmma_load_cycles: .inf}", r"field tensor\.hgmma_load_cycles: .*1 to 262144 cycles"),
    ("noc: {coalescer_entries_per_gpc: 100000000000000000000}", r"field noc\.coalescer_entries_per_gpc: .*65536 entries"),
    ("launch: {blocks_per_cycle: 1.0e-300}", r"field launch\.blocks_per_cycle: .*must be 0\.001"),
    ("l2: {miss_lines_per_slice: 1099511627776}", r"field l2\.miss_lines_per_slice: .*lines"),
    ("l2: {miss_lines_per_slice: 65536}", r"field l2\.miss_lines_per_slice: needs \d+ entries of state"),
    ("l2: {copy_hit_answers: 10000000000000000000000000}", r"field l2\.copy_hit_answers: "),
    ("dram: {peak_gb_per_s: 1.0e-9}", r"field dram\.peak_gb_per_s: .*must be 1 to 100000 GB/s"),
    ("dram: {peak_gb_per_s: 1, attained_share: 0.01, access_bytes: 1024}", r"field dram\.peak_gb_per_s: gives a channel"),
    ("shared: {carveouts_kib: []}", r"field shared\.carveouts_kib: "),
])  # fmt: skip
def test_a_configuration_takes_no_other_type_and_no_absurd_number(text, told, mine):
    mine.write_text(f"base: h200\n{text}\n")
    with pytest.raises(SsmsimError, match=rf"mine\.yaml:2: .*{told}|mine\.yaml: .*{told}") as error:
        load(mine)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("base", ['"h200\\0"', "../h200", "/etc/passwd", "''", '"h 200"'])
def test_a_base_is_a_file_of_the_folder(base, mine):
    mine.write_text(f"base: {base}\n")
    with pytest.raises(SsmsimError, match=r"mine\.yaml:1: field base"):
        load(mine)


def test_a_study_given_twice_or_with_other_types(tmp_path):
    study = "device: h200\nbaseline: h200\nengines: [embedded]\nselections:\n  only: {launches: {tiny: ['39*']}, configs: [h200]}\n"
    for more, told in (("  only: {launches: {tiny: ['37*']}, configs: [h200]}\n", r":6: field selections\.only: given twice"),
                       ("sample: on\n", r":6: field sample: .*boolean"), ("sample: !!bool x\n", ":6: field sample: tag")):  # fmt: skip
        (tmp_path / "s.yaml").write_text(study + more)
        with pytest.raises(SsmsimError, match=told):
            read_study(tmp_path / "s.yaml")
