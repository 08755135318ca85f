"""The page on many runs, done from an empty folder: real runs, their table, a record made again."""

import json
from pathlib import Path

import pytest

from autosim.applications.records.verify import verify
from autosim.loading.studies.points import points_of
from autosim.loading.studies.study_file import load_study
from tests.docs.reader import Reader


@pytest.mark.slow
def test_a_study_is_written_and_run_from_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    reader = Reader(tmp_path)
    reader.read("sweeps")
    sweep = tmp_path / "out" / "sweeps" / "friction"
    (shown,) = reader.outputs["autosim sweep show friction.xml --sort friction --plot friction.svg"]
    rows = [line.split() for line in shown.splitlines()[1:4]]
    frictions, slips = ([float(row[number]) for row in rows] for number in (1, 4))
    assert frictions == sorted(frictions)
    assert slips[0] > slips[2]
    assert "3 of 3 runs done (3 done)" in shown
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(sweep / "table.parquet").num_rows == 3
    assert (tmp_path / "friction.svg").exists()
    (record,) = sweep.glob("runs/*/record.mcap")
    summary = json.loads((record.parent / "summary.json").read_text())
    assert float(summary["parameters"]["friction"]) == pytest.approx(frictions[0])
    monkeypatch.chdir(tmp_path)
    assert verify(record).difference is None
    study, _ = load_study(tmp_path / "gravity.py")
    assert [each["gravity"] for each in points_of(study)] == ["9.7", "9.75", "9.8", "9.85", "9.9"]
