"""The meshes of one tile of the world at a time, in full and from afar. Pure NumPy."""

import numpy as np
import numpy.typing as npt

from autosim.client.buildings import building_meshes
from autosim.client.decals import decal_pieces
from autosim.client.finishes import Finish
from autosim.client.geometry import DrawMesh
from autosim.client.houses import Houses, building_pieces
from autosim.client.meshes import concrete_meshes, ground_meshes
from autosim.client.obstacles import obstacle_pieces
from autosim.client.pictures import Picture
from autosim.client.pieces import Piece, from_afar
from autosim.client.prop_shapes import prop_shapes
from autosim.client.props import PropCell, prop_cells
from autosim.client.surfaces import Looks
from autosim.client.textures import surface_texture
from autosim.world.compiled import CompiledWorld, Mesh, Surface
from autosim.world.tiles import TileGrid

_SEEN_UP_TO = {Surface.KERB: 250.0}
"""Distance [m] beyond which a surface is thinner than half a pixel, and not drawn."""


class TileMeshes:
    """Cuts what is drawn of a tile out of a compiled world, and reads nothing else of its file.

    Args:
        compiled: the place, in tiles.
        grid: its tiles.
        looks: of its surfaces.
        houses: the placed models.
    """

    def __init__(
        self, compiled: CompiledWorld, *, grid: TileGrid, looks: Looks, houses: Houses
    ) -> None:
        self._compiled = compiled
        self._grid = grid
        self._looks = looks
        self._houses = houses
        self._shapes = prop_shapes()
        self._paint = Picture("paint", surface_texture(Surface.CARRIAGEWAY))

    def near(self, tile: int) -> list[Piece]:
        """Everything in a tile but its props."""
        compiled = self._compiled
        decals = decal_pieces(
            markings=compiled.markings.tile(tile),
            rails=compiled.rails.tile(tile),
            picture=self._paint,
        )
        obstacles = obstacle_pieces(compiled.obstacles.tile(tile), self._looks)
        houses = self._houses.pieces(tile, is_near=True)
        return [*self._fabric(tile), *houses, *decals, *obstacles]

    def far(self, tile: int) -> list[Piece]:
        """Ground, bridges and buildings in mean colours."""
        return from_afar([*self._fabric(tile), *self._houses.pieces(tile, is_near=False)])

    def props(self, tile: int) -> list[PropCell]:
        """Trees, lamps and benches."""
        starts = self._compiled.props.starts
        if not len(starts):
            return []
        rows = slice(*starts[tile : tile + 2].tolist())
        return list(prop_cells(self._compiled.props, rows, self._shapes))

    def _fabric(self, tile: int) -> list[Piece]:
        """Ground, bridges, tunnels and buildings in full."""
        compiled = self._compiled
        ground, own = with_rim(compiled.ground, self._grid, tile)
        structures = compiled.structures.tile(tile)
        rows = slice(*compiled.buildings.starts[tile : tile + 2].tolist())
        tints = compiled.building_tints[rows] if len(compiled.building_tints) else None
        buildings = building_meshes(compiled.buildings.tile(tile), tints)
        raised = ground_meshes(structures, self._looks) | concrete_meshes(structures)
        return [
            *self._sheet(ground_meshes(ground, self._looks, own=own), casts_shadow=False),
            *self._sheet(raised, casts_shadow=True),
            *building_pieces(buildings, self._looks),
        ]

    def _sheet(self, meshes: dict[Surface, DrawMesh], *, casts_shadow: bool) -> list[Piece]:
        return [
            Piece(
                mesh,
                Finish(self._looks[surface].picture, self._looks[surface].sheen),
                _SEEN_UP_TO.get(surface),
                casts_shadow,
            )
            for surface, mesh in meshes.items()
        ]


def with_rim(mesh: Mesh, grid: TileGrid, tile: int) -> tuple[Mesh, int]:
    """A tile of a sheet, then the triangles around that share its vertices.

    The rim gives normals at a seam that are the same from both sides, so that no seam is seen.

    Returns:
        The mesh, and how many of its first triangles are the tile's own.
    """
    own = mesh.triangles[slice(*mesh.starts[tile : tile + 2].tolist())]
    is_own = np.zeros(len(mesh.vertices), dtype=bool)
    is_own[own] = True
    rim = [np.arange(*mesh.starts[k : k + 2].tolist()) for k in neighbours(grid, tile)]
    around = np.concatenate([np.zeros(0, dtype=np.int64), *rim])
    around = around[is_own[mesh.triangles[around]].any(axis=1)]
    first = int(mesh.starts[tile])
    rows = np.concatenate([np.arange(first, first + len(own)), around])
    used, triangles = np.unique(mesh.triangles[rows], return_inverse=True)
    cut = Mesh(mesh.vertices[used], triangles.reshape(-1, 3).astype(np.int32), mesh.surfaces[rows])
    return cut, len(own)


def neighbours(grid: TileGrid, tile: int) -> npt.NDArray[np.int64]:
    """Numbers of the up to eight tiles around a tile; none is the tile itself."""
    row, column = divmod(tile, grid.columns)
    rows = np.arange(max(row - 1, 0), min(row + 2, grid.rows))
    columns = np.arange(max(column - 1, 0), min(column + 2, grid.columns))
    numbers = (rows[:, None] * grid.columns + columns).ravel()
    return np.asarray(numbers[numbers != tile])
