"""Draws docs/curvilinear_table.png: the channels of the table of a curve that crosses itself.

python scripts/draw_tables.py
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from autosim.arrays import Bytes, Floats, Floats32
from autosim.tracks.curvilinear_table import CurvilinearTable

SIZE = 300
"""Number of pixels of each side of a picture: those of a table with as many texels."""

GAP = 12
"""Number of pixels between two pictures, and above them for the title of 14 more."""

OUTSIDE = (235, 235, 235)
"""Colour (0..255) of what is out of bounds."""

STOPS = np.array([[36, 52, 120], [54, 144, 140], [240, 200, 70], [200, 60, 50]], dtype=float)
"""Colours (0..255) of the lowest to the highest value of a channel."""

TITLES = (
    "R: distance along",
    "G: offset, positive left",
    "B: heading (cosine)",
    "B: heading (sine)",
    "A: in bounds",
)


def curve() -> Floats:
    """A closed curve like an eight, with a wider and a narrower bend."""
    angles = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    return np.column_stack(
        [20.0 * np.sin(angles), (9.0 + 3.0 * np.sin(angles)) * np.sin(2 * angles)]
    )


def coloured(values: Floats32, drawn: Floats32) -> Bytes:
    """A picture (n, n, 3) of one channel, the first row at the bottom."""
    low, high = float(values[drawn > 0.0].min()), float(values[drawn > 0.0].max())
    share = (values - low) / max(high - low, 1e-9) * (len(STOPS) - 1)
    rgb = np.stack(
        [np.interp(share, np.arange(len(STOPS)), STOPS[:, k]) for k in range(3)], axis=-1
    )
    rgb[drawn < 0.0] = OUTSIDE
    return rgb.astype(np.uint8)[::-1]


def main() -> None:
    """Draws the channels in one row."""
    table = CurvilinearTable.of(curve(), is_closed=True, width=6.0, size=SIZE)
    drawn = table.values[..., 4]
    count = len(TITLES)
    sheet = Image.new("RGB", (count * (SIZE + GAP) + GAP, SIZE + 2 * GAP + 14), "white")
    pen = ImageDraw.Draw(sheet)
    for channel, title in enumerate(TITLES):
        left = GAP + channel * (SIZE + GAP)
        values = table.values[..., channel]
        picture = coloured(values, np.ones_like(drawn) if channel == count - 1 else drawn)
        sheet.paste(Image.fromarray(picture), (left, GAP + 14))
        pen.text((left, GAP - 4), title, fill="black")
    target = Path(__file__).resolve().parents[1] / "docs" / "curvilinear_table.png"
    sheet.quantize(128).save(target, optimize=True)


if __name__ == "__main__":
    main()
