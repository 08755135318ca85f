"""Makes the network of a map of lanelets: those that follow one another become one lane."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.lanelets.lanelet_paths import LaneletPath, junction_paths, make_paths
from autosim.world.lanelets.lanelet_records import LaneletMap, PathKey
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from autosim.world.opendrive.lane_network import with_streets

_FARTHEST_JOINT = 2.0
"""Distance [m] between two paths above which a link between them is an error of the file."""

_SAME_PLACE = 1e-3
"""Distance [m] within which two points of a lane coincide."""


@dataclass(frozen=True, slots=True)
class LaneletNetwork:
    """The lanes of a map of lanelets.

    Attributes:
        network: all lanes, at the heights of the file.
        forward: (n,) whether each leads along its street.
        lanes: the lane of each path.
        starts: the station [m] on its lane at which each path begins.
        connectors: the lanelets that are parts of junctions.
        lost: links between paths that do not meet, with the gap [m].
    """

    network: RoadNetwork
    forward: Booleans
    lanes: Mapping[PathKey, int]
    starts: Mapping[PathKey, float]
    connectors: frozenset[int]
    lost: tuple[tuple[PathKey, PathKey, float], ...]


def make_lanelet_network(content: LaneletMap, *, keeps_left: bool) -> LaneletNetwork:
    """Makes the network of all lanelets of traffic."""
    paths = make_paths(content, keeps_left=keeps_left)
    inside = junction_paths(content, paths)
    after, lost = _joined(content.successors, paths)
    chains = _chains(content, paths, after, inside)
    lanes = {key: number for number, chain in enumerate(chains) for key in chain}
    streets, forward = _streets(content, chains, lanes, inside)
    records = []
    starts: dict[PathKey, float] = {}
    for number, chain in enumerate(chains):
        line, widths, stations = _line(chain, paths)
        starts.update(zip(chain, stations, strict=True))
        first = content.lanelets[chain[0].lanelet]
        limits = [content.lanelets[key.lanelet].speed_limit for key in chain]
        records.append(
            LaneRecord(
                road=streets[number],
                centre_line=line,
                width=float(np.median(widths)),
                speed_limit=float(np.median(limits)),
                highway=first.highway,
                is_connector=chain[0] in inside,
                successors=tuple(lanes[key] for key in after.get(chain[-1], ())),
            )
        )
    network = RoadNetwork.from_lanes(with_streets(records))
    connectors = frozenset(key.lanelet for key in inside)
    return LaneletNetwork(network, forward, lanes, starts, connectors, tuple(lost))


def _joined(
    links: Mapping[PathKey, Sequence[PathKey]], paths: Mapping[PathKey, LaneletPath]
) -> tuple[dict[PathKey, list[PathKey]], list[tuple[PathKey, PathKey, float]]]:
    kept: dict[PathKey, list[PathKey]] = defaultdict(list)
    lost = []
    for key, others in links.items():
        for other in others:
            if key not in paths or other not in paths:
                continue
            gap = portable.length(paths[key].line[-1] - paths[other].line[0])
            if gap <= _FARTHEST_JOINT:
                kept[key].append(other)
            else:
                lost.append((key, other, gap))
    return kept, lost


def _chains(
    content: LaneletMap,
    paths: Mapping[PathKey, LaneletPath],
    after: Mapping[PathKey, Sequence[PathKey]],
    inside: set[PathKey],
) -> list[list[PathKey]]:
    """The paths that follow one another without a choice and at one speed limit."""
    before: dict[PathKey, list[PathKey]] = defaultdict(list)
    for key, others in after.items():
        for other in others:
            before[other].append(key)

    def next_of(key: PathKey) -> PathKey | None:
        others = after.get(key, ())
        if len(others) != 1 or len(before[others[0]]) != 1:
            return None
        one, other = (content.lanelets[each.lanelet] for each in (key, others[0]))
        same = (key in inside) is (others[0] in inside) and one.speed_limit == other.speed_limit
        return others[0] if same and one.highway == other.highway else None

    following = {key: next_of(key) for key in paths}
    continued = set(following.values())
    firsts = [key for key in paths if key not in continued]
    chains, seen = [], set[PathKey]()
    # The paths of a ring have no first one: then any of them begins it.
    for first in [*firsts, *paths]:
        chain = []
        at: PathKey | None = first
        while at is not None and at not in seen:
            seen.add(at)
            chain.append(at)
            at = following[at]
        if chain:
            chains.append(chain)
    return chains


def _line(
    chain: Sequence[PathKey], paths: Mapping[PathKey, LaneletPath]
) -> tuple[Floats, Floats, list[float]]:
    """The middle line and widths of a lane, and the stations [m] at which its paths begin."""
    line = np.vstack([paths[key].line for key in chain])
    widths = np.concatenate([paths[key].widths for key in chain])
    counts = [len(paths[key].line) for key in chain]
    rows = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    steps = portable.hypot(*np.diff(line[:, :2], axis=0).T)
    stations = np.concatenate([[0.0], np.cumsum(steps)])[rows].tolist()
    kept = np.flatnonzero(np.concatenate([[True], steps > _SAME_PLACE]))
    return line[kept], widths[kept], stations


def _streets(
    content: LaneletMap,
    chains: Sequence[Sequence[PathKey]],
    lanes: Mapping[PathKey, int],
    inside: Iterable[PathKey],
) -> tuple[list[int], Booleans]:
    """The number of each lane's street, and whether the lane leads along it.

    Neighbours are lanes of one street; connectors have their own ones.
    """
    known = set(inside)
    groups = list(range(len(chains)))
    forward = np.ones(len(chains), dtype=np.bool_)

    def pairs(found: Iterable[tuple[PathKey, PathKey]]) -> list[tuple[int, int]]:
        return [
            (lanes[a], lanes[b])
            for a, b in found
            if a in lanes and b in lanes and a not in known and b not in known
        ]

    members = {k: [k] for k in groups}
    linked = [(a, b, True) for a, b in pairs(content.beside)]
    linked += [(a, b, False) for a, b in pairs(content.opposite)]
    for a, b, is_same in linked:
        if groups[a] == groups[b]:
            continue
        turned = bool(forward[a] == forward[b]) is not is_same
        moved = members.pop(groups[b])
        for each in moved:
            groups[each] = groups[a]
            forward[each] ^= turned
        members[groups[a]] += moved
    return groups, forward
