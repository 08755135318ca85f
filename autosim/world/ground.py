"""The ground: the sheet of level 0, with room for bridges and tunnels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.carriageways import StreetMap, carriageway_shape, pavement_shape
from autosim.world.compiled import Mesh, Surface
from autosim.world.decks import Deck, Neighbour, deck_solid, make_deck
from autosim.world.ground_relief import ground_room, joint_points, lowered_ground
from autosim.world.heights import kerb_lift
from autosim.world.kerb_dips import DROPPED_KERB, KerbDips
from autosim.world.levels import GROUND
from autosim.world.meshes import joined
from autosim.world.partition import NOTHING, make_partition
from autosim.world.relief import Heights
from autosim.world.rims import rim_walls
from autosim.world.triangulation import Density, triangulate
from autosim.world.window import Box


@dataclass(frozen=True, slots=True)
class Surfaces:
    """The shapes of the ground's surfaces in plan, before they are cut out of one another."""

    carriageway: BaseGeometry
    pavement: BaseGeometry
    water: BaseGeometry
    park: BaseGeometry


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground's mesh and the holes in it, where tunnels begin."""

    mesh: Mesh
    holes: BaseGeometry


def street_surfaces(
    town: StreetMap, *, window: BaseGeometry, water: BaseGeometry, park: BaseGeometry
) -> Surfaces:
    """The surfaces of the ground inside a window."""
    carriageway = shapely.intersection(carriageway_shape(town, GROUND), window)
    return Surfaces(carriageway, pavement_shape(town, GROUND), water, park)


def make_decks(town: StreetMap, heights: Heights, *, kerb_height: float) -> list[Deck]:
    """The decks of all sheets above and below the ground."""
    return [
        make_deck(town, sheet, height=heights.heights[sheet], kerb_height=kerb_height)
        for sheet in range(1, len(heights.levels.signs))
    ]


def make_ground(
    town: StreetMap,
    heights: Heights,
    decks: Sequence[Deck],
    surfaces: Surfaces,
    *,
    box: Box,
    kerb_height: float,
    dips: KerbDips,
) -> Ground:
    """The ground's mesh.

    Args:
        town: streets and lanes.
        heights: of all sheets.
        decks: for which the ground makes room.
        surfaces: what lies where.
        box: the ground's box in W [m].
        kerb_height: [m].
        dips: where kerbs are dropped.
    """
    height = heights.heights[GROUND]
    joints = heights.levels.joints
    room = ground_room(town, decks, ground=height, carriageway=surfaces.carriageway)
    partition = make_partition(
        shapely.box(*box),
        carriageway=surfaces.carriageway,
        pavement=surfaces.pavement,
        water=surfaces.water,
        park=surfaces.park,
        bare=room.low,
        holes=room.holes,
        dips=dips,
    )
    holes = partition.shape(NOTHING)
    sheet = triangulate(
        partition,
        density=Density(),
        relief=heights.relief,
        rest=Surface.GROUND,
        grid=box,
        extra=joint_points(joints),
    )
    count = len(sheet.vertices)
    lifted = kerb_lift(
        sheet.triangles,
        sheet.surfaces,
        count=count,
        raised=Surface.PAVEMENT,
        level=Surface.CARRIAGEWAY,
    )
    is_carriageway = np.zeros(count, dtype=np.bool_)
    is_carriageway[sheet.triangles[sheet.surfaces == Surface.CARRIAGEWAY]] = True
    dropped = min(DROPPED_KERB, kerb_height)
    kerbs = np.where(dips.cover(sheet.vertices), dropped, kerb_height)
    z = lowered_ground(
        sheet.vertices,
        height(sheet.vertices) + kerbs * lifted,
        decks,
        joints,
        on_carriageway=is_carriageway,
        holes=holes,
    )
    mesh = Mesh(np.column_stack([sheet.vertices, z]), sheet.triangles, sheet.surfaces)
    return Ground(mesh, holes)


def make_structures(
    decks: Sequence[Deck], heights: Heights, surfaces: Surfaces, ground_sheet: Ground
) -> Mesh:
    """Bridges and tunnels as one mesh of closed solids, and the walls of the ground's holes."""
    ground = Neighbour(surfaces.carriageway, heights.heights[GROUND])
    walls = rim_walls(ground_sheet.mesh, ground_sheet.holes, decks, ground)
    others = {deck.sheet: Neighbour(deck.carriageway, deck.height) for deck in decks}
    return joined(
        [
            deck_solid(
                deck,
                heights.levels.joints,
                [ground, *(other for sheet, other in others.items() if sheet != deck.sheet)],
                ground,
            )
            for deck in decks
        ]
        + [walls]
    )


def kept_free(surfaces: Surfaces, decks: Sequence[Deck], holes: BaseGeometry) -> BaseGeometry:
    """Where no building may stand: the ground's carriageways, bridges, and mouths of tunnels."""
    bridges = [deck.outline for deck in decks if deck.sign > 0]
    return shapely.union_all([surfaces.carriageway, holes, *bridges])
