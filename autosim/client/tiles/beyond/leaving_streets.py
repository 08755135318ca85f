"""Streets that the border of the map cuts, as they are drawn on: straight, out into the land."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.palette import COLOURS, TEXTURE_METRES
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.streets.window import GROUND_MARGIN

_REACH = 220.0
"""Distance [m] beyond the border of the ground at which they end, in the haze."""

_TRIM = 32.0
"""Greatest distance [m] between the end of a cut street's lane and the box at which streets are
cut: turning heads take room."""

_OUTWARD = 0.35
"""Least cosine between a street and the way out of the map: others run along its border."""

_SAME_PLACE, _SAME_WAY = 14.0, 0.9
"""Distance [m], and cosine between headings, up to which lanes belong to the same street."""

_STEPS, _STEP_BEYOND = 2.0, 11.0
"""Length [m] of a piece within the ground, which it follows, and beyond."""

_LIFT = 0.06
"""Height [m] above the ground: enough for the depths of pictures."""

_WIDTHS = (3.0, 30.0)
"""Least and greatest width [m]."""

_SHORTEST = 12.0
"""Length [m] of the shortest one that is drawn: buildings and water end them."""

_CLEARANCE = 2.0
"""Distance [m] that they keep from buildings."""

_STOPS = (Surface.WATER, Surface.CARRIAGEWAY)
"""Surfaces at which they end; carriageways only behind their own turning head."""

_OWN_HEAD = 26.0
"""Length [m] of the turning head of the street itself."""

Bounds = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Leaving:
    """A street at its end: middle (2,) [m], unit vector (2,) out of the map, width [m]."""

    place: Floats
    heading: Floats
    width: float


def leaving_streets(compiled: CompiledWorld, land: list[DrawMesh]) -> DrawMesh | None:
    """The continued streets of a world; None where the border cuts none.

    Args:
        compiled: the world.
        land: the land beyond it, on which they lie.
    """
    streets = _cut_ends(compiled.roads, compiled.bounds)
    if not streets:
        return None
    inside = GroundIndex.build(_rim(compiled.ground, compiled.bounds))
    whole = joined(land)
    outside = GroundIndex.build(
        Mesh(
            whole.vertices.astype(np.float64),
            whole.triangles,
            np.zeros(len(whole.triangles), np.uint8),
        )
    )
    walls = compiled.buildings.vertices[compiled.buildings.triangles].mean(axis=1)[:, :2]
    walls = np.vstack([walls, compiled.buildings.vertices[:, :2]])
    strips = [_strip(each, compiled.bounds, inside, outside, walls) for each in streets]
    drawn = [strip for strip in strips if strip is not None]
    return joined(drawn) if drawn else None


def _cut_ends(roads: RoadNetwork, bounds: Bounds) -> list[_Leaving]:
    """The streets that end where the map is cut, and lead out of it."""
    lanes = np.flatnonzero(~roads.connectors)
    if not len(lanes):
        return []
    first, last = roads.starts[lanes], roads.starts[lanes + 1] - 1
    rows = np.concatenate([last, first])
    headings = roads.tangents[rows] + np.repeat([0.0, np.pi], len(lanes))
    out = np.column_stack([np.cos(headings), np.sin(headings)])
    places, widths = roads.points[rows, :2], np.tile(roads.widths[lanes], 2)
    is_cut = _leads_out(places, out, bounds)
    places, out, widths = places[is_cut], out[is_cut], widths[is_cut]
    found: list[_Leaving] = []
    is_left = np.ones(len(places), dtype=bool)
    for row in range(len(places)):
        if not is_left[row]:
            continue
        gaps = np.linalg.norm(places - places[row], axis=1)
        same = is_left & (gaps < _SAME_PLACE) & ((out * out[row]).sum(axis=1) > _SAME_WAY)
        is_left &= ~same
        heading = out[same].mean(axis=0)
        width = float(np.clip(widths[same].sum(), *_WIDTHS))
        found.append(_Leaving(places[same].mean(axis=0), heading / np.linalg.norm(heading), width))
    return found


def _leads_out(places: Floats, out: Floats, bounds: Bounds) -> Booleans:
    """Whether ends (n, 2) [m] are at the box in which streets are cut, and lead out of it."""
    x_min, y_min, x_max, y_max = bounds
    margin = GROUND_MARGIN
    gaps = np.column_stack(
        [
            places[:, 0] - x_min - margin,
            places[:, 1] - y_min - margin,
            x_max - margin - places[:, 0],
            y_max - margin - places[:, 1],
        ]
    )
    towards = np.column_stack([-out[:, 0], -out[:, 1], out[:, 0], out[:, 1]])
    is_near = (gaps > -1.0) & (gaps < _TRIM)
    return np.asarray((is_near & (towards > _OUTWARD)).any(axis=1))


def _rim(ground: Mesh, bounds: Bounds) -> Mesh:
    """The triangles of the ground near its border."""
    x_min, y_min, x_max, y_max = bounds
    x, y = ground.vertices[:, 0], ground.vertices[:, 1]
    gaps = np.minimum.reduce([x - x_min, x_max - x, y - y_min, y_max - y])
    is_rim = gaps < GROUND_MARGIN + 2.0 * _TRIM
    return ground.select(np.flatnonzero(is_rim[ground.triangles].any(axis=1)))


def _strip(
    street: _Leaving, bounds: Bounds, inside: GroundIndex, outside: GroundIndex, walls: Floats
) -> DrawMesh | None:
    """The carriageway of one street, up to what is in its way."""
    within = _way_to_border(street, bounds)
    along = np.append(
        np.arange(0.0, within, _STEPS), np.arange(within, within + _REACH, _STEP_BEYOND)
    )
    across = np.array([-street.heading[1], street.heading[0]])
    middles = street.place + along[:, None] * street.heading
    sides = [middles + side * 0.5 * street.width * across for side in (1.0, 0.0, -1.0)]
    heights = np.stack([_heights(each, along < within, inside, outside) for each in sides])
    ends = np.isnan(heights).any(axis=0)
    surfaces = inside.surfaces_at(middles)
    ends |= np.isin(surfaces, _STOPS) & (along < within) & (along > _OWN_HEAD)
    offsets = walls - street.place
    ahead, aside = (offsets * street.heading).sum(axis=1), (offsets * across).sum(axis=1)
    in_way = ahead[(np.abs(aside) < 0.5 * street.width + _CLEARANCE) & (ahead > 0.0)]
    ends |= along > float(in_way.min(initial=np.inf)) - _CLEARANCE
    count = int(ends.argmax()) if ends.any() else len(along)
    if count < 2 or along[count - 1] < _SHORTEST:
        return None
    return _carriageway(
        np.stack([sides[0][:count], sides[2][:count]], axis=1),
        heights[[0, 2], :count].T + _LIFT,
    )


def _way_to_border(street: _Leaving, bounds: Bounds) -> float:
    """Distance [m] along a street from its end to the border of the ground."""
    low, high = np.array(bounds[:2]), np.array(bounds[2:])
    steps = np.where(np.abs(street.heading) < 1e-6, 1e-6, street.heading)
    limits = np.where(steps > 0.0, high, low)
    return float(((limits - street.place) / steps).min())


def _heights(
    places: Floats, is_inside: Booleans, inside: GroundIndex, outside: GroundIndex
) -> Floats:
    """Heights (n,) [m] of the ground or of the land beyond at places (n, 2)."""
    own, beyond = inside.heights_at(places), outside.heights_at(places)
    return np.where(np.isnan(own) | (~is_inside & ~np.isnan(beyond)), beyond, own)


def _carriageway(sides: Floats, heights: Floats) -> DrawMesh:
    """The mesh between two sides: places (n, 2, 2) and heights (n, 2) [m]."""
    count = len(sides)
    points = np.concatenate([sides, heights[..., None]], axis=2).reshape(-1, 3)
    left: Integers = 2 * np.arange(count - 1)
    triangles: Integers32 = np.vstack(
        [
            np.column_stack([left, left + 1, left + 3]),
            np.column_stack([left, left + 3, left + 2]),
        ]
    ).astype(np.int32)
    up = np.tile(np.array([[0, 0, 1]], dtype=np.float32), (len(points), 1))
    colour = np.array(COLOURS[Surface.CARRIAGEWAY], dtype=np.uint8)
    return DrawMesh(
        vertices=points.astype(np.float32),
        normals=up,
        colours=np.tile(colour, (len(points), 1)),
        uvs=(points[:, :2] / TEXTURE_METRES[Surface.CARRIAGEWAY]).astype(np.float32),
        triangles=triangles,
    )
