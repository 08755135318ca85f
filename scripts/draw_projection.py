"""Draws docs/projection.svg: twenty drives of the racer with late devices, ten with projection.

python scripts/draw_projection.py
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autosim.charts import COLOURS, Dots, LineSeries, Panel, draw_sheet  # noqa: E402
from tests.late_drives import SEEDS, START, LateDrive, late_drive, race_track  # noqa: E402

SHOWN = START - 5.0, START + 110.0
"""Distances [m] along the track between which it is drawn."""


def main() -> None:
    """Drives and draws."""
    panels = []
    for is_projected in (True, False):
        drives = [late_drive(seed, is_projected=is_projected) for seed in SEEDS]
        panels.append(panel(drives, is_projected=is_projected))
        print(panels[-1].title)
        for seed, each in zip(SEEDS, drives, strict=True):
            room, end = each.room.min(), each.samples[-1, :2].round(1).tolist()
            print(
                f"  seed {seed}: {room:.2f} m inside the cones, {each.speeds.max():.1f} m/s, {end}"
            )
    picture = draw_sheet(panels, columns=2, size=(380, 460))
    (ROOT / "docs" / "projection.svg").write_text(picture, encoding="utf-8")


def panel(drives: list[LateDrive], *, is_projected: bool) -> Panel:
    """The limits of the track, and where the middle of the car was."""
    track = race_track()
    stations = track.centre.distances[:-1]
    chosen = (stations > SHOWN[0]) & (stations < SHOWN[1])
    points, tangents = track.centre.points[chosen], track.centre.tangents[chosen]
    normals = np.column_stack([-tangents[:, 1], tangents[:, 0]])
    limits = [
        LineSeries(*(points + aside[chosen, None] * normals).T, colour="#8a94a6")
        for aside in (track.left, -track.right)
    ]
    colour = COLOURS[1 if is_projected else 0]
    ways = [LineSeries(*each.samples[:, :2].T, colour=colour, is_thin=True) for each in drives]
    ends = np.array([each.samples[-1, :2] for each in drives if each.leaves_the_track])
    crosses = [Dots(*ends.T, radius=3.0)] if len(ends) else []
    said = "with projection" if is_projected else "without"
    title = f"{said}: {len(ends)} of {len(drives)} leave the track"
    return Panel(title, "east [m]", "north [m]", (*limits, *ways, *crosses), is_to_scale=True)


if __name__ == "__main__":
    main()
