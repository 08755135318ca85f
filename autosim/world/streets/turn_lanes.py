"""What `turn:lanes` say: where each lane leads at the end of a way."""

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
"""How far [deg] each turn leads to the left. Turning round (`reverse`) is not among them."""

_WORDS = ((110.0, "sharp_left"), (35.0, "left"), (15.0, "slight_left"), (-15.0, "through"),
          (-35.0, "slight_right"), (-110.0, "right"), (-math.inf, "sharp_right"))  # fmt: skip

LaneTurns = tuple[tuple[str, ...], ...]
"""For each lane from left to right its turns; none where nothing is said."""


def lane_turns(tags: Tags, *, is_forward: bool) -> LaneTurns:
    """The turns of the lanes that lead along a way, or against it; () where nothing is said."""
    text = tags.get("turn:lanes:forward" if is_forward else "turn:lanes:backward")
    if text is None and _is_meant(tags, is_forward):
        text = tags.get("turn:lanes")
    if not text:
        return ()
    return tuple(
        tuple(turn for turn in lane.split(";") if turn in TURN_ANGLES) for lane in text.split("|")
    )


def turn_word(angle: float) -> str:
    """What a turn by an angle [rad], positive to the left, is called."""
    degrees = math.degrees(angle)
    return next(word for least, word in _WORDS if degrees >= least)


def _is_meant(tags: Tags, is_forward: bool) -> bool:
    """Whether a tag without a direction speaks of the lanes in that direction."""
    is_reverse = tags.get("oneway") in ("-1", "reverse")
    return is_one_way(tags) and is_forward != is_reverse
