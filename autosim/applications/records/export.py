"""Writes the values of a record as CSV, Parquet, or a recording of Rerun."""

import csv
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autosim.applications.records.value_batches import batches
from autosim.errors import UserError
from autosim.model.tree import TreeNode
from autosim.model.value_columns import ValueColumn, columns_of
from autosim.records.events import NoticeLogged
from autosim.records.record_file import Record


def export_csv(record: Record, file: Path, names: Sequence[str] = ()) -> int:
    """Writes a line for each state, the first with the names of the columns; returns their number.

    Numbers are written so that they read back as the same bytes.

    Raises:
        UserError: a name stands for nothing, or the record is damaged.
        OSError: the file cannot be written.
    """
    columns = columns_of(record.tree, names)
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["step", "time", *(each.name for each in columns)])
        for batch in batches(record, columns):
            for step, time, values in zip(batch.steps, batch.times, batch.values, strict=True):
                texts = (
                    str(int(value)) if column.is_integer else repr(float(value))
                    for column, value in zip(columns, values, strict=True)
                )
                writer.writerow([int(step), repr(float(time)), *texts])
    return len(columns) + 2


def export_parquet(record: Record, file: Path, names: Sequence[str] = ()) -> int:
    """Writes a table with a column for each value; returns their number.

    Raises:
        UserError: as `export_csv`, or pyarrow is not installed.
        OSError: the file cannot be written.
    """
    arrow, parquet = _require("pyarrow", "parquet"), _require("pyarrow.parquet", "parquet")
    columns = columns_of(record.tree, names)
    fields = [("step", arrow.int64()), ("time", arrow.float64())]
    fields += [
        (each.name, arrow.int64() if each.is_integer else arrow.float64()) for each in columns
    ]
    schema = arrow.schema(
        [
            arrow.field(name, kind, metadata={"unit": unit})
            for (name, kind), unit in zip(
                fields, ["1", "s", *(each.unit for each in columns)], strict=True
            )
        ]
    )
    with parquet.ParquetWriter(str(file), schema) as writer:
        for batch in batches(record, columns):
            arrays = [batch.steps, batch.times, *batch.values.T]
            typed = [
                np.asarray(array).astype(np.int64 if each.type == arrow.int64() else np.float64)
                for array, each in zip(arrays, schema, strict=True)
            ]
            writer.write_table(arrow.table([arrow.array(each) for each in typed], schema=schema))
    return len(schema)


def export_rerun(record: Record, file: Path, names: Sequence[str] = ()) -> int:
    """Writes a recording for the Rerun viewer: bodies in space, values over time, messages.

    Returns:
        how many values are series.

    Raises:
        UserError: as `export_csv`, or rerun-sdk is not installed.
    """
    rerun = _require("rerun", "rerun")
    columns = columns_of(record.tree, names)
    rerun.init(f"autosim {record.about.world}", recording_id=record.path.stem)
    rerun.save(str(file))
    rerun.log("world", rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    bodies = _bodies(record)
    for batch in batches(record, columns):
        times = rerun.TimeColumn("time", duration=batch.times)
        steps = rerun.TimeColumn("step", sequence=batch.steps.astype(np.int64))
        for column, values in zip(columns, batch.values.T, strict=True):
            rerun.send_columns(
                "values/" + column.name.replace(".", "/"),
                indexes=[steps, times],
                columns=rerun.Scalars.columns(scalars=values),
            )
    for name, poses in bodies.items():
        for batch in batches(record, poses):
            rerun.send_columns(
                "world/" + name.replace(".", "/"),
                indexes=[rerun.TimeColumn("time", duration=batch.times)],
                columns=rerun.Transform3D.columns(
                    translation=batch.values[:, :3], quaternion=batch.values[:, 3:]
                ),
            )
    for event in record.events((NoticeLogged,)):
        if isinstance(event, NoticeLogged):
            rerun.set_time("time", duration=event.step * record.about.step_seconds)
            rerun.log("messages", rerun.TextLog(f"{event.source}: {event.text}"))
    rerun.disconnect()
    return len(columns)


def _bodies(record: Record) -> dict[str, list[ValueColumn]]:
    """Position and orientation of each body."""
    found = {}
    for node in record.tree.walk():
        if node is not record.tree and node.twin is None and _has_pose(node):
            place = node.field_offset("position") // 8
            turn = node.field_offset("orientation") // 8
            words = [*range(place, place + 3), *range(turn, turn + 4)]
            found[node.name] = [ValueColumn(node.name, "1", word, False) for word in words]
    return found


def _has_pose(node: TreeNode) -> bool:
    shapes = {each.name: each.shape for each in node.fields}
    return shapes.get("position") == (3,) and shapes.get("orientation") == (4,)


def _require(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UserError(
            f"this needs the package {module.split('.')[0]}: pip install 'autosim[{extra}]'"
        ) from error
