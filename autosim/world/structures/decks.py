"""Bridges and tunnels: what carries a carriageway that is not on the ground.

A deck is a level like the ground, triangulated from its own partition.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry.height_function import HeightFunction, everywhere_uneven
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.levels.heights import kerb_lift
from autosim.world.surfaces.carriageways import (
    StreetMap,
    carriageway_shape,
    deck_shape,
    in_lanes_at_height,
)
from autosim.world.surfaces.partition import NOTHING, divided_at, make_partition
from autosim.world.surfaces.triangulation import Density, triangulate

HEADROOM = 4.6
"""Height [m] of a tunnel from its carriageway to its ceiling."""

ROOF = 0.7
"""Thickness [m] of a tunnel's ceiling."""

WALL = 0.3
"""Thickness [m] of parapets and of a tunnel's walls."""

RAMP = 0.02
"""How much [m] per metre two levels dip under each other where they overlap."""

_DENSITY = Density(uneven_edge=2.5)


@dataclass(frozen=True, slots=True)
class Deck:
    """All bridges or all tunnels of one level.

    `sign` is 1 for bridges, -1 for tunnels; `outline` and `carriageway` are shapes in plan;
    `height` gives the carriageway's height; `floor` is the surface to drive and walk on;
    `near_ground`: where a bridge lies little above the ground, or a tunnel's roof comes out of it.
    """

    level: int
    sign: int
    outline: BaseGeometry
    carriageway: BaseGeometry
    height: HeightFunction
    floor: Mesh
    near_ground: BaseGeometry


def make_deck(
    town: StreetMap,
    level: int,
    *,
    heights: Sequence[HeightFunction],
    inner: Floats,
    near_ground: BaseGeometry,
    kerb_height: float,
) -> Deck:
    """The deck of a level.

    Args:
        town: streets and lanes.
        level: its number, not 0.
        heights: of all levels.
        inner: `driven_points` of the level.
        near_ground: as of `Deck`.
        kerb_height: [m].
    """
    carriageway = carriageway_shape(town, level)
    outline = deck_shape(town, level, carriageway)
    nothing = shapely.MultiPolygon()
    partition = make_partition(
        outline, carriageway=carriageway, pavement=outline, water=nothing, park=nothing
    )
    sign = town.levels.signs[level]
    flat = triangulate(
        # A roof begins along a straight line.
        divided_at(partition, near_ground) if sign < 0 else partition,
        density=_DENSITY,
        is_uneven=everywhere_uneven,
        rest=NOTHING,
        extra=inner,
    )
    lifted = kerb_lift(
        flat.triangles,
        flat.surfaces,
        count=len(flat.vertices),
        raised=Surface.PAVEMENT,
        level=Surface.CARRIAGEWAY,
    )
    # No kerb stands in a lane that leads past on another level.
    raised = np.flatnonzero(lifted)
    lifted[raised] = ~in_lanes_at_height(flat.vertices[raised], town, level, heights)
    height = heights[level]
    z = height(flat.vertices) + kerb_height * lifted
    floor = Mesh(np.column_stack([flat.vertices, z]), flat.triangles, flat.surfaces)
    return Deck(level, sign, outline, carriageway, height, floor, near_ground)
