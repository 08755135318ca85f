"""The lanes as vehicles need them: arrays for kernels, made once from the roads."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass, VehicleKind
from autosim.traffic.vehicles.lanes.overlaps import Overlaps, find_overlaps
from autosim.traffic.vehicles.lanes.partings import find_partings
from autosim.traffic.vehicles.routes.trip_table import TripTable, no_trips
from autosim.world.lanes.lane_rules import Control
from autosim.world.lanes.roads import RoadNetwork

CROSSING, MERGING, PARTING, LEAVING = 0, 1, 2, 3
"""Codes of conflicts: two ways cross; both lead into one lane; both come from one lane; both follow
two such ways (see `find_partings`)."""

LATERAL = 2.0
"""Lateral acceleration [m/s²] for which `LaneTable.bends` holds."""

_BRAKING = 1.5
"""Deceleration [m/s²] before a bend: below what is comfortable."""

_BRISK, _EXTRA = 11.0, 0.85
"""Speed [m/s] below which drivers accept more lateral acceleration, and the share by which it is
higher at rest."""

_CUT = 4.0
"""Way [m] before and behind a point over which its curvature is averaged."""

MIN_BEND_SPEED, _FASTEST = 2.0, 60.0
"""Speeds [m/s] between which bends are driven, whatever their curvature: about a walk in the
tightest, and faster than any limit."""

_BESIDE = 0.45
"""Room [m] that a lane has beside the widest vehicle on it: so that two of them side by side do not
touch while each errs a little."""

_AROUND = 0.15
"""Room [m] on each side of a vehicle in a junction."""

_MOST_SWEPT = 1.0
"""Length [m] by which a vehicle in a junction may sweep beyond its width: half of another lane."""

_LONGEST_BLOCKED = 25.0
"""Length [m] of an overlap of two streets above which only the more important has traffic: the map
has them too near each other."""

NARROW = 2.0
"""Width [m] up to which a vehicle is narrow: cars and vans are. Two of them pass each other in
turns in which a lorry needs the lane beside, too."""

_CYCLISTS_UP_TO = 17.0
"""Speed limit [m/s] above which there are no cyclists: 60 km/h."""

_MOST_BESIDE = 16
"""Number of lanes side by side at most: twice as many as in the widest streets."""

_SMALL = 0.2
"""Share of the longest part of a town in which one can go round: what is smaller is a trap."""

_TURN, _TURN_BACK = np.radians(30.0), np.radians(140.0)
"""Angles [rad] above which a connector turns, and turns back."""

_GAP = 10.0
"""Length [m] of a lane up to which it only leads through a median."""

_TURNING, _BACK = 0.6, 0.05
"""Weights of ways that turn, and turn back, relative to one straight on: fewer take them."""


class LaneTable(NamedTuple):
    """All lanes for kernels; those of `RoadNetwork` have the same names and meanings.

    `bends` (p,) m/s, how fast one drives at each point for the sake of bends from there on, with a
    lateral acceleration of `LATERAL`; `left` and `right` (n,) the lane beside in the same direction
    of the same street, else -1; `places` (n,) number of lanes to the right of each; `weights` of
    successors; `allowed` (kinds, n) where each kind may drive, and `lasting` from where it can
    continue for ever.

    `conflicts` (c, 5) other lane, code, whether the own lane waits (1), the other (-1) or no rule
    says (0), whether it is among the rules of the map, and whether only a vehicle that is not
    `NARROW` touches others there; `spans` (c, 4) m, see `Overlaps`; `shifts` (c,) m, for lanes that
    part, see `find_partings`; lane k has those from `conflict_starts[k]` to
    `conflict_starts[k + 1]`, in the order of their places.
    `crossings` (z,) m, of lane k from `crossing_starts[k]` on; `bus_stops` (b,) m likewise.

    `trips`: the destinations of vehicles that come and go by chance, empty where others prepare
    them. For vehicles without destinations: `entries` lanes at which vehicles come in from outside;
    `homes` where they may begin, with `home_ends` (h,) m the sum of their lengths up to each.

    Attributes:
        points: (p, 3) [m] in W, the centre lines of all lanes.
        stations: (p,) [m] along the lanes.
        tangents: (p,) headings [rad] in driving direction.
        starts: (n + 1,) first point of each lane.
        limits: (n,) speed limits [m/s].
        successor_starts: (n + 1,) first of the successors of each lane.
        roads: (n,) numbers of the streets.
        controls: (n,) `Control` at the end of the lane.
        stop_lines: (n,) station [m] of the stop line, infinite: none.
        connectors: (n,) lanes through junctions.
        bus_stop_starts: (n + 1,) first bus stop of each lane.
    """

    points: Floats
    stations: Floats
    tangents: Floats
    starts: Integers
    lengths: Floats
    limits: Floats
    bends: Floats
    successor_starts: Integers
    successors: Integers
    weights: Floats
    roads: Integers
    left: Integers
    right: Integers
    places: Integers
    controls: Integers
    stop_lines: Floats
    connectors: Booleans
    allowed: Booleans
    lasting: Booleans
    conflict_starts: Integers
    conflicts: Integers
    spans: Floats
    shifts: Floats
    crossing_starts: Integers
    crossings: Floats
    bus_stop_starts: Integers
    bus_stops: Floats
    entries: Integers
    homes: Integers
    home_ends: Floats
    trips: TripTable


def lane_table_of(roads: RoadNetwork, kinds: Sequence[int]) -> LaneTable:
    """Prepares the lanes, once for all simulations on them.

    Args:
        roads: the lanes.
        kinds: of vehicles in use, indices in `FLEET`.
    """
    own = tuple(sorted(set(kinds)))
    return roads.derived(("lane table", own), lambda: _make_lane_table(roads, own))


def _make_lane_table(roads: RoadNetwork, kinds: tuple[int, ...]) -> LaneTable:
    count = len(roads.roads)
    allowed, halves, narrow = _widths_in_use(roads, kinds)
    is_used: Booleans = np.asarray(allowed.any(axis=0))
    overlaps, of_narrow = (find_overlaps(roads, each, is_used) for each in (halves, narrow))
    blocked = _blocked(roads, overlaps)
    allowed[:, blocked] = False
    kept = ~(blocked[overlaps.lanes].any(axis=1)) if len(overlaps.lanes) else np.zeros(0, bool)
    overlaps = Overlaps(overlaps.lanes[kept], overlaps.spans[kept])
    lasting = np.array([_lasting(roads, each) for each in allowed]).reshape(len(FLEET), count)
    left, right = _neighbours(roads)
    entries, homes = _entries(roads, allowed), _homes(roads, allowed, lasting)
    rules = roads.traffic
    crossing_starts, crossings = _places_on_lanes(
        roads, rules.crossing_lanes, rules.crossing_stations
    )
    bus_stop_starts, bus_stops = _places_on_lanes(
        roads, rules.bus_stop_lanes, rules.bus_stop_stations
    )
    stops = roads.traffic.stop_lines
    conflicts, shifts = _rules(roads, overlaps, of_narrow)
    return LaneTable(
        points=roads.points.copy(),
        stations=roads.stations.copy(),
        tangents=roads.tangents.copy(),
        starts=roads.starts.astype(np.int64),
        lengths=roads.lengths(),
        limits=roads.speed_limits.copy(),
        bends=_bends(roads),
        successor_starts=roads.successor_starts.astype(np.int64),
        successors=roads.successors.astype(np.int64),
        weights=_weights(roads),
        roads=roads.roads.astype(np.int64),
        left=left,
        right=right,
        places=_places(right),
        controls=roads.traffic.controls.astype(np.int64),
        stop_lines=np.where(np.isnan(stops), np.inf, stops),
        connectors=roads.connectors.copy(),
        allowed=allowed,
        lasting=lasting,
        conflict_starts=np.searchsorted(overlaps.lanes[:, 0], np.arange(count + 1)),
        conflicts=conflicts,
        spans=overlaps.spans.copy(),
        shifts=shifts,
        crossing_starts=crossing_starts,
        crossings=crossings,
        bus_stop_starts=bus_stop_starts,
        bus_stops=bus_stops,
        entries=entries,
        homes=homes,
        home_ends=np.cumsum(roads.lengths()[homes]),
        trips=no_trips(len(FLEET), count, len(roads.successors)),
    )


def _widths_in_use(roads: RoadNetwork, kinds: tuple[int, ...]) -> tuple[Booleans, Floats, Floats]:
    """The lanes of each kind, and half of the width [m] that vehicles need there.

    Returns:
        allowed: (kinds, lanes).
        halves: (lanes,) [m] for all kinds.
        narrow: (lanes,) [m] for narrow ones.
    """
    count = len(roads.roads)
    curvatures = _curvatures(roads)
    sharpest = np.zeros(count)
    np.maximum.at(sharpest, roads.lane_of_points(), curvatures)
    allowed = np.zeros((len(FLEET), count), dtype=np.bool_)
    halves, narrow = np.full(count, 0.5), np.full(count, 0.5)
    for kind in kinds:
        allowed[kind] = _may_drive(roads, FLEET[kind], sharpest)
        half = FLEET[kind].width / 2.0 + sweep_of(FLEET[kind]) * sharpest + _AROUND
        halves = np.where(allowed[kind], np.maximum(halves, half), halves)
        if FLEET[kind].width <= NARROW:
            narrow = np.where(allowed[kind], np.maximum(narrow, half), narrow)
    return allowed, halves, narrow


def sweep_of(kind: VehicleKind) -> float:
    """Swept width [m] of a vehicle beyond its own width in a bend, times the radius [m].

    Both axles follow the lane: the corners of a body reach beyond the arc, and its middle cuts it.
    """
    half = kind.axles.wheelbase / 2.0
    middle = kind.axles.places[0] + half
    reach = max(middle, kind.length - middle)
    return max(reach * reach - half * half, half * half) / 2.0


def _curvatures(roads: RoadNetwork) -> Floats:
    """Curvature (p,) [1/m] at each point, smoothed over its neighbours."""
    if not len(roads.points):
        return np.zeros(0)
    lane = roads.lane_of_points()
    turns = np.abs(portable.wrapped(np.diff(roads.tangents)))
    same = lane[1:] == lane[:-1]
    ways = np.where(same, np.diff(roads.stations), 0.0)
    turns = np.where(same, turns, 0.0)
    turned = np.concatenate([[0.0], turns]) + np.concatenate([turns, [0.0]])
    gone = np.concatenate([[0.0], ways]) + np.concatenate([ways, [0.0]])
    return np.asarray(turned / np.maximum(gone, 1.0))


def _bends(roads: RoadNetwork) -> Floats:
    """Speed (p,) [m/s] for the sake of bends at each point, see `LaneTable.bends`."""
    bends = np.clip(speed_in_bend(_smooth_curvatures(roads)), MIN_BEND_SPEED, _FASTEST)
    lane = roads.lane_of_points()
    for k in range(len(bends) - 2, -1, -1):
        if lane[k] == lane[k + 1]:
            way = roads.stations[k + 1] - roads.stations[k]
            bends[k] = min(bends[k], np.sqrt(bends[k + 1] ** 2 + 2.0 * _BRAKING * way))
    return np.asarray(bends)


def speed_in_bend(curvature: Floats) -> Floats:
    """Speeds [m/s] in bends by their curvatures [1/m], for the lateral acceleration `LATERAL`.

    Slow drivers accept more: the side friction for which streets in towns are designed is 0.38 at
    16 km/h, 0.27 at 32 km/h and 0.20 at 48 km/h (AASHTO, A Policy on Geometric Design of Highways
    and Streets, 2018, table 3-13). Below `_BRISK` the acceleration grows linearly by `_EXTRA`.
    """
    curvature = np.maximum(curvature, 1e-6)
    fast = np.sqrt(LATERAL / curvature)
    # curvature * v² = LATERAL * (1 + _EXTRA * (1 - v / _BRISK)), solved for v.
    slope = LATERAL * _EXTRA / _BRISK
    root = np.sqrt(slope * slope + 4.0 * curvature * LATERAL * (1.0 + _EXTRA))
    return np.asarray(np.where(fast < _BRISK, (root - slope) / (2.0 * curvature), fast))


def _smooth_curvatures(roads: RoadNetwork) -> Floats:
    """Curvature (p,) [1/m] at each point, the mean over `_CUT` to both sides on its lane.

    A driver cuts the kinks of a line within the lane.
    """
    if not len(roads.points):
        return np.zeros(0)
    lane, lengths = roads.lane_of_points(), roads.lengths()
    turns = portable.wrapped(np.diff(roads.tangents, prepend=roads.tangents[0]))
    turns[roads.starts[:-1]] = 0.0
    headings = np.cumsum(turns)
    # All lanes one after another on one axis, a metre apart.
    firsts = np.concatenate([[0.0], np.cumsum(lengths + 1.0)[:-1]])[lane]
    stations = roads.stations + firsts
    behind = np.maximum(roads.stations - _CUT, 0.0) + firsts
    ahead = np.minimum(roads.stations + _CUT, lengths[lane]) + firsts
    turned = np.interp(ahead, stations, headings) - np.interp(behind, stations, headings)
    return np.asarray(np.abs(turned) / np.maximum(ahead - behind, 1.0))


def _may_drive(roads: RoadNetwork, kind: VehicleKind, sharpest: Floats) -> Booleans:
    swept = sweep_of(kind) * sharpest
    fits = kind.width + 2.0 * swept <= roads.widths - _BESIDE
    turns = (kind.width <= roads.widths - _BESIDE) & (swept <= _MOST_SWEPT)
    may: Booleans = np.where(roads.connectors, turns, fits)
    if kind.vehicle_class == VehicleClass.BICYCLE:
        may &= roads.speed_limits <= _CYCLISTS_UP_TO
    return may


def _lasting(roads: RoadNetwork, allowed: Booleans) -> Booleans:
    """The lanes (n,) from which a vehicle can continue for ever, not only round in a small circle.

    The inner lane of a roundabout may have no way out: lanes that lead nowhere else do not count.
    """
    # Imported here: simulations without traffic do without SciPy, which takes long to import.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(allowed)
    sources = np.repeat(np.arange(count), np.diff(roads.successor_starts))
    kept = allowed[sources] & allowed[roads.successors]
    ends = sources[kept], roads.successors[kept].astype(np.int64)
    links = coo_array((np.ones(len(ends[0])), ends), shape=(count, count))
    _, labels = connected_components(links, directed=True, connection="strong")
    sizes = np.bincount(labels, weights=np.where(allowed, roads.lengths(), 0.0))
    has_way = np.zeros(len(sizes), dtype=np.bool_)
    has_way[labels[ends[0]][labels[ends[0]] == labels[ends[1]]]] = True
    sizes = np.where(has_way, sizes, 0.0)
    lasting: Booleans = allowed & (sizes[labels] > _SMALL * sizes.max(initial=0.0))
    while True:
        before = lasting.copy()
        lasting[ends[0][lasting[ends[1]]]] = True
        if (lasting == before).all():
            return lasting


def _weights(roads: RoadNetwork) -> Floats:
    turns = turns_of(roads)
    weights = np.where(turns > _TURN_BACK, _BACK, np.where(turns > _TURN, _TURNING, 1.0))
    return np.asarray((weights * roads.speed_limits)[roads.successors])


def turns_of(roads: RoadNetwork) -> Floats:
    """Angle [rad] (n,) by which a vehicle that takes each lane turns.

    The turn that has to follow within a street counts too, as at a gap in a median.
    """
    begins, ends = roads.tangents[roads.starts[:-1]], roads.tangents[roads.starts[1:] - 1]
    turns: Floats = np.abs(portable.wrapped(ends - begins))
    sources = np.repeat(np.arange(len(turns)), np.diff(roads.successor_starts))
    is_gap = ~roads.connectors & (roads.lengths() < _GAP)
    into = roads.connectors[sources] & is_gap[roads.successors]
    for lane, gap in zip(sources[into], roads.successors[into], strict=True):
        after = roads.successors[roads.successor_starts[gap] : roads.successor_starts[gap + 1]]
        least = np.abs(portable.wrapped(ends[after] - begins[lane])).min(initial=np.inf)
        turns[lane] = max(turns[lane], least) if len(after) else turns[lane]
    return turns


def _neighbours(roads: RoadNetwork) -> tuple[Integers, Integers]:
    """The lanes (n,) to the left and to the right of each in the same direction, else -1."""
    left = np.full(len(roads.roads), -1, dtype=np.int64)
    right = left.copy()
    streets = np.flatnonzero(~roads.connectors)
    streets = streets[np.argsort(roads.roads[streets], kind="stable")]
    breaks = np.flatnonzero(np.diff(roads.roads[streets])) + 1
    for group in np.split(streets, breaks):
        for lane in group.tolist() if len(group) > 1 else ():
            own = roads.lanes[lane]
            middle = own.position(own.length / 2.0)
            heading = own.heading(own.length / 2.0)
            for other in group.tolist():
                if other == lane:
                    continue
                station, across = roads.lanes[other].local_coordinates(middle)
                near = 0.75 * (roads.widths[lane] + roads.widths[other])
                turned = portable.wrapped(roads.lanes[other].heading(station) - heading)
                if abs(across) < near and abs(turned) < _TURN:
                    (left if across < 0.0 else right)[lane] = other
    return left, right


def _places(right: Integers) -> Integers:
    """Number of lanes (n,) to the right of each."""
    places, at = np.zeros(len(right), dtype=np.int64), right.copy()
    for _ in range(_MOST_BESIDE):
        places += at >= 0
        at = np.where(at >= 0, right[at], -1)
    return places


def _entries(roads: RoadNetwork, allowed: Booleans) -> Integers:
    follows = np.zeros(len(roads.roads), dtype=np.bool_)
    follows[roads.successors] = True
    return np.flatnonzero(~follows & ~roads.connectors & allowed.any(axis=0))


def _homes(roads: RoadNetwork, allowed: Booleans, lasting: Booleans) -> Integers:
    """Streets on which vehicles may start: those from which they can continue, if there are any."""
    chosen = lasting.any(axis=0) & ~roads.connectors
    if not chosen.any():
        chosen = allowed.any(axis=0) & ~roads.connectors
    return np.flatnonzero(chosen)


def _places_on_lanes(
    roads: RoadNetwork, lanes: Integers32, stations: Floats
) -> tuple[Integers, Floats]:
    """The first place (n + 1,) of each lane, and all stations in the order of the lanes."""
    order = np.lexsort((stations, lanes))
    return np.searchsorted(lanes[order], np.arange(len(roads.roads) + 1)), stations[order].copy()


def _blocked(roads: RoadNetwork, overlaps: Overlaps) -> Booleans:
    """The lanes (n,) that lie on another street for too long to take turns."""
    blocked = np.zeros(len(roads.roads), dtype=np.bool_)
    lanes = overlaps.lanes
    is_long = overlaps.spans[:, 1] - overlaps.spans[:, 0] > _LONGEST_BLOCKED
    is_long &= ~roads.connectors[lanes].any(axis=1)
    lengths = roads.lengths()
    for own, other in lanes[is_long].tolist():
        if not blocked[own] and not blocked[other]:
            mine = (roads.speed_limits[own], lengths[own], own)
            blocked[own if mine < (roads.speed_limits[other], lengths[other], other) else other] = (
                True
            )
    return blocked


def _rules(roads: RoadNetwork, overlaps: Overlaps, of_narrow: Overlaps) -> tuple[Integers, Floats]:
    """The conflicts (c, 5) of overlaps, and their `shifts` (c,), see `LaneTable`."""
    touching = {tuple(pair) for pair in of_narrow.lanes.tolist()}
    traffic = roads.traffic
    pairs = traffic.conflict_lanes.tolist()
    waits = {}
    for (first, second), which in zip(pairs, traffic.conflict_yields.tolist(), strict=True):
        waits[first, second] = 1 if which == 0 else (-1 if which == 1 else 0)
        waits[second, first] = -waits[first, second]
    before = _before(roads)
    following = [set(each.successors) for each in roads.lanes]
    rows = np.zeros((len(overlaps.lanes), 5), dtype=np.int64)
    merges = [bool(following[own] & following[other]) for own, other in overlaps.lanes.tolist()]
    parts = [
        not merges[row] and bool(before[own] & before[other]) and _begins(overlaps.spans[row])
        for row, (own, other) in enumerate(overlaps.lanes.tolist())
    ]
    is_parting, shifts = find_partings(
        overlaps, np.array(parts, dtype=np.bool_), before, roads.lengths()
    )
    for row, (own, other) in enumerate(overlaps.lanes.tolist()):
        code = MERGING if merges[row] else PARTING if parts[row] else CROSSING
        code = LEAVING if is_parting[row] and not parts[row] and not merges[row] else code
        rule = waits.get((own, other))
        if rule is None:
            rule = _rule_of_controls(traffic.controls, before, own, other)
        for_wide = code in (CROSSING, LEAVING) and rule == 0 and (own, other) not in touching
        rows[row] = other, code, rule, (own, other) in waits, for_wide
    return rows, shifts


def _begins(spans: Floats) -> bool:
    return bool(spans[0] == 0.0 and spans[2] == 0.0)


def _before(roads: RoadNetwork) -> list[set[int]]:
    before: list[set[int]] = [set() for _ in roads.roads]
    for lane in roads.lanes:
        for following in lane.successors:
            before[following].add(lane.index)
    return before


def _rule_of_controls(controls: Bytes, before: list[set[int]], own: int, other: int) -> int:
    """Priority where the map's rules do not cover an overlap: a lane with a sign yields."""
    mine, theirs = (
        any(controls[each] in (Control.STOP, Control.GIVE_WAY) for each in before[lane])
        for lane in (own, other)
    )
    return int(mine) - int(theirs)
