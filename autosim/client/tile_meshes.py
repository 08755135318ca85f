"""The meshes of one tile of the world at a time, in full and from afar. Pure NumPy."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from autosim.client.buildings import building_meshes
from autosim.client.coarse import coarsened
from autosim.client.decals import decal_pieces
from autosim.client.finishes import Finish
from autosim.client.geometry import DrawMesh
from autosim.client.houses import Houses, building_pieces
from autosim.client.kerbs import with_kerbstones
from autosim.client.meshes import concrete_meshes, ground_meshes
from autosim.client.obstacles import obstacle_pieces
from autosim.client.occlusion import Walls, walls_of
from autosim.client.pictures import Picture
from autosim.client.pieces import Piece, from_afar, in_cells
from autosim.client.prop_shapes import prop_shapes
from autosim.client.props import CELL, PropCell, prop_cells
from autosim.client.sheens import Sheen
from autosim.client.shelter import Shelter
from autosim.client.surfaces import Looks
from autosim.client.textures import surface_texture
from autosim.client.underground import (
    DAYLIGHT_REACH,
    daylight_shares,
    divided,
    selected,
    tunnel_mouths,
)
from autosim.world.compiled import CompiledWorld, Mesh, Surface
from autosim.world.tiles import TILE_METRES, TileGrid

_SEEN_UP_TO = {Surface.KERB: 250.0}
"""Distance [m] beyond which a surface is thinner than half a pixel, and not drawn."""
_RINGS = 3
TUNNELS_FAR = 200.0
"""Distance [m] beyond which the insides of tunnels are not drawn."""


@dataclass(frozen=True, slots=True)
class _Fabric:
    """Of a tile the ground, what stands on it (bridges and buildings), and what lies under it."""

    ground: list[Piece]
    raised: list[Piece]
    underground: list[Piece]


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
        self._latest: tuple[int, _Fabric] | None = None
        self._paint = Picture("paint", surface_texture(Surface.CARRIAGEWAY))

    def near(self, tile: int) -> list[Piece]:
        """Everything in a tile but its props."""
        compiled = self._compiled
        decals = decal_pieces(
            markings=compiled.markings.tile(tile),
            rails=compiled.rails.tile(tile),
            picture=self._paint,
        )
        fabric = self._fabric(tile)
        obstacles = obstacle_pieces(compiled.obstacles.tile(tile), self._looks)
        houses = self._houses.pieces(tile, is_near=True)
        standing = [*fabric.raised, *houses, *obstacles]
        return [*fabric.ground, *standing, *fabric.underground, *decals]

    def far(self, tile: int) -> list[Piece]:
        """Ground, bridges and buildings in mean colours, the ground with fewer triangles."""
        triangles = slice(*self._compiled.ground.starts[tile : tile + 2].tolist())
        ground = coarsened(selected(self._compiled.ground, triangles))
        houses = self._houses.pieces(tile, is_near=False)
        level = self._sheet(ground_meshes(ground, self._looks), casts_shadow=False)
        # Kerbs, which would be too small alone, close the ground between its other surfaces.
        whole = [replace(piece, seen_up_to=None) for piece in level]
        return from_afar([*whole, *self._fabric(tile).raised, *houses])

    def walls(self, tile: int) -> Walls:
        """The walls of a tile's buildings, which hide what is behind them, from near and afar."""
        return walls_of(self._compiled.buildings.tile(tile))

    def props(self, tile: int) -> list[PropCell]:
        """Trees, lamps and benches."""
        starts = self._compiled.props.starts
        if not len(starts):
            return []
        rows = slice(*starts[tile : tile + 2].tolist())
        return list(prop_cells(self._compiled.props, rows, self._shapes))

    def _fabric(self, tile: int) -> "_Fabric":
        """That of a tile; who asks for it from afar and then from near waits only once."""
        if self._latest is None or self._latest[0] != tile:
            self._latest = tile, self._make_fabric(tile)
        return self._latest[1]

    def _make_fabric(self, tile: int) -> "_Fabric":
        ground, own = with_rim(self._compiled.ground, self._grid, tile)
        decks, shown = with_kerbstones(*with_rim(self._compiled.structures, self._grid, tile))
        structures = divided(selected(decks, slice(shown)), ground)
        stones, shown = with_kerbstones(ground, own)
        shelter = Shelter(decks, self._looks)
        level = shelter.over(ground_meshes(stones, self._looks, own=shown))
        raised = shelter.over(self._structure_meshes(structures.in_the_open))
        inside = self._sheet(self._structure_meshes(structures.inside), casts_shadow=False)
        if inside:
            inside = self._in_tunnels(inside, tile)
        shell = self._sheet(concrete_meshes(structures.shell), casts_shadow=True)
        standing = [
            *self._sheet(raised, casts_shadow=True),
            *building_pieces(self._building_meshes(tile), self._looks),
        ]
        unseen = [replace(piece, is_seen=False) for piece in shell]
        underground = [_only_near(piece) for piece in (*inside, *unseen)]
        sheet = self._sheet(level, casts_shadow=False)
        return _Fabric(sheet, standing, in_cells(underground, CELL))

    def _in_tunnels(self, pieces: list[Piece], tile: int) -> list[Piece]:
        """The insides of tunnels, lit by lamps, and by daylight near the mouths."""
        decks, ground = (
            around(mesh, self._grid, tile, reach)
            for mesh, reach in (
                (self._compiled.structures, DAYLIGHT_REACH),
                (self._compiled.ground, 2.0 * DAYLIGHT_REACH),
            )
        )
        mouths = tunnel_mouths(decks, ground)
        return [_in_tunnel(piece, mouths) for piece in pieces]

    def _structure_meshes(self, structures: Mesh) -> dict[Surface, DrawMesh]:
        return ground_meshes(structures, self._looks) | concrete_meshes(structures)

    def _building_meshes(self, tile: int) -> dict[Surface, DrawMesh]:
        compiled = self._compiled
        rows = slice(*compiled.buildings.starts[tile : tile + 2].tolist())
        tints = compiled.building_tints[rows] if len(compiled.building_tints) else None
        return building_meshes(compiled.buildings.tile(tile), tints)

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


def _only_near(inside: Piece) -> Piece:
    return replace(inside, seen_up_to=min(inside.seen_up_to or TUNNELS_FAR, TUNNELS_FAR))


def _in_tunnel(piece: Piece, mouths: npt.NDArray[np.float64]) -> Piece:
    colours = piece.mesh.colours.copy()
    colours[:, 3] = np.round(255.0 * daylight_shares(piece.mesh.vertices, mouths))
    finish = replace(piece.finish, sheen=Sheen.TUNNEL)
    return replace(piece, mesh=replace(piece.mesh, colours=colours), finish=finish)


def around(mesh: Mesh, grid: TileGrid, tile: int, reach: float) -> Mesh:
    """The triangles of a sheet in a tile, and those that come as near as `reach` [m] to it."""
    tiles = np.append(neighbours(grid, tile), tile)
    rows = np.concatenate(_rows(mesh, tiles))
    low = grid.lows()[tile] - reach
    high = low + TILE_METRES + 2.0 * reach
    a, b, c = (mesh.vertices[corner, :2] for corner in mesh.triangles[rows].T)
    is_far = ((a < low) & (b < low) & (c < low)) | ((a > high) & (b > high) & (c > high))
    return selected(mesh, rows[~is_far.any(axis=1)])


def with_rim(mesh: Mesh, grid: TileGrid, tile: int) -> tuple[Mesh, int]:
    """A tile of a sheet, then a rim of three rings of triangles around it.

    The first gives normals at a seam that are the same from both sides, so that no seam is seen;
    the others tell where its kerbs are drawn (`with_kerbstones`).

    Returns:
        The mesh, and how many of its first triangles are the tile's own.
    """
    own = mesh.triangles[slice(*mesh.starts[tile : tile + 2].tolist())]
    around = np.concatenate([np.zeros(0, dtype=np.int64), *_rows(mesh, neighbours(grid, tile))])
    corners = mesh.triangles[around]
    is_touched = np.zeros(len(mesh.vertices), dtype=bool)
    is_touched[own] = True
    for _ in range(_RINGS):
        is_in_rim = is_touched[corners].any(axis=1)
        is_touched[corners[is_in_rim]] = True
    around = around[is_in_rim]
    first = int(mesh.starts[tile])
    rows = np.concatenate([np.arange(first, first + len(own)), around])
    used, triangles = np.unique(mesh.triangles[rows], return_inverse=True)
    cut = Mesh(mesh.vertices[used], triangles.reshape(-1, 3).astype(np.int32), mesh.surfaces[rows])
    return cut, len(own)


def _rows(mesh: Mesh, tiles: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    return [np.arange(*mesh.starts[k : k + 2].tolist()) for k in tiles.tolist()]


def neighbours(grid: TileGrid, tile: int) -> npt.NDArray[np.int64]:
    """Numbers of the up to eight tiles around a tile; none is the tile itself."""
    row, column = divmod(tile, grid.columns)
    rows = np.arange(max(row - 1, 0), min(row + 2, grid.rows))
    columns = np.arange(max(column - 1, 0), min(column + 2, grid.columns))
    numbers = (rows[:, None] * grid.columns + columns).ravel()
    return np.asarray(numbers[numbers != tile])
