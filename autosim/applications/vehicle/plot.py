"""Draws how a vehicle moved: its path, and its speed, acceleration, steering and yaw over time."""

from autosim.charts import Line, Panel, draw_sheet
from autosim.vehicle.runs.motions import Motion

_OVER_TIME = (
    ("velocity", "m/s"),
    ("acceleration", "m/s²"),
    ("steering", "rad"),
    ("yaw", "rad"),
)


def draw_motion(motion: Motion, title: str) -> str:
    """An SVG file of the path and four curves over time."""
    path = Line(motion.column("x"), motion.column("y"))
    panels = [Panel("path", "x [m]", "y [m]", (path,), is_to_scale=True)]
    for name, unit in _OVER_TIME:
        line = Line(motion.column("time"), motion.column(name))
        panels.append(Panel(name, "time [s]", f"{name} [{unit}]", (line,)))
    return draw_sheet(panels, title=title, columns=2, size=(600, 270))
