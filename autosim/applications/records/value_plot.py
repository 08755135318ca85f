"""Draws values of a record over time, as SVG: one chart for each unit."""

from collections.abc import Sequence

import numpy as np

from autosim.applications.records.value_batches import batches
from autosim.charts import LineSeries, Panel, draw_sheet
from autosim.errors import UserError
from autosim.model.value_columns import columns_of
from autosim.records.record_file import Record

MOST_CURVES = 6
"""Number of curves in a chart: as many as have colours of their own."""


def draw_values(record: Record, names: Sequence[str]) -> str:
    """Charts of these values, one below the other: values of one unit share a chart.

    Args:
        record: of a run.
        names: of devices, fields or single values: at most `MOST_CURVES` values.

    Raises:
        UserError: they name nothing, or too many values.
    """
    columns = columns_of(record.tree, names)
    if not names or len(columns) > MOST_CURVES:
        some = ", ".join(each.name for each in columns[:3])
        raise UserError(
            f"a chart has at most {MOST_CURVES} curves, not {len(columns)}: name some values, "
            f"such as {some}"
        )
    parts = list(batches(record, columns))
    times = np.concatenate([each.times for each in parts])
    values = np.concatenate([each.values for each in parts])
    panels: list[Panel] = []
    for unit in dict.fromkeys(each.unit for each in columns):
        lines = tuple(
            LineSeries(times, values[:, number], column.name)
            for number, column in enumerate(columns)
            if column.unit == unit
        )
        title = "" if panels else record.about.world
        panels.append(Panel(title, "time [s]", f"[{unit}]", lines))
    return draw_sheet(panels, columns=1)
