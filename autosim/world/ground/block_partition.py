"""What lies where on the ground: the surfaces of one block of it, in plan."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry.blocks import grown
from autosim.world.geometry.extent import Box
from autosim.world.geometry.height_function import HeightFunction, everywhere_uneven
from autosim.world.ground.driven_points import driven_points
from autosim.world.ground.ground_under_structures import ground_room, near_ground
from autosim.world.levels.levels import GROUND
from autosim.world.osm.areas import polygons_of
from autosim.world.structures.decks import Deck, make_deck
from autosim.world.surfaces.carriageways import StreetMap, carriageway_shape, pavement_shape
from autosim.world.surfaces.lowered_kerbs import KerbDips
from autosim.world.surfaces.near_streets import REACH
from autosim.world.surfaces.partition import NOTHING, Partition, make_partition

EXACT_AROUND = 20.0
"""How far [m] beyond a block `BlockPartition.no_build_area` is known."""


@dataclass(frozen=True, slots=True)
class BlockPartition:
    """The surfaces of a block.

    `partition`: all of them; `carriageway` and `holes` of the block as polygons; `no_build_area`:
    where no building may stand (carriageways, bridges, mouths of tunnels), also a little beyond the
    block.
    """

    partition: Partition
    carriageway: shapely.MultiPolygon
    holes: shapely.MultiPolygon
    no_build_area: BaseGeometry


@dataclass(frozen=True, slots=True)
class GroundStreets:
    """Where the streets on the ground have their carriageways and pavements, before all else."""

    carriageway: BaseGeometry
    pavement: BaseGeometry

    @classmethod
    def of(cls, town: StreetMap) -> "GroundStreets":
        """Those of a map."""
        return cls(carriageway_shape(town, GROUND), pavement_shape(town, GROUND))


@dataclass(frozen=True, slots=True)
class GroundCover:
    """What else there is on the ground of a whole map: all waters, greens and dropped kerbs.

    `driven` (n, 2) are its `driven_points`.
    """

    water: Sequence[BaseGeometry]
    park: Sequence[BaseGeometry]
    dips: KerbDips
    driven: Floats


def deck_of(
    town: StreetMap, level: int, heights: Sequence[HeightFunction], *, kerb_height: float
) -> Deck:
    """The deck of a level above or below the ground, with `heights` of each level."""
    return make_deck(
        town,
        level,
        heights=heights,
        inner=driven_points(town, level, everywhere_uneven),
        near_ground=near_ground(town, level, heights),
        kerb_height=kerb_height,
    )


def decks_about(decks: Sequence[Deck], box: Box) -> list[Deck]:
    """The decks near a box, with what of their shapes is near it."""
    near = shapely.box(*grown(box, REACH))
    return [
        replace(
            deck,
            outline=polygons_of(shapely.intersection(deck.outline, near)),
            near_ground=polygons_of(shapely.intersection(deck.near_ground, near)),
        )
        for deck in decks
        if shapely.intersects(deck.outline, near)
    ]


def make_land(
    streets: GroundStreets,
    decks: Sequence[Deck],
    *,
    box: Box,
    window: Box,
    water: BaseGeometry,
    park: BaseGeometry,
    dips: KerbDips,
) -> BlockPartition:
    """Divides a block into surfaces.

    Args:
        streets: those on the ground, in and about the block.
        decks: bridges and tunnels there, for which the ground makes room.
        box: the block.
        window: the whole ground.
        water: open water, at least in the block.
        park: greens, at least in the block.
        dips: where kerbs are dropped.
    """
    block = shapely.box(*box)
    around = shapely.intersection(shapely.box(*window), shapely.box(*grown(box, REACH)))
    carriageway = shapely.intersection(streets.carriageway, around)
    room = ground_room(decks, carriageway)
    partition = make_partition(
        block,
        carriageway=carriageway,
        pavement=streets.pavement,
        water=water,
        park=park,
        bare=room.low,
        holes=room.holes,
        dips=dips,
    )
    holes = partition.shape(NOTHING)
    bridges = [deck.outline for deck in decks if deck.sign > 0]
    beyond = shapely.difference(shapely.intersection(room.holes, around), block)
    return BlockPartition(
        partition,
        polygons_of(shapely.intersection(carriageway, block)),
        holes,
        shapely.union_all([carriageway, holes, *bridges, polygons_of(beyond)]),
    )
