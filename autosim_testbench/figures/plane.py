"""A piece of the plane as an SVG file: points, paths and outlines, one metre as long both ways."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autosim.charts import COLOURS, Dots, LineSeries, Mark, Panel, draw_sheet

_SIZE = (460, 486)
"""Width and height [pixels]: three stand side by side on a page."""

_RED, _BLUE, _ORANGE, _GREY = COLOURS[0], COLOURS[1], COLOURS[4], COLOURS[5]

_RADII = {"point": 2.2, "late_point": 2.2, "thing": 4.5}
"""Of dots by their look [pixels]."""

_COLOURS = {
    "point": _RED,
    "late_point": "#6d9bd1",
    "thing": _GREY,
    "path": _BLUE,
    "other_path": _ORANGE,
    "outline": "#8a94a6",
}


@dataclass(frozen=True, slots=True)
class Layer:
    """Something in the plane.

    Attributes:
        places: (n, 2) m, x to the right and y up.
        look: of dots `point` (small, red), `late_point` (small, blue) or `thing` (larger, grey);
            of lines `path` (blue), `other_path` (orange) or `outline` (grey).
    """

    places: npt.NDArray[np.float64]
    look: str


def draw_plane(title: str, layers: Sequence[Layer], *, half_side: float) -> str:
    """The square from -`half_side` [m] to +`half_side` either way, as an SVG file."""
    sides = -half_side, half_side
    marks = tuple(map(_mark, layers))
    panel = Panel(title, "x [m]", "y [m]", marks, "", sides, sides, is_to_scale=True)
    return draw_sheet([panel], size=_SIZE)


def _mark(layer: Layer) -> Mark:
    x, y = np.asarray(layer.places, dtype=np.float64).reshape(-1, 2).T
    colour = _COLOURS[layer.look]
    if layer.look in _RADII:
        return Dots(x, y, _RADII[layer.look], colour)
    return LineSeries(x, y, colour=colour)
