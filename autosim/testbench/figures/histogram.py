"""A histogram with curves through it as an SVG file."""

from collections.abc import Mapping
from html import escape

import numpy as np

from autosim.arrays import Floats

_WIDTH, _HEIGHT = 560, 340
"""Size of the picture [pixels]."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 130, 34, 40
"""Room around the plot [pixels]: for the title, the numbers below, the names to the right."""

_COLOURS = (
    *("#2b62a8", "#c2701c", "#3c8d40", "#b02a30", "#7a4fa3"),
    *("#8c6d31", "#d05f9f", "#4b9aa8", "#6b7280"),
)
"""Of the curves in their order: chosen by eye, neighbours far apart."""

_STYLE = (
    "text{font:11px sans-serif;fill:#1e222a}.title{font-size:13px;text-anchor:middle}"
    ".number{text-anchor:middle}.bar{fill:#dee2e8;stroke:#8a94a6}.curve{fill:none}"
)

_NUMBERS = 5
"""Number of numbers along the axis."""


def draw_histogram(
    title: str, edges: Floats, densities: Floats, curves: Mapping[str, tuple[Floats, Floats]]
) -> str:
    """Bars and curves over one axis.

    Args:
        title: what is to be seen, with its unit.
        edges: (n + 1,) of the bars.
        densities: (n,), the height of each bar.
        curves: x and y (m,) by name; the first is drawn thickest.
    """
    tallest = max(1.25 * float(densities.max()), 1e-12)  # what rises higher is cut off
    low, high = float(edges[0]), float(edges[-1])
    across, up = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(value: float) -> float:
        return _LEFT + across * (value - low) / (high - low)

    def y(value: float) -> float:
        return _TOP + up * (1.0 - min(value / tallest, 1.0))

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}"><style>{_STYLE}</style>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text class="title" x="{_LEFT + across / 2:g}" y="20">{escape(title)}</text>',
    ]
    for begin, end, density in zip(edges[:-1], edges[1:], densities, strict=True):
        top = y(float(density))
        lines.append(
            f'<rect class="bar" x="{x(begin):.1f}" y="{top:.1f}" '
            f'width="{x(end) - x(begin):.1f}" height="{_TOP + up - top:.1f}"/>'
        )
    for at in np.linspace(low, high, _NUMBERS):
        lines.append(f'<text class="number" x="{x(at):.1f}" y="{_TOP + up + 18}">{at:.3g}</text>')
    for number, (name, (places, values)) in enumerate(curves.items()):
        colour, width = _COLOURS[number % len(_COLOURS)], 2.6 if number == 0 else 1.2
        points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(places, values, strict=True))
        right, row = _LEFT + across + 12, _TOP + 12 + 18 * number
        lines += [
            f'<polyline class="curve" stroke="{colour}" stroke-width="{width}" points="{points}"/>',
            f'<path d="M{right} {row - 4}h18" stroke="{colour}" stroke-width="{width}"/>',
            f'<text x="{right + 24}" y="{row}">{escape(name)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
