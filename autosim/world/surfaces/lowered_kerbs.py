"""Where kerbs are dropped: at crossings for people, and where driveways lead over the pavement."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.curves import unit
from autosim.world.levels.levels import GROUND, Levels
from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.crossings import LENGTH, is_crossing
from autosim.world.streets.on_streets import locate_on_streets
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.streets import Street
from autosim.world.surfaces.carriageways import KERB_RADIUS

DROPPED_KERB = 0.025
"""Height [m] of a dropped kerb; design guides allow 0.02 m to 0.03 m."""

RAMP = 1.0
"""Length [m] along the kerb over which it rises to its full height."""

_BEYOND_CARRIAGEWAY = 6.0
_BESIDE_DRIVEWAY = KERB_RADIUS + 0.5
_KEPT_KERBS = frozenset({"raised", "regular"})
_EDGE = 0.02

Shapes = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class KerbDips:
    """Boxes (n,) in plan: in those of `low` kerbs are dropped, in those of `ramps` they rise."""

    low: Shapes
    ramps: Shapes

    def cover(self, points: Floats) -> Booleans:
        """Whether points (n, 2) lie where kerbs are dropped, or on the border of it."""
        inside = np.zeros(len(points), dtype=np.bool_)
        if len(self.low):
            boxes = shapely.buffer(self.low, _EDGE)
            rows, _ = shapely.STRtree(boxes).query(shapely.points(points), predicate="intersects")
            inside[rows] = True
        return inside


def no_dips() -> KerbDips:
    """Kerbs that are nowhere dropped."""
    return KerbDips(np.zeros(0, dtype=object), np.zeros(0, dtype=object))


def find_kerb_dips(
    data: OsmData, points: Floats, streets: Sequence[Street], levels: Levels
) -> KerbDips:
    """Where kerbs of streets on the ground are dropped.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        streets: the streets of all levels.
        levels: tells which of them lie on the ground.
    """
    on_ground = {piece.street for piece in levels.on(GROUND)}
    boxes = [*_at_crossings(data, points, streets, on_ground), *_at_driveways(data, streets)]
    low = [_box(*each, margin=0.0) for each in boxes]
    ramps = [_box(*each, margin=RAMP) for each in boxes]
    return KerbDips(_array(low), _array(ramps))


Extent = tuple[Floats, float, float, float, float]
"""Middle (2,), heading [rad], half length along it, from where to where [m] to its left."""


def _box(
    middle: Floats, heading: float, half: float, right: float, left: float, *, margin: float
) -> shapely.Polygon:
    ahead, aside = unit(heading), unit(heading + np.pi / 2.0)
    along = half + margin
    corners = ((-along, right), (along, right), (along, left), (-along, left))
    return shapely.Polygon([middle + x * ahead + y * aside for x, y in corners])


def _array(shapes: Sequence[shapely.Polygon]) -> Shapes:
    found = np.empty(len(shapes), dtype=object)
    found[:] = shapes
    return found


def _at_crossings(
    data: OsmData, points: Floats, streets: Sequence[Street], on_ground: set[int]
) -> list[Extent]:
    tagged = {node.id for node in data.tagged_nodes if is_crossing(node.tags)}
    kept = {node.id for node in data.tagged_nodes if node.tags.get("kerb") in _KEPT_KERBS}
    rows = data.rows(tuple(sorted((tagged | _of_footways(data)) - kept)))
    found = locate_on_streets(points[rows], streets)
    return [
        (
            middle,
            float(heading),
            LENGTH / 2.0,
            -half - _BEYOND_CARRIAGEWAY,
            half + _BEYOND_CARRIAGEWAY,
        )
        for middle, heading, half, street in zip(
            found.middles, found.headings, found.half_widths, found.streets.tolist(), strict=True
        )
        if street in on_ground
    ]


def _of_footways(data: OsmData) -> set[int]:
    """Nodes that footways over a street share with it."""
    over = {
        ref for way in data.ways if way.tags.get("footway") == "crossing" for ref in way.refs[1:-1]
    }
    shared: set[int] = set()
    for way in data.ways:
        if "highway" in way.tags and "footway" not in way.tags:
            shared |= over.intersection(way.refs)
    return shared


def _at_driveways(data: OsmData, streets: Sequence[Street]) -> list[Extent]:
    driveways = {way.id for way in data.ways if way.tags.get("service") == "driveway"}
    nodes = StreetNodes.of(streets)
    found = []
    for ends in nodes.ends.values():
        paved = [end for end in ends if not _is_of(driveways, streets, end)]
        for end in ends:
            if paved and _is_of(driveways, streets, end) and streets[end.street].layer == 0:
                found.append(_mouth(nodes, end, paved[0]))
    return found


def _is_of(ways: set[int], streets: Sequence[Street], end: StreetEnd) -> bool:
    return streets[end.street].part_at(end.is_start).way in ways


def _mouth(nodes: StreetNodes, driveway: StreetEnd, main: StreetEnd) -> Extent:
    """From the middle of the main street to behind its pavement, round both corners."""
    heading = nodes.heading(driveway)
    own = nodes.streets[driveway.street]
    profile = nodes.streets[main.street].profile
    reach = profile.width / 2.0 + max(profile.pavement) + 0.5
    half = own.profile.width / 2.0 + _BESIDE_DRIVEWAY
    place = own.points[0 if driveway.is_start else -1]
    return place, heading - np.pi / 2.0, half, 0.0, reach
