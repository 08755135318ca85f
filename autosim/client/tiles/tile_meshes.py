"""The meshes of one tile of the world at a time, in full and from afar. Pure NumPy."""

from dataclasses import replace
from math import inf

from autosim.client.materials.surface_meshes import ground_meshes
from autosim.client.materials.surfaces import Looks
from autosim.client.materials.texture_images import TextureImage
from autosim.client.materials.textures import surface_texture
from autosim.client.models.model_pieces import Piece, from_afar
from autosim.client.tiles.decimation import decimate
from autosim.client.tiles.ground.decals import decal_pieces
from autosim.client.tiles.house_meshes import Houses
from autosim.client.tiles.instance_labels import StandingInstances
from autosim.client.tiles.obstacle_meshes import obstacle_pieces
from autosim.client.tiles.occlusion import Walls, occluding_walls
from autosim.client.tiles.prop_shapes import prop_shapes
from autosim.client.tiles.props import PropCell, prop_cells
from autosim.client.tiles.tile_geometry import RoadLooks, TileGeometry, level_pieces
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import TileGrid
from autosim.world.geometry.meshes import Surface


class TileMeshes:
    """Cuts what is drawn of a tile out of a compiled world, and reads nothing else of its file.

    Args:
        compiled: the place, in tiles.
        grid: its tiles.
        looks: of its surfaces.
        houses: the placed models.
        roads_in_full: whether roads are drawn in full from afar, too.
        markings_up_to: distance [m] up to which markings are drawn at most.
    """

    def __init__(
        self,
        compiled: CompiledWorld,
        *,
        grid: TileGrid,
        looks: Looks,
        houses: Houses,
        roads_in_full: bool = False,
        markings_up_to: float = inf,
    ) -> None:
        self._compiled = compiled
        self._grid = grid
        self._looks = looks
        self._houses = houses
        self._roads_in_full, self._markings_up_to = roads_in_full, markings_up_to
        self._roads = RoadLooks(compiled.roads, looks)
        self._shapes = prop_shapes()
        self._instances = StandingInstances(compiled)
        self._latest: tuple[int, TileGeometry] | None = None
        self._paint = TextureImage("paint", surface_texture(Surface.CARRIAGEWAY))

    def near(self, tile: int) -> list[Piece]:
        """Everything in a tile but its props."""
        tile_geometry = self._tile_geometry(tile)
        obstacles = obstacle_pieces(self._compiled.obstacles.tile(tile), self._looks)
        houses = self._houses.pieces(tile, is_near=True)
        standing = [*tile_geometry.raised, *houses, *obstacles]
        return [*self._ground(tile), *standing, *tile_geometry.underground]

    def far(self, tile: int) -> list[Piece]:
        """Ground, bridges and buildings in mean colours, the ground with fewer triangles.

        Where roads are drawn in full from afar, too, the ground is as it is from near.
        """
        houses = self._houses.pieces(tile, is_near=False)
        if self._roads_in_full:
            raised = from_afar([*self._tile_geometry(tile).raised, *houses])
            return [*self._ground(tile), *raised]
        ground = ground_meshes(decimate(self._compiled.ground.tile(tile)), self._looks)
        level = level_pieces(ground, self._looks, casts_shadow=False)
        # Kerbs, which would be too small alone, close the ground between its other surfaces.
        whole = [replace(piece, seen_up_to=None) for piece in level]
        return from_afar([*whole, *self._tile_geometry(tile).raised, *houses])

    def _ground(self, tile: int) -> list[Piece]:
        """The ground of a tile, with what is painted and laid on it."""
        compiled = self._compiled
        decals = decal_pieces(
            markings=compiled.markings.tile(tile),
            rails=compiled.rails.tile(tile),
            picture=self._paint,
            markings_up_to=self._markings_up_to,
        )
        return [*self._tile_geometry(tile).ground, *decals]

    def walls(self, tile: int) -> Walls:
        """The walls of a tile's buildings, which hide what is behind them, from near and afar."""
        return occluding_walls(self._compiled.buildings.tile(tile))

    def props(self, tile: int) -> list[PropCell]:
        """Trees, lamps and benches."""
        starts = self._compiled.props.starts
        if not len(starts):
            return []
        rows = slice(*starts[tile : tile + 2].tolist())
        return list(prop_cells(self._compiled.props, rows, self._shapes, self._instances))

    def _tile_geometry(self, tile: int) -> TileGeometry:
        """The meshes of a tile; a request from afar and then from near waits only once."""
        if self._latest is None or self._latest[0] != tile:
            tile_geometry = TileGeometry(
                self._compiled,
                grid=self._grid,
                looks=self._looks,
                roads=self._roads,
                tile=tile,
            )
            self._latest = tile, tile_geometry
        return self._latest[1]
