"""Lanes that crossing ways cross, and lengths of ways on carriageways."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Floats
from autosim.traffic.ways.walk_network import WayKind
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork


def length_on_road(ground: GroundIndex, points: Floats) -> float:
    """Length [m] of a straight way on carriageways."""
    length = portable.length(points[-1, :2] - points[0, :2])
    shares = np.linspace(0.0, 1.0, max(2, round(length / 0.5) + 1))
    places = points[0] + shares[:, None] * (points[-1] - points[0])
    return float(np.mean(ground.surfaces_at(places) == Surface.CARRIAGEWAY)) * length


def crossed_lanes(
    roads: RoadNetwork, lines: Sequence[Floats], kinds: Sequence[WayKind]
) -> list[list[int]]:
    """The lanes, connectors too, that each way across a street crosses."""
    if not len(roads.points):
        return [[] for _ in lines]
    first = np.delete(np.arange(len(roads.points) - 1), roads.starts[1:-1] - 1)
    a, b = roads.points[first], roads.points[first + 1]
    owners = np.searchsorted(roads.starts, first, side="right") - 1
    tree = cKDTree((a[:, :2] + b[:, :2]) / 2.0)
    longest = float(portable.hypot(*(b - a)[:, :2].T).max())
    crossed: list[list[int]] = []
    for points, kind in zip(lines, kinds, strict=True):
        if kind is WayKind.PAVEMENT:
            crossed.append([])
            continue
        p, q = points[0], points[-1]
        reach = portable.length(q[:2] - p[:2]) / 2.0 + longest
        near = np.array(tree.query_ball_point((p[:2] + q[:2]) / 2.0, reach), dtype=np.int64)
        hit = _intersect(a[near], b[near], p, q) if len(near) else np.zeros(0, np.bool_)
        crossed.append(sorted(set(owners[near[hit]].tolist())))
    return crossed


def _intersect(a: Floats, b: Floats, p: Floats, q: Floats) -> Floats:
    """Whether segments (n, 3) from `a` to `b` meet that from `p` to `q`, on one level."""
    u, v, w = b[:, :2] - a[:, :2], q[:2] - p[:2], p[:2] - a[:, :2]
    area = u[:, 0] * v[1] - u[:, 1] * v[0]
    safe = np.where(np.abs(area) < 1e-9, 1.0, area)
    s = (w[:, 0] * v[1] - w[:, 1] * v[0]) / safe
    t = (w[:, 0] * u[:, 1] - w[:, 1] * u[:, 0]) / safe
    is_level = np.abs(a[:, 2] - (p[2] + q[2]) / 2.0) < 2.5
    inside = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.asarray(inside & (np.abs(area) >= 1e-9) & is_level)
