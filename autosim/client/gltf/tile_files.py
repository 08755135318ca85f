"""Tiles of the town as glTF, from near and from afar; one primitive for each material."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.gltf.document import Document, PositionGrid
from autosim.client.gltf.material_values import material_values
from autosim.client.materials.facades import facade_numbers
from autosim.client.materials.material_kinds import ShaderKind
from autosim.client.materials.surface_meshes import ground_meshes
from autosim.client.materials.surfaces import surface_looks
from autosim.client.materials.texture_images import TextureImage
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.model_pieces import Piece
from autosim.client.tiles.beyond.land_beyond import land_beyond
from autosim.client.tiles.decimation import decimate
from autosim.client.tiles.ground.decals import decal_mesh
from autosim.client.tiles.house_meshes import Houses
from autosim.client.tiles.obstacle_meshes import obstacle_meshes
from autosim.client.tiles.tile_geometry import RoadLooks, TileGeometry
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.tile_grid import TileGrid
from autosim.world.geometry.meshes import Mesh, Surface

HOUSE = "house"
"""Name of the material of placed models of houses, whose colours are their vertices'."""

TUNNEL_SUFFIX = "_tunnel"
"""End of the names of materials inside tunnels. The fourth channel of their colours is the share of
daylight."""

BEYOND = "surroundings"
"""Name of the node with the land beyond the map."""

Named = dict[str, DrawMesh]
"""Meshes in W by the name of their material."""

_WALL = Surface.WALL.name.lower()
"""Material of walls. The fourth channel of their colours is 255 less `FACADE_STEP` times the number
of the facade."""

FACADE_STEP = 51
"""Difference of the fourth channel from one facade to the next."""

_MAPPED = (_WALL,)
"""Materials whose texture coordinates are more than places in plan: windows fit walls."""


class TileFiles:
    """Makes the files of tiles, one at a time.

    Args:
        compiled: the place, in tiles.
        library: models of placed houses.
    """

    def __init__(self, compiled: CompiledWorld, library: ModelLibrary) -> None:
        self._compiled = compiled
        self._grid = TileGrid.of(compiled.bounds)
        # Every surface has its own picture with its name, whatever pictures the map set-up names.
        self._looks = surface_looks()
        self._names = {id(each.picture): name.name.lower() for name, each in self._looks.items()}
        self._roads = RoadLooks(compiled.roads, self._looks)
        self._houses = Houses(compiled, library=library, looks=self._looks)

    @property
    def pictures(self) -> Mapping[str, TextureImage]:
        """The texture of each material that has one; colours of vertices tint it."""
        return {coat.name.lower(): look.picture for coat, look in self._looks.items()}

    @property
    def count(self) -> int:
        """Number of tiles."""
        return self._grid.count

    def near(self, tile: int) -> Named:
        """Everything of a tile but its props."""
        geometry = TileGeometry(
            self._compiled, grid=self._grid, looks=self._looks, roads=self._roads, tile=tile
        )
        pieces = [*geometry.ground, *geometry.raised, *geometry.underground]
        pieces += self._houses.pieces(tile, is_near=True)
        obstacles = obstacle_meshes(self._compiled.obstacles.tile(tile))
        return _gathered(
            [
                *self._named(pieces),
                *((surface.name.lower(), mesh) for surface, mesh in obstacles.items()),
                *_decals(self._compiled.markings.tile(tile)),
                *_decals(self._compiled.rails.tile(tile)),
            ]
        )

    def far(self, tile: int) -> Named:
        """The ground with fewer triangles, bridges and buildings."""
        geometry = TileGeometry(
            self._compiled, grid=self._grid, looks=self._looks, roads=self._roads, tile=tile
        )
        ground = ground_meshes(decimate(self._compiled.ground.tile(tile)), self._looks)
        pieces = [*geometry.raised, *self._houses.pieces(tile, is_near=False)]
        return _gathered(
            [*((coat.name.lower(), mesh) for coat, mesh in ground.items()), *self._named(pieces)]
        )

    def _named(self, pieces: Iterable[Piece]) -> list[tuple[str, DrawMesh]]:
        found = []
        for piece in pieces:
            if not piece.is_seen:
                continue
            picture = piece.material.picture
            name = self._names.get(id(picture), HOUSE)
            if piece.material.shader_kind is ShaderKind.TUNNEL:
                name += TUNNEL_SUFFIX
            found.append((name, piece.mesh))
        return found


def tile_file(named: Named, *, attribution: str = "", name: str = "tile") -> bytes:
    """Meshes in W as a binary glTF file with one node."""
    document = Document(copyright=attribution)
    add_tile(document, named, name)
    return document.content()


def add_tile(document: Document, named: Named, name: str) -> None:
    """Adds meshes in W as one node."""
    if not named:
        return
    grid = PositionGrid.around(list(named.values()))
    primitives = []
    for material, mesh in named.items():
        number = document.material(material, material_values(material))
        uvs = mesh.uvs if material in _MAPPED else None
        is_wall = material == _WALL
        primitive = document.primitive(
            _with_facades(mesh) if is_wall else mesh,
            number,
            grid=grid,
            uvs=uvs,
            has_alpha=is_wall or material.endswith(TUNNEL_SUFFIX),
        )
        if primitive is not None:
            primitives.append(primitive)
    if primitives:
        step = grid.step
        place = {"translation": list(grid.middle), "scale": [step, step, step]}
        document.node(name, {"mesh": document.mesh(name, primitives)} | place)


def _with_facades(walls: DrawMesh) -> DrawMesh:
    colours = walls.colours.copy()
    colours[:, 3] = 255 - FACADE_STEP * facade_numbers(walls.colours)
    return replace(walls, colours=colours)


def beyond_file(compiled: CompiledWorld) -> bytes:
    """The land beyond the map as a binary glTF file with one node.

    It reaches some kilometres, and its inner border has to fit the tiles: positions are float32.
    """
    document = Document(copyright=compiled.attribution, is_quantized=False)
    primitives = []
    for surface, mesh in land_beyond(compiled).items():
        name = surface.name.lower()
        primitive = document.primitive(mesh, document.material(name, material_values(name)))
        if primitive is not None:
            primitives.append(primitive)
    if primitives:
        document.node(BEYOND, {"mesh": document.mesh(BEYOND, primitives)})
    return document.content()


def _decals(mesh: Mesh) -> Iterable[tuple[str, DrawMesh]]:
    for surface in np.unique(mesh.surfaces).tolist():
        yield (
            Surface(surface).name.lower(),
            decal_mesh(mesh.select(np.flatnonzero(mesh.surfaces == surface))),
        )


def _gathered(parts: Iterable[tuple[str, DrawMesh]]) -> Named:
    """One mesh for each name, in order of the names; empty ones are left out."""
    meshes: dict[str, list[DrawMesh]] = {}
    for name, mesh in parts:
        if len(mesh.triangles):
            meshes.setdefault(name, []).append(mesh)
    return {name: joined(same) for name, same in sorted(meshes.items())}
