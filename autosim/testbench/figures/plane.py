"""A piece of the plane as an SVG file: points, paths and outlines, one metre as long both ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats

_SIZE = 460
"""Length of a side [pixels]: three stand side by side on a page."""

_RIM, _TITLE = 34, 26
"""Room around the plane for its scale, and above it for the title [pixels]."""

_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Distances of grid lines [m]: the smallest that gives no more than eight lines is taken."""

_MOST_LINES = 8
"""Number of grid lines either way: their numbers have room beside each other."""

_STYLE = (
    "text{font:11px sans-serif;fill:#1e222a;text-anchor:middle}.title{font-size:13px}"
    ".grid{stroke:#dee2e8}.outline{fill:none;stroke:#8a94a6;stroke-width:2}"
    ".path{fill:none;stroke:#2b62a8;stroke-width:1.3}"
    ".other_path{fill:none;stroke:#c2701c;stroke-width:1.3}.point{fill:#b02a30}.late_point{fill:#6d9bd1}.thing{fill:#555b66}"
)


_RADII = {"point": 2.2, "late_point": 2.2, "thing": 4.5}
"""Radius of the looks that are circles [pixels]."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Something in the plane.

    Attributes:
        places: (n, 2) m, x to the right and y up.
        look: of circles `point` (small, red), `late_point` (small, blue) or `thing` (larger, grey);
            of lines `path` (blue), `other_path` (orange) or `outline` (grey).
    """

    places: npt.NDArray[np.float64]
    look: str


def draw_plane(title: str, layers: Sequence[Layer], *, half_side: float) -> str:
    """The square from -`half_side` [m] to +`half_side` either way, as an SVG file."""
    scale = (_SIZE - 2 * _RIM) / (2.0 * half_side)
    height = _SIZE + _TITLE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {height}" width="{_SIZE}">',
        f'<style>{_STYLE}</style><rect width="{_SIZE}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{_SIZE / 2:g}" y="18">{escape(title)}</text>',
        *_grid(half_side, scale),
    ]
    for layer in layers:
        places = np.asarray(layer.places, dtype=np.float64).reshape(-1, 2)
        lines += _shapes(layer.look, _pixels(places, half_side, scale))
    return "\n".join([*lines, "</svg>", ""])


def _pixels(places: Floats, half_side: float, scale: float) -> Floats:
    result: Floats = np.stack(
        [
            _RIM + (places[:, 0] + half_side) * scale,
            _TITLE + _RIM + (half_side - places[:, 1]) * scale,
        ],
        axis=1,
    )
    return result


def _grid(half_side: float, scale: float) -> list[str]:
    step = next((each for each in _STEPS if half_side / each <= _MOST_LINES / 2), _STEPS[-1])
    count = int(half_side / step + 1e-9)
    lines = []
    low, high = _RIM, _RIM + 2.0 * half_side * scale
    for number in range(-count, count + 1):
        value = number * step
        x = _RIM + (value + half_side) * scale
        y = _TITLE + _RIM + (half_side - value) * scale
        lines += [
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TITLE + low}" '
            f'y2="{_TITLE + high:.1f}"/>',
            f'<line class="grid" x1="{low}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>',
            f'<text x="{x:.1f}" y="{_TITLE + high + 15:.1f}">{value:g}</text>',
            f'<text x="{low - 16}" y="{y + 4:.1f}">{value:g}</text>',
        ]
    return lines


def _shapes(look: str, places: Floats) -> list[str]:
    if look in _RADII:
        radius = _RADII[look]
        return [
            f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'
            for x, y in places.tolist()
        ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places.tolist())
    return [f'<polyline class="{look}" points="{points}"/>']
