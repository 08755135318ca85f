"""Round parts of people, animals and cycles: tubes through rings, and bars between points."""

from collections.abc import Sequence

import numpy as np

from autosim_assets.obj_sketch import Paint, Point, Sketch

Ring = tuple[float, float, float, float]
"""A level ring: x and z of its middle, and its half depth along x and half width along y [m]."""


def add_rings(
    sketch: Sketch,
    rings: Sequence[Ring],
    sides: int,
    paints: Sequence[Paint | Sequence[Paint]],
    *,
    is_closed: bool = False,
) -> None:
    """Adds a tube through level rings, the lowest first.

    Args:
        sketch: what it is added to.
        rings: two or more, about y = 0.
        sides: number of its sides; the first looks forward, then they go to the left.
        paints: of each part between two rings: one, or one for each side.
        is_closed: whether its upper end is closed.
    """
    angles = (np.arange(sides + 1) - 0.5) / sides * 2 * np.pi
    cos, sin = np.cos(angles), np.sin(angles)
    grid = np.array(
        [
            np.stack([x + rx * cos, ry * sin, np.full(sides + 1, z)], axis=1)
            for x, z, rx, ry in rings
        ]
    )
    rows = [[paint] * sides if isinstance(paint, Paint) else paint for paint in paints]
    sketch.add_grid(grid, rows)
    if is_closed:
        sketch.add(grid[-1, :-1], rows[-1][0])


def add_limb(
    sketch: Sketch,
    points: Sequence[Point],
    radii: Sequence[float],
    sides: int,
    paints: Sequence[Paint],
) -> None:
    """Adds a round limb along a line of points, closed at both ends.

    Args:
        sketch: what it is added to.
        points: of its middle, two or more.
        radii: at each point [m].
        sides: number of its sides.
        paints: of each part between two points.
    """
    line = np.array(points, dtype=float)
    ways = np.diff(line, axis=0)
    along = np.concatenate([ways[:1], ways[:-1] + ways[1:], ways[-1:]])
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    other = np.array([0.0, 1.0, 0.0]) if abs(along[0, 1]) < 0.8 else np.array([1.0, 0.0, 0.0])
    first = np.cross(other, along)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(along, first)
    angles = np.arange(sides + 1) / sides * 2 * np.pi
    around = np.cos(angles)[:, None] * first[:, None] + np.sin(angles)[:, None] * second[:, None]
    grid = line[:, None] + np.array(radii)[:, None, None] * around
    sketch.add_grid(grid, [[paint] * sides for paint in paints])
    sketch.add(grid[-1, :-1], paints[-1])
    sketch.add(grid[0, :-1][::-1], paints[0])
