"""The heights of turning heads: round places at the ends of streets, nearly level.

A head is wider than its street. Without its own height its rim would lean towards the terrain,
and a street that winds inside its head would give it two heights.
"""

from collections.abc import Sequence

import numpy as np
import shapely

from autosim.world.geometry.curves import heading_between, to_left, unit
from autosim.world.lanes.lane_drafts import TurningHead
from autosim.world.levels.heights import StreetSamples
from autosim.world.profiles.profile import Profile
from autosim.world.streets.street_finding import Street

_STEP = 1.0
"""Distance [m] before and behind a head, over which its street's direction is taken."""


def head_samples(
    heads: Sequence[TurningHead], streets: Sequence[Street], profiles: Sequence[Profile]
) -> StreetSamples:
    """A sample in the middle of each head, with a reach up to its edge.

    Args:
        heads: of one level.
        streets: all streets.
        profiles: of all streets.
    """
    return StreetSamples.joined(
        [_sampled(head, streets[head.street], profiles[head.street]) for head in heads]
    )


def _sampled(head: TurningHead, street: Street, profile: Profile) -> StreetSamples:
    axis = shapely.LineString(street.points)
    s = float(shapely.line_locate_point(axis, shapely.Point(head.centre)))
    ends = shapely.line_interpolate_point(axis, [max(s - _STEP, 0.0), s + _STEP])
    ahead = unit(heading_between(*shapely.get_coordinates(ends)))[None, :]
    return StreetSamples(
        head.centre[None, :],
        np.array([float(profile.at(s))]),
        float(profile.grade_at(s)) * ahead,
        np.full((1, 2), head.radius),
        to_left(ahead),
    )
