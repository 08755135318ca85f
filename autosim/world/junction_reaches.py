"""How far junctions reach into their streets: as far as turns do.

A sheet must not end inside a turn, which leads beside the street's carriageway there, where the two
sheets are not alike.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import shapely

from autosim.world.extensions import End
from autosim.world.lane_drafts import LaneDraft
from autosim.world.streets import Street

_ROOM = 1.0
_FARTHEST = 30.0


def junction_reaches(drafts: Sequence[LaneDraft], streets: Sequence[Street]) -> Mapping[End, float]:
    """For ends of bridges and tunnels how far [m] from them turns to other streets reach.

    Args:
        drafts: all lanes and connectors.
        streets: that they belong to.
    """
    found: dict[End, float] = {}
    for draft in drafts:
        if draft.origin == draft.street:
            continue
        for street, place in ((draft.origin, draft.points[0]), (draft.street, draft.points[-1])):
            if streets[street].level != 0:
                end, reach = _reach(streets[street], street, shapely.Point(place))
                found[end] = max(found.get(end, 0.0), reach)
    return found


def _reach(street: Street, number: int, place: shapely.Point) -> tuple[End, float]:
    """The end of a street that is nearer to a place beside it, and how far [m] away that is."""
    axis = shapely.LineString(street.points)
    s = float(shapely.line_locate_point(axis, place))
    is_start = s < 0.5 * axis.length
    return (number, is_start), float(
        np.minimum((s if is_start else axis.length - s) + _ROOM, _FARTHEST)
    )
