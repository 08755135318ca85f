"""Draws what a robot believed: errors over time, and the bands in which it believed them."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from autosim.applications.recording.belief_record import BeliefRecord
from autosim.arrays import Floats

WIDTH, PANEL_HEIGHT, TITLE_HEIGHT = 1200, 240, 56
"""Size of the picture and of each of its panels [pixels]."""

_FINER = 2
"""Pixels drawn for each pixel of the picture along a side: edges become smooth."""

_MARGIN_LEFT, _MARGIN_RIGHT, _MARGIN_TOP, _MARGIN_BOTTOM = 76, 30, 30, 30
"""Room around each panel for its labels [pixels]."""

_PAPER, _INK, _GRID = (255, 255, 255), (30, 34, 42), (222, 226, 232)
"""Colours, as bytes of red, green and blue: paper, what is written on it, and lines behind."""

_BAND, _ERROR = (205, 224, 248), (176, 42, 48)
"""Colours, as bytes of red, green and blue: dark on white, and red on a pale blue."""

_TICKS = 4
"""Number of steps of a scale, about."""

PANELS = (
    ("east", 0, 1.0, "m"),
    ("north", 1, 1.0, "m"),
    ("up", 2, 1.0, "m"),
    ("about the vertical", 5, 180.0 / np.pi, "°"),
    ("velocity east", 6, 1.0, "m/s"),
    ("velocity north", 7, 1.0, "m/s"),
)
"""The errors that are drawn: a title, the number of the error, the factor to its unit, the unit."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the values of a panel lie [pixels of the finer picture]; scales of time and value."""

    left: float
    top: float
    right: float
    bottom: float
    times: tuple[float, float]
    values: tuple[float, float]

    def points(self, times: Floats, values: Floats) -> list[tuple[float, float]]:
        """Where values at times are."""
        start, stop = self.times
        low, high = self.values
        x = self.left + (times - start) / (stop - start) * (self.right - self.left)
        y = self.bottom - (values - low) / (high - low) * (self.bottom - self.top)
        return list(zip(x.tolist(), y.tolist(), strict=True))


def draw_record(record: BeliefRecord) -> Image.Image:
    """A picture of six errors over time, each with the band of two standard deviations."""
    rows = (len(PANELS) + 1) // 2
    size = (_FINER * WIDTH, _FINER * (TITLE_HEIGHT + rows * PANEL_HEIGHT))
    picture = Image.new("RGB", size, _PAPER)
    pen = ImageDraw.Draw(picture)
    title = f"{record.robot}: errors of its belief (truth less belief), and two standard deviations"
    pen.text((_FINER * 20, _FINER * 16), title, fill=_INK, font=_font(20))
    for number, panel in enumerate(PANELS):
        left = number % 2 * WIDTH // 2
        top = TITLE_HEIGHT + number // 2 * PANEL_HEIGHT
        _draw_panel(pen, record, panel, (left, top))
    return picture.resize((size[0] // _FINER, size[1] // _FINER), Image.Resampling.LANCZOS)


def _draw_panel(
    pen: ImageDraw.ImageDraw,
    record: BeliefRecord,
    panel: tuple[str, int, float, str],
    corner: tuple[int, int],
) -> None:
    name, column, factor, unit = panel
    errors = factor * record.errors[:, column]
    bands = 2.0 * factor * record.deviations[:, column]
    most = max(float(np.abs(errors).max()), float(bands.max()), 1e-9)
    left, top = corner
    frame = _Frame(
        left=_FINER * (left + _MARGIN_LEFT),
        top=_FINER * (top + _MARGIN_TOP),
        right=_FINER * (left + WIDTH // 2 - _MARGIN_RIGHT),
        bottom=_FINER * (top + PANEL_HEIGHT - _MARGIN_BOTTOM),
        times=(float(record.times[0]), float(record.times[-1])),
        values=(-1.08 * most, 1.08 * most),
    )
    upper, lower = frame.points(record.times, bands), frame.points(record.times, -bands)
    pen.polygon([*upper, *reversed(lower)], fill=_BAND)
    _draw_scales(pen, frame, unit)
    pen.line(frame.points(record.times, errors), fill=_ERROR, width=_FINER + 1)
    share = f"{100.0 * record.within[column]:.0f} % within"
    pen.text((frame.left, frame.top - _FINER * 22), name, fill=_INK, font=_font(15))
    pen.text((frame.right, frame.top - _FINER * 20), share, fill=_INK, font=_font(13), anchor="ra")


def _draw_scales(pen: ImageDraw.ImageDraw, frame: _Frame, unit: str) -> None:
    """Lines at round values and times, with their numbers."""
    start, stop = frame.times
    for value in _round_numbers(*frame.values):
        ends = frame.points(np.array([start, stop]), np.array([value, value]))
        pen.line(ends, fill=_INK if value == 0.0 else _GRID, width=_FINER // 2)
        place = (frame.left - _FINER * 6, ends[0][1])
        pen.text(place, f"{value:g} {unit}", fill=_INK, font=_font(12), anchor="rm")
    for time in _round_numbers(start, stop):
        ((x, _),) = frame.points(np.array([time]), np.zeros(1))
        pen.line([(x, frame.top), (x, frame.bottom)], fill=_GRID, width=_FINER // 2)
        pen.text(
            (x, frame.bottom + _FINER * 5), f"{time:g} s", fill=_INK, font=_font(12), anchor="ma"
        )


def _round_numbers(low: float, high: float) -> list[float]:
    """About `_TICKS` multiples of 1, 2 or 5 times a power of ten between two numbers."""
    rough = (high - low) / _TICKS
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(each for each in (1.0, 2.0, 5.0, 10.0) if each * power >= rough)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [round(number * step, 12) for number in range(first, last + 1)]


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(_FINER * size)
