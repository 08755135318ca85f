"""Draws how a vehicle moved: its path, and its speed, acceleration, steering and yaw over time."""

from autosim.charts import LineSeries, Panel, draw_sheet
from autosim.vehicle.runs.drive_results import DriveResult

_OVER_TIME = (
    ("velocity", "m/s"),
    ("acceleration", "m/s²"),
    ("steering", "rad"),
    ("yaw", "rad"),
)


def draw_motion(motion: DriveResult, title: str) -> str:
    """An SVG file of the path and four curves over time."""
    path = LineSeries(motion.column("x"), motion.column("y"))
    panels = [Panel("path", "x [m]", "y [m]", (path,), is_to_scale=True)]
    for name, unit in _OVER_TIME:
        line = LineSeries(motion.column("time"), motion.column(name))
        panels.append(Panel(name, "time [s]", f"{name} [{unit}]", (line,)))
    return draw_sheet(panels, title=title, columns=2, size=(600, 270))
