"""Makes the records of a Lanelet2 file: its lanelets, links, rules, marks and areas, in W.

Lanelets follow one another where they share the last and first nodes of both borders, and are
neighbours where they share a border, as Lanelet2's routing graph has it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.diagnostics import Diagnostics
from autosim.world.geometry.meshes import Surface
from autosim.world.lanelets.lanelet2_elements import (
    Lanelet2Elements,
    Relation,
    Way,
    read_elements,
)
from autosim.world.lanelets.lanelet2_places import placed_nodes
from autosim.world.lanelets.lanelet2_tags import (
    AREAS,
    BARRIERS,
    BUILDING_HEIGHT,
    PARTS,
    WIDTHS,
    highway_of,
    is_two_way,
    limit_of,
    use_of,
)
from autosim.world.lanelets.lanelet_borders import aligned
from autosim.world.lanelets.lanelet_records import (
    Lanelet,
    LaneletArea,
    LaneletBarrier,
    LaneletControl,
    LaneletMap,
    LaneletMark,
    LaneletUse,
    PathKey,
)
from autosim.world.lanes.lane_rules import Control

_INSET = 0.36
"""Distance [m] of a line at the edge of the carriageway from that edge, which is rounded."""

_STOP_SIGNS = frozenset({"de206", "206", "usr1-1", "us_r1-1", "stop_sign"})
"""Types of stop signs."""

_GIVE_WAY_SIGNS = frozenset({"de205", "205", "usr1-2", "us_r1-2", "give_way", "yield"})
"""Types of give-way signs."""


class _Bound(NamedTuple):
    """A border of a lanelet: its way, and whether it is against the way's nodes."""

    way: int
    is_reversed: bool


@dataclass(frozen=True, slots=True)
class _Shape:
    """A lanelet with its borders' ways and the rows of its corner nodes."""

    record: Lanelet
    left: _Bound
    right: _Bound
    start: tuple[int, int]
    end: tuple[int, int]


def read_lanelet2(
    path: Path, found: Diagnostics, origin: tuple[float, float] | None = None
) -> LaneletMap:
    """Reads a Lanelet2 file.

    Args:
        path: the file.
        found: receives warnings too.
        origin: latitude and longitude [deg] of W's origin; None: the middle of the map.

    Raises:
        ConfigError: it cannot be used; each fault has its line.
    """
    elements = read_elements(path, found)
    nodes, own_origin = placed_nodes(path, elements, origin, found)
    found.raise_if_errors()
    reader = _Reader(path, elements, nodes, found)
    shapes = dict(reader.shapes())
    if not shapes:
        found.error(path, 0, "the file has no lanelet with a left and a right border")
    found.raise_if_errors()
    links = _links(shapes)
    beside, opposite = _neighbours(shapes)
    controls = tuple(reader.controls(shapes))
    marks = tuple(reader.marks(shapes))
    areas, barriers = tuple(reader.areas()), tuple(reader.barriers())
    return LaneletMap(
        origin=own_origin,
        lanelets={id_: shape.record for id_, shape in shapes.items()},
        successors=links,
        beside=tuple(beside),
        opposite=tuple(opposite),
        junctions=frozenset(
            id_ for id_ in shapes if elements.relations[id_].tags.get("turn_direction")
        ),
        marks=marks,
        controls=controls,
        areas=areas,
        barriers=barriers,
        used={
            "lanelets": len(shapes),
            "regulatory elements": len(controls),
            "areas": len(areas),
            "barriers": len(barriers),
            "marks": len(marks),
        },
        ignored=dict(sorted(reader.ignored.items())),
    )


class _Reader:
    """Makes the records of the elements of a file."""

    def __init__(
        self, path: Path, elements: Lanelet2Elements, nodes: Floats, found: Diagnostics
    ) -> None:
        self._path, self._found = path, found
        self._ways, self._relations = elements.ways, elements.relations
        self._nodes = nodes
        self.ignored = Counter[str]()

    def shapes(self) -> Iterator[tuple[int, _Shape]]:
        """The lanelets by id; one without two borders is left out with a warning."""
        for id_, relation in self._relations.items():
            if relation.tags.get("type") != "lanelet":
                continue
            ways = [self._border(relation, role) for role in ("left", "right")]
            if ways[0] is None or ways[1] is None:
                side = "left" if ways[0] is None else "right"
                message = f"lanelet {id_} has no {side} border of two nodes; it is left out"
                self._found.warning(self._path, relation.line, message)
                continue
            yield id_, self._shape(id_, relation, ways[0], ways[1])

    def _border(self, relation: Relation, role: str) -> int | None:
        for ref in relation.refs("way", role):
            if ref in self._ways and len(self._ways[ref].refs) > 1:
                points = self._nodes[self._ways[ref].refs, :2]
                if np.ptp(points, axis=0).max() > 0.0:
                    return ref
        return None

    def _shape(self, id_: int, relation: Relation, left: int, right: int) -> _Shape:
        lines = [self._nodes[self._ways[each].refs] for each in (left, right)]
        flips = aligned(*lines)
        left_rows, right_rows = (
            self._ways[each].refs[::-1] if flip else self._ways[each].refs
            for each, flip in zip((left, right), flips, strict=True)
        )
        tags = relation.tags
        limit = limit_of(tags, list(self._limits(relation)))
        record = Lanelet(
            id=id_,
            left=self._nodes[left_rows],
            right=self._nodes[right_rows],
            use=use_of(tags),
            highway=highway_of(tags, limit),
            speed_limit=limit,
            is_two_way=is_two_way(tags),
            line=relation.line,
        )
        return _Shape(
            record,
            _Bound(left, flips[0]),
            _Bound(right, flips[1]),
            (int(left_rows[0]), int(right_rows[0])),
            (int(left_rows[-1]), int(right_rows[-1])),
        )

    def _rules_of(self, relation: Relation) -> Iterator[Relation]:
        for ref in relation.refs("relation", "regulatory_element"):
            if ref in self._relations:
                yield self._relations[ref]

    def _signs(self, rule: Relation) -> Iterator[Mapping[str, str]]:
        """The tags of the signs that a rule refers to."""
        for ref in rule.refs("way", "refers"):
            if ref in self._ways:
                yield self._ways[ref].tags

    def _limits(self, relation: Relation) -> Iterator[Mapping[str, str]]:
        for rule in self._rules_of(relation):
            if rule.tags.get("subtype") == "speed_limit":
                yield {"sign_type": rule.tags.get("sign_type", "")}
                yield from self._signs(rule)

    def controls(self, shapes: Mapping[int, _Shape]) -> Iterator[LaneletControl]:
        """The lights and signs; lights come first, as they go before signs."""
        found = []
        users = defaultdict(list)
        for id_ in shapes:
            for ref in self._relations[id_].refs("relation", "regulatory_element"):
                users[ref].append(id_)
        for id_, rule in self._relations.items():
            if rule.tags.get("type") != "regulatory_element":
                continue
            control = self._control(rule)
            if control == Control.NONE:
                if rule.tags.get("subtype") != "speed_limit":
                    self.ignored[f"regulatory elements: {rule.tags.get('subtype', '')}"] += 1
                continue
            waiting = rule.refs("relation", "yield") or users[id_]
            paths = tuple(
                path for lanelet in waiting if lanelet in shapes for path in _paths(shapes[lanelet])
            )
            lines = [
                self._ways[each] for each in rule.refs("way", "ref_line") if each in self._ways
            ]
            place = self._nodes[lines[0].refs] if lines else np.zeros((0, 3))
            found.append(LaneletControl(control, paths, place))
        yield from sorted(found, key=lambda each: each.control != Control.SIGNALS)

    def _control(self, rule: Relation) -> Control:
        subtype = rule.tags.get("subtype", "")
        if subtype == "traffic_light":
            return Control.SIGNALS
        if subtype == "all_way_stop":
            return Control.ALL_WAY_STOP
        signs = {each.get("subtype", "").lower() for each in self._signs(rule)}
        signs.add(rule.tags.get("sign_type", "").lower())
        if subtype == "right_of_way":
            return Control.STOP if signs & _STOP_SIGNS else Control.GIVE_WAY
        if subtype == "traffic_sign":
            if signs & _STOP_SIGNS:
                return Control.STOP
            return Control.GIVE_WAY if signs & _GIVE_WAY_SIGNS else Control.NONE
        return Control.NONE

    def marks(self, shapes: Mapping[int, _Shape]) -> Iterator[LaneletMark]:
        """The painted lines."""
        sides = defaultdict(set)
        for shape in shapes.values():
            if shape.record.use in (LaneletUse.TRAFFIC, LaneletUse.CARRIAGEWAY):
                for bound, inside in ((shape.left, -1), (shape.right, 1)):
                    sides[bound.way].add(-inside if bound.is_reversed else inside)
        for id_, way in self._ways.items():
            kind = way.tags.get("type", "")
            if kind not in WIDTHS or len(way.refs) < 2:
                continue
            facing = sides[id_]
            parts = PARTS.get(way.tags.get("subtype", ""), (True,))
            yield LaneletMark(
                points=self._nodes[way.refs],
                parts=parts,
                width=WIDTHS[kind],
                is_yellow=way.tags.get("color", "") in ("yellow", "orange"),
                shift=_INSET * next(iter(facing)) if len(facing) == 1 else 0.0,
            )

    def barriers(self) -> Iterator[LaneletBarrier]:
        """Walls, fences and rails."""
        for way in self._ways.values():
            kind = way.tags.get("type", "")
            if kind in BARRIERS and len(way.refs) > 1:
                surface, height, width = BARRIERS[kind]
                height = _metres(way.tags.get("height", ""), height)
                yield LaneletBarrier(self._nodes[way.refs], surface, height, width)

    def areas(self) -> Iterator[LaneletArea]:
        """The areas of known subtypes whose outer borders make one ring."""
        for relation in self._relations.values():
            if relation.tags.get("type") != "multipolygon":
                continue
            subtype = relation.tags.get("subtype", "")
            ring = self._ring(relation) if subtype in AREAS else None
            if ring is None:
                self.ignored[f"areas: {subtype or 'without a subtype'}"] += 1
                continue
            surface = AREAS[subtype]
            default = BUILDING_HEIGHT if surface == Surface.WALL else 0.0
            height = _metres(relation.tags.get("height", ""), default) if default else 0.0
            yield LaneletArea(self._nodes[ring], surface, height)

    def _ring(self, relation: Relation) -> Integers | None:
        """Rows of the nodes of an area's outer ring; None where its ways do not close."""
        ways = [self._ways[each] for each in relation.refs("way", "outer") if each in self._ways]
        return _closed(ways) if ways else None


def _closed(ways: Sequence[Way]) -> Integers | None:
    rows = ways[0].refs
    rest = list(ways[1:])
    if rest and rows[-1] not in (rest[0].refs[0], rest[0].refs[-1]):
        rows = rows[::-1]
    for way in rest:
        following = way.refs if way.refs[0] == rows[-1] else way.refs[::-1]
        if following[0] != rows[-1]:
            return None
        rows = np.concatenate([rows, following[1:]])
    if len(rows) < 4 or rows[0] != rows[-1]:
        return None
    return np.asarray(rows[:-1])


def _metres(text: str, default: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return default
    return value if 0.0 < value < 1000.0 else default


def _paths(shape: _Shape) -> Iterator[PathKey]:
    """The directions in which traffic drives on a lanelet."""
    if shape.record.use == LaneletUse.TRAFFIC:
        yield PathKey(shape.record.id, is_along=True)
        if shape.record.is_two_way:
            yield PathKey(shape.record.id, is_along=False)


def _links(shapes: Mapping[int, _Shape]) -> dict[PathKey, tuple[PathKey, ...]]:
    """The paths that begin at the nodes at which each path ends."""
    starts = defaultdict(list)
    ends = {}
    for shape in shapes.values():
        for key in _paths(shape):
            first, last = shape.start, shape.end
            if not key.is_along:
                first, last = shape.end[::-1], shape.start[::-1]
            starts[first].append(key)
            ends[key] = last
    return {
        key: tuple(each for each in starts.get(end, ()) if each.lanelet != key.lanelet)
        for key, end in ends.items()
    }


def _neighbours(
    shapes: Mapping[int, _Shape],
) -> tuple[list[tuple[PathKey, PathKey]], list[tuple[PathKey, PathKey]]]:
    """The pairs of paths that share a border, of one direction and of opposite ones."""
    lefts, rights = defaultdict(list), defaultdict(list)
    for shape in shapes.values():
        for key in _paths(shape):
            left, right = shape.left, shape.right
            if not key.is_along:
                left, right = (_Bound(each.way, not each.is_reversed) for each in (right, left))
            lefts[left].append(key)
            rights[right].append(key)
    beside = [(a, b) for bound in lefts for a in lefts[bound] for b in rights.get(bound, ())]
    opposite = []
    for sides in (lefts, rights):
        for bound, keys in sides.items():
            others = sides.get(_Bound(bound.way, not bound.is_reversed), ())
            opposite += [(a, b) for a in keys for b in others if a < b]
    two_way = [shape.record.id for shape in shapes.values() if len(list(_paths(shape))) > 1]
    opposite += [(PathKey(id_, is_along=True), PathKey(id_, is_along=False)) for id_ in two_way]
    return beside, opposite
