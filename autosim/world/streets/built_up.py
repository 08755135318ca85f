"""Areas that are built up so densely that their ground is paved.

Streets and the border of the map divide it into blocks. A dense one is paved as a whole, so that
the change to meadow lies under a street. Where streets enclose no block, the ground is paved
between houses that stand close together, and from them to the street.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry import overlays
from autosim.world.geometry.extent import Box
from autosim.world.geometry.overlays import polygons_of
from autosim.world.osm.areas import Area
from autosim.world.streets.street_finding import Street

Shapes = npt.NDArray[np.object_]

_DENSE = 0.25
"""Share of the ground under buildings from which on the rest is paved. In the inner towns among the
extracts it is 0.3 to 0.5; among houses with gardens at most 0.2."""

_CROWDED = 0.3
"""The same share about a house that stands in no such block: more, so that no village loses its
lawns."""

_AROUND = 30.0
"""Distance [m] about a block up to which buildings count: islands in a street are like their
neighbours."""

_LATTICE = 8.0
"""Distance [m] between the points at which the map is asked for a building: less than the depth of
a house."""

_NEAR = 5
"""Number of points to each side of a building among which it stands close to others: 40 m."""

_GAP = 15.0
"""Half the width [m] of the widest gap between houses, or from a house to the middle of its street,
that is paved."""

_SIMPLIFY = 0.5
"""Tolerance [m] of simplifying houses and what is paved: it ends somewhere in the meadow."""


def find_built_up(streets: Sequence[Street], buildings: Sequence[Area], box: Box) -> BaseGeometry:
    """Area of paved ground without any other surface in the map.

    Args:
        streets: of the whole map; only those on the ground divide it.
        buildings: with parts of buildings, which lie in their outlines and do not count.
        box: of the ground [m] in W.
    """
    window = shapely.box(*box)
    houses = np.array([each.shape for each in buildings if "building" in each.tags], dtype=object)
    houses = houses[shapely.intersects(houses, window)]
    if not len(houses):
        return shapely.MultiPolygon()
    axes = [shapely.LineString(street.points) for street in streets if street.layer == 0]
    crowded = houses[_is_crowded(houses, box)]
    blocks = _dense_blocks(axes, houses, window)
    return polygons_of(overlays.union_all([*blocks, *_between(crowded, axes, blocks)]))


def _dense_blocks(axes: Sequence[BaseGeometry], houses: Shapes, window: shapely.Polygon) -> Shapes:
    lines = overlays.union_all([*axes, window.exterior])
    blocks = shapely.get_parts(overlays.polygonize([lines]))
    areas, tree = shapely.area(houses), shapely.STRtree(houses)
    bounds = shapely.bounds(blocks) + _AROUND * np.array([-1.0, -1.0, 1.0, 1.0])
    of, found = tree.query(shapely.box(*bounds.T))
    # What these houses cover is at most what they measure, which is found much faster.
    blocks = blocks[_sums(of, areas[found], blocks) >= _DENSE]
    about = overlays.intersection(overlays.buffer(blocks, _AROUND, quad_segs=1), window)

    def share(shapes: Shapes) -> Floats:
        of, found = tree.query(shapes, predicate="intersects")
        covered = shapely.area(overlays.intersection(shapes[of], houses[found]))
        return _sums(of, covered, shapes)

    is_dense = np.maximum(share(blocks), share(about)) >= _DENSE
    return np.asarray(blocks[is_dense], dtype=object)


def _sums(of: Integers, areas: Floats, blocks: Shapes) -> Floats:
    """The sum (n,) of the areas (k,) of each block as a share of the block's area."""
    sums = np.bincount(of, weights=areas, minlength=len(blocks))
    return np.asarray(sums / np.maximum(shapely.area(blocks), 1.0))


def _is_crowded(houses: Shapes, box: Box) -> Booleans:
    """Whether the ground about each house (n,) is densely built up."""
    low = np.array(box[:2])
    count = np.ceil((np.array(box[2:]) - low) / _LATTICE).astype(np.int64) + 1
    bounds = shapely.bounds(houses).reshape(-1, 2, 2)
    first, last = (np.clip(np.rint((bounds[:, k] - low) / _LATTICE), 0, count - 1) for k in (0, 1))
    sizes = (last - first + 1).astype(np.int64)
    counts = sizes.prod(axis=1)
    of = np.repeat(np.arange(len(houses)), counts)
    step = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    cells = first[of].astype(np.int64) + np.column_stack(np.divmod(step, sizes[of, 1]))
    places = low + _LATTICE * cells
    inside = shapely.contains_xy(houses[of], places[:, 0], places[:, 1])
    is_built = np.zeros(tuple(count), dtype=np.int64)
    is_built[tuple(cells[inside].T)] = 1
    middle = ((first + last) / 2.0).astype(np.int64)
    near = _counts_about(is_built)[tuple(middle.T)]
    return np.asarray(near > _CROWDED * (2 * _NEAR + 1) ** 2)


def _counts_about(marks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The number of marks in the square about each point of a grid."""
    for axis in (0, 1):
        sums = np.cumsum(np.moveaxis(marks, axis, 0), axis=0)
        sums = np.vstack([np.zeros((1, sums.shape[1]), np.int64), sums])
        rows = np.arange(len(sums) - 1)
        high = np.minimum(rows + _NEAR + 1, len(rows))
        marks = np.moveaxis(sums[high] - sums[np.maximum(rows - _NEAR, 0)], 0, axis)
    return marks


def _between(houses: Shapes, axes: Sequence[BaseGeometry], blocks: Shapes) -> Shapes:
    """The ground between houses that are in no block, and from them to the middle of the street."""
    whole = overlays.union_all(blocks)
    shapely.prepare(whole)
    houses = houses[~shapely.covers(whole, houses)]
    if not len(houses):
        return houses
    lines = overlays.segmentize(np.array(axes, dtype=object), _GAP)
    points, of = shapely.get_coordinates(lines, return_index=True)
    pieces = shapely.linestrings(np.stack([points[:-1], points[1:]], axis=1)[of[:-1] == of[1:]])
    near, _ = shapely.STRtree(houses).query(pieces, predicate="dwithin", distance=2.0 * _GAP)
    fronts = overlays.line_merge(overlays.union_all(pieces[np.unique(near)]))
    shapes = overlays.simplify(np.array([*houses, fronts], dtype=object), _SIMPLIFY)
    grown = overlays.union_all(overlays.buffer(shapes, _GAP, join_style="bevel"))
    between = overlays.buffer(overlays.simplify(grown, _SIMPLIFY), -_GAP, join_style="bevel")
    return np.array([overlays.simplify(between, _SIMPLIFY)], dtype=object)
