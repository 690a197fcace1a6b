"""Changes that a GPU can make: the launches that stand for them, and the table."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.silicon import factors
from ssmsim.config.load import load
from ssmsim.engines.embedded.state.occupancy import occupancy
from ssmsim.errors import SsmsimError
from ssmsim.launch import read_launch
from ssmsim.study import silicon

ROOT = Path(__file__).parents[2]
H100 = load(ROOT / "simconfigs/h100.yaml")
LAUNCH = read_launch(ROOT / "traces/h100/mamba2-2.7b/04-chunk_scan_fwd_kernel")
EMPTY = dict.fromkeys(silicon.COLUMNS, "")


def row(change: str, value: str = "", **more: str) -> silicon.Row:
    return (
        EMPTY
        | {"gpu": "h100", "launch": "mamba2-2.7b/04-chunk_scan_fwd_kernel", "change": change, "value": value}
        | more
    )


def test_blocks_per_sm_are_as_many_as_the_line_says(tmp_path: Path):
    rows = [row("none"), *(row("blocks_per_sm", str(n)) for n in (5, 4, 3, 2, 1))]
    folders = silicon.variants(LAUNCH, rows, tmp_path / "out", H100)
    assert [occupancy(read_launch(folder), H100).blocks for folder in folders] == [6, 5, 4, 3, 2, 1]


def test_more_blocks_than_fit_are_refused(tmp_path: Path):
    with pytest.raises(SsmsimError, match="7 blocks per SM leave 32256 bytes of shared memory"):
        silicon.variants(LAUNCH, [row("blocks_per_sm", "7")], tmp_path / "out", H100)


def test_a_kernel_compiled_for_fewer_registers_has_them(tmp_path: Path):
    folders = silicon.variants(LAUNCH, [row("maxnreg", "255"), row("maxnreg", "64")], tmp_path / "out", H100)
    assert [read_launch(folder).registers_per_thread for folder in folders] == [138, 64]


def test_a_compilation_that_is_not_there(tmp_path: Path):
    with pytest.raises(SsmsimError, match="no such compilation"):
        silicon.variants(LAUNCH, [row("maxnreg", "77")], tmp_path / "out", H100)


def test_a_context_of_some_sms_is_a_gpu_with_these_in_its_gpcs():
    config = silicon.configuration(row("sms", "32", place="8 8 8 8 0 0 0 0", mhz="1500"), H100)
    assert config.gpu.sms_per_gpc == (8, 8, 8, 8) and config.gpu.sm_clock_mhz == 1500
    assert silicon.configuration(row("none", mhz="1700"), H100).gpu.sms_per_gpc == H100.gpu.sms_per_gpc


def test_changes_are_told_beside_the_launch_as_captured_and_registers_beside_the_same_compiler():
    rows = [
        row("none", measured_cycles="1000", simulated_cycles="1100"),
        row("sms", "64", measured_cycles="2000", simulated_cycles="2200"),
        row("maxnreg", "255", measured_cycles="900", simulated_cycles="900"),
        row("maxnreg", "64", measured_cycles="1800", simulated_cycles="1710"),
        row("off", "STG", measured_cycles="800"),  # not simulated
    ]
    found = {(one.change, one.value): one for one in silicon.compared(rows)}
    assert found.keys() == {("sms", "64"), ("maxnreg", "64")}
    assert found["sms", "64"].error == pytest.approx(0) and found["maxnreg", "64"].error == pytest.approx(-0.05)
    assert "| `maxnreg` | 1 | 1 | 2.00 to 2.00 | 5.0 % | -5.0 % (04-chunk_scan_fwd_kernel, `64`) |" in silicon.table(
        rows
    )


NO_CHANGE = ",".join(silicon.COLUMNS) + "\nh100,a/b,faster" + "," * 7


@pytest.mark.parametrize(
    ("text", "what"), [("gpu,launch\n", "no column change"), (NO_CHANGE, "line 2: no change 'faster'")]
)
def test_a_table_of_something_else(tmp_path: Path, text: str, what: str):
    file = tmp_path / "x.csv"
    file.write_text(text + "\n")
    with pytest.raises(SsmsimError, match=what):
        silicon.read(file)


def test_the_table_in_the_repository_can_be_read_and_is_measured():
    rows = silicon.read(ROOT / "analysis/silicon.csv")
    measured = [one for one in rows if one["measured_cycles"]]
    assert len(measured) > 100 and {one["change"] for one in measured} == set(silicon.CHANGES)
    assert all(sum(map(int, one["place"].split())) == int(one["value"]) for one in measured if one["change"] == "sms")


def test_the_figure_shows_the_changes_of_the_table() -> None:
    """analysis sees tables alone, so it works the factors out by itself."""
    file = Path(__file__).parents[2] / "analysis/silicon.csv"
    told = {
        (one.launch, one.change, one.value): (one.measured, one.simulated)
        for one in silicon.compared(silicon.read(file))
    }
    drawn = factors(pd.read_csv(file)).replace({"change": {"idle": "sms"}})
    value = drawn.value.map(lambda text: str(text).removesuffix(".0"))
    found = dict(
        zip(
            zip(drawn.launch, drawn.change, value, strict=True),
            zip(drawn.measured, drawn.simulated, strict=True),
            strict=True,
        )
    )
    assert found.keys() == told.keys() and len(told) > 90
    assert all(found[key] == pytest.approx(told[key]) for key in told)
