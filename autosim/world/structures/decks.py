"""Makes decks: the floors of bridges and tunnels, on which a street leaves the ground.

A deck is a level like the ground and is triangulated from its own partition.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry.height_function import HeightFunction, everywhere_uneven
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges
from autosim.world.levels.heights import kerb_lift
from autosim.world.surfaces.carriageway_shapes import (
    StreetMap,
    carriageway_shape,
    deck_shape,
    in_lanes_at_height,
    lane_heights_near,
)
from autosim.world.surfaces.driven_triangulation import follow_heights
from autosim.world.surfaces.partition import NOTHING, divided_at, make_partition
from autosim.world.surfaces.triangulation import Density, FlatMesh, triangulate

HEADROOM = 4.6
"""Height [m] of a tunnel from its carriageway to its ceiling: lorries, 4 m high, fit under it."""

ROOF = 0.7
"""Thickness [m] of a tunnel's ceiling: that of a concrete slab over a street."""

WALL = 0.3
"""Thickness [m] of parapets and of a tunnel's walls: that of a concrete wall."""

RAMP = 0.02
"""Slope (rise over run) at which two levels dip under each other where they overlap. Measured with
a box that slides at 20 m/s over such an overlap of 1 m: it jumps 4 mm at 2 %, and 23 mm at 5 %."""

_ROOM_BESIDE_LANE = 1.35
"""Distance [m] from the middle of a lane of another level within which no wall rises above it: half
the width of a bus, 2.55 m by Directive 96/53/EC, and a little more."""

_UNDER_LANE = 0.05
"""Depth [m] below such a lane at which the walls beside it end."""

_DENSITY = Density(uneven_edge=2.5)
"""A deck's borders have an edge every 2.5 m, because its profile bends more than the ground."""


@dataclass(frozen=True, slots=True)
class Deck:
    """All bridges or all tunnels of one level.

    Attributes:
        level: the level's number.
        sign: 1 for bridges, -1 for tunnels.
        outline: its whole shape in plan.
        carriageway: the shape of its carriageway in plan.
        height: the height function of its carriageway.
        floor: the surface to drive and walk on.
        near_ground: where a bridge lies close to the ground, or a tunnel's roof would stick out of
            it.
        wall_limits: (n,) heights [m] above each vertex of the floor to which walls may rise there;
            infinite but where lanes of other levels pass close by.
    """

    level: int
    sign: int
    outline: BaseGeometry
    carriageway: BaseGeometry
    height: HeightFunction
    floor: Mesh
    near_ground: BaseGeometry
    wall_limits: Floats


def make_deck(
    town: StreetMap,
    level: int,
    *,
    heights: Sequence[HeightFunction],
    inner: Floats,
    tracks: Floats,
    near_ground: BaseGeometry,
    kerb_height: float,
) -> Deck:
    """The deck of a level.

    Args:
        town: streets and lanes.
        level: its number, not 0.
        heights: the height function of each level.
        inner: `driven_points` of the level.
        tracks: `wheel_tracks` of the level.
        near_ground: as in `Deck`.
        kerb_height: height [m] of its kerbs.
    """
    carriageway = carriageway_shape(town, level)
    outline = deck_shape(town, level, carriageway)
    nothing = shapely.MultiPolygon()
    partition = make_partition(outline, carriageway=carriageway, pavement=outline, water=nothing)
    sign = town.levels.signs[level]
    # The border makes the roof begin along a straight line.
    divided = divided_at(partition, near_ground) if sign < 0 else partition

    def triangulate_with(extra: Floats) -> FlatMesh:
        return triangulate(
            divided, density=_DENSITY, is_uneven=everywhere_uneven, rest=NOTHING, extra=extra
        )

    height = heights[level]
    flat, z = follow_heights(triangulate_with, inner=inner, tracks=tracks, height=height)
    lifted = kerb_lift(
        flat.triangles,
        flat.surfaces,
        count=len(flat.vertices),
        raised=Surface.PAVEMENT,
        level=Surface.CARRIAGEWAY,
    )
    # A kerb must not stand in a lane of another level that passes at the same height.
    raised = np.flatnonzero(lifted)
    lifted[raised] = ~in_lanes_at_height(flat.vertices[raised], town, level, heights)
    z = z + kerb_height * lifted
    floor = Mesh(np.column_stack([flat.vertices, z]), flat.triangles, flat.surfaces)
    limits = _wall_limits(floor, town, level, heights)
    return Deck(level, sign, outline, carriageway, height, floor, near_ground, limits)


def _wall_limits(
    floor: Mesh, town: StreetMap, level: int, heights: Sequence[HeightFunction]
) -> Floats:
    """Heights [m] above each vertex (n,) of a floor to which walls may rise.

    Walls are low up to the next vertices on both sides of a lane: they rise from vertex to vertex.
    """
    limits = np.full(len(floor.vertices), np.inf)
    edges = boundary_edges(floor.triangles)
    rows = np.unique(edges)
    border = floor.vertices[rows]
    near = lane_heights_near(border, _ROOM_BESIDE_LANE + WALL, town, level, heights)
    limits[rows] = np.maximum(near - border[:, 2] - _UNDER_LANE, 0.0)
    beside = limits.copy()
    for own, other in (edges.T, edges.T[::-1]):
        np.minimum.at(beside, own, limits[other])
    return beside
