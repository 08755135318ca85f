"""Draws docs/projection.svg: ten drives with a tenth of a second of latency each way.

python scripts/draw_projection.py
"""

from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.control.late_car import EDGE, late_race, late_track, worst_offset

SEEDS = range(10)
"""Seeds of the drives that are shown, which are those of the test."""

SCALE, MARGIN = 9.0, 12.0
"""[px/m] and [px] of the picture."""

COLOURS = {True: "#1f77b4", False: "#d62728"}


def main() -> None:
    """Drives and draws."""
    table = late_track()
    middle = table.curve.points
    low, high = middle.min(axis=0) - 5.0, middle.max(axis=0) + 5.0
    width, height = SCALE * (high - low)

    def path(points: Floats, style: str, end: str = "") -> str:
        shown = [f"{(x - low[0]) * SCALE:.1f},{(high[1] - y) * SCALE:.1f}" for x, y in points]
        return f'<path d="M{" L".join(shown)}{end}" fill="none" {style}/>'

    parts = []
    for panel, is_projected in enumerate((True, False)):
        races = [late_race(seed, is_projected=is_projected, table=table) for seed in SEEDS]
        outside = sum(worst_offset(race, table) > EDGE for race in races)
        said = "with projection" if is_projected else "without"
        grey = f'stroke="#dddddd" stroke-width="{2.0 * EDGE * SCALE:g}"'
        thin = f'stroke="{COLOURS[is_projected]}" stroke-width="1" stroke-opacity="0.7"'
        drawn = [path(middle, grey, " Z")]
        drawn += [path(race.motions[:, :2], thin) for race in races]
        title = f"{said}: {outside} of {len(SEEDS)} leave the track"
        drawn.append(f'<text x="{width / 2:.0f}" y="16" text-anchor="middle">{title}</text>')
        place = f"translate({panel * (width + MARGIN):.0f},0)"
        parts.append(f'<g transform="{place}">{"".join(drawn)}</g>')
        speed = np.mean([race.motions[:, 3].mean() for race in races])
        print(f"{title}; {speed:.1f} m/s on average")
    size = f'width="{2 * width + MARGIN:.0f}" height="{height:.0f}"'
    style = "<style>text{font:14px sans-serif}</style>"
    text = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{"".join(parts)}</svg>\n'
    out = Path(__file__).resolve().parents[1] / "docs" / "projection.svg"
    out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
