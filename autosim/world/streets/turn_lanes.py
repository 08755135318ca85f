"""The tag `turn:lanes`: where each lane leads at the end of a way."""

import math
from collections.abc import Mapping
from types import MappingProxyType

from autosim.world.osm.tags import Tags
from autosim.world.streets.street_profiles import is_one_way

TURN_ANGLES: Mapping[str, float] = MappingProxyType(
    {
        "sharp_left": 135.0,
        "left": 90.0,
        "slight_left": 30.0,
        "merge_to_left": 0.0,
        "through": 0.0,
        "merge_to_right": 0.0,
        "slight_right": -30.0,
        "right": -90.0,
        "sharp_right": -135.0,
    }
)
"""Angle [deg] to the left of each turn, in the middle of its range. A U-turn (`reverse`) has
none."""

_LEAST_ANGLES = ((110.0, "sharp_left"), (35.0, "left"), (15.0, "slight_left"), (-15.0, "through"),
          (-35.0, "slight_right"), (-110.0, "right"), (-math.inf, "sharp_right"))  # fmt: skip
"""Least angle [deg] to the left of each turn, the leftmost first. Chosen: about half way between
the angles of neighbours in `TURN_ANGLES`."""

LaneTurns = tuple[tuple[str, ...], ...]
"""The turns of each lane, from left to right; a lane without an arrow has none."""


def lane_turns(tags: Tags, *, is_forward: bool) -> LaneTurns:
    """The turns of the lanes that lead along a way, or against it; () without a tag."""
    text = tags.get("turn:lanes:forward" if is_forward else "turn:lanes:backward")
    if text is None and _is_meant(tags, is_forward):
        text = tags.get("turn:lanes")
    if not text:
        return ()
    return tuple(
        tuple(turn for turn in lane.split(";") if turn in TURN_ANGLES) for lane in text.split("|")
    )


def turn_word(angle: float) -> str:
    """The word for a turn by an angle [rad], positive to the left."""
    degrees = math.degrees(angle)
    return next(word for least, word in _LEAST_ANGLES if degrees >= least)


def _is_meant(tags: Tags, is_forward: bool) -> bool:
    """Whether a tag without a direction applies to the lanes in that direction."""
    is_reverse = tags.get("oneway") in ("-1", "reverse")
    return is_one_way(tags) and is_forward != is_reverse
