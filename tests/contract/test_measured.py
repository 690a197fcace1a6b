"""measured.csv: one reader; what cannot be true names file, row and column."""

import csv
from pathlib import Path

import pytest

from ssmsim.errors import SsmsimError
from ssmsim.measured import CYCLES, TIME_NS, clock_mhz, read_measured

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "traces/h200/empty/measured.csv"


@pytest.fixture
def change(tmp_path):
    """The path of the table with its rows changed by a function of the list of rows."""

    def write(how) -> Path:
        with TABLE.open(newline="") as file:
            rows = list(csv.DictReader(file))
        changed = how(rows) or rows
        path = tmp_path / "measured.csv"
        with path.open("w", newline="") as file:
            out = csv.DictWriter(file, list(changed[0]))
            out.writeheader()
            out.writerows(changed)
        return path

    return write


def scaled(column, factor):
    def how(rows):
        for row in rows:
            row[column] = repr(float(row[column]) * factor)

    return how


def cell(column, value):
    def how(rows):
        rows[1][column] = value

    return how


@pytest.mark.parametrize("file", sorted((ROOT / "traces").glob("*/*/measured.csv"))[:4], ids=lambda f: f.parent.name)
def test_the_committed_tables_are_read(file):
    rows = read_measured(file).rows
    assert rows and all(1600 < clock_mhz(row) < 2000 for row in rows.values())


@pytest.mark.parametrize(("how", "told"), [
    (lambda rows: [*rows, rows[0]], r"measured\.csv:10: launch .*a row that comes twice"),
    (scaled(TIME_NS, 1e-3), r"clock of 1\.\d+e\+06 MHz, outside 100 to 4000|not a whole number"),
    (scaled(TIME_NS, 1000), r"clock of [\d.]+ MHz, outside 100 to 4000"),
    (scaled(CYCLES, 1e-6), rf"column {CYCLES}: .*not a whole number of its unit, cycle"),
    (scaled("dram__cycles_elapsed.avg.per_second", 1e-6), "per_second: .* outside 1e.08 to 1e.10 Hz"),
    (cell(CYCLES, "0x10"), rf"measured\.csv:3: launch .*column {CYCLES}: '0x10' is not a number"),
    (cell(CYCLES, "inf"), "'inf' is not a number"), (cell(TIME_NS, "nan"), "'nan' is not a number"),
    (cell(CYCLES, "0"), "below 1"), (cell(TIME_NS, "0"), "is 0"), (cell(CYCLES, "-5"), "outside 0 to"),
    (cell(CYCLES, "1_000"), "not a number"), (cell(CYCLES, "1e400"), "outside 0 to|not a number"),
    (cell("cache", "tepid"), "cold or warm"), (cell("launch", ""), "expected a launch"),
    (cell("lts__t_sector_hit_rate.pct", "1e9"), "outside 0 to 10000 %"),
    (lambda rows: [{k: v for k, v in row.items() if k != "launch"} for row in rows], "no column launch"),
    (lambda rows: [{k: v for k, v in row.items() if k != CYCLES} for row in rows], f"no column {CYCLES}"),
])  # fmt: skip
def test_what_cannot_be_true_is_named(how, told, change):
    with pytest.raises(SsmsimError, match=told) as error:
        read_measured(change(how))
    assert "measured.csv" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"a,b\n1,2\n", bytes(range(256)), b'launch,cache,"x', b"launch,launch,cache\n",
                                  b"launch,cache,gpc__cycles_elapsed.max\na,cold\n"])  # fmt: skip
def test_what_is_no_table(data, tmp_path):
    (tmp_path / "m.csv").write_bytes(data)
    with pytest.raises(SsmsimError, match=r"m\.csv"):
        read_measured(tmp_path / "m.csv")


def test_a_missing_cell_is_none(change):
    rows = read_measured(change(cell("dram__bytes_read.sum", ""))).rows
    assert [row["dram__bytes_read.sum"] for row in rows.values()].count(None) == 1


def test_the_same_as_a_table():
    measured = read_measured(TABLE)
    assert len(measured.table) == len(measured.rows) and measured.table[CYCLES].dtype == float
    for row in measured.table.to_dict("records"):
        assert measured.rows[row["launch"], row["cache"]][CYCLES] == row[CYCLES]
    assert set(measured.clocks) == set(measured.rows)
