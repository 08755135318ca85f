"""Lanes on the inner side of a bend, where they are much shorter than the axis of their street.

Heights follow the axis. A lane that passes close to the centre of a bend, as on the inner side of a
hairpin, leads past many metres of the axis within one of its own, and is as much steeper. So the
street is nearly level there, as it is on both sides of a sharp turn.
"""

from collections.abc import Sequence

import numpy as np

from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import turn_radii
from autosim.world.lanes.drivable_curves import STREET_RADIUS
from autosim.world.lanes.lane_drafts import LaneDraft
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.profiles.rise_limits import RiseLimits
from autosim.world.profiles.sharp_turns import arc_lengths_at
from autosim.world.streets.street_finding import Street

_STEP = 0.5
"""Largest distance [m] between places of a lane that are compared with its axis."""

_WINDOW = 8
"""Number of steps over which a lane and its axis are compared: 4 m, the reach of a sample of an
axis in the heights of its carriageway."""

_SHORTER = 1.6
"""Least ratio of the lengths of an axis and of a lane on its inner side that counts. Chosen: that
of the inner lane of a street of 7 m in a bend of 4.7 m radius; `wide_bend` limits gentler ones."""


def find_inner_lanes(drafts: Sequence[LaneDraft], streets: Sequence[Street]) -> RiseLimits:
    """The stretches of lanes that are much shorter than those of the axes beside them.

    Args:
        drafts: all lanes and connectors.
        streets: that they belong to.
    """
    lanes = _bent(drafts)
    if not lanes:
        return RiseLimits.none()
    lines = Polylines.of([draft.points for draft in lanes])
    pieces = np.maximum(np.ceil(lines.lengths() / _STEP).astype(np.int64), 1)
    along, places = lines.at_equal_steps(pieces)
    of = np.repeat(np.arange(len(lanes)), places.counts)
    street_of = np.array([draft.street for draft in lanes], dtype=np.int64)[of]
    s = arc_lengths_at(streets, street_of, places.points)
    first = np.arange(max(len(of) - _WINDOW, 0))
    last = first + _WINDOW
    lengths = along[last] - along[first]
    is_inner = (of[first] == of[last]) & (np.abs(s[last] - s[first]) > _SHORTER * lengths)
    first, last = first[is_inner], last[is_inner]
    street = street_of[first]
    most = STANDARD.turn_grade * lengths[is_inner]
    return RiseLimits(street, s[first], street, s[last], most)


def _bent(drafts: Sequence[LaneDraft]) -> list[LaneDraft]:
    """The lanes with a bend about as tight as their streets are wide, or as a car can steer."""
    lanes = [draft for draft in drafts if not draft.is_connector]
    radii, _ = turn_radii(Polylines.of([draft.points for draft in lanes]))
    return [
        draft
        for draft, radius in zip(lanes, radii.tolist(), strict=True)
        if radius < max(draft.profile.width, 2.0 * STREET_RADIUS)
    ]
