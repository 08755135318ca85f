"""Where it is dry: below the highest floor or roof of bridges and tunnels around a camera."""

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.compiled.tiles import tile_boxes

CELL = 1.0
"""Edge [m] of the squares in each of which one height is looked up, in its middle."""
NOTHING = -1e6
"""The height [m] where there is nothing: all is above it."""
_MOST_TILES = 12
"""Number of tiles whose cover is kept: the box of rain touches four at most, for each of three
cameras."""


class Roofs:
    """Knows the structures of a world tile by tile, each from when it is first asked for.

    Args:
        compiled: the place, in tiles.
    """

    def __init__(self, compiled: CompiledWorld) -> None:
        self._structures = compiled.structures
        self._boxes = tile_boxes(compiled.structures)
        self._tiles: dict[int, GroundIndex] = {}

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
        tops = np.full(len(points), NOTHING)
        (x_min, y_min, x_max, y_max) = self._boxes.T
        is_near = (x_min < high[0]) & (x_max > low[0]) & (y_min < high[1]) & (y_max > low[1])
        for tile in np.flatnonzero(is_near).tolist():
            rows, _, heights = self._index(tile).hits(points)
            np.maximum.at(tops, rows, heights)
        return tops.reshape(count, count)

    def _index(self, tile: int) -> GroundIndex:
        if tile not in self._tiles:
            if len(self._tiles) >= _MOST_TILES:
                del self._tiles[next(iter(self._tiles))]
            self._tiles[tile] = GroundIndex.build(self._structures.tile(tile))
        return self._tiles[tile]
