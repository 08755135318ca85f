"""The positions of lanes across a street."""

from autosim.world.streets.street_profiles import StreetProfile

_NARROW = 5.0
"""Least width [m] of a two-way street with lanes side by side: cars pass each other slowly
there."""


def is_shared(profile: StreetProfile) -> bool:
    """Whether a street is too narrow for lanes side by side: both lie on its axis."""
    return profile.backward_lanes > 0 and profile.width < _NARROW


def lane_width(profile: StreetProfile) -> float:
    """Width [m] of each lane."""
    return profile.width if is_shared(profile) else profile.width / profile.lanes


def lateral_positions(profile: StreetProfile, sign: float) -> tuple[list[float], list[float]]:
    """Lanes' distances [m] left of the axis, forward and backward, kerb lanes first.

    `sign` is 1 where traffic keeps left, -1 where it keeps right.
    """
    forward, backward = profile.forward_lanes, profile.backward_lanes
    if is_shared(profile):
        return [0.0] * forward, [0.0] * backward
    each, edge = lane_width(profile), profile.width / 2.0
    ahead = [sign * (edge - (k + 0.5) * each) for k in range(forward)]
    back = [-sign * (edge - (k + 0.5) * each) for k in range(backward)]
    return ahead, back


def inner_lane_shift(profile: StreetProfile) -> float:
    """The smaller of the distances [m] of a two-way street's inner lanes from its axis.

    Each distance counts to the side of the lane's own direction. It is negative if one direction
    has enough more lanes for its inner one to lie beyond the axis.
    """
    ahead, back = lateral_positions(profile, 1.0)
    return min(ahead[-1], -back[-1])
