"""Finds places of the map on the axes of streets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.polylines import Polylines
from autosim.world.streets.street_finding import Street

_ON_STREET = 2.0
"""Largest distance [m] of a place on a street from the axis. Chosen: a rounded corner may pass its
node at a metre or two."""

_HALF_STEP = 1.0
"""Distance [m] before and behind a place over which the street's heading is taken: rounded corners
have points about as close."""


@dataclass(frozen=True, slots=True)
class OnStreets:
    """Places on axes: `rows` (n,) in the given points, `streets` (n,) by number.

    `middles` (n, 2) [m] on the axes and `headings` (n,) [rad] of the axes there; `half_widths` (n,)
    [m] of the carriageways.
    """

    rows: Integers
    streets: Integers
    middles: Floats
    headings: Floats
    half_widths: Floats


def locate_on_streets(points: Floats, streets: Sequence[Street]) -> OnStreets:
    """Locates the points (n, 2) [m] that lie on a street, each on the nearest one."""
    lines = Polylines.of([street.points for street in streets]).shapes()
    if not len(points) or not len(lines):
        nothing = np.zeros(0, dtype=np.int64)
        return OnStreets(nothing, nothing, np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    found, nearest = shapely.STRtree(lines).query_nearest(
        shapely.points(points), max_distance=_ON_STREET, all_matches=False
    )
    chosen = lines[nearest]
    at = shapely.line_locate_point(chosen, shapely.points(points[found]))
    back = shapely.get_coordinates(
        shapely.line_interpolate_point(chosen, np.maximum(at - _HALF_STEP, 0))
    )
    front = shapely.get_coordinates(shapely.line_interpolate_point(chosen, at + _HALF_STEP))
    step = front - back
    return OnStreets(
        rows=found,
        streets=nearest,
        middles=shapely.get_coordinates(shapely.line_interpolate_point(chosen, at)),
        headings=portable.arctan2(step[:, 1], step[:, 0]),
        half_widths=np.array([streets[k].profile.width / 2.0 for k in nearest], dtype=np.float64),
    )
