"""Finds the lowered kerbs: at pedestrian crossings and where driveways cross the pavement."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim.arrays import Booleans, Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import unit
from autosim.world.levels.level_division import GROUND, Levels
from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.crossings import LENGTH, is_crossing
from autosim.world.streets.on_streets import locate_on_streets
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_finding import Street
from autosim.world.surfaces.carriageway_shapes import KERB_RADIUS

LOWERED_KERB_HEIGHT = 0.025
"""Height [m] of a lowered kerb; design guides allow 0.02 m to 0.03 m."""

RAMP_LENGTH = 1.0
"""Length [m] along the kerb over which it rises to its full height."""

_BEYOND_CARRIAGEWAY = 6.0
"""Extent [m] of a lowered kerb past the carriageway's edge: it covers the widest pavement."""

_BESIDE_DRIVEWAY = KERB_RADIUS + 0.5
"""Distance [m] beside a driveway to which the kerb is lowered: round both of its corners, and a
little more."""

_FULL_HEIGHT_KERBS = frozenset({"raised", "regular"})
"""Values of the tag `kerb` that say that the kerb at a crossing is not lowered."""

_ON_BORDER = 0.02
"""Distance [m] from a box within which a vertex counts as in it: cutting rounds its place."""

Shapes = npt.NDArray[np.object_]


@dataclass(frozen=True, slots=True)
class LoweredKerbs:
    """Boxes (n,) in plan around the lowered kerbs.

    Kerbs have their lowered height in the boxes of `low`. Each box of `ramps` contains its box of
    `low` and the lengths on both sides over which the kerb rises to its full height.
    """

    low: Shapes
    ramps: Shapes

    def cover(self, points: Floats) -> Booleans:
        """Whether points (n, 2) lie in a box of `low` or on its border."""
        inside = np.zeros(len(points), dtype=np.bool_)
        if len(self.low):
            boxes = overlays.buffer(self.low, _ON_BORDER)
            rows, _ = shapely.STRtree(boxes).query(shapely.points(points), predicate="intersects")
            inside[rows] = True
        return inside


def no_lowered_kerbs() -> LoweredKerbs:
    """The lowered kerbs of a world that has none."""
    return LoweredKerbs(np.zeros(0, dtype=object), np.zeros(0, dtype=object))


def find_lowered_kerbs(
    data: OsmData, points: Floats, streets: Sequence[Street], levels: Levels
) -> LoweredKerbs:
    """Finds the lowered kerbs of the streets on the ground.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        streets: the streets of all levels.
        levels: tells which of them lie on the ground.
    """
    on_ground = {piece.street for piece in levels.on(GROUND)}
    boxes = [*_at_crossings(data, points, streets, on_ground), *_at_driveways(data, streets)]
    low = [_box(*each, margin=0.0) for each in boxes]
    ramps = [_box(*each, margin=RAMP_LENGTH) for each in boxes]
    return LoweredKerbs(_array(low), _array(ramps))


Extent = tuple[Floats, float, float, float, float]
"""Middle (2,) [m] in W, heading [rad], half the length [m] along it, and the range [m] to its
left."""


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
    kept = {node.id for node in data.tagged_nodes if node.tags.get("kerb") in _FULL_HEIGHT_KERBS}
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
    """The nodes that a footway across a street shares with the street."""
    over = {
        ref for way in data.ways if way.tags.get("footway") == "crossing" for ref in way.refs[1:-1]
    }
    shared: set[int] = set()
    for way in data.ways:
        if "highway" in way.tags and "footway" not in way.tags:
            shared |= over & set(way.refs)
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
    """The lowered kerb of a driveway: from the main street's axis to behind its pavement."""
    heading = nodes.heading(driveway)
    own = nodes.streets[driveway.street]
    profile = nodes.streets[main.street].profile
    reach = profile.width / 2.0 + max(profile.pavement) + 0.5
    half = own.profile.width / 2.0 + _BESIDE_DRIVEWAY
    place = own.points[0 if driveway.is_start else -1]
    return place, heading - np.pi / 2.0, half, 0.0, reach
