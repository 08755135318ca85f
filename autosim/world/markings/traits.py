"""Collects the traits of streets that decide their markings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.tags import Tags
from autosim.world.streets.street_finding import Street

_LAST_RANK_WITH_LINES = 5
"""Rank of the last class of streets that usually has lane lines: unclassified roads."""

_LAST_RANK_WITH_EDGES = 2
"""Rank of the last class of streets that has edge lines beside pavements, too: primary roads."""

_LEAST_WIDTH_WITH_CENTRE_LINE = 5.4
"""Width [m] of the narrowest carriageway with a centre line: two lanes of 2.7 m."""

_UNPAVED = frozenset(
    {"unpaved", "compacted", "fine_gravel", "gravel", "ground", "dirt", "earth", "grass", "sand",
     "mud", "pebblestone", "wood", "sett", "cobblestone", "unhewn_cobblestone"}
)  # fmt: skip
_YELLOW_CENTRES = (-56.0, -170.0, 72.0, -34.0)
"""South, west, north, east [deg] of the Americas."""


@dataclass(frozen=True, slots=True)
class StreetTraits:
    """Arrays (n,) over all streets, by their number (`RoadNetwork.roads`).

    Attributes:
        ranks: importance of the class, 0 first.
        widths: width [m] of the carriageway.
        roundabouts: whether the street is a roundabout.
        painted: whether it has lane lines.
        edged: whether it has edge lines, too.
    """

    ranks: Integers
    widths: Floats
    roundabouts: Booleans
    painted: Booleans
    edged: Booleans


def traits_of(streets: Sequence[Street], tags_of_ways: Mapping[int, Tags]) -> StreetTraits:
    """The traits of all streets, by their profiles and the tags of their ways."""
    profiles = [street.profile for street in streets]
    ranks = np.array([profile.rank for profile in profiles], dtype=np.int64)
    widths = np.array([profile.width for profile in profiles], dtype=np.float64)
    is_bare = np.array([not any(profile.pavement) for profile in profiles], dtype=np.bool_)
    one_way = np.array([profile.is_one_way for profile in profiles], dtype=np.bool_)
    stated = [_states_lines(tags_of_ways.get(street.parts[0].way, {})) for street in streets]
    usual = (ranks <= _LAST_RANK_WITH_LINES) & (one_way | (widths >= _LEAST_WIDTH_WITH_CENTRE_LINE))
    painted = np.array(
        [bool(use) if say is None else say for use, say in zip(usual, stated, strict=True)],
        dtype=np.bool_,
    )
    return StreetTraits(
        ranks=ranks,
        widths=widths,
        roundabouts=np.array([profile.is_roundabout for profile in profiles], dtype=np.bool_),
        painted=painted,
        edged=painted & (is_bare | (ranks <= _LAST_RANK_WITH_EDGES)),
    )


def _states_lines(tags: Tags) -> bool | None:
    """Whether the tags state lines: by `lane_markings`, or by a surface that takes no paint."""
    stated = tags.get("lane_markings")
    if stated in ("yes", "no"):
        return stated == "yes"
    return False if tags.get("surface") in _UNPAVED else None


def centre_paint(origin: tuple[float, float]) -> Surface:
    """Paint of the line between directions at a place (latitude, longitude) [deg].

    Yellow in the Americas, white elsewhere.
    """
    south, west, north, east = _YELLOW_CENTRES
    is_there = south <= origin[0] <= north and west <= origin[1] <= east
    return Surface.PAINT_YELLOW if is_there else Surface.PAINT
