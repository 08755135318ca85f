"""Compares the lane graph with netconvert's: lanes of each way, ways through junctions.

    python -m tests.world.lane_oracle EXTRACT [EXTRACT ...]

prints for each extract how far the two agree, and what they disagree on, by cause. What the causes
mean is told in docs/lane_graph.md.
"""

import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
from xml.sax.saxutils import quoteattr

import numpy as np
from lxml import etree

from autosim.world.geometry.curves import turn_between
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.lanes import lane_planning
from autosim.world.lanes.junction_trims import SHARPEST_TURN
from autosim.world.lanes.lane_planning import plan_lanes
from autosim.world.osm.driving_side import guess_driving_side
from autosim.world.osm.highways import BUILT_IN
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.osm_reader import read_osm
from autosim.world.streets.junction_rules import find_junction_rules
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_finding import WayPart, find_streets
from autosim.world.streets.street_profiles import is_one_way, is_roundabout
from autosim.world.streets.turn_lanes import lane_turns

NETCONVERT = Path(sys.executable).parent / "netconvert"
WINDOW = 1000.0
CARS = {"passenger", "delivery"}
Movement = tuple[WayPart, int, WayPart]
"""From a way, through a node (its id), into a way, each seen in driving direction."""


@dataclass
class Graph:
    """Lanes of each way and direction (all counts that occur), and movements through `nodes`.

    `too_tight`: movements that are left out because no car can drive them.
    """

    lanes: dict[WayPart, set[int]] = field(default_factory=lambda: defaultdict(set))
    movements: set[Movement] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    too_tight: set[Movement] = field(default_factory=set)


@dataclass
class Report:
    """How far two graphs agree, and the causes of what they disagree on."""

    name: str
    directions: tuple[int, int] = (0, 0)
    lanes: tuple[int, int] = (0, 0)
    movements: tuple[int, int] = (0, 0)
    causes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[object]] = field(default_factory=lambda: defaultdict(list))

    def blame(self, cause: str, example: object) -> None:
        self.causes[cause] += 1
        self.examples[cause].append(example)

    def share(self, what: str) -> float:
        """Agreement on "directions", "lanes" or "movements" (0..1)."""
        agreed, total = getattr(self, what)
        return agreed / total if total else 1.0

    def __str__(self) -> str:
        shares = ", ".join(
            f"{what} {100.0 * self.share(what):.1f} % of {getattr(self, what)[1]}"
            for what in ("directions", "lanes", "movements")
        )
        causes = [f"    {count:5d} {cause}" for cause, count in self.causes.most_common()]
        return "\n".join([f"{self.name}: {shares}", *causes])


def compare(path: Path) -> Report:
    """Builds both graphs of the middle of an extract and compares them."""
    data = read_osm(path)
    side, _ = guess_driving_side(*_middle(data))
    with TemporaryDirectory() as folder:
        small = Path(folder) / "map.osm"
        small.write_text(_cut_out(data), encoding="utf-8")
        data = read_osm(small)
        nodes = _streets(data)
        theirs = _their_graph(data, nodes, small, side)
    ours = _our_graph(data, nodes, side)
    return _Comparison(path.name.split(".")[0], data, nodes).compare(ours, theirs)


def _is_street(tags) -> bool:
    return tags.get("highway") in BUILT_IN and tags.get("area") != "yes"


def _middle(data: OsmData) -> tuple[float, float]:
    """Latitude and longitude [deg] of the middle of the square kilometre with the most streets."""
    rows = [r for way in data.ways if _is_street(way.tags) for r in data.rows(way.refs).tolist()]
    latitude, longitude = np.median(data.places[rows], axis=0).tolist()
    projection = MapProjection((latitude, longitude))
    points = projection.to_local(data.places[rows])
    cells = np.round(points / WINDOW).astype(np.int64)
    found, counts = np.unique(cells, axis=0, return_counts=True)
    best = points[(cells == found[np.argmax(counts)]).all(axis=1)]
    return tuple(projection.to_geographic(np.median(best, axis=0)[None])[0].tolist())


def _cut_out(data: OsmData) -> str:
    """The streets that touch the window, whole, with the restrictions on them, as an OSM file."""
    points = MapProjection(_middle(data)).to_local(data.places)
    near = np.abs(points).max(axis=1) < WINDOW / 2.0
    ways = [w for w in data.ways if _is_street(w.tags) and near[data.rows(w.refs)].any()]
    used = {ref for way in ways for ref in way.refs}
    known = {way.id for way in ways} | used
    tags = {node.id: node.tags for node in data.tagged_nodes if node.id in used}
    lines = ['<osm version="0.6">']
    for number in sorted(used):
        latitude, longitude = data.places[data.rows((number,))[0]].tolist()
        place = f'lat="{latitude!r}" lon="{longitude!r}"'
        lines.append(
            f'<node id="{number}" version="1" {place}>{_tags(tags.get(number, {}))}</node>'
        )
    for way in sorted(ways, key=lambda way: way.id):
        refs = "".join(f'<nd ref="{ref}"/>' for ref in way.refs)
        lines.append(f'<way id="{way.id}" version="1">{refs}{_tags(way.tags)}</way>')
    for each in data.relations:
        if each.tags.get("type") == "restriction" and all(m[1] in known for m in each.members):
            members = "".join(
                f'<member type="{kind}" ref="{ref}" role="{role}"/>'
                for kind, ref, role in each.members
            )
            lines.append(
                f'<relation id="{each.id}" version="1">{members}{_tags(each.tags)}</relation>'
            )
    return "\n".join([*lines, "</osm>"])


def _tags(tags) -> str:
    return "".join(f"<tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in tags.items())


def _their_graph(data: OsmData, nodes: StreetNodes, path: Path, side: str) -> Graph:
    target = path.with_suffix(".net.xml")
    options = ["--output.original-names", "--osm.turn-lanes", "--no-turnarounds", "--no-warnings"]
    options += ["--lefthand"] if side == "left" else []
    command = [NETCONVERT, "--osm-files", path, "--output-file", target, *options]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    root = etree.parse(target).getroot()
    refs = {way.id: way.refs for way in data.ways}
    graph, parts, ends, shrunk = Graph(), {}, {}, set()
    for edge in root.iter("edge"):
        lanes = [lane for lane in edge.findall("lane") if _is_for_cars(lane)]
        if edge.get("function") == "internal" or not lanes:
            continue
        name, first, last = edge.get("id"), int(edge.get("from")), int(edge.get("to"))
        way = int(lanes[0].find("param").get("value").split()[0])
        is_ring = len(set(refs[way])) < len(refs[way])
        is_forward = not name.startswith("-") if is_ring else _leads_on(refs[way], first, last)
        parts[name] = WayPart(way, is_forward)
        graph.lanes[parts[name]].add(len(lanes))
        ends[name] = _node(data, nodes, last)
        graph.nodes.add(ends[name])
        length = max(float(lane.get("length")) for lane in lanes)
        if first != last and ends[name] == _node(data, nodes, first) and length < 3.0:
            shrunk.add(name)
    follow = defaultdict(set)
    for each in root.iter("connection"):
        if each.get("from") in parts and each.get("to") in parts:
            follow[each.get("from")].add(each.get("to"))
    for first in follow.keys() - shrunk:
        for second in _beyond(first, follow, shrunk):
            graph.movements.add((parts[first], ends[first], parts[second]))
    return graph


def _beyond(edge: str, follow, shrunk: set[str]) -> set[str]:
    """The edges that may follow, also by way of edges that we have shrunk to a point."""
    found, seen, todo = set(), set(), [edge]
    while todo:
        for each in follow[todo.pop()] if todo else ():
            if each not in shrunk:
                found.add(each)
            elif each not in seen:
                seen.add(each)
                todo.append(each)
    return found


def _node(data: OsmData, nodes: StreetNodes, number: int) -> int:
    """The id of the node that stands for a node."""
    row = int(data.rows((number,))[0])
    return int(data.node_ids[nodes.stand_ins.get(row, row)])


def _is_for_cars(lane) -> bool:
    allowed, refused = lane.get("allow"), lane.get("disallow", "")
    if allowed is None:
        return not set(refused.split()) >= CARS and refused != "all"
    return bool(CARS & set(allowed.split()))


def _leads_on(refs, first: int, last: int) -> bool:
    return refs.index(first) < refs.index(last)


def _streets(data: OsmData) -> StreetNodes:
    points = MapProjection(_middle(data)).to_local(data.places)
    return StreetNodes.of(find_streets(data, points, setup=None))


def _our_graph(data: OsmData, nodes: StreetNodes, side: str) -> Graph:
    graph = Graph()
    for street in nodes.streets:
        for part in street.parts:
            for seen, count in (
                (part, street.profile.forward_lanes),
                (part.reversed(), street.profile.backward_lanes),
            ):
                if count:
                    graph.lanes[seen].add(count)
    rules = find_junction_rules(data, nodes.streets)

    def planned():
        plan = plan_lanes(nodes.streets, side=side, has_room=lambda *_: False, rules=rules)
        return _movements_of(plan, data, nodes)

    graph.movements = planned()
    with patch.object(lane_planning, "with_bypasses", lambda plan, *_: plan):
        graph.too_tight = planned() - graph.movements
    return graph


def _movements_of(plan, data: OsmData, nodes: StreetNodes) -> set[Movement]:
    """The movements of a plan, also those past the streets past which its connectors lead."""
    movements = set()
    for draft in plan.drafts:
        if draft.is_connector:
            continue
        for k in draft.successors:
            following = plan.drafts[k].successors[0] if plan.drafts[k].is_connector else k
            last = plan.drafts[following]
            passed = [
                (draft.street, draft.is_forward),
                *plan.drafts[k].passed,
                (last.street, last.is_forward),
            ]
            for (first, is_forward), (second, leads_forward) in pairwise(passed):
                end, start = StreetEnd(first, not is_forward), StreetEnd(second, leads_forward)
                movements.add(_movement(data, nodes, end, start))
    return movements


def _movement(data: OsmData, nodes: StreetNodes, end: StreetEnd, start: StreetEnd) -> Movement:
    origin, target = nodes.streets[end.street], nodes.streets[start.street]
    first, second = origin.part_at(end.is_start), target.part_at(start.is_start)
    return (
        first.reversed() if end.is_start else first,
        int(data.node_ids[nodes.at(end)]),
        second if start.is_start else second.reversed(),
    )


class _Comparison:
    def __init__(self, name: str, data: OsmData, nodes: StreetNodes) -> None:
        self._data, self._nodes = data, nodes
        self._tags = {way.id: way.tags for way in data.ways}
        self._report = Report(name)
        self._short = {
            street.parts[0].way
            for k, street in enumerate(nodes.streets)
            if StreetEnd(k, True) not in nodes.ends.get(nodes.at(StreetEnd(k, True)), ())
        }

    def compare(self, ours: Graph, theirs: Graph) -> Report:
        self._compare_ways(ours, theirs)
        self._compare_movements(ours, theirs)
        return self._report

    def _compare_ways(self, ours: Graph, theirs: Graph) -> None:
        report = self._report
        known = {part.way for part in ours.lanes} & {part.way for part in theirs.lanes}
        agreed = lanes = 0
        for way in sorted(known):
            parts = WayPart(way, True), WayPart(way, False)
            mine, other = ([graph.lanes.get(p) for p in parts] for graph in (ours, theirs))
            if [bool(each) for each in mine] != [bool(each) for each in other]:
                report.blame(f"directions: {self._direction_cause(way)}", way)
                continue
            agreed += 1
            if mine == other:
                lanes += 1
            else:
                report.blame(f"lanes: {self._lane_cause(way)}", (way, mine, other))
        report.directions, report.lanes = (agreed, len(known)), (lanes, agreed)

    def _direction_cause(self, way: int) -> str:
        tags = self._tags[way]
        if is_roundabout(tags):
            return "roundabout"
        return f"oneway={tags.get('oneway')} of {tags['highway']}"

    def _lane_cause(self, way: int) -> str:
        tags = self._tags[way]
        keys = set(tags)
        special = [key for key in keys if key.startswith(("bus", "lanes:psv", "lanes:bus", "psv:"))]
        if special or any(
            "lanes" in key and key.startswith(("access", "psv", "taxi")) for key in keys
        ):
            return "lanes for buses or closed ones"
        if not keys & {"lanes", "lanes:forward", "lanes:backward"}:
            return f"default of {tags['highway']}"
        if "lanes:both_ways" in keys or "lanes:reversible" in keys:
            return "a lane for both directions"
        if "lanes:forward" in keys and "lanes:backward" in keys:
            return "lanes of neither direction"
        if "width" in keys:
            return "too narrow for its lanes"
        if not is_one_way(tags) and tags.get("lanes", "2").isdigit() and int(tags["lanes"]) % 2:
            return "odd number of lanes"
        return "other"

    def _compare_movements(self, ours: Graph, theirs: Graph) -> None:
        common = set(ours.lanes) & set(theirs.lanes)
        arms = {int(self._data.node_ids[row]): len(e) for row, e in self._nodes.ends.items()}
        junctions = {node for node, count in arms.items() if count > 2} & theirs.nodes

        def chosen(graph: Graph) -> set[Movement]:
            return {
                (a, node, b)
                for a, node, b in graph.movements
                if a in common and b in common and node in junctions and a != b.reversed()
            }

        mine, other = chosen(ours), chosen(theirs)
        for each in sorted(mine ^ other, key=repr):
            who = "only ours" if each in mine else "only netconvert's"
            cause = "too tight" if each in ours.too_tight else self._movement_cause(each)
            self._report.blame(f"movements, {who}: {cause}", each)
        self._report.movements = len(mine & other), len(mine | other)

    def _movement_cause(self, movement: Movement) -> str:
        a, node, b = movement
        if {a.way, b.way} & self._short or self._is_beside_short(node):
            return "beside a street shrunk to a point"
        turn = self._turn(a, node, b)
        if turn is not None and abs(turn) > SHARPEST_TURN:
            return "turning back"
        if self._is_restricted(a, node):
            return "restriction"
        if lane_turns(self._tags[a.way], is_forward=a.is_forward):
            return "turn lanes"
        return "other"

    def _is_beside_short(self, node: int) -> bool:
        row = int(self._data.rows((node,))[0])
        stand_in = self._nodes.stand_ins[row]
        return sum(1 for each in self._nodes.stand_ins.values() if each == stand_in) > 1

    def _is_restricted(self, origin: WayPart, node: int) -> bool:
        wanted = {("node", node, "via"), ("way", origin.way, "from")}
        return any(wanted <= set(each.members) for each in self._data.relations)

    def _turn(self, a: WayPart, node: int, b: WayPart) -> float | None:
        row = int(self._data.rows((node,))[0])
        into = out = None
        for end in self._nodes.around(row):
            part = self._nodes.streets[end.street].part_at(end.is_start)
            if (part.reversed() if end.is_start else part) == a:
                into = self._nodes.heading(end) + np.pi
            if (part if end.is_start else part.reversed()) == b:
                out = self._nodes.heading(end)
        return None if into is None or out is None else turn_between(into, out)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        report = compare(Path(name))
        print(report)
