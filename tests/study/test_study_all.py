"""What every user of the pipeline gets: `snakemake all` on a small study, and documents whose marked sections a study writes."""

import json
from pathlib import Path

import pandas as pd
import pytest
from small_study import ROOT, Folder

from analysis.readme import MARK, OTHERS, PICTURE, SECTIONS, documents
from ssmsim.measured import CYCLES
from ssmsim.study.rows import measured_rows


@pytest.mark.xdist_group("study")
def test_every_table_and_figure_is_there(done: Folder) -> None:
    for kind, ending in (("tables", "csv"), ("figures", "png")):
        for script in (done.path / "analysis" / kind).glob("[!_]*.py"):
            assert (done.path / "results" / kind / f"{script.stem}.{ending}").stat().st_size > 0
            assert script.with_suffix(".rst").read_text().strip()
    rows = pd.read_csv(done.path / "results/rows.csv")
    assert set(rows[rows.engine == "embedded"].config) == {"h100", "dram@2"}
    assert (rows[rows.engine == "embedded"]["smsp__inst_executed.sum"] > 0).all()


def test_every_marked_section_of_the_documents_is_written_by_a_study() -> None:
    found = set()
    for page in documents(ROOT):
        text = page.read_text()
        marks = {(study, section) for _, study, section, _ in MARK.findall(text)}
        assert len(MARK.findall(text)) == text.count("<!-- begin"), page
        for study, section in marks:
            assert f"{study}.{section}" in OTHERS or section in SECTIONS, (page, study, section)
        studies = {study for study, section in marks if f"{study}.{section}" not in OTHERS}
        for study in (studies | {study for study, _ in PICTURE.findall(text)}) - {"evidence"}:
            assert (ROOT / f"analysis/{study}.yaml").is_file()
        found |= {section for _, section in marks}
    assert set(SECTIONS) <= found


def test_snakefile_stays_short() -> None:
    assert len(Path(ROOT, "Snakefile").read_text().splitlines()) <= 120


def test_l2_counters_of_warm_launches_that_ran_over_their_own_data_are_left_out(tmp_path):
    file = tmp_path / "measured.csv"
    file.write_text("launch,cache,lts__a,lts__b,gpc__cycles_elapsed.max\n00,cold,1,2,3\n00,warm,4,5,6\n")
    columns = {"lts__a": {"warm": "own"}, "lts__b": {"warm": "sequence"}, CYCLES: {"warm": "own"}}
    (tmp_path / "measured.schema.json").write_text(json.dumps({"columns": columns}))
    cold, warm = measured_rows(file)
    assert (cold["lts__a"], cold["lts__b"], cold[CYCLES]) == (1, 2, 3)
    assert pd.isna(warm["lts__a"]) and (warm["lts__b"], warm[CYCLES]) == (5, 6)
