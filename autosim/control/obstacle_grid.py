"""Obstacles rasterised into a grid, so that a plan's step looks up one cell instead of each."""

import numpy as np

from autosim.arrays import Floats, Floats32
from autosim.jit import vectorised
from autosim.tracks.curvilinear_table import CurvilinearTable
from autosim.tracks.rasteriser import Square


def obstacle_grid(points: Floats, radius: float, table: CurvilinearTable) -> Floats32:
    """The grid (n, n) for the texels of `table`: 1 within `radius` of a point, else 0.

    Args:
        points: (m, 2) [m] in the frame of the table; those beyond its square do not matter.
        radius: of what stands at each, and of the car about the line of its middle [m].
        table: the track's.
    """
    grid = np.zeros(table.values.shape[:2], dtype=np.float32)
    _draw(np.asarray(points, dtype=np.float64).reshape(-1, 2), float(radius), table.square, grid)
    return grid


@vectorised
def _draw(points: Floats, radius: float, square: Square, grid: Floats32) -> None:
    size, reach = grid.shape[0], radius * square.per_metre
    for k in range(points.shape[0]):
        u = (points[k, 0] - square.west) * square.per_metre - 0.5
        v = (points[k, 1] - square.south) * square.per_metre - 0.5
        if not (-reach <= u <= size + reach and -reach <= v <= size + reach):
            continue
        for row in range(max(0, int(v - reach)), min(size, int(v + reach) + 2)):
            for column in range(max(0, int(u - reach)), min(size, int(u + reach) + 2)):
                if (column - u) ** 2 + (row - v) ** 2 <= reach * reach:
                    grid[row, column] = 1.0
