"""The cross-section of a street by its tags and its class: lanes, pavements, surface."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from autosim.world.osm.highways import HighwayClass
from autosim.world.osm.street_parking import SideBays, bays_of
from autosim.world.osm.surface_friction import friction_of
from autosim.world.osm.tags import Tags, parse_count, parse_length, parse_speed

_MIN_WIDTH, _MAX_WIDTH = 2.5, 30.0
"""Least and largest width [m] of a carriageway: a car with its mirrors passes the one, and eight
lanes fit on the other. A tag beyond these is a mistake."""

_MIN_LANE_WIDTH = 2.4
"""Least width [m] of a lane, of which no street gets more than its width holds: a car with its
mirrors and a hand's breadth to each side."""

_USUAL_LANE_WIDTH = 3.25
"""Width [m] of a lane in towns, by which a width without a number of lanes is divided. Source: as
the widths of `highways.BUILT_IN`."""

_MAX_LANE_WIDTH = 3.5
"""Largest width [m] of a lane of a street whose tags give a number of lanes and no width."""

_LANE_BESIDE_BAYS = 2.75
"""Least width [m] of the lane of each direction beside bays that lie within the carriageway:
RASt 06. Where the tags leave less, the street is wider than they say."""

_LAST_MAJOR_RANK = 1
"""Rank of the last class of streets without parking: motorways and trunk roads."""

_MAX_LANES = 12
"""Largest number of lanes of a street: no carriageway has more, and no tag is to fill a world."""

_IMPLIED_ONE_WAY = frozenset({"motorway"})
_ONE_WAY = frozenset({"yes", "1", "true", "-1", "reverse", "reversible"})
_USUAL_PAVEMENT = 1.5
"""Width [m] of a pavement that a tag asks for on a street whose class has none."""

_MIN_PAVEMENT, _MAX_PAVEMENT = 0.5, 10.0
"""Bounds [m] of the width of a pavement by its tag, both excluded: one beyond these is a
mistake."""

_LEAST_SPEED_LIMIT = 1.0
"""Least speed limit [m/s]: a walking pace, by which a route still takes an end."""

_WITHOUT = frozenset({"no", "none"})
_SIDES: Mapping[str, tuple[bool | None, bool | None]] = MappingProxyType(
    {
        "no": (False, False),
        "none": (False, False),
        "left": (True, False),
        "right": (False, True),
        "both": (True, True),
        "yes": (True, True),
    }
)


@dataclass(frozen=True, slots=True)
class StreetProfile:
    """The cross-section of a street, the same all along.

    `width` [m] of the carriageway, `pavement` [m] left and right of it, `speed_limit` [m/s];
    `rank` as in `HighwayClass`; `friction` of the surface relative to asphalt; `middle_lanes` are
    for turning from both directions. A street with no backward lanes is one-way.

    Attributes:
        highway: OSM value of the key `highway`.
        forward_lanes: number of lanes along the points.
        backward_lanes: number of lanes against the points.
        is_roundabout: whether it is part of a roundabout.
    """

    highway: str
    width: float
    pavement: tuple[float, float]
    forward_lanes: int
    backward_lanes: int
    speed_limit: float
    rank: int
    is_roundabout: bool
    friction: float = 1.0
    middle_lanes: int = 0

    @property
    def lanes(self) -> int:
        """Number of lanes side by side."""
        return self.forward_lanes + self.middle_lanes + self.backward_lanes

    @property
    def is_one_way(self) -> bool:
        """Whether traffic goes along the street's points only."""
        return self.backward_lanes == 0

    def reversed(self) -> "StreetProfile":
        """The same street seen from its other end."""
        return replace(
            self,
            pavement=self.pavement[::-1],
            forward_lanes=self.backward_lanes,
            backward_lanes=self.forward_lanes,
        )


def street_profile(tags: Tags, kind: HighwayClass) -> StreetProfile:
    """The profile that a way's tags and its class give; for `oneway=-1` seen along the traffic."""
    inside = sum(bays.inside for bays in side_bays(tags, kind) if bays is not None)
    across = _across(tags, kind, inside=inside)
    speed = parse_speed(tags.get("maxspeed"))
    return StreetProfile(
        highway=tags["highway"],
        width=across.width,
        pavement=_pavement(tags, kind),
        forward_lanes=across.forward,
        backward_lanes=across.backward,
        speed_limit=kind.speed_limit if speed is None else max(speed, _LEAST_SPEED_LIMIT),
        rank=kind.rank,
        is_roundabout=is_roundabout(tags),
        friction=friction_of(tags),
        middle_lanes=across.middle,
    )


def side_bays(tags: Tags, kind: HighwayClass) -> SideBays:
    """The bays left and right of a way, None without parking."""
    highway = tags["highway"]
    is_through = kind.rank <= _LAST_MAJOR_RANK or highway.endswith("_link")
    return (None, None) if is_through or is_roundabout(tags) else bays_of(tags)


def is_roundabout(tags: Tags) -> bool:
    """Whether a way is a part of a roundabout."""
    return tags.get("junction") in ("roundabout", "circular")


def is_one_way(tags: Tags) -> bool:
    """Whether vehicles use a way in one direction only, be it against its nodes' order.

    A way whose direction changes with the hour (`reversible`) keeps the direction of its nodes.
    """
    stated = tags.get("oneway")
    if stated in _ONE_WAY:
        return True
    is_implied = is_roundabout(tags) or tags.get("highway") in _IMPLIED_ONE_WAY
    return stated is None and is_implied


@dataclass(frozen=True, slots=True)
class _Across:
    """A carriageway's width [m] and lanes."""

    width: float
    forward: int
    middle: int
    backward: int


def _across(tags: Tags, kind: HighwayClass, *, inside: float) -> _Across:
    """The width tag, else lanes, else the class; no lane narrower than can be driven.

    Of the width by a tag, bays take the `inside` [m].
    """
    one_way = is_one_way(tags)
    usual_width = kind.one_way_width if one_way else kind.width
    directions = 1 if one_way else 2
    usual_lanes = directions * max(1, int(usual_width / directions / _USUAL_LANE_WIDTH))
    lanes = min(_stated_lanes(tags) or usual_lanes, _MAX_LANES)
    width = parse_length(tags.get("width"))
    if width is None or not width > 0.0:
        each = min(usual_width / usual_lanes, _MAX_LANE_WIDTH)
        width = usual_width if lanes == usual_lanes else lanes * each
    elif inside:
        width = max(width - inside, min(width, directions * _LANE_BESIDE_BAYS))
    width = min(max(width, _MIN_WIDTH), _MAX_WIDTH)
    lanes = max(directions, min(lanes, int(width / _MIN_LANE_WIDTH)))
    if one_way:
        return _Across(width, lanes, 0, 0)
    return _shared_out(tags, lanes, width)


def _stated_lanes(tags: Tags) -> int | None:
    """The tag `lanes`, or the sum of those of each direction."""
    parts = [parse_count(tags.get(f"lanes:{way}")) for way in ("forward", "both_ways", "backward")]
    both = parts[0] is not None and parts[2] is not None
    return parse_count(tags.get("lanes")) or (sum(n or 0 for n in parts) if both else None)


def _shared_out(tags: Tags, lanes: int, width: float) -> _Across:
    """The lanes of a two-way street by direction; lanes of both directions lie in the middle."""
    forward, backward = (parse_count(tags.get(f"lanes:{way}")) for way in ("forward", "backward"))
    middle = parse_count(tags.get("lanes:both_ways")) or 0
    if forward and backward:
        middle = max(middle, lanes - forward - backward)
    middle = min(middle, lanes - 2)
    through = lanes - middle
    usual = through // 2 if forward is None else through - forward
    backward = min(max(backward or usual, 1), through - 1)
    return _Across(width, through - backward, middle, backward)


def _pavement(tags: Tags, kind: HighwayClass) -> tuple[float, float]:
    """Widths [m] of the pavements left and right of a way, 0 where there is none.

    A pavement that the map has as its own way (`separate`) is built with the street
    nevertheless; its own way is not built.
    """
    both = tags.get("sidewalk") or tags.get("sidewalk:both")
    stated = _SIDES.get(both or "", (None, None))
    left, right = (
        _pavement_width(tags, side, usual=usual, is_stated=is_stated)
        for side, usual, is_stated in zip(("left", "right"), kind.pavement, stated, strict=True)
    )
    return left, right


def _pavement_width(tags: Tags, side: str, *, usual: float, is_stated: bool | None) -> float:
    own = tags.get(f"sidewalk:{side}")
    if own is not None:
        is_stated = None if own == "separate" else own not in _WITHOUT
    if is_stated is None:
        return usual
    if not is_stated:
        return 0.0
    width = parse_length(tags.get(f"sidewalk:{side}:width") or tags.get("sidewalk:both:width"))
    return (
        width
        if width is not None and _MIN_PAVEMENT < width < _MAX_PAVEMENT
        else usual or _USUAL_PAVEMENT
    )
