"""Shared data of one world's simulations: the scene for rays, and the collision pieces.

All of it follows from the world alone and is made once, when a simulation first comes near. One
simulation after the other may use it, in one thread.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from autosim.engine.physics.collision_pieces import Piece, PieceSource, Work, cut_tile, solids_of
from autosim.rays.ray_scene import RayScene
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import Boxes, tile_boxes, tiled_levels

Key = TypeVar("Key")
Made = TypeVar("Made")


class WorldShapes:
    """The shapes of a world that simulations have needed so far.

    An existing shape counts as much as a new one, in triangles: so a simulation loads the same
    pieces in the same steps, whichever simulation ran before.

    Args:
        world: in tiles.

    `rays`: the geometry for rays. `boxes` (tiles, 4) [m] in W: around each tile.
    """

    def __init__(self, world: CompiledWorld) -> None:
        self.world = world
        self.rays = RayScene.of(world)
        self._levels = tiled_levels(world)
        solids = [tile_boxes(each) for each in solids_of(world)]
        self.boxes = _around([*(level.boxes for level in self._levels), *solids])
        self._cuts: dict[tuple[int, bool], tuple[list[int], list[PieceSource]]] = {}
        self._pieces: dict[tuple[int, int], Piece] = {}

    def cut(self, tile: int, *, has_floats: bool) -> Work[list[PieceSource]]:
        """All that collides in a tile, as `cut_tile`."""
        return _once(
            self._cuts,
            (tile, has_floats),
            lambda: cut_tile(self.world, tile, levels=self._levels, has_floats=has_floats),
        )

    def piece(self, cut: PieceSource, number: int) -> Piece:
        """A piece of a cut that this has made."""
        key = id(cut), number
        if key not in self._pieces:
            self._pieces[key] = cut.piece(number)
        return self._pieces[key]


def _once(
    made: dict[Key, tuple[list[int], Made]], key: Key, make: Callable[[], Work[Made]]
) -> Work[Made]:
    """Does some work, or does as if; it costs the same."""
    if key not in made:
        costs: list[int] = []
        work = make()
        while True:
            try:
                costs.append(next(work))
            except StopIteration as end:
                made[key] = costs, end.value
                break
            yield costs[-1]
        return made[key][1]
    known, result = made[key]
    yield from known
    return result


def _around(parts: list[Boxes]) -> Boxes:
    """The boxes (tiles, 4) around those of several meshes."""
    stacked = np.stack(parts)
    return np.hstack([stacked[..., :2].min(axis=0), stacked[..., 2:].max(axis=0)])
