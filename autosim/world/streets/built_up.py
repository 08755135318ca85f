"""Where a town is built up so densely that its ground is paved.

Streets and the border of the map divide it into blocks. A block is paved as a whole, so that the
change to meadow lies under a street.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.world.geometry.extent import Box
from autosim.world.osm.areas import Area, polygons_of
from autosim.world.streets.streets import Street

Shapes = npt.NDArray[np.object_]

_DENSE = 0.25
"""Share of the ground under buildings from which on the rest is paved. In the inner towns among the
extracts it is 0.3 to 0.5; among houses with gardens at most 0.2."""

_AROUND = 30.0
"""Distance [m] about a block up to which buildings count: islands in a street are like their
neighbours."""


def find_built_up(streets: Sequence[Street], buildings: Sequence[Area], box: Box) -> BaseGeometry:
    """The blocks, with the streets between them, that are densely built up.

    Args:
        streets: of the whole map; only those on the ground divide it.
        buildings: with parts of buildings, which lie in their outlines and do not count.
        box: of the ground [m] in W.
    """
    window = shapely.box(*box)
    axes = [shapely.LineString(street.points) for street in streets if street.layer == 0]
    lines = shapely.union_all([*axes, window.exterior])
    faces = shapely.intersection(shapely.get_parts(shapely.polygonize([lines])), window)
    outlines = [area.shape for area in buildings if "building" in area.tags]
    shares = _built_shares(
        np.asarray(faces, dtype=object), np.array(outlines, dtype=object), window
    )
    return polygons_of(shapely.union_all(faces[shares >= _DENSE]))


def _built_shares(faces: Shapes, buildings: Shapes, window: BaseGeometry) -> Floats:
    """The share (n,) of each face and its surroundings that is under buildings."""
    about = shapely.intersection(shapely.buffer(faces, _AROUND, quad_segs=1), window)
    found, of = shapely.STRtree(buildings).query(about, predicate="intersects")
    covered = shapely.area(shapely.intersection(about[found], buildings[of]))
    sums = np.bincount(found, weights=covered, minlength=len(faces))
    return np.asarray(sums / np.maximum(shapely.area(about), 1.0))
