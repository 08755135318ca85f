"""The part of a map that becomes a world.

An extract extends far beyond the area that it was made for: a motorway or a forest that begins
inside continues for kilometres. So roads are cut to a box, and the ground extends a little beyond
their ends.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.config.descriptions import MapSetup
from autosim.world.geometry import overlays
from autosim.world.geometry.extent import Box, Window
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.street_finding import Street

LARGEST_SIDE = 2000.0
"""Default for the longest side [m] of a world: it compiles in seconds."""

GROUND_MARGIN = 60.0
"""Width [m] of ground beyond the ends of roads. Chosen: a car that overshoots an end stops on
it."""

_FAR_SHARE = 0.01
"""Share of a map's nodes on each side that its extent leaves out: ways that run far beyond it."""

_NEAR_MARGIN = 150.0
"""Distance [m] by which the extent reaches beyond the nodes that count: a block of houses."""

_LEAST_HALF = 1.0
"""Half of the shortest side [m] of a window for roads: it has an area, however small the user's."""

_WIDEST_BOUNDS = 180.0
"""Width [deg] from which bounds say nothing of a map: its nodes lie on both sides of the 180th
meridian, and the writer took the least and the greatest longitude."""

_NO_BOUNDS = (-90.0, -180.0, 90.0, 180.0)
"""South, west, north, east [deg] of the Earth."""

_SHORTEST_PIECE = 1.0
"""Length [m] of the shortest piece of a street that is kept at the window's edge."""


def road_window(
    data: OsmData,
    roads: Floats,
    *,
    projection: MapProjection,
    setup: MapSetup | None,
    window: Window | None = None,
) -> Box:
    """The box (x_min, y_min, x_max, y_max) [m] in W to which roads are cut.

    The user's window comes first, then the set-up's size about the origin, both less the ground's
    margin. Without either it is the file's own bounds, or the extent of its roads if it has none,
    at most 2 km about the origin.

    Args:
        data: the map.
        roads: (n, 2) nodes of roads in W [m].
        projection: W's place on Earth.
        setup: the map set-up.
        window: the part of the map that the user asks for.
    """
    if window is not None:
        x, y = projection.to_local(np.array([window.centre]))[0].tolist()
        half = max(window.size / 2.0 - GROUND_MARGIN, _LEAST_HALF)
        return (x - half, y - half, x + half, y + half)
    if setup is not None and setup.size is not None:
        half_x, half_y = (max(side / 2.0 - GROUND_MARGIN, _LEAST_HALF) for side in setup.size)
        return (-half_x, -half_y, half_x, half_y)
    low, high = map_extent(data, roads, projection)
    half = LARGEST_SIDE / 2.0
    low, high = np.maximum(low, -half), np.minimum(high, half)
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def map_extent(data: OsmData, roads: Floats, projection: MapProjection) -> tuple[Floats, Floats]:
    """South-west and north-east corner (2,) [m] in W of a map's content.

    Args:
        data: the map.
        roads: (n, 2) nodes of roads in W [m].
        projection: W's place on Earth.
    """
    south, west, north, east = data.bounds or _NO_BOUNDS
    if east - west < _WIDEST_BOUNDS:
        corners = np.array([[south, west], [south, east], [north, west], [north, east]])
        local = projection.to_local(corners)
        return local.min(axis=0), local.max(axis=0)
    low, high = np.quantile(roads, [_FAR_SHARE, 1.0 - _FAR_SHARE], axis=0)
    return (
        np.maximum(low - _NEAR_MARGIN, roads.min(axis=0) - 1.0),
        np.minimum(high + _NEAR_MARGIN, roads.max(axis=0) + 1.0),
    )


def ground_box(window: Box) -> Box:
    """The box of the ground: that of the roads with a margin."""
    x_min, y_min, x_max, y_max = window
    m = GROUND_MARGIN
    return (x_min - m, y_min - m, x_max + m, y_max + m)


def cut_streets(streets: Sequence[Street], window: Box, left_out: Counter[str]) -> list[Street]:
    """The streets inside the window. Where a street is cut, its new end gets a negative node."""
    box = shapely.box(*window)
    lines = [shapely.LineString(street.points) for street in streets]
    inside = shapely.covers(box, lines)
    kept: list[Street] = []
    fresh = -1
    for street, line, is_inside in zip(streets, lines, inside, strict=True):
        if is_inside:
            kept.append(street)
            continue
        pieces = _pieces(street, line, box, fresh)
        left_out["streets beyond the window" if not pieces else "streets cut at the window"] += 1
        fresh -= 2 * len(pieces)
        kept.extend(pieces)
    return kept


def _pieces(street: Street, line: BaseGeometry, box: BaseGeometry, fresh: int) -> list[Street]:
    pieces: list[Street] = []
    for part in shapely.get_parts(overlays.intersection(line, box)):
        if part.geom_type != "LineString" or part.length < _SHORTEST_PIECE:
            continue
        points = _along(street.points, shapely.get_coordinates(part))
        has_start = bool(np.allclose(points[0], street.points[0]))
        has_end = bool(np.allclose(points[-1], street.points[-1]))
        number = fresh - 2 * len(pieces)
        pieces.append(
            replace(
                street,
                points=points,
                start=street.start if has_start else number,
                end=street.end if has_end else number - 1,
            )
        )
    return pieces


def _along(points: Floats, piece: Floats) -> Floats:
    """A piece of a polyline in the polyline's own direction."""
    line = shapely.LineString(points)
    first, last = (line.project(shapely.Point(p)) for p in (piece[0], piece[-1]))
    return piece if first <= last else piece[::-1]
