"""Draws what a robot believed: errors over time, and the bands in which it believed them."""

import numpy as np

from autosim.applications.recording.belief_record import BeliefRecord
from autosim.charts import Band, LineSeries, Panel, draw_sheet

PANELS = (
    ("east", 0, 1.0, "m"),
    ("north", 1, 1.0, "m"),
    ("up", 2, 1.0, "m"),
    ("about the vertical", 5, 180.0 / np.pi, "°"),
    ("velocity east", 6, 1.0, "m/s"),
    ("velocity north", 7, 1.0, "m/s"),
)
"""The errors that are drawn: a title, the number of the error, the factor to its unit, the unit."""


def draw_record(record: BeliefRecord) -> str:
    """An SVG file of six errors over time, each with the band of two standard deviations."""
    title = f"{record.robot}: errors of its belief (truth less belief), and two standard deviations"
    panels = [_panel(record, *each) for each in PANELS]
    return draw_sheet(panels, title=title, columns=2, size=(600, 260))


def _panel(record: BeliefRecord, name: str, column: int, factor: float, unit: str) -> Panel:
    errors = factor * record.errors[:, column]
    bands = 2.0 * factor * record.deviations[:, column]
    most = 1.08 * max(float(np.abs(errors).max()), float(bands.max()), 1e-9)
    return Panel(
        name,
        "time [s]",
        f"error [{unit}]",
        (Band(record.times, -bands, bands), LineSeries(record.times, errors)),
        note=f"{100.0 * record.within[column]:.0f} % within",
        x_range=(float(record.times[0]), float(record.times[-1])),
        y_range=(-most, most),
    )
