"""Sharp turns from one street into another: short ways between places that may differ in height.

Where two streets meet at a small angle, the turn between them leaves both long before their node.
It would have to climb their difference in height within a few metres.
"""

from collections.abc import Sequence

import numpy as np
import shapely

from autosim.arrays import Floats, Integers
from autosim.world.geometry.curves import heading_between, length_of, turn_between
from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.rise_limits import RiseLimits
from autosim.world.streets.street_finding import Street

_SHARP = np.radians(80.0)
"""Least angle [rad] of a sharp turn. Chosen: a turn at a right angle counts, a bend does not."""


def find_sharp_turns(drafts: Sequence[LaneDraft], streets: Sequence[Street]) -> RiseLimits:
    """The turns of more than 80 degrees among the connectors of a plan.

    Args:
        drafts: all lanes and connectors.
        streets: that they belong to.
    """
    chosen = [draft for draft in drafts if draft.origin != draft.street and _is_sharp(draft.points)]
    origin = np.array([draft.origin for draft in chosen], dtype=np.int64)
    street = np.array([draft.street for draft in chosen], dtype=np.int64)
    starts = np.array([draft.points[0] for draft in chosen]).reshape(-1, 2)
    ends = np.array([draft.points[-1] for draft in chosen]).reshape(-1, 2)
    return RiseLimits(
        origin,
        arc_lengths_at(streets, origin, starts),
        street,
        arc_lengths_at(streets, street, ends),
        STANDARD.turn_grade * np.array([length_of(draft.points) for draft in chosen]),
    )


def _is_sharp(points: Floats) -> bool:
    before, behind = heading_between(*points[:2]), heading_between(*points[-2:])
    return bool(abs(turn_between(before, behind)) > _SHARP)


def arc_lengths_at(streets: Sequence[Street], chosen: Integers, places: Floats) -> Floats:
    """Station [m] (n,) along streets (n,) of the foot of positions (n, 2)."""
    numbers, of = np.unique(chosen, return_inverse=True)
    lines = np.array([shapely.LineString(streets[k].points) for k in numbers], dtype=object)[of]
    return np.asarray(shapely.line_locate_point(lines, shapely.points(places)), dtype=np.float64)
