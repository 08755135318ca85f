"""Railways on the ground, for the eye: ballast with two rails, tram rails in the street."""

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.curves import resample, to_left, without_repeats
from autosim.world.geometry.meshes import Mesh, Surface, empty_mesh
from autosim.world.markings.patches import Patches, mesh_of
from autosim.world.osm.highways import is_railway
from autosim.world.osm.tags import Tags, parse_length
from autosim.world.scenery.site import STREET, Site

_GAUGE, _RAIL_WIDTH, _BALLAST_WIDTH = 1.435, 0.09, 3.0
_SPACING = 1.0
_LONGEST_RUN = 10
_STRAIGHT, _EVEN = 2e-3, 0.01
_LIFTS = {Surface.BALLAST: 0.03, Surface.RAIL: 0.10}
_FLUSH = 0.008
_SIMPLIFY = 0.03


def rail_mesh(site: Site) -> Mesh:
    """Ballast and rails of all railways; in streets the rails alone, level with the road."""
    tracks = [
        (resample(without_repeats(shapely.get_coordinates(piece)), _SPACING), way.tags)
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
    """The parts of a way inside the world, at least 1 m long."""
    line = shapely.LineString(site.points[site.data.rows(refs)])
    if not shapely.intersects(line, site.window):
        return []
    parts = shapely.get_parts(shapely.simplify(shapely.intersection(line, site.window), _SIMPLIFY))
    return [part for part in parts if part.geom_type == "LineString" and part.length > 1.0]


def _is_needed(points: Floats, heights: Floats) -> Booleans:
    """Points (n, 2) between which the track bends or the ground does, and every tenth."""
    needed: Booleans = np.arange(len(points)) % _LONGEST_RUN == 0
    before, after = points[1:-1] - points[:-2], points[2:] - points[1:-1]
    bend = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
    bump = np.abs(heights[:-2] - 2.0 * heights[1:-1] + heights[2:])
    needed[1:-1] |= (bend > _STRAIGHT) | ~(bump < _EVEN)
    return needed


def _track(points: Floats, tags: Tags) -> list[Patches]:
    gauge = (parse_length(tags.get("gauge", "")) or 1000.0 * _GAUGE) / 1000.0
    half = min(max(gauge, 0.6), 2.0) / 2.0
    strips = [
        (Surface.RAIL, side * half - _RAIL_WIDTH / 2.0, side * half + _RAIL_WIDTH / 2.0)
        for side in (-1.0, 1.0)
    ]
    if tags.get("railway") != "tram":
        strips.insert(0, (Surface.BALLAST, -_BALLAST_WIDTH / 2.0, _BALLAST_WIDTH / 2.0))
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
    """On the ground, rails above their ballast; what lies in a street is level with it."""
    corners = patches.corners.reshape(-1, 3)[:, :2]
    triangles, heights = (each.reshape(-1, 4) for each in site.ground.nearest(corners))
    on_street = np.isin(site.ground.mesh.surfaces[triangles], STREET)
    in_street = (on_street & (triangles >= 0)).any(axis=1)
    is_ballast = patches.surfaces == Surface.BALLAST
    keep = (triangles >= 0).all(axis=1) & ~(is_ballast & in_street)
    lift = np.where(is_ballast, _LIFTS[Surface.BALLAST], _LIFTS[Surface.RAIL])
    lift = np.where(in_street, _FLUSH, lift)
    quads = patches.corners.copy()
    quads[:, :, 2] = heights + lift[:, None]
    return mesh_of(quads[keep], patches.surfaces[keep])
