"""Makes the network of lanes: chains of lanes of one road become one lane of the network."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.opendrive.lane_links import (
    LaneKey,
    driven_lanes,
    following,
    is_along,
    lane_of,
)
from autosim.world.opendrive.road_frames import RoadFrame, inner_of, lifts
from autosim.world.opendrive.xodr_records import XodrFile, XodrRoad

_SAME_PLACE = 1e-3
"""Distance [m] within which two points of a lane coincide."""

_FARTHEST_JOINT = 2.0
"""Distance [m] between two lanes above which a link between them is an error of the file."""

_NARROWEST = 1.0
"""Greatest width [m] of a lane below which it carries no traffic anywhere."""

_LEAST_LENGTH = 0.02
"""Length [m] of the shortest lane."""

_TOWN_LIMIT = 50.0 / 3.6
"""Speed limit [m/s] where the file states none and no other type of road."""

LIMITS = {
    "rural": 100.0 / 3.6,
    "motorway": 130.0 / 3.6,
    "town": _TOWN_LIMIT,
    "lowSpeed": 20.0 / 3.6,
    "pedestrian": 10.0 / 3.6,
    "bicycle": 20.0 / 3.6,
    "townExpressway": 80.0 / 3.6,
    "townCollector": _TOWN_LIMIT,
    "townArterial": _TOWN_LIMIT,
    "townPrivate": 20.0 / 3.6,
    "townLocal": 30.0 / 3.6,
    "townPlayStreet": 10.0 / 3.6,
}
"""Speed limits [m/s] of types of roads, where the file states none."""

HIGHWAYS = {
    "rural": "secondary",
    "motorway": "motorway",
    "town": "tertiary",
    "lowSpeed": "living_street",
    "pedestrian": "pedestrian",
    "bicycle": "cycleway",
    "townExpressway": "trunk",
    "townCollector": "tertiary",
    "townArterial": "secondary",
    "townPrivate": "service",
    "townLocal": "residential",
    "townPlayStreet": "living_street",
}
"""Values of OSM's `highway` for types of roads."""


@dataclass(frozen=True, slots=True)
class LaneChain:
    """Lanes (n) of one road that follow one another, in the direction of traffic: a network's lane.

    `line` (k, 3) [m] is its middle and `widths` (k,) [m] are those at its points.
    """

    keys: tuple[LaneKey, ...]
    """The lanes, in the direction of traffic."""
    is_along: bool
    """Whether traffic moves towards higher stations."""
    line: Floats
    widths: Floats


@dataclass(frozen=True, slots=True)
class OdrNetwork:
    """The lanes of a file.

    `chains` (n,) are the lanes of `network`; `roads` are the ids of the roads that it numbers;
    `forward` (n,) whether each leads along its road; `lanes` the place in the network of each key.
    `lost` are links between lanes that do not meet.
    """

    network: RoadNetwork
    chains: tuple[LaneChain, ...]
    roads: tuple[str, ...]
    forward: Booleans
    lanes: Mapping[LaneKey, int]
    lost: tuple[tuple[LaneKey, LaneKey, float], ...]


def make_network(content: XodrFile, frames: Mapping[str, RoadFrame]) -> OdrNetwork:
    """Makes the network of a file's lanes, at the heights of the file."""
    pieces = {key: _piece(frames[key.road], key) for key in driven_lanes(content)}
    keys = [key for key, (line, widths) in pieces.items() if _is_lane(line, widths)]
    after, lost = _joined(following(content, keys), pieces)
    chains = _chains(content, keys, after, pieces)
    lanes = {key: number for number, chain in enumerate(chains) for key in chain.keys}
    numbers = {id_: number for number, id_ in enumerate(content.roads)}
    records = [
        _record(content, chain, [lanes[key] for key in after[chain.keys[-1]]], numbers)
        for chain in chains
    ]
    records = with_streets(records)
    network = RoadNetwork.from_lanes(records)
    forward = np.array([chain.is_along for chain in chains], dtype=np.bool_)
    return OdrNetwork(network, tuple(chains), tuple(content.roads), forward, lanes, tuple(lost))


def _piece(frame: RoadFrame, key: LaneKey) -> tuple[Floats, Floats]:
    """The middle line (n, 3) [m] of a lane in the direction of its traffic, and widths (n,) [m]."""
    rows = frame.rows_of(key.section)
    if not len(rows):
        return np.zeros((0, 3)), np.zeros(0)
    section = frame.road.sections[key.section]
    borders = frame.borders(key.section, frame.s[rows])
    outer, inner = borders[key.lane], borders[inner_of(key.lane)]
    lane = section.lanes[key.lane]
    low, high = lifts(section, lane, frame.s[rows])
    line = frame.beside(rows, (outer + inner) / 2.0, (low + high) / 2.0)
    widths = np.abs(outer - inner)
    if not is_along(frame.road, lane):
        line, widths = line[::-1], widths[::-1]
    return line, widths


def _is_lane(line: Floats, widths: Floats) -> bool:
    if len(line) < 2 or widths.max() < _NARROWEST:
        return False
    return bool(portable.hypot(*np.diff(line[:, :2], axis=0).T).sum() > _LEAST_LENGTH)


def _joined(
    after: Mapping[LaneKey, list[LaneKey]], pieces: Mapping[LaneKey, tuple[Floats, Floats]]
) -> tuple[dict[LaneKey, list[LaneKey]], list[tuple[LaneKey, LaneKey, float]]]:
    """The links between lanes that meet, and the others with the gap [m]."""
    kept: dict[LaneKey, list[LaneKey]] = defaultdict(list)
    lost = []
    for key, others in after.items():
        for other in others:
            gap = portable.length(pieces[key][0][-1] - pieces[other][0][0])
            if gap <= _FARTHEST_JOINT:
                kept[key].append(other)
            else:
                lost.append((key, other, gap))
    return kept, lost


def _chains(
    content: XodrFile,
    keys: Sequence[LaneKey],
    after: Mapping[LaneKey, list[LaneKey]],
    pieces: Mapping[LaneKey, tuple[Floats, Floats]],
) -> list[LaneChain]:
    before: dict[LaneKey, list[LaneKey]] = defaultdict(list)
    for key in keys:
        for other in after.get(key, ()):
            before[other].append(key)

    def next_of(key: LaneKey) -> LaneKey | None:
        """The lane that continues this one on the same road, if only that one does."""
        others = after.get(key, [])
        if len(others) != 1 or others[0].road != key.road or len(before[others[0]]) != 1:
            return None
        same = abs(others[0].section - key.section) == 1
        return others[0] if same else None

    continued = {next_of(key) for key in keys}
    chains = []
    for key in keys:
        if key in continued:
            continue
        members = [key]
        while (following_ := next_of(members[-1])) is not None:
            members.append(following_)
        chains.append(_chain(content, members, pieces))
    return chains


def _chain(
    content: XodrFile,
    members: Sequence[LaneKey],
    pieces: Mapping[LaneKey, tuple[Floats, Floats]],
) -> LaneChain:
    line = np.vstack([pieces[key][0] for key in members])
    widths = np.concatenate([pieces[key][1] for key in members])
    steps = portable.hypot(*np.diff(line[:, :2], axis=0).T)
    keep = np.concatenate([[True], steps > _SAME_PLACE])
    keep[-1] = True
    rows = np.flatnonzero(keep)
    # The last point stays: the next lane begins there.
    if len(rows) > 2 and portable.length(line[rows[-1], :2] - line[rows[-2], :2]) < _SAME_PLACE:
        rows = np.delete(rows, -2)
    along = is_along(content.roads[members[0].road], lane_of(content, members[0]))
    return LaneChain(tuple(members), along, line[rows], widths[rows])


def _record(
    content: XodrFile, chain: LaneChain, successors: list[int], numbers: Mapping[str, int]
) -> LaneRecord:
    road = content.roads[chain.keys[0].road]
    kind = road.kinds[0][1] if road.kinds else "unknown"
    return LaneRecord(
        road=numbers[road.id],
        centre_line=chain.line,
        width=float(np.median(chain.widths)),
        speed_limit=_limit(content, chain, road, kind),
        highway=HIGHWAYS.get(kind, "tertiary"),
        is_connector=_is_connector(content, road),
        successors=tuple(successors),
    )


def _is_connector(content: XodrFile, road: XodrRoad) -> bool:
    junction = content.junctions.get(road.junction)
    return bool(road.junction) and (junction is None or junction.kind != "direct")


def _limit(content: XodrFile, chain: LaneChain, road: XodrRoad, kind: str) -> float:
    """The median of the limits [m/s] that the file states for a lane; else of those of its road."""
    own = [limit for key in chain.keys for _, limit in lane_of(content, key).speeds]
    if own:
        return float(np.median(own))
    if road.speeds:
        return float(np.median([limit for _, limit in road.speeds]))
    return LIMITS.get(kind, _TOWN_LIMIT)


def with_streets(records: list[LaneRecord]) -> list[LaneRecord]:
    """Gives connectors the number of the road into which they lead."""
    found = []
    for record in records:
        street, seen = record, 0
        while street.is_connector and street.successors and seen < len(records):
            street, seen = records[street.successors[0]], seen + 1
        changed = record
        if record.is_connector and not street.is_connector:
            changed = replace(record, road=street.road)
        found.append(changed)
    return found
