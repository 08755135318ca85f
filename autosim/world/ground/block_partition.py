"""Divides one block of the ground into surfaces, in plan."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.block_grid import expand_box
from autosim.world.geometry.extent import Box
from autosim.world.geometry.height_function import HeightFunction, everywhere_uneven
from autosim.world.geometry.overlays import polygons_of
from autosim.world.ground.driven_points import driven_points, wheel_tracks
from autosim.world.ground.ground_under_structures import ground_room, near_ground
from autosim.world.levels.level_division import GROUND
from autosim.world.streets.pavings import Pavings
from autosim.world.structures.decks import Deck, make_deck
from autosim.world.surfaces.carriageway_shapes import StreetMap, carriageway_shape, pavement_shape
from autosim.world.surfaces.lowered_kerbs import LoweredKerbs
from autosim.world.surfaces.near_streets import REACH
from autosim.world.surfaces.parking_strips import ParkingStrips
from autosim.world.surfaces.partition import NOTHING, Cover, Partition, make_partition

EXACT_AROUND = 20.0
"""Distance [m] beyond a block up to which `BlockPartition.no_build_area` is known: walls and fences
keep their clearance from a carriageway in the next block too."""


@dataclass(frozen=True, slots=True)
class BlockPartition:
    """The surfaces of a block.

    Attributes:
        partition: all surfaces.
        carriageway: the carriageways of the block.
        holes: the holes of the block, in which tunnels begin.
        no_build_area: where no building may stand: on carriageways, under bridges and in the mouths
            of tunnels, also up to `EXACT_AROUND` beyond the block.
    """

    partition: Partition
    carriageway: shapely.MultiPolygon
    holes: shapely.MultiPolygon
    no_build_area: BaseGeometry


@dataclass(frozen=True, slots=True)
class GroundStreets:
    """Carriageways and pavements of the streets on the ground, before other surfaces take part."""

    carriageway: BaseGeometry
    """In W [m]."""
    pavement: BaseGeometry
    """In W [m], without the carriageway."""

    @classmethod
    def of(cls, town: StreetMap, parking: ParkingStrips) -> "GroundStreets":
        """Shapes the carriageways and pavements of a map's streets, with strips beside them."""
        return cls(
            carriageway_shape(town, GROUND, parking.carriageway),
            pavement_shape(town, GROUND, parking.pavement),
        )


@dataclass(frozen=True, slots=True)
class GroundCover:
    """Waters, greens, paved areas and lowered kerbs of a whole map, and its inner vertices.

    `driven` (n, 2) are the `driven_points` of the ground, `tracks` (n, 2) its `wheel_tracks`.

    Attributes:
        water: polygons in W [m].
        park: polygons in W [m].
        pavings: paths and yards.
        lowered_kerbs: places at which kerbs are flush.
    """

    water: Sequence[BaseGeometry]
    park: Sequence[BaseGeometry]
    pavings: Pavings
    lowered_kerbs: LoweredKerbs
    driven: Floats
    tracks: Floats


def deck_of(
    town: StreetMap, level: int, heights: Sequence[HeightFunction], *, kerb_height: float
) -> Deck:
    """Makes the deck of a level above or below the ground; `heights` are of all levels."""
    return make_deck(
        town,
        level,
        heights=heights,
        inner=driven_points(town, level, everywhere_uneven),
        tracks=wheel_tracks(town, level, everywhere_uneven),
        near_ground=near_ground(town, level, heights),
        kerb_height=kerb_height,
    )


def decks_about(decks: Sequence[Deck], box: Box) -> list[Deck]:
    """The decks near a box, with their shapes cut to its surroundings."""
    near = shapely.box(*expand_box(box, REACH))
    return [
        replace(
            deck,
            outline=polygons_of(overlays.intersection(deck.outline, near)),
            near_ground=polygons_of(overlays.intersection(deck.near_ground, near)),
        )
        for deck in decks
        if shapely.intersects(deck.outline, near)
    ]


def make_block_partition(
    streets: GroundStreets,
    decks: Sequence[Deck],
    *,
    box: Box,
    window: Box,
    squares: BaseGeometry,
    water: BaseGeometry,
    cover: Sequence[Cover],
    lowered_kerbs: LoweredKerbs,
) -> BlockPartition:
    """Divides a block into surfaces.

    Args:
        streets: the streets on the ground, in and around the block.
        decks: bridges and tunnels there; the ground makes room for them.
        box: the block.
        window: the whole ground.
        squares: pedestrian streets and areas, at least in the block.
        water: open water, at least in the block.
        cover: greens, paths and yards, at least in the block, as `make_partition` takes them.
        lowered_kerbs: kerbs and pavements get borders where these begin and end.
    """
    block = shapely.box(*box)
    around = overlays.intersection(shapely.box(*window), shapely.box(*expand_box(box, REACH)))
    carriageway = overlays.intersection(streets.carriageway, around)
    room = ground_room(decks, carriageway)
    partition = make_partition(
        block,
        carriageway=carriageway,
        pavement=overlays.union(streets.pavement, squares),
        water=water,
        cover=cover,
        bare=room.low,
        holes=room.holes,
        lowered_kerbs=lowered_kerbs,
    )
    holes = partition.shape(NOTHING)
    bridges = [deck.outline for deck in decks if deck.sign > 0]
    beyond = overlays.difference(overlays.intersection(room.holes, around), block)
    return BlockPartition(
        partition,
        polygons_of(overlays.intersection(carriageway, block)),
        holes,
        overlays.union_all([carriageway, holes, *bridges, polygons_of(beyond)]),
    )
