"""A histogram with curves through it as an SVG file."""

from collections.abc import Mapping

from autosim.arrays import Floats
from autosim.charts import Bars, LineSeries, Mark, Panel, draw_sheet

_SIZE = (640, 400)
"""Width and height [pixels]: there is a legend of several rows."""

_ROOM_ABOVE = 1.25
"""Height of the picture in the highest bar's; what rises higher goes along its rim."""


def draw_histogram(
    title: str, edges: Floats, densities: Floats, curves: Mapping[str, tuple[Floats, Floats]]
) -> str:
    """Bars and curves over one axis.

    Args:
        title: what is to be seen, with its unit.
        edges: (n + 1,) of the bars.
        densities: (n,), the height of each bar.
        curves: x and y (m,) by name.
    """
    highest = max(_ROOM_ABOVE * float(densities.max()), 1e-12)
    lines = [LineSeries(x, y, name) for name, (x, y) in curves.items()]
    sides = float(edges[0]), float(edges[-1])
    marks: tuple[Mark, ...] = (Bars(edges, densities), *lines)
    panel = Panel("", title, "density", marks, x_range=sides, y_range=(0.0, highest))
    return draw_sheet([panel], size=_SIZE)
