"""Lines at which vehicles wait before a junction: solid stop lines and broken give-way lines."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from autosim.world.compiled import Surface
from autosim.world.markings.crossings import LENGTH, Crossings
from autosim.world.markings.patches import Patches, oblongs
from autosim.world.markings.traits import StreetTraits
from autosim.world.roads import RoadNetwork

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

_SHORTEST_LANE = 9.0
_THICK, _GIVE_WAY_THICK = 0.4, 0.3
_GIVE_WAY_DASH, _GIVE_WAY_PERIOD = 0.5, 0.85
_FROM_EDGE = 0.2
_SIGNAL_REACH, _SIGN_REACH = 25.0, 18.0
_BEFORE_CROSSING = 1.2
_NEAR_CROSSING = 9.0


@dataclass(frozen=True, slots=True)
class Signs:
    """Places (n, 2) [m] of traffic signals, stop signs and give-way signs."""

    signals: Floats
    stops: Floats
    give_ways: Floats


@dataclass(frozen=True, slots=True)
class WaitingLines:
    """Lanes (n,) with a line before their end, at `stations` (n,) [m]; `solid` (n,)."""

    lanes: Integers
    stations: Floats
    solid: Booleans


def waiting_lines(
    network: RoadNetwork, traits: StreetTraits, *, signs: Signs, crossings: Crossings
) -> WaitingLines:
    """Where vehicles wait.

    A junction is where lanes of three or more streets meet. With signals everyone has a stop line.
    Without, the less important streets have a give-way line (a stop line where there is a sign);
    among equals, of three arms the one that does not lead straight on, of four or more all.
    """
    junction, arms = _junctions(network)
    ends = network.points[network.starts[1:] - 1]
    lanes = np.flatnonzero(
        ~network.connectors
        & (arms[junction] >= 3)
        & ~traits.roundabouts[network.roads]
        & (traits.painted[network.roads] | (traits.ranks[network.roads] <= 6))
        & (network.lengths() >= _SHORTEST_LANE)
        & (np.diff(network.successor_starts) > 0)
    )
    has_signals = np.zeros(len(arms), dtype=np.bool_)
    has_signals[junction[lanes[_is_near(ends[lanes], signs.signals, _SIGNAL_REACH)]]] = True
    stop_signed = _is_near(ends[lanes], signs.stops, _SIGN_REACH)
    give_way_signed = _is_near(ends[lanes], signs.give_ways, _SIGN_REACH)
    yields, all_equal = _yielding(network, traits, junction=junction, arms=arms, lanes=lanes)
    solid = has_signals[junction[lanes]] | stop_signed | (all_equal & ~give_way_signed)
    waits = solid | yields | give_way_signed
    lanes = lanes[waits]
    return WaitingLines(lanes, _stations(network, lanes, crossings), solid[waits])


def _junctions(network: RoadNetwork) -> tuple[Integers, Integers]:
    """Junction (n,) at the end of each lane, and the number of streets that meet at each."""
    count = len(network.roads)
    sources = np.repeat(np.arange(count), np.diff(network.successor_starts))
    targets = network.successors.astype(np.int64)
    starts = np.where(network.connectors[targets], targets, targets + count)
    links = coo_array((np.ones(len(sources)), (sources, starts)), shape=(2 * count, 2 * count))
    _, labels = connected_components(links, directed=False)
    lanes = np.flatnonzero(~network.connectors)
    at = np.concatenate([labels[lanes], labels[lanes + count]])
    pairs = np.unique(np.column_stack([at, np.tile(network.roads[lanes], 2)]), axis=0)
    arms = np.bincount(pairs[:, 0], minlength=int(labels.max(initial=0)) + 1)
    return labels[:count].astype(np.int64), arms


def _is_near(points: Floats, places: Floats, reach: float) -> Booleans:
    if not len(places) or not len(points):
        return np.zeros(len(points), dtype=np.bool_)
    distances, _ = cKDTree(places).query(points[:, :2], distance_upper_bound=reach)
    return np.isfinite(distances)


def _yielding(
    network: RoadNetwork,
    traits: StreetTraits,
    *,
    junction: Integers,
    arms: Integers,
    lanes: Integers,
) -> tuple[Booleans, Booleans]:
    """Which lanes give way to others, and which meet equals only at junctions of four arms."""
    at = junction[lanes]
    ranks = np.where(traits.roundabouts[network.roads], -1, traits.ranks[network.roads])
    best = np.full(len(arms), 99, dtype=np.int64)
    lane_ends = np.flatnonzero(~network.connectors)
    np.minimum.at(best, junction[lane_ends], ranks[lane_ends])
    lead = np.flatnonzero(network.connectors)
    np.minimum.at(best, junction[lead], ranks[lead])
    own = ranks[lanes]
    is_minor = own > best[at]
    worst = np.full(len(arms), -1, dtype=np.int64)
    np.maximum.at(worst, at, own)
    are_equal = (worst[at] == best[at]) & ~is_minor
    return is_minor | (are_equal & (arms[at] == 3) & _is_stem(network, lanes)), (
        are_equal & (arms[at] >= 4)
    )


def _is_stem(network: RoadNetwork, lanes: Integers) -> Booleans:
    """Lanes (n,) from which no way leads straight on: the stem of a T."""
    count = len(network.roads)
    turned = np.zeros(count)
    firsts, lasts = network.starts[:-1], network.starts[1:] - 1
    turned[:] = np.abs(np.angle(np.exp(1j * (network.tangents[lasts] - network.tangents[firsts]))))
    sources = np.repeat(np.arange(count), np.diff(network.successor_starts))
    least = np.full(count, np.inf)
    np.minimum.at(least, sources, turned[network.successors])
    return np.asarray(least[lanes] > np.radians(40.0))


def _stations(network: RoadNetwork, lanes: Integers, crossings: Crossings) -> Floats:
    """At the end of each lane, or before the crossing there."""
    lengths = network.lengths()[lanes]
    stations = lengths - _THICK / 2.0 - 0.1
    if not len(crossings.centres) or not len(lanes):
        return stations
    last = network.starts[lanes + 1] - 1
    ends, headings = network.points[last], network.tangents[last]
    reach = _NEAR_CROSSING + float(crossings.half_widths.max())
    distances, nearest = cKDTree(crossings.centres[:, :2]).query(
        ends[:, :2], distance_upper_bound=reach
    )
    is_there = np.isfinite(distances)
    centre = crossings.centres[np.where(is_there, nearest, 0), :2]
    gap = centre - ends[:, :2]
    along = np.cos(headings) * gap[:, 0] + np.sin(headings) * gap[:, 1]
    across = np.cos(headings) * gap[:, 1] - np.sin(headings) * gap[:, 0]
    half = crossings.half_widths[np.where(is_there, nearest, 0)]
    before = lengths + along - LENGTH / 2.0 - _BEFORE_CROSSING
    is_there &= (np.abs(along) < _NEAR_CROSSING) & (np.abs(across) < half)
    moved = np.where(is_there, np.minimum(stations, before), stations)
    return np.maximum(moved, 1.0)


def waiting_patches(waiting: WaitingLines, network: RoadNetwork) -> Patches:
    """Bars across lanes; broken ones where vehicles give way."""
    lanes = [network.lanes[k] for k in waiting.lanes.tolist()]
    places = np.array(
        [lane.position(s) for lane, s in zip(lanes, waiting.stations.tolist(), strict=True)]
    ).reshape(-1, 3)
    headings = np.array(
        [lane.heading(s) for lane, s in zip(lanes, waiting.stations.tolist(), strict=True)]
    )
    widths = network.widths[waiting.lanes] - 2.0 * _FROM_EDGE
    solid, broken = waiting.solid, ~waiting.solid
    bars = oblongs(places[solid], headings[solid], length=_THICK, width=widths[solid])
    counts = np.maximum((widths[broken] // _GIVE_WAY_PERIOD).astype(np.int64), 1)
    of = np.repeat(np.arange(len(counts)), counts)
    k = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    across = ((k - (counts[of] - 1) / 2.0) * _GIVE_WAY_PERIOD)[:, None]
    angles = headings[broken][of]
    left = np.column_stack([-np.sin(angles), np.cos(angles), 0.0 * angles])
    dashes = oblongs(
        places[broken][of] + across * left, angles, length=_GIVE_WAY_THICK, width=_GIVE_WAY_DASH
    )
    return Patches.of(np.concatenate([bars, dashes]), Surface.PAINT)
