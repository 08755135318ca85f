"""The tightest turn of each of many polylines, as the radius that a vehicle must steer there."""

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.polylines import Polylines

TURN_WINDOW = 2.0
"""Length [m] over which a turn is measured: shorter kinks are averaged by the wheelbase of a
car."""

_CORNER_REACH = 1.0
"""Largest length [m] of each side of a corner over which the polyline is taken to turn. A corner
between long sides is a kink, not a wide curve."""


def turn_radii(lines: Polylines) -> tuple[Floats, Integers]:
    """The least radius [m] (m,) of each polyline, and the row of `lines.points` (m,) of that turn.

    The heading changes at each vertex, spread over half of both adjacent segments (at most 1 m of
    each), which is exact for the points of an arc. The radius is `TURN_WINDOW` divided by the
    largest change of heading [rad] within that length. A straight polyline has an infinite one.
    """
    count = len(lines.counts)
    ends = np.cumsum(lines.counts)
    radii, rows = np.full(count, np.inf), ends - lines.counts
    of = np.repeat(np.arange(count), lines.counts)
    inner = np.flatnonzero((of[2:] == of[1:-1]) & (of[1:-1] == of[:-2])) + 1
    if not len(inner):
        return radii, rows
    steps = lines.points[1:] - lines.points[:-1]
    lengths = portable.hypot(steps[:, 0], steps[:, 1])
    headings = portable.arctan2(steps[:, 1], steps[:, 0])
    turned = portable.wrapped(headings[inner] - headings[inner - 1])
    # All polylines on one long axis, with gaps longer than the window between them.
    stations = lines.stations()
    apart = np.cumsum(stations[ends - 1] + 2.0 * TURN_WINDOW) - stations[ends - 1]
    s = stations[inner] + apart[of[inner]]
    reach = np.minimum(lengths / 2.0, _CORNER_REACH)
    places = np.stack([s - reach[inner - 1], s + reach[inner]], axis=1).ravel()
    total = np.cumsum(turned)
    heading = np.stack([total - turned, total], axis=1).ravel()
    change = np.maximum(
        np.abs(np.interp(places + TURN_WINDOW, places, heading) - heading),
        np.abs(heading - np.interp(places - TURN_WINDOW, places, heading)),
    )
    vertices = np.repeat(inner, 2)
    # The largest change of each polyline is the last of its rows in this order.
    order = np.lexsort((change, of[vertices]))
    last = np.append(np.diff(of[vertices][order]) > 0, True)
    worst = order[last]
    lines_there = of[vertices][worst]
    rows[lines_there] = vertices[worst]
    radii[lines_there] = TURN_WINDOW / np.maximum(change[worst], 1e-9)
    return radii, rows
