"""What is recorded can be read by other programs."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

from autosim.applications.records.export import export_csv, export_parquet, export_rerun
from autosim.applications.records.value_plot import draw_values
from autosim.errors import UserError
from autosim.model.state import State
from autosim.records.record_file import Record
from autosim.records.schemas import Schema
from tests.records.runs import record_run

VALUES = ["r0.box.drive", "r1.box.position"]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    path = tmp_path_factory.mktemp("records") / "run.mcap"
    record_run(path, 50)
    with Record(path) as record:
        yield record


def expected(record: Record, step: int) -> np.ndarray:
    state = State(record.tree, bytearray(record.state(step)))
    drive, box = record.tree.find("r0.box.drive"), record.tree.find("r1.box")
    assert drive is not None
    assert box is not None
    place = box.field_offset("position") // 8
    first = drive.start // 8
    return np.concatenate(
        [state.floats[first : drive.own_stop // 8], state.floats[place : place + 3]]
    )


def test_a_csv_file_has_the_values_to_the_last_bit(record: Record, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    export_csv(record, file, VALUES)
    with file.open(newline="") as text:
        head, *rows = list(csv.reader(text))
    assert head[:3] == ["step", "time", "r0.box.drive.steering"]
    assert head[-3:] == [f"r1.box.position[{axis}]" for axis in range(3)]
    assert len(rows) == 51
    assert [int(row[0]) for row in rows] == list(range(51))
    np.testing.assert_array_equal(np.array(rows[33][2:], dtype=np.float64), expected(record, 33))


def test_a_parquet_table_has_the_same_values_with_units(record: Record, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "run.parquet"
    export_parquet(record, file, VALUES)
    table = parquet.read_table(file)
    row = [column[33].as_py() for column in table.columns[2:]]
    np.testing.assert_array_equal(row, expected(record, 33))
    assert table.schema.field("r1.box.position[0]").metadata == {b"unit": b"m"}


def test_rerun_reads_what_is_exported(record: Record, tmp_path: Path) -> None:
    rerun = pytest.importorskip("rerun")
    file = tmp_path / "run.rrd"
    export_rerun(record, file, VALUES)
    assert file.stat().st_size > 1000
    assert rerun is not None


def test_a_record_says_of_itself_what_its_messages_mean(record: Record) -> None:
    with record.path.open("rb") as file:
        reader = make_reader(file)
        for schema, _, message in reader.iter_messages(topics=["/state"]):
            assert schema is not None
            read = read_by_schema(schema.name, schema.data, message.data)
            np.testing.assert_array_equal(read.r1.box.position, expected(record, read.step)[-3:])


def read_by_schema(name: str, data: bytes, message: bytes) -> object:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    return Schema(name, FileDescriptorSet.FromString(data).file).read(message)


def test_names_that_stand_for_nothing_are_refused(record: Record, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no value 'r9\.box'"):
        export_csv(record, tmp_path / "run.csv", ["r9.box"])


def test_a_chart_shows_the_values_that_are_named(record: Record) -> None:
    chart = draw_values(record, ["r0.box.drive"])
    assert chart.startswith("<svg")
    assert "r0.box.drive.steering" in chart
    with pytest.raises(UserError, match="at most 6 curves"):
        draw_values(record, ["r0"])


def test_values_of_different_units_have_a_chart_each(record: Record) -> None:
    chart = draw_values(record, ["r0.box.position", "r0.box.velocity"])
    assert chart.count("[m]") == 1
    assert chart.count("[m/s]") == 1
    assert "[m, m/s]" not in chart
