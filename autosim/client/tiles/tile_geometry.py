"""Geometry of a tile: its ground, the objects on it, and the structures under it. Pure NumPy."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from autosim.arrays import Floats
from autosim.client.geometry.draw_mesh import DrawMesh, labelled
from autosim.client.materials.material_kinds import Material, ShaderKind
from autosim.client.materials.surface_meshes import concrete_meshes, ground_meshes
from autosim.client.materials.surfaces import Coat, Looks, RoadPart
from autosim.client.models.model_pieces import Piece, in_cells
from autosim.client.tiles.building_meshes import building_meshes
from autosim.client.tiles.ground.intersections import (
    Intersection,
    find_intersections,
    intersection_mesh,
)
from autosim.client.tiles.ground.kerbs import with_kerbstones
from autosim.client.tiles.ground.road_sides import RoadSides
from autosim.client.tiles.ground.shelter import Shelter
from autosim.client.tiles.ground.underground import (
    DAYLIGHT_REACH,
    Structures,
    daylight_shares,
    tunnel_mouths,
)
from autosim.client.tiles.house_meshes import building_pieces
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE, StandingInstances
from autosim.client.tiles.plinths import Ground
from autosim.client.tiles.props import CELL
from autosim.client.tiles.tile_neighbourhood import triangles_around, with_rim
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.compiled.tile_grid import TileGrid
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork

_SEEN_UP_TO: dict[Coat, float] = {Surface.KERB: 250.0, RoadPart.RIGHT_KERB: 250.0}
"""Distance [m] beyond which a surface is thinner than half a pixel, and not drawn."""
TUNNELS_FAR = 200.0
"""Distance [m] beyond which the insides of tunnels are not drawn."""

_EVEN = 0.6
"""Greatest difference in height [m] of ground that is even: a kerb, and less than a sill."""

_ABOUT_BUILDINGS = 30.0
"""Distance [m] from a tile up to which the ground before its buildings is looked at: some reach
beyond it."""


class RoadLooks:
    """Positions of the parts of roads that have their own looks.

    Args:
        roads: the network of lanes.
        looks: of all surfaces and parts.

    `sides` marks what is right of streets; `intersections` are empty where none has a look.
    """

    def __init__(self, roads: RoadNetwork, looks: Looks) -> None:
        self.sides = RoadSides(roads, looks)
        self.intersections: list[Intersection] = (
            find_intersections(roads) if RoadPart.INTERSECTION in looks else []
        )


class TileGeometry:
    """Of one tile the ground, what stands on it (bridges and buildings), and what lies under it.

    Each part is made when it is first asked for: from afar only what stands on the ground is.

    Args:
        compiled: the place, in tiles.
        grid: its tiles.
        looks: of its surfaces.
        roads: where the looks of roads lie.
        tile: its number.
    """

    def __init__(
        self,
        compiled: CompiledWorld,
        *,
        grid: TileGrid,
        looks: Looks,
        roads: RoadLooks,
        tile: int,
    ) -> None:
        self._compiled = compiled
        self._instances = StandingInstances(compiled)
        self._grid = grid
        self._looks = looks
        self._roads = roads
        self._tile = tile

    @cached_property
    def ground(self) -> list[Piece]:
        """The ground with its kerbstones."""
        stones, shown = with_kerbstones(*self._bevelled)
        marked = self._roads.sides.marked(stones)
        level = self._shelter.over(ground_meshes(marked, self._looks, own=shown))
        return [*self._pieces(level, casts_shadow=False), *self._intersections()]

    @cached_property
    def raised(self) -> list[Piece]:
        """Bridges, tunnels where they are in the open, and buildings."""
        in_the_open = self._structures.in_the_open
        raised: dict[Coat, DrawMesh] = {}
        if len(in_the_open.triangles):
            raised = self._shelter.over(self._structure_meshes(in_the_open))
        buildings = building_pieces(self._building_meshes(), self._looks)
        return [*self._pieces(raised, casts_shadow=True), *buildings]

    @cached_property
    def underground(self) -> list[Piece]:
        """Tunnels, in cells."""
        meshes = self._structure_meshes(self._structures.inside)
        inside = self._pieces(meshes, casts_shadow=False)
        if inside:
            inside = self._in_tunnels(inside)
        shell = self._pieces(concrete_meshes(self._structures.shell), casts_shadow=True)
        unseen = [replace(piece, is_seen=False) for piece in shell]
        return in_cells([_only_near(piece) for piece in (*inside, *unseen)], CELL)

    def _intersections(self) -> list[Piece]:
        own = self._bevelled[0].select(slice(self._bevelled[1]))
        mesh = intersection_mesh(own, self._roads.intersections)
        if mesh is None:
            return []
        coat = RoadPart.INTERSECTION
        pieces = self._pieces(self._shelter.over({coat: mesh}), casts_shadow=False)
        return [replace(each, material=replace(each.material, depth_offset=1)) for each in pieces]

    @cached_property
    def _bevelled(self) -> tuple[Mesh, int]:
        """The ground as it is driven on, with its rim, and how many triangles are the tile's."""
        return with_rim(self._compiled.ground, self._grid, self._tile)

    @cached_property
    def _decks(self) -> tuple[Mesh, int]:
        """The same of bridges and tunnels, with kerbstones."""
        return with_kerbstones(*with_rim(self._compiled.structures, self._grid, self._tile))

    @cached_property
    def _structures(self) -> Structures:
        decks, shown = self._decks
        own = decks.select(slice(shown))
        return Structures(own, self._bevelled[0] if shown else own)

    @cached_property
    def _shelter(self) -> Shelter:
        return Shelter(self._decks[0], self._looks)

    def _in_tunnels(self, pieces: list[Piece]) -> list[Piece]:
        """The insides of tunnels, lit by lamps, and by daylight near the mouths."""
        decks, ground = (
            triangles_around(mesh, self._grid, self._tile, reach)
            for mesh, reach in (
                (self._compiled.structures, DAYLIGHT_REACH),
                (self._compiled.ground, 2.0 * DAYLIGHT_REACH),
            )
        )
        mouths = tunnel_mouths(decks, ground)
        return [_in_tunnel(piece, mouths) for piece in pieces]

    def _structure_meshes(self, structures: Mesh) -> dict[Coat, DrawMesh]:
        floors = ground_meshes(self._roads.sides.marked(structures), self._looks)
        return floors | concrete_meshes(structures)

    def _building_meshes(self) -> dict[Surface, DrawMesh]:
        compiled = self._compiled
        rows = slice(*compiled.buildings.starts[self._tile : self._tile + 2].tolist())
        tints = compiled.building_tints[rows] if len(compiled.building_tints) else None
        return building_meshes(
            compiled.buildings.tile(self._tile),
            tints,
            instances_of=lambda first: self._instances.of_buildings(rows.start + first),
            ground=self._slope(),
        )

    def _slope(self) -> Ground | None:
        """The ground about the buildings, None where it is even."""
        ground = triangles_around(self._compiled.ground, self._grid, self._tile, _ABOUT_BUILDINGS)
        if not len(ground.vertices) or np.ptp(ground.vertices[:, 2]) < _EVEN:
            return None
        return GroundIndex.build(ground).heights_at

    def _pieces(self, meshes: dict[Coat, DrawMesh], *, casts_shadow: bool) -> list[Piece]:
        return level_pieces(meshes, self._looks, casts_shadow=casts_shadow)


def level_pieces(meshes: dict[Coat, DrawMesh], looks: Looks, *, casts_shadow: bool) -> list[Piece]:
    """The surfaces of a level with their materials."""
    return [
        Piece(
            labelled(mesh, CLASS_OF_SURFACE[surface]),
            Material(looks[surface].picture, looks[surface].shader_kind),
            _SEEN_UP_TO.get(surface),
            casts_shadow,
        )
        for surface, mesh in meshes.items()
    ]


def _only_near(inside: Piece) -> Piece:
    return replace(inside, seen_up_to=min(inside.seen_up_to or TUNNELS_FAR, TUNNELS_FAR))


def _in_tunnel(piece: Piece, mouths: Floats) -> Piece:
    colours = piece.mesh.colours.copy()
    colours[:, 3] = np.round(255.0 * daylight_shares(piece.mesh.vertices, mouths))
    material = replace(piece.material, shader_kind=ShaderKind.TUNNEL)
    return replace(piece, mesh=replace(piece.mesh, colours=colours), material=material)
