"""Charts as SVG text: one look for all, sharp at each size, the same bytes for the same numbers.

A sheet holds panels, a panel marks over two axes: lines, bands, bars and dots. The labels of the
axes tell their units.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from autosim.arrays import Booleans, Floats, Integers

WIDTH, HEIGHT = 640, 340
"""Size of a panel [pixels]: half the width of a page of documentation."""

LEFT, RIGHT, TOP, BOTTOM = 70, 20, 34, 62
"""Room around the marks for labels [pixels]."""

ROW = 18
"""Height [pixels] of each row of the legend after the first."""

TITLE = 34
"""Height [pixels] of the title of a whole sheet."""

COLOURS = ("#b02a30", "#2b62a8", "#3d8c40", "#8a5a9e", "#c07c20", "#555b66")
"""Of the lines in their order: dark on white, and told apart by people who see no red."""

DASHES = ("", "7 4", "2 3", "10 3 2 3", "", "7 4")
"""Of the lines in their order [pixels drawn, pixels not]."""

PALE = "#cde0f8"
"""Colour of bands and bars: behind all lines."""

MOST_POINTS = 400
"""Number of points of a line: more than one for each second pixel."""

MOST_OF_A_PATH = 4000
"""Number of points of a path in a plane, which may go to and fro many times."""

TICKS = 5
"""Number of steps of a scale, about."""

STYLE = (
    "text{font:12px sans-serif;fill:#1e222a}.grid{stroke:#dee2e8}.axis{stroke:#1e222a}"
    "polyline{fill:none;stroke-width:1.8}"
)

_CHARACTER = 6.5
"""Mean width [pixels] of a character of a label."""

_SIGN = 29.0
"""Width [pixels] of a line's sign in the legend, with the gap behind it."""


@dataclass(frozen=True, slots=True)
class LineSeries:
    """Points (n,) joined by a line; one with a label stands in the legend.

    Without a `colour` it takes the next of `COLOURS`, with its dashes. `is_thin` are those of which
    many lie over one another.
    """

    x: Floats
    """Horizontal values (n,)."""
    y: Floats
    """Vertical values (n,)."""
    label: str = ""
    colour: str = ""
    is_thin: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """The area between two curves `low` and `high` (n,) over `x` (n,)."""

    x: Floats
    low: Floats
    high: Floats
    colour: str = PALE
    """CSS colour."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from 0 to `heights` (n,) between `edges` (n + 1,)."""

    edges: Floats
    heights: Floats


@dataclass(frozen=True, slots=True)
class Dots:
    """Dots at places (n,), `radius` [pixels] wide; those beyond the axes are left out."""

    x: Floats
    """Horizontal values (n,)."""
    y: Floats
    """Vertical values (n,)."""
    radius: float = 2.2
    colour: str = COLOURS[0]
    """CSS colour."""


Mark = LineSeries | Band | Bars | Dots


@dataclass(frozen=True, slots=True)
class Panel:
    """Marks over two axes.

    `note` stands above them at the right. Ranges follow from the marks unless they are given. One
    that is `to_scale` shows a piece of a plane: a unit is as long up as across.
    """

    title: str
    """Title above the axes."""
    x_label: str
    """Label of the horizontal axis."""
    y_label: str
    """Label of the vertical axis."""
    marks: Sequence[Mark]
    note: str = ""
    x_range: tuple[float, float] | None = None
    """(low, high) of the horizontal axis."""
    y_range: tuple[float, float] | None = None
    """(low, high) of the vertical axis."""
    is_to_scale: bool = False
    """Whether both axes have the same scale."""


def draw_sheet(
    panels: Sequence[Panel],
    *,
    title: str = "",
    columns: int = 1,
    size: tuple[int, int] = (WIDTH, HEIGHT),
) -> str:
    """An SVG file of panels, row by row.

    Args:
        panels: of the same size.
        title: of the sheet.
        columns: number of panels in a row.
        size: width and height of each panel [pixels].
    """
    width, top = columns * size[0], TITLE if title else 0
    height = top + -(-len(panels) // columns) * size[1]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',  # Qt draws no share of a sheet
    ]
    if title:
        lines.append(_text(width / 2, 24, title, "middle", "font-size:15px;font-weight:bold"))
    for number, panel in enumerate(panels):
        place = number % columns * size[0], top + number // columns * size[1]
        drawn = _Drawing(panel, size).lines()
        if place == (0, 0):
            lines += drawn
        else:
            lines += [f'<g transform="translate({place[0]} {place[1]})">', *drawn, "</g>"]
    return "\n".join([*lines, "</svg>", ""])


class _Scale:
    """From the numbers of an axis to pixels."""

    def __init__(self, limits: tuple[float, float], first: float, last: float) -> None:
        self.low, self.high = limits
        self._first, self._last = first, last

    @property
    def pixels(self) -> float:
        """Length of a unit [pixels]."""
        return abs(self._last - self._first) / (self.high - self.low)

    def place(self, values: Floats) -> Floats:
        share = (values - self.low) / (self.high - self.low)
        result: Floats = self._first + share * (self._last - self._first)
        return result

    def holds(self, values: Floats) -> Booleans:
        return np.asarray((values >= self.low) & (values <= self.high))

    def at(self, value: float) -> float:
        return float(self.place(np.array(value)))

    def shrunk(self, pixels: float) -> "_Scale":
        """The scale with the given number of pixels per unit, about the same middle."""
        half = 0.5 * abs(self._last - self._first) / pixels
        middle = 0.5 * (self.low + self.high)
        return _Scale((middle - half, middle + half), self._first, self._last)

    def ticks(self) -> list[float]:
        """Multiples of 1, 2 or 5 times a power of ten."""
        rough = (self.high - self.low) / TICKS
        power = 10.0 ** np.floor(np.log10(rough))
        step = power * next(each for each in (1.0, 2.0, 5.0, 10.0) if each * power >= rough)
        numbers = range(int(np.ceil(self.low / step)), int(np.floor(self.high / step)) + 1)
        return [round(float(number * step), 12) for number in numbers]


class _Drawing:
    """A panel while it is drawn."""

    def __init__(self, panel: Panel, size: tuple[int, int]) -> None:
        self._panel, (self._width, self._height) = panel, size
        lines = [each for each in panel.marks if isinstance(each, LineSeries)]
        self._named = [each for each in lines if each.label]
        self._number = {id(each): number for number, each in enumerate(lines)}
        longest = max((len(each.label) for each in self._named), default=0)
        room = (self._width - LEFT - RIGHT) / (_SIGN + _CHARACTER * longest + 8.0)
        self._in_a_row = max(1, min(len(self._named), int(room)))
        rows = -(-len(self._named) // self._in_a_row)
        self._bottom = self._height - BOTTOM - ROW * (rows - 1)
        self._across, self._up = self._scales()

    def _scales(self) -> tuple[_Scale, _Scale]:
        panel = self._panel
        spots = [_spots(each) for each in panel.marks]
        x = panel.x_range or _with_room([each[0] for each in spots])
        y = panel.y_range or _with_room([each[1] for each in spots])
        across = _Scale(x, LEFT, self._width - RIGHT)
        up = _Scale(y, self._bottom, TOP)
        if panel.is_to_scale:
            pixels = min(across.pixels, up.pixels)
            across, up = across.shrunk(pixels), up.shrunk(pixels)
        return across, up

    def lines(self) -> list[str]:
        panel = self._panel
        titled = LEFT if panel.note else self._width / 2
        anchor = "start" if panel.note else "middle"
        behind = [each for each in panel.marks if isinstance(each, Band | Bars)]
        before = [each for each in panel.marks if not isinstance(each, Band | Bars)]
        return [
            _text(titled, 20, panel.title, anchor, "font-weight:bold"),
            *([_text(self._width - RIGHT, 20, panel.note, "end")] if panel.note else []),
            *(line for mark in behind for line in self._mark(mark)),
            *self._axes(),
            _text((LEFT + self._width - RIGHT) / 2, self._bottom + 34, panel.x_label, "middle"),
            f'<g transform="translate(16 {(TOP + self._bottom) / 2}) rotate(-90)">'
            f"{_text(0, 0, panel.y_label, 'middle')}</g>",
            *(line for mark in before for line in self._mark(mark)),
        ]

    def _axes(self) -> Iterator[str]:
        bottom, right = self._bottom, self._width - RIGHT
        for tick in self._across.ticks():
            x = self._across.at(tick)
            yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>'
            yield _text(x, bottom + 16, f"{tick:g}", "middle")
        for tick in self._up.ticks():
            y = self._up.at(tick)
            yield f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
            yield _text(LEFT - 6, y + 4, f"{tick:g}", "end")
        for x1, y1, x2, y2 in ((LEFT, bottom, right, bottom), (LEFT, TOP, LEFT, bottom)):
            yield f'<line class="axis" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'

    def _mark(self, mark: Mark) -> Iterator[str]:
        if isinstance(mark, LineSeries):
            yield from self._line(mark)
        elif isinstance(mark, Band):
            kept = _kept(mark.x, MOST_POINTS)
            x, low, high = mark.x[kept], mark.low[kept], mark.high[kept]
            both = np.append(x, x[::-1]), np.append(high, low[::-1])
            yield f'<polygon fill="{mark.colour}" points="{self._points(*both)}"/>'
        elif isinstance(mark, Bars):
            yield from self._bars(mark)
        else:
            is_in = self._across.holds(mark.x) & self._up.holds(mark.y)
            across, up = self._across.place(mark.x[is_in]), self._up.place(mark.y[is_in])
            for x, y in zip(across.tolist(), up.tolist(), strict=True):
                yield f'<circle fill="{mark.colour}" cx="{x:.1f}" cy="{y:.1f}" r="{mark.radius}"/>'

    def _bars(self, bars: Bars) -> Iterator[str]:
        edges = self._across.place(bars.edges).tolist()
        tops = np.maximum(self._up.place(bars.heights), TOP).tolist()
        for left, right, top in zip(edges[:-1], edges[1:], tops, strict=True):
            yield (
                f'<rect fill="{PALE}" stroke="#fff" x="{left:.1f}" y="{top:.1f}" '
                f'width="{right - left:.1f}" height="{max(self._up.at(0.0) - top, 0.0):.1f}"/>'
            )

    def _line(self, line: LineSeries) -> Iterator[str]:
        number = self._number[id(line)]
        look = f'stroke="{COLOURS[number % len(COLOURS)]}" '
        look += f'stroke-dasharray="{DASHES[(number + number // len(COLOURS)) % len(DASHES)]}"'
        if line.colour:
            look = f'stroke="{line.colour}"'
        if line.is_thin:
            look += ' style="stroke-width:1;stroke-opacity:.7"'
        most = MOST_OF_A_PATH if self._panel.is_to_scale else MOST_POINTS
        chosen = _kept(line.x, most)
        # What is higher than the panel goes along its rim.
        y = np.clip(line.y[chosen], self._up.low, self._up.high)
        yield f'<polyline {look} points="{self._points(line.x[chosen], y)}"/>'
        if line.label:
            place = next(k for k, each in enumerate(self._named) if each is line)
            row, column = divmod(place, self._in_a_row)
            left = LEFT + column * (self._width - LEFT - RIGHT) / self._in_a_row
            below = self._bottom + BOTTOM - 10 + ROW * row
            yield f'<polyline {look} points="{left:.1f},{below - 4} {left + 24:.1f},{below - 4}"/>'
            yield _text(left + _SIGN, below, line.label, "start")

    def _points(self, x: Floats, y: Floats) -> str:
        places = zip(self._across.place(x).tolist(), self._up.place(y).tolist(), strict=True)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in places)


def _kept(values: Floats, most: int) -> Integers:
    """Numbers of the points that are drawn, evenly."""
    kept = np.linspace(0, len(values) - 1, min(len(values), most))
    return np.asarray(kept.astype(np.int64))


def _spots(mark: Mark) -> tuple[Floats, Floats]:
    """All x and all y of a mark."""
    if isinstance(mark, Band):
        return mark.x, np.append(mark.low, mark.high)
    if isinstance(mark, Bars):
        return mark.edges, np.append(0.0, mark.heights)
    return mark.x, mark.y


def _with_room(values: Sequence[Floats]) -> tuple[float, float]:
    """The range of values, and a little more on both sides."""
    filled = [each for each in values if each.size]
    if not filled:
        return 0.0, 1.0
    low, high = (
        min(float(each.min()) for each in filled),
        max(float(each.max()) for each in filled),
    )
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    look = f' style="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{look}>{escape(text)}</text>'
