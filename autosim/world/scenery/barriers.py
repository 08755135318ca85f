"""Makes walls, fences and hedges as closed solids along ways, and the solid cores of props."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.block_grid import BlockGrid
from autosim.world.geometry.curves import to_left
from autosim.world.geometry.meshes import Mesh, Surface, empty_mesh, joined
from autosim.world.osm.tags import Tags, parse_length
from autosim.world.scenery.site import Site

Lines = npt.NDArray[np.object_]

_SUNK = 0.3
"""Depth [m] of a solid's underside in the ground, which may sink between its corners."""

_ROAD_CLEARANCE = 0.4
"""Distance [m] that a barrier keeps from carriageways, so that a wheel at the edge touches none."""

_SHORTEST = 0.3
"""Length [m] of the shortest piece that is built."""

_SIMPLIFY = 0.1
"""Tolerance [m] of simplifying the line of a barrier: finer than mappers draw."""

_LONGEST = 25.0
"""Length [m] of the longest piece, so that barriers follow the ground: as its grid far from
borders."""

_LOWEST, _HIGHEST = 0.3, 8.0
"""Least and greatest height [m] of a barrier; a stated number beyond is a slip of the map."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of barrier: its surface, and its usual height [m] and width [m]."""

    surface: Surface
    height: float
    width: float


_KINDS: Mapping[str, _Kind] = {
    "wall": _Kind(Surface.MASONRY, 1.6, 0.25),
    "city_wall": _Kind(Surface.MASONRY, 5.0, 1.0),
    "retaining_wall": _Kind(Surface.MASONRY, 0.9, 0.35),
    "fence": _Kind(Surface.TIMBER, 1.3, 0.08),
    "railing": _Kind(Surface.TIMBER, 1.1, 0.08),
    "guard_rail": _Kind(Surface.TIMBER, 0.75, 0.2),
    "hedge": _Kind(Surface.HEDGE, 1.4, 0.7),
}

# Numbers of the corners of each triangle of a box: four corners below, then four above, both
# counter-clockwise from above.
_FACES = np.array(
    [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]]
    + [[k, (k + 1) % 4, (k + 1) % 4 + 4] for k in range(4)]
    + [[k, (k + 1) % 4 + 4, k + 4] for k in range(4)],
    dtype=np.int32,
)


def is_barrier(tags: Tags) -> bool:
    """Whether a way is a wall, a fence or a hedge that is built."""
    return tags.get("barrier") in _KINDS


def barrier_mesh(site: Site, blocks: BlockGrid, no_build_area: Sequence[BaseGeometry]) -> Mesh:
    """Makes walls, fences and hedges: a closed box for each straight piece off the carriageways.

    Args:
        site: the world without them.
        blocks: the blocks of the world.
        no_build_area: in each block, where nothing may stand.
    """
    ways = [way for way in site.data.ways if is_barrier(way.tags) and len(way.refs) > 1]
    lines = [shapely.LineString(site.points[site.data.rows(way.refs)]) for way in ways]
    tree = shapely.STRtree(lines)
    runs = []
    for box, kept in zip(blocks.boxes, no_build_area, strict=True):
        window = overlays.intersection(site.window, shapely.box(*box))
        rows = np.sort(tree.query(window, predicate="intersects"))
        free = _free(overlays.intersection(tree.geometries[rows], window), kept)
        runs += [
            _Run(*_pieces(overlays.simplify(line, _SIMPLIFY)), ways[row].tags)
            for row, line in zip(rows.tolist(), free, strict=True)
        ]
    if not runs:
        return empty_mesh()
    z = site.ground.heights_at(np.vstack([run.ends for run in runs]))
    lasts = np.cumsum([len(run.ends) for run in runs])[:-1]
    return joined(
        [_boxes_along(run, own) for run, own in zip(runs, np.split(z, lasts), strict=True)]
    )


def _free(lines: Lines, kept: BaseGeometry) -> Lines:
    """The parts of lines (n,) that are clear of carriageways."""
    blocked = overlays.buffer(kept, _ROAD_CLEARANCE, quad_segs=2)
    shapely.prepare(blocked)
    is_hit = shapely.intersects(blocked, lines)
    lines[is_hit] = overlays.difference(lines[is_hit], blocked)
    return lines


def _pieces(shape: BaseGeometry) -> tuple[Floats, Floats]:
    """Starts and ends (n, 2) of the straight pieces of lines, none longer than `_LONGEST`."""
    lines = overlays.segmentize(shape, _LONGEST)
    coordinates, of = shapely.get_coordinates(shapely.get_parts(lines), return_index=True)
    a, b = coordinates[:-1], coordinates[1:]
    keep = (of[:-1] == of[1:]) & (np.linalg.norm(b - a, axis=1) > _SHORTEST)
    return a[keep], b[keep]


@dataclass(frozen=True, slots=True)
class _Run:
    """The straight pieces of a barrier, from `starts` to `stops` (n, 2) [m] in W."""

    starts: Floats
    stops: Floats
    tags: Tags

    @property
    def ends(self) -> Floats:
        """All starts and then all stops: (2 n, 2)."""
        return np.vstack([self.starts, self.stops])


def _boxes_along(run: _Run, z: Floats) -> Mesh:
    """The boxes of a barrier; `z` (2 n,) [m] is the ground at the ends of its pieces."""
    kind = _KINDS[run.tags["barrier"]]
    height = parse_length(run.tags.get("height")) or kind.height
    height = min(max(height, _LOWEST), _HIGHEST)
    starts, ends = run.starts, run.stops
    count = len(starts)
    step = ends - starts
    across = to_left(step)
    across *= kind.width / 2.0 / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9)
    plan = np.stack([starts - across, ends - across, ends + across, starts + across], axis=1)
    z = np.where(np.isnan(z), 0.0, z).reshape(2, count)
    at = np.stack([z[0], z[1], z[1], z[0]], axis=1)
    return boxes(plan, low=at - _SUNK, high=at + height, surface=kind.surface)


def boxes(plan: Floats, *, low: Floats, high: Floats, surface: Surface) -> Mesh:
    """Closed boxes over quadrilaterals (n, 4, 2), counter-clockwise from above.

    `low` and `high` (n, 4) are the heights [m] of their corners.
    """
    count = len(plan)
    bottom = np.concatenate([plan, low[..., None]], axis=2)
    top = np.concatenate([plan, high[..., None]], axis=2)
    vertices = np.concatenate([bottom, top], axis=1).reshape(-1, 3)
    triangles = (8 * np.arange(count, dtype=np.int32)[:, None, None] + _FACES).reshape(-1, 3)
    return Mesh(
        vertices, triangles.astype(np.int32), np.full(len(triangles), surface, dtype=np.uint8)
    )


def cores(
    positions: Floats,
    *,
    yaws: Floats,
    size: npt.ArrayLike,
    surface: Surface = Surface.STEM,
    above: float = -_SUNK,
) -> Mesh:
    """Solid cores of props: boxes of `size` (x, y, z) [m] on feet (n, 3), turned by `yaws`.

    They begin `above` [m] their feet and end at the z of their size; stems are not drawn.
    """
    x, y, z = np.asarray(size, dtype=np.float64)
    half = 0.5 * np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
    c, s = portable.cos(yaws)[:, None], portable.sin(yaws)[:, None]
    plan = np.stack([c * half[:, 0] - s * half[:, 1], s * half[:, 0] + c * half[:, 1]], axis=2)
    plan += positions[:, None, :2]
    foot = np.broadcast_to(positions[:, 2:], (len(positions), 4))
    return boxes(plan, low=foot + above, high=foot + z, surface=surface)
