"""Finds the control of each lane before a junction, and the station at which vehicles wait.

Signals and signs count first; without them the importance of the streets decides. Among equal
streets, the arm of a T that does not lead straight on gives way; at more arms the vehicle from the
right goes first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import to_left
from autosim.world.lanes.lane_junctions import junctions_of
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.tags import Tags
from autosim.world.streets.crossings import LENGTH, Crossings
from autosim.world.streets.street_ends import StreetNodes
from autosim.world.streets.street_finding import Street
from autosim.world.traffic.signs import Signs

_PRIORITY_ROADS = frozenset({"designated", "yes_unposted"})
"""Values of the tag `priority_road` of streets that go first."""


@dataclass(frozen=True, slots=True)
class _WaitingPlaces:
    """Positions at which vehicles wait."""

    before_end: float = 0.3
    """Distance [m] from the stop line to the end of the lane, where the junction begins."""

    before_crossing: float = 1.2
    """Distance [m] from the stop line to a pedestrian crossing: about a metre, as it is painted."""

    near_crossing: float = 9.0
    """Distance [m] of a crossing from the end of a lane within which vehicles wait before it."""

    from_start: float = 1.0
    """Distance [m] that a stop line keeps from the start of its lane."""


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Importance of streets: the number of their class, 0 first, changed by these."""

    roundabout: float = -1.0
    """Rank of a roundabout: more important than any class."""

    priority_road: float = 0.5
    """Gain of a priority road in rank: it goes before its class, not before the next one."""

    none: float = 99.0
    """Rank beyond all classes."""


_PLACES, _RANKS = _WaitingPlaces(), _Ranks()

_STEM = np.radians(40.0)
"""Angle [rad] of the least turn at a lane's end above which no way leads straight on."""

_SAME_LEVEL = 4.0
"""Difference in height [m] below which a crossing lies on a lane, not on one above or below."""


@dataclass(frozen=True, slots=True)
class Directions:
    """For each lane (n,) its street and whether it leads along that street's points."""

    streets: Integers
    """Numbers of the streets."""
    forward: Booleans
    """True along the points."""


@dataclass(frozen=True, slots=True)
class LaneControls:
    """The controls of lanes.

    Attributes:
        kinds: (n,) `Control` of each lane.
        stations: (n,) [m] where its vehicles wait; NaN without a control.
        approaches: (n,) `Control` of each lane at its junction, also where its vehicles wait on a
            lane before it.
    """

    kinds: Bytes
    stations: Floats
    approaches: Bytes


def street_ranks(streets: Sequence[Street], tags: Mapping[int, Tags]) -> Floats:
    """Importance (n,) of streets, a lower number first: roundabouts, then by class and tag."""
    ranks = []
    for street in streets:
        is_priority = tags.get(street.parts[-1].way, {}).get("priority_road") in _PRIORITY_ROADS
        rank = street.profile.rank - _RANKS.priority_road * is_priority
        ranks.append(_RANKS.roundabout if street.profile.is_roundabout else rank)
    return np.array(ranks, dtype=np.float64)


def find_controls(
    network: RoadNetwork,
    directions: Directions,
    *,
    ranks: Floats,
    signs: Signs,
    nodes: StreetNodes,
    crossings: Crossings,
) -> LaneControls:
    """Finds the controls of all lanes.

    Args:
        network: the lanes.
        directions: the street and direction of each lane.
        ranks: importance of each street, from `street_ranks`.
        signs: the signs of the map.
        nodes: where streets meet.
        crossings: pedestrian crossings; vehicles wait before those close to a junction.
    """
    lanes = _LanesOf(directions, network.connectors)
    junctions = _Junctions.of(network, ranks)
    signed = np.zeros(len(network.roads), dtype=np.uint8)
    own = np.zeros(len(network.roads), dtype=np.uint8)
    stations = np.full(len(network.roads), np.nan)
    for sign in signs.on_streets:
        if sign.approach is not None:
            signed[lanes.at(*sign.approach)] = sign.control
        for lane in lanes.at(sign.street, sign.is_forward):
            own[lane] = sign.control
            stations[lane] = network.lanes[lane].local_coordinates(sign.place)[0]
    for node, control in signs.at_nodes.items():
        arriving = [k for end in nodes.ends[node] for k in lanes.at(end.street, not end.is_start)]
        signed[_bound(arriving, control, junctions)] = control
    approaches = _approaches(network, junctions, signed)
    # A vehicle that waited for a sign on the street before does not wait again on this one.
    is_held = np.zeros(len(own), dtype=np.bool_)
    for sign in signs.on_streets:
        if sign.approach is not None and sign.approach != (sign.street, sign.is_forward):
            is_held[lanes.at(*sign.approach)] = True
    kinds = np.where(own > 0, own, np.where(is_held, 0, approaches)).astype(np.uint8)
    held = np.flatnonzero(kinds)
    ends = network.lengths() - _PLACES.before_end
    stations = np.where(np.isnan(stations), ends, _within(stations, ends))
    stations[held] = _before_crossings(network, held, stations[held], crossings)
    return LaneControls(kinds, np.where(kinds > 0, stations, np.nan), approaches)


def _within(stations: Floats, ends: Floats) -> Floats:
    first = _PLACES.from_start
    return np.clip(stations, first, np.maximum(ends, first))


class _LanesOf:
    """Finds lanes by street and direction."""

    def __init__(self, directions: Directions, connectors: Booleans) -> None:
        self._lanes: dict[tuple[int, bool], list[int]] = {}
        for lane in np.flatnonzero(~connectors).tolist():
            key = int(directions.streets[lane]), bool(directions.forward[lane])
            self._lanes.setdefault(key, []).append(lane)

    def at(self, street: int, is_forward: bool) -> list[int]:
        return self._lanes.get((street, is_forward), [])


@dataclass(frozen=True, slots=True)
class _Junctions:
    """The junctions of a network.

    Attributes:
        at: (n,) the junction at the end of each lane.
        arms: number of streets that meet at each junction.
        minor: (n,) lanes of streets less important than another street of their junction.
        equal: (n,) lanes at junctions where all streets are equally important, and none is a
            roundabout.
        stem: (n,) lanes from which no way leads straight on.
    """

    at: Integers
    arms: Integers
    minor: Booleans
    equal: Booleans
    stem: Booleans

    @classmethod
    def of(cls, network: RoadNetwork, ranks: Floats) -> "_Junctions":
        at, arms = junctions_of(network)
        of_lane = ranks[network.roads]
        lanes = np.flatnonzero(~network.connectors)
        best = np.full(len(arms), _RANKS.none)
        np.minimum.at(best, at, of_lane)
        worst = np.full(len(arms), -_RANKS.none)
        np.maximum.at(worst, at[lanes], of_lane[lanes])
        minor = of_lane > best[at]
        is_ring = best[at] == _RANKS.roundabout
        equal = ~minor & (worst[at] == best[at]) & ~is_ring
        return cls(at, arms, minor, equal, _is_stem(network))


def _is_stem(network: RoadNetwork) -> Booleans:
    """Lanes (n,) from which no way leads straight on: the stem of a T."""
    count = len(network.roads)
    firsts, lasts = network.starts[:-1], network.starts[1:] - 1
    turned = np.abs(portable.wrapped(network.tangents[lasts] - network.tangents[firsts]))
    sources = np.repeat(np.arange(count), np.diff(network.successor_starts))
    least = np.full(count, np.inf)
    np.minimum.at(least, sources, turned[network.successors])
    return np.asarray(least > _STEM)


def _bound(arriving: Iterable[int], control: Control, junctions: _Junctions) -> list[int]:
    """The lanes, of those that arrive at a junction, for which its sign is.

    Signals and all-way stops are for all lanes. Other signs are for the less important streets,
    else for the stem of a T, else for all lanes.
    """
    lanes = list(arriving)
    if control in (Control.SIGNALS, Control.ALL_WAY_STOP):
        return lanes
    minor = [k for k in lanes if junctions.minor[k]]
    return minor or [k for k in lanes if junctions.stem[k]] or lanes


def _approaches(network: RoadNetwork, junctions: _Junctions, signed: Bytes) -> Bytes:
    """The `Control` (n,) of each lane at the junction at its end."""
    at, is_lane = junctions.at, ~network.connectors
    meets = is_lane & (junctions.arms[at] >= 3) & (np.diff(network.successor_starts) > 0)
    has_signals = np.zeros(len(junctions.arms), dtype=np.bool_)
    has_signals[at[is_lane & (signed == Control.SIGNALS)]] = True
    has_signs = np.zeros(len(junctions.arms), dtype=np.bool_)
    has_signs[at[is_lane & (signed > Control.SIGNALS)]] = True
    is_equal = junctions.equal & ~has_signs[at]
    gives_way = junctions.minor | (is_equal & (junctions.arms[at] == 3) & junctions.stem)
    unsigned = np.select(
        [~meets, has_signals[at], gives_way, is_equal & (junctions.arms[at] >= 4)],
        [Control.NONE, Control.SIGNALS, Control.GIVE_WAY, Control.EQUAL],
        Control.NONE,
    )
    return np.where(meets & (signed > 0), signed, unsigned).astype(np.uint8)


def _before_crossings(
    network: RoadNetwork, lanes: Integers, stations: Floats, crossings: Crossings
) -> Floats:
    """Stations [m] (n,) on lanes (n,), moved back before a crossing near the lane's end."""
    if not len(crossings.centres) or not len(lanes):
        return stations
    last = network.starts[lanes + 1] - 1
    ends, headings = network.points[last], network.tangents[last]
    reach = _PLACES.near_crossing + float(crossings.half_widths.max())
    distances, nearest = cKDTree(crossings.centres[:, :2]).query(
        ends[:, :2], distance_upper_bound=reach
    )
    is_there = np.isfinite(distances)
    centre = crossings.centres[np.where(is_there, nearest, 0), :2]
    gap = centre - ends[:, :2]
    along = portable.cos(headings) * gap[:, 0] + portable.sin(headings) * gap[:, 1]
    across = portable.cos(headings) * gap[:, 1] - portable.sin(headings) * gap[:, 0]
    half = crossings.half_widths[np.where(is_there, nearest, 0)]
    before = network.lengths()[lanes] + along - LENGTH / 2.0 - _PLACES.before_crossing
    is_there &= (np.abs(along) < _PLACES.near_crossing) & (np.abs(across) < half)
    return np.maximum(
        np.where(is_there, np.minimum(stations, before), stations), _PLACES.from_start
    )


def crossings_on_lanes(network: RoadNetwork, crossings: Crossings) -> tuple[Integers32, Floats]:
    """Lanes (c,) that cross pedestrian crossings, and the stations [m] (c,) of their middles."""
    count = len(crossings.centres)
    if not count or not len(network.roads):
        return np.zeros(0, dtype=np.int32), np.zeros(0)
    points, of = network.points[:, :2], network.lane_of_points()
    lines = np.asarray(shapely.linestrings(points, indices=of), dtype=object)
    ahead = np.column_stack([portable.cos(crossings.headings), portable.sin(crossings.headings)])
    left = to_left(ahead) * crossings.half_widths[:, None]
    middles = crossings.centres[:, :2]
    bars = shapely.linestrings(np.stack([middles - left, middles + left], axis=1))
    which, lanes = shapely.STRtree(lines).query(bars, predicate="intersects")
    met = overlays.intersection(lines[lanes], np.asarray(bars)[which])
    stations = shapely.line_locate_point(lines[lanes], shapely.centroid(met))
    heights = network.points[network.starts[lanes], 2] - crossings.centres[which, 2]
    chosen = np.abs(heights) < _SAME_LEVEL
    order = np.lexsort((stations[chosen], lanes[chosen]))
    return lanes[chosen][order].astype(np.int32), stations[chosen][order]
