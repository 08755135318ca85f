"""Makes railways on the ground: ballast with two rails, and tram rails in streets; drawn only."""

from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import resample, to_left, without_repeats
from autosim.world.geometry.meshes import Mesh, Surface, empty_mesh
from autosim.world.markings.patches import Patches, mesh_of
from autosim.world.osm.highways import is_railway
from autosim.world.osm.tags import Tags, parse_length
from autosim.world.scenery.site import STREET, Site

_LIFTS = {Surface.BALLAST: 0.03, Surface.RAIL: 0.10}
"""Height [m] of ballast and of rails above the ground."""


@dataclass(frozen=True, slots=True)
class _Track:
    """Sizes of a track."""

    gauge: float = 1.435
    """Distance [m] of the rails without a stated gauge: standard gauge."""

    least_gauge: float = 0.6
    """Least gauge [m]: that of field railways; a smaller number is a slip of the map."""

    greatest_gauge: float = 2.0
    """Greatest gauge [m]: no larger one is in use."""

    rail_width: float = 0.09
    """Width [m] of a rail: a little more than its head, so that it can be seen."""

    ballast_width: float = 3.0
    """Width [m] of the ballast: sleepers, 2.6 m long, and a margin."""

    flush: float = 0.008
    """Height [m] of tram rails above the street: less than that of paint."""


@dataclass(frozen=True, slots=True)
class _Sampling:
    """Sampling of a track for the mesh."""

    spacing: float = 1.0
    """Distance [m] between the points that are looked at."""

    shortest: float = 1.0
    """Length [m] of the shortest piece of a way that is built."""

    run: int = 10
    """Number of points of which one always stays."""

    bend: float = 2e-3
    """Cross product [m²] of two successive steps above which the track bends: 2 mm in a metre."""

    bump: float = 0.01
    """Bend [m] of the ground over two steps above which a point is needed."""

    simplify: float = 0.03
    """Tolerance [m] of simplifying the line: less than half the width of a rail."""


_TRACK, _SAMPLING = _Track(), _Sampling()


def rail_mesh(site: Site) -> Mesh:
    """Makes ballast and rails of all railways; in streets the rails alone, level with the road."""
    tracks = [
        (resample(without_repeats(shapely.get_coordinates(piece)), _SAMPLING.spacing), way.tags)
        for way in site.data.ways
        if is_railway(way.tags) and len(way.refs) > 1
        for piece in _inside(site, way.refs)
    ]
    if not tracks:
        return empty_mesh()
    points = np.vstack([line for line, _ in tracks])
    needed = _is_needed(points, site.ground.heights_at(points))
    ends = np.cumsum([len(line) for line, _ in tracks])
    needed[ends - 1] = needed[ends[:-1]] = needed[0] = True
    parts = [
        patches
        for (line, tags), chosen in zip(tracks, np.split(needed, ends[:-1]), strict=True)
        for patches in _track(line[chosen], tags)
    ]
    return _laid(Patches.joined(parts), site)


def _inside(site: Site, refs: tuple[int, ...]) -> list[BaseGeometry]:
    """The parts of a way inside the world that are long enough to build."""
    line = shapely.LineString(site.points[site.data.rows(refs)])
    if not shapely.intersects(line, site.window):
        return []
    inside = overlays.intersection(line, site.window)
    parts = shapely.get_parts(overlays.simplify(inside, _SAMPLING.simplify))
    lines = [part for part in parts if part.geom_type == "LineString"]
    return [part for part in lines if part.length > _SAMPLING.shortest]


def _is_needed(points: Floats, heights: Floats) -> Booleans:
    """Mask of needed points (n, 2): where the track or the ground bends, and every tenth."""
    needed: Booleans = np.arange(len(points)) % _SAMPLING.run == 0
    before, after = points[1:-1] - points[:-2], points[2:] - points[1:-1]
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    bump = np.abs(heights[:-2] - 2.0 * heights[1:-1] + heights[2:])
    needed[1:-1] |= (bend > _SAMPLING.bend) | ~(bump < _SAMPLING.bump)
    return needed


def _track(points: Floats, tags: Tags) -> list[Patches]:
    gauge = (parse_length(tags.get("gauge", "")) or 1000.0 * _TRACK.gauge) / 1000.0
    half = min(max(gauge, _TRACK.least_gauge), _TRACK.greatest_gauge) / 2.0
    strips = [
        (Surface.RAIL, side * half - _TRACK.rail_width / 2.0, side * half + _TRACK.rail_width / 2.0)
        for side in (-1.0, 1.0)
    ]
    if tags.get("railway") != "tram":
        beside = _TRACK.ballast_width / 2.0
        strips.insert(0, (Surface.BALLAST, -beside, beside))
    return [Patches.of(_strip(points, low, high), surface) for surface, low, high in strips]


def _strip(points: Floats, low: float, high: float) -> Floats:
    """Quadrilaterals (n, 4, 3) along a line, between two distances [m] to its left."""
    steps = np.diff(points, axis=0)
    steps /= np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9)
    ahead = np.vstack([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    left = to_left(ahead)
    right_side, left_side = points + low * left, points + high * left
    corners = [right_side[:-1], right_side[1:], left_side[1:], left_side[:-1]]
    quads = np.stack(corners, axis=1)
    return np.concatenate([quads, np.zeros((*quads.shape[:2], 1))], axis=2)


def _laid(patches: Patches, site: Site) -> Mesh:
    """Lays patches on the ground, rails above their ballast, tram rails level with the street."""
    corners = patches.corners.reshape(-1, 3)[:, :2]
    triangles, heights = (each.reshape(-1, 4) for each in site.ground.nearest(corners))
    on_street = np.isin(site.ground.mesh.surfaces[triangles], STREET)
    in_street = (on_street & (triangles >= 0)).any(axis=1)
    is_ballast = patches.surfaces == Surface.BALLAST
    keep = (triangles >= 0).all(axis=1) & ~(is_ballast & in_street)
    lift = np.where(is_ballast, _LIFTS[Surface.BALLAST], _LIFTS[Surface.RAIL])
    lift = np.where(in_street, _TRACK.flush, lift)
    quads = patches.corners.copy()
    quads[:, :, 2] = heights + lift[:, None]
    return mesh_of(quads[keep], patches.surfaces[keep])
