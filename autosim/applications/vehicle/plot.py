"""Draws how a vehicle moved: its path, and its speed, acceleration, steering and yaw over time."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from autosim.arrays import Floats
from autosim.vehicle.runs.motions import Motion

WIDTH, HEIGHT = 1200, 800
"""Size of the picture [pixels]."""

_FINER = 2
"""Pixels drawn for each pixel of the picture along a side: edges become smooth."""

_MARGIN = (70, 34, 20, 40)
"""Room left, above, right and below of a panel for its labels [pixels]."""

_PAPER, _INK, _GRID, _LINE = (255, 255, 255), (30, 34, 42), (222, 226, 232), (24, 92, 170)
"""Colours, as bytes of red, green and blue."""

_TICKS = 5
"""Steps of a scale, about."""

_PANELS = (
    ("velocity", "m/s"),
    ("acceleration", "m/s^2"),
    ("steering", "rad"),
    ("yaw", "rad"),
)

Box = tuple[float, float, float, float]


def draw_motion(motion: Motion, title: str) -> Image.Image:
    """The path on the left, and four curves over time on the right."""
    picture = Image.new("RGB", (_FINER * WIDTH, _FINER * HEIGHT), _PAPER)
    pen = ImageDraw.Draw(picture)
    pen.text((_FINER * 16, _FINER * 10), title, fill=_INK, font=_font(18))
    top, middle = 40, WIDTH // 2
    path = motion.column("x"), motion.column("y")
    _draw(pen, (0, top, middle, HEIGHT), *path, ("path: x [m]", "y [m]"), is_even=True)
    height = (HEIGHT - top) / len(_PANELS)
    for number, (name, unit) in enumerate(_PANELS):
        box = (middle, top + number * height, WIDTH, top + (number + 1) * height)
        labels = ("time [s]", f"{name} [{unit}]")
        _draw(pen, box, motion.column("time"), motion.column(name), labels)
    return picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _draw(
    pen: ImageDraw.ImageDraw,
    box: Box,
    x: Floats,
    y: Floats,
    labels: tuple[str, str],
    *,
    is_even: bool = False,
) -> None:
    left, above, right, below = _MARGIN
    inner = (box[0] + left, box[1] + above, box[2] - right, box[3] - below)
    size = inner[2] - inner[0], inner[3] - inner[1]
    spans = _span(x), _span(y)
    if is_even:
        spans = _evened(spans, size)
    scales = [_FINER * size[k] / (spans[k][1] - spans[k][0]) for k in range(2)]

    def place(a: float, b: float) -> tuple[float, float]:
        return (
            _FINER * inner[0] + (a - spans[0][0]) * scales[0],
            _FINER * inner[3] - (b - spans[1][0]) * scales[1],
        )

    font = _font(12)
    for tick in _ticks(*spans[0]):
        ends = [place(tick, end) for end in spans[1]]
        pen.line(ends, fill=_GRID, width=_FINER)
        at = (ends[0][0], _FINER * (inner[3] + 4))
        pen.text(at, f"{tick:g}", fill=_INK, font=font, anchor="ma")
    for tick in _ticks(*spans[1]):
        ends = [place(end, tick) for end in spans[0]]
        pen.line(ends, fill=_GRID, width=_FINER)
        at = (_FINER * (inner[0] - 6), ends[0][1])
        pen.text(at, f"{tick:g}", fill=_INK, font=font, anchor="rm")
    points = [place(*point) for point in zip(x.tolist(), y.tolist(), strict=True)]
    pen.line(points, fill=_LINE, width=2 * _FINER, joint="curve")
    pen.text((_FINER * inner[0], _FINER * (box[1] + 12)), labels[1], fill=_INK, font=_font(14))
    pen.text(
        (_FINER * inner[2], _FINER * (inner[3] + 20)),
        labels[0],
        fill=_INK,
        font=font,
        anchor="ra",
    )


def _span(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 0.5
    return low - room, high + room


def _evened(
    spans: tuple[tuple[float, float], tuple[float, float]], size: Sequence[float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Spans with the same scale along both axes."""
    metre = max((high - low) / width for (low, high), width in zip(spans, size, strict=True))
    even = [
        (0.5 * (low + high) - 0.5 * metre * width, 0.5 * (low + high) + 0.5 * metre * width)
        for (low, high), width in zip(spans, size, strict=True)
    ]
    return even[0], even[1]


def _ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / _TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(each for each in (1.0, 2.0, 5.0, 10.0) if each * power >= rough)
    first = np.ceil(low / step)
    return [float(f"{step * k:.10g}") + 0.0 for k in np.arange(first, np.floor(high / step) + 1)]


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(_FINER * size)
