"""Charts as SVG text: small, sharp at each size, and the same bytes for the same numbers."""

from html import escape

import numpy as np

from autosim.applications.validation.results import Chart, Curve
from autosim.arrays import Floats

WIDTH, HEIGHT = 640, 340
"""Size of a chart [pixels]: half the width of a page of documentation."""

LEFT, RIGHT, TOP, BOTTOM = 70, 20, 34, 62
"""Room around the curves for labels [pixels]."""

COLOURS = ("#b02a30", "#2b62a8", "#3d8c40", "#8a5a9e", "#c07c20", "#555b66")
"""Of the curves in their order: dark on white, and told apart by people who see no red."""

DASHES = ("", "7 4", "2 3", "10 3 2 3", "", "7 4")
"""Of the lines in their order [pixels drawn, pixels not]."""

MOST_POINTS = 400
"""Number of points of a curve: more than one for each second pixel."""

TICKS = 5
"""Number of steps of a scale, about."""

STYLE = (
    "text{font:12px sans-serif;fill:#1e222a}.grid{stroke:#dee2e8}.axis{stroke:#1e222a}"
    "polyline{fill:none;stroke-width:1.8}"
)


class _Scale:
    """From the numbers of an axis to pixels."""

    def __init__(self, values: list[Floats], first: float, last: float) -> None:
        low, high = (
            min(float(each.min()) for each in values),
            max(float(each.max()) for each in values),
        )
        room = 0.05 * (high - low) or 1.0
        self._low, self._high = low - room, high + room
        self._first, self._last = first, last

    def place(self, values: Floats) -> Floats:
        share = (values - self._low) / (self._high - self._low)
        result: Floats = self._first + share * (self._last - self._first)
        return result

    def ticks(self) -> list[float]:
        """Multiples of 1, 2 or 5 times a power of ten."""
        rough = (self._high - self._low) / TICKS
        power = 10.0 ** np.floor(np.log10(rough))
        step = power * next(each for each in (1.0, 2.0, 5.0, 10.0) if each * power >= rough)
        numbers = range(int(np.ceil(self._low / step)), int(np.floor(self._high / step)) + 1)
        return [round(float(number * step), 12) for number in numbers]


def draw(chart: Chart) -> str:
    """The chart as an SVG file."""
    across = _Scale([each.x for each in chart.curves], LEFT, WIDTH - RIGHT)
    up = _Scale([each.y for each in chart.curves], HEIGHT - BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">',
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>',
        _text(WIDTH / 2, 20, chart.title, "middle", "font-weight:bold"),
        *_axes(across, up),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 34, chart.x_label, "middle"),
        f'<g transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">'
        f"{_text(0, 0, chart.y_label, 'middle')}</g>",
    ]
    for number, curve in enumerate(chart.curves):
        lines += _curve(curve, number, across, up, len(chart.curves))
    return "\n".join([*lines, "</svg>", ""])


def _axes(across: _Scale, up: _Scale) -> list[str]:
    lines = []
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for tick in across.ticks():
        x = float(across.place(np.array(tick)))
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        lines.append(_text(x, bottom + 16, f"{tick:g}", "middle"))
    for tick in up.ticks():
        y = float(up.place(np.array(tick)))
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(_text(LEFT - 6, y + 4, f"{tick:g}", "end"))
    for x1, y1, x2, y2 in ((LEFT, bottom, right, bottom), (LEFT, TOP, LEFT, bottom)):
        lines.append(f'<line class="axis" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')
    return lines


def _curve(curve: Curve, number: int, across: _Scale, up: _Scale, count: int) -> list[str]:
    chosen = np.linspace(0, len(curve.x) - 1, min(len(curve.x), MOST_POINTS)).astype(np.int64)
    x, y = across.place(curve.x[chosen]), up.place(curve.y[chosen])
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    look = f'stroke="{COLOURS[number]}" stroke-dasharray="{DASHES[number]}"'
    left, below = LEFT + number * (WIDTH - LEFT - RIGHT) / count, HEIGHT - 10
    return [
        f'<polyline {look} points="{points}"/>',
        f'<polyline {look} points="{left:.1f},{below - 4} {left + 24:.1f},{below - 4}"/>',
        _text(left + 29, below, curve.label, "start"),
    ]


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    look = f' style="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}>{escape(text)}</text>'
