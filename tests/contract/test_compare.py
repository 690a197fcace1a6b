"""`ssmsim compare`: the table of errors of a folder of results."""

from pathlib import Path

from ssmsim.engines.compare import error_table
from ssmsim.measured import CYCLES, read_measured
from ssmsim.results import Result

MEASURED = Path(__file__).parents[2] / "traces/h200/mamba2-2.7b/measured.csv"


def test_a_result_that_is_being_written_is_not_in_the_table(tmp_path):
    """As a killed run leaves it, or one that goes on writes it: see files.whole_file."""
    launch, cache = next(iter(read_measured(MEASURED).rows))
    result = Result(launch=launch, cache=cache, config="h200", engine="embedded", counters={CYCLES: 1000.0})
    result.write(tmp_path / "h200" / "h200.cold.json")
    before = error_table(tmp_path, MEASURED).row_count
    (tmp_path / "h200" / ".h200.cold.json.a1b2.json").write_text('{"launch": ')
    assert error_table(tmp_path, MEASURED).row_count == before > 0
