"""Walls and roofs of the tunnels that an OpenDRIVE file states, as closed solids over its roads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface, empty_mesh, joined
from autosim.world.markings.patches import mesh_of
from autosim.world.opendrive.lane_shapes import SURFACES, LaneStrips
from autosim.world.opendrive.road_frames import RoadFrame
from autosim.world.scenery.barriers import boxes

_CLEARANCE = 4.7
"""Height [m] of a tunnel's roof above the road: that of European motorways (RABT 2006)."""

_ROOF, _WALL = 0.5, 0.4
"""Thickness [m] of roofs and walls."""

_SUNK = 0.4
"""Depth [m] by which walls reach into the ground."""

_ONE_ROAD = 2.0
"""Difference in height [m] below which two lanes are on one level: no wall is between them."""

_OVERHEAD = _CLEARANCE + _ROOF + 1.5
"""Height [m] below which a road above, with its thickness, leaves no room: it is the roof."""


@dataclass(frozen=True, slots=True)
class _Tube:
    """Pieces of a tunnel between two stations each.

    rights, lefts: (n, 2, 3) [m] in W, the ends of the outer borders of each piece.
    """

    rights: Floats
    lefts: Floats


def tunnel_solids(frames: Mapping[str, RoadFrame], strips: LaneStrips) -> Mesh:
    """The walls and roofs of all tunnels; beside a lane of the same level there is no wall.

    Args:
        frames: all roads.
        strips: their lanes.
    """
    tubes = [tube for frame in frames.values() for tube in _tubes(frame)]
    if not tubes:
        return empty_mesh()
    count = len(strips.corners)
    index = GroundIndex.build(mesh_of(strips.corners, np.zeros(count, np.uint8)))
    return joined([part for tube in tubes for part in _solids(tube, index)])


def _tubes(frame: RoadFrame) -> Iterator[_Tube]:
    for start, length in frame.road.tunnels:
        for section in range(len(frame.road.sections)):
            rows = frame.rows_of(section)
            if len(rows) < 2:
                continue
            s = frame.s[rows]
            middles = (s[1:] + s[:-1]) / 2.0
            chosen = (middles >= start) & (middles <= start + length)
            if not chosen.any():
                continue
            borders = frame.borders(section, s)
            lanes = frame.road.sections[section].lanes
            built = [0, *(k for k, lane in lanes.items() if lane.type in SURFACES)]
            right = frame.beside(rows, borders[min(built)])
            left = frame.beside(rows, borders[max(built)])
            yield _Tube(
                np.stack([right[:-1], right[1:]], axis=1)[chosen],
                np.stack([left[:-1], left[1:]], axis=1)[chosen],
            )


def _solids(tube: _Tube, index: GroundIndex) -> Iterator[Mesh]:
    for inner, other in ((tube.rights, tube.lefts), (tube.lefts, tube.rights)):
        outer = inner.copy()
        outer[:, :, :2] += _WALL * _away(inner, other)
        yield _walls(inner, outer, index)
    corners = np.concatenate([tube.rights, tube.lefts[:, ::-1]], axis=1)
    free = ~_has_floor(index, corners.mean(axis=1), _ONE_ROAD, _OVERHEAD)
    yield _boxes(corners[free], _CLEARANCE, _CLEARANCE + _ROOF)


def _away(inner: Floats, other: Floats) -> Floats:
    """Unit vectors (n, 2, 2) across the road, away from its other border."""
    across = inner[:, :, :2] - other[:, :, :2]
    lengths = np.linalg.norm(across, axis=2, keepdims=True)
    return np.asarray(across / np.maximum(lengths, 1e-6))


def _walls(inner: Floats, outer: Floats, index: GroundIndex) -> Mesh:
    corners = np.concatenate([inner, outer[:, ::-1]], axis=1)
    middles = corners.mean(axis=1)
    free = ~_has_floor(index, middles, -_ONE_ROAD, _OVERHEAD)
    return _boxes(corners[free], -_SUNK, _CLEARANCE + _ROOF)


def _has_floor(index: GroundIndex, points: Floats, low: float, high: float) -> Booleans:
    """Points (n, 3) with a lane between `low` and `high` [m] above them."""
    rows, _, heights = index.hits(points[:, :2])
    above = heights - points[rows, 2]
    found = np.zeros(len(points), dtype=np.bool_)
    found[rows[(above > low) & (above < high)]] = True
    return found


def _boxes(corners: Floats, low: float, high: float) -> Mesh:
    """Closed boxes over quadrilaterals (n, 4, 3), `low` to `high` [m] above them."""
    plan, z = corners[:, :, :2], corners[:, :, 2]
    ahead, away = plan[:, 1] - plan[:, 0], plan[:, 3] - plan[:, 0]
    is_clockwise = ahead[:, 0] * away[:, 1] - ahead[:, 1] * away[:, 0] < 0.0
    order = np.where(is_clockwise[:, None], [[3, 2, 1, 0]], [[0, 1, 2, 3]])
    rows = np.arange(len(plan))[:, None]
    plan, z = plan[rows, order], z[rows, order]
    return boxes(plan, low=z + low, high=z + high, surface=Surface.CONCRETE)
