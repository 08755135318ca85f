"""Stretches of turns that lie on neither of their two streets, but between the carriageways.

A carriageway is level across, so a turn that leaves one of them and enters the other climbs the
whole difference of their heights in between, often within a few metres.
"""

from collections.abc import Sequence

import numpy as np
import shapely

from autosim.arrays import Booleans, Integers
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.rise_limits import RiseLimits
from autosim.world.profiles.sharp_turns import arc_lengths_at
from autosim.world.streets.street_finding import Street

_STEP = 1.0
"""Largest distance [m] between places of a turn that are compared with the carriageways of its
streets: a third of a lane's width."""


def find_turns_off_streets(drafts: Sequence[LaneDraft], streets: Sequence[Street]) -> RiseLimits:
    """The stretches from the edge of one carriageway to that of the other.

    Args:
        drafts: all lanes and connectors.
        streets: that they belong to.
    """
    turns = [draft for draft in drafts if draft.origin != draft.street]
    if not turns:
        return RiseLimits.none()
    lines = Polylines.of([draft.points for draft in turns])
    pieces = np.maximum(np.ceil(lines.lengths() / _STEP).astype(np.int64), 1)
    along, places = lines.at_equal_steps(pieces)
    both = np.array([(draft.origin, draft.street) for draft in turns])
    of = np.repeat(np.arange(len(turns)), places.counts)
    rows = np.flatnonzero(_is_off(places, both[of], streets))
    if not len(rows):
        return RiseLimits.none()
    chosen, first = np.unique(of[rows], return_index=True)
    ends = np.cumsum(places.counts)[chosen]
    begins = np.maximum(rows[first] - 1, ends - places.counts[chosen])
    last = rows[np.append(first[1:], len(rows)) - 1]
    behind = np.minimum(last + 1, ends - 1)
    origin, street = both[chosen].T
    return RiseLimits(
        origin,
        arc_lengths_at(streets, origin, places.points[begins]),
        street,
        arc_lengths_at(streets, street, places.points[behind]),
        STANDARD.crossing_grade * (along[behind] - along[begins]),
    )


def _is_off(places: Polylines, both: Integers, streets: Sequence[Street]) -> Booleans:
    """Flags (n,) of the places that lie on neither of the carriageways of two streets (n, 2)."""
    axes = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    points = np.asarray(shapely.points(places.points))
    is_off = np.ones(len(points), dtype=np.bool_)
    for street in both.T:
        is_off &= shapely.distance(points, axes[street]) > halves[street]
    return is_off
