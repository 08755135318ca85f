"""Cover by the highest floor or roof of bridges and tunnels: it is dry there, and dark."""

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.compiled.tile_grid import tile_boxes

CELL = 1.0
"""Edge [m] of the squares in each of which one height is looked up, in its middle."""
NOTHING = -1e6
"""The height [m] where there is nothing: all is above it."""
_ABOVE = 0.5
"""Height [m] over a lamp from which on something is its roof, not what carries it."""

_MOST_SQUARES = 20_000
"""Number of squares whose heights are kept for lamps: a drive of some hours."""

_MOST_TILES = 12
"""Number of tiles whose cover is kept: the box of rain touches four at most, for each of three
cameras."""


class RainCover:
    """Knows the structures of a world tile by tile, each from when it is first asked for.

    Args:
        compiled: the place, in tiles.
    """

    def __init__(self, compiled: CompiledWorld) -> None:
        self._structures = compiled.structures
        self._boxes = tile_boxes(compiled.structures)
        self._tiles: dict[int, GroundIndex] = {}
        self._heights: dict[tuple[float, float], float] = {}

    @property
    def has_any(self) -> bool:
        """Whether there is any."""
        return len(self._structures.triangles) > 0

    def tops(self, corner: tuple[int, int], count: int) -> Floats:
        """The height of what is highest in each of count x count squares.

        Args:
            corner: of the squares in the south-west, in squares from the origin of W.
            count: of the squares in a row.

        Returns:
            (count, count) [m] in W, rows northwards, `NOTHING` where there is no structure.
        """
        low = CELL * np.array(corner, dtype=np.float64)
        high = low + CELL * count
        x, y = np.meshgrid(np.arange(count), np.arange(count))
        points = low + CELL * (np.column_stack([x.ravel(), y.ravel()]) + 0.5)
        return self._highest(points, low, high).reshape(count, count)

    def cover(self, places: Floats) -> Booleans:
        """Whether each of n nearby positions (n, 3) [m] has cover above its square."""
        if not len(places) or not self.has_any:
            return np.zeros(len(places), dtype=np.bool_)
        squares = np.floor(places[:, :2] / CELL)
        keys = [(x, y) for x, y in squares.tolist()]
        if len(self._heights) > _MOST_SQUARES:
            self._heights.clear()
        unknown = list(dict.fromkeys(key for key in keys if key not in self._heights))
        if unknown:
            self._look_up(unknown)
        highest = np.array([self._heights[key] for key in keys])
        return np.asarray(highest > places[:, 2] + _ABOVE)

    def _look_up(self, squares: list[tuple[float, float]]) -> None:
        """Keeps the heights of squares."""
        points = CELL * (np.array(squares) + 0.5)
        heights = self._highest(points, points.min(axis=0), points.max(axis=0))
        self._heights.update(zip(squares, heights.tolist(), strict=True))

    def _highest(self, points: Floats, low: Floats, high: Floats) -> Floats:
        """The height (n,) [m] of what is highest at points (n, 2) between two corners."""
        tops = np.full(len(points), NOTHING)
        (x_min, y_min, x_max, y_max) = self._boxes.T
        is_near = (x_min <= high[0]) & (x_max >= low[0]) & (y_min <= high[1]) & (y_max >= low[1])
        for tile in np.flatnonzero(is_near).tolist():
            rows, _, heights = self._index(tile).hits(points)
            np.maximum.at(tops, rows, heights)
        return tops

    def _index(self, tile: int) -> GroundIndex:
        if tile not in self._tiles:
            if len(self._tiles) >= _MOST_TILES:
                del self._tiles[next(iter(self._tiles))]
            self._tiles[tile] = GroundIndex.build(self._structures.tile(tile))
        return self._tiles[tile]
