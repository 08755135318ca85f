"""The border of a map: height and surface of the ground along the rectangle around it."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Integers32
from autosim.world.geometry.meshes import Mesh, Surface

_ON_BORDER = 0.02
"""Distance [m] from the border within which a vertex lies on it: rounding of the ground's mesh."""

SAMPLES = 2048
"""Number of samples around a map: one every 2 m of a town of 1 km²."""

_WIDEST_SHARE = 0.15
"""Greatest share of the border over which means are taken, so that a coast keeps to its side."""

_LEAST_EDGES = 0.5
"""Share of each side of the rectangle that edges of the ground must cover: less is an island."""

Bounds = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class MapBorder:
    """Heights and surfaces around a map, by the place `s` on its border.

    `s` is 0 in the south-west and grows by 1 along each side, counter-clockwise, up to 4.

    Attributes:
        bounds: (x_min, y_min, x_max, y_max) [m] in W.
        places: (n,) `s` of the ground's vertices on the border, ascending, from 0 to 4.
        heights: (n,) z [m] of these vertices in W.
        surfaces: (SAMPLES,) uint8, `Surface` of the ground at each sample of the border.
    """

    bounds: Bounds
    places: Floats
    heights: Floats
    surfaces: Bytes

    @property
    def perimeter(self) -> float:
        """Length [m] of the border."""
        x_min, y_min, x_max, y_max = self.bounds
        return 2.0 * (x_max - x_min + y_max - y_min)

    @property
    def is_wet(self) -> Booleans:
        """Whether there is water (SAMPLES,)."""
        return np.asarray(self.surfaces == Surface.WATER)

    def points(self, places: Floats, distance: Floats) -> Floats:
        """Points (n, 2) [m] in W at `places` (n,), `distance` (n,) [m] outside the border."""
        x_min, y_min, x_max, y_max = self.bounds
        side = np.minimum(places.astype(np.int64), 3)
        share = places - side
        lows = np.column_stack([x_min - distance, y_min - distance])
        highs = np.column_stack([x_max + distance, y_max + distance])
        south_east = np.column_stack([highs[:, 0], lows[:, 1]])
        north_west = np.column_stack([lows[:, 0], highs[:, 1]])
        corners = np.stack([lows, south_east, highs, north_west], axis=1)
        rows = np.arange(len(places))
        first, second = corners[rows, side], corners[rows, (side + 1) % 4]
        return np.asarray(first + share[:, None] * (second - first))

    def share(self, chosen: Booleans, width: float) -> Floats:
        """The share (SAMPLES,) of `chosen` samples within a `width` [m] of the border."""
        return _smoothed(chosen.astype(np.float64), self._samples_in(width))

    def heights_at(self, places: Floats, width: float) -> Floats:
        """Heights (n,) [m]: means over a `width` [m] of the border, of water and land apart."""
        samples = (np.arange(SAMPLES) + 0.5) * (4.0 / SAMPLES)
        z = np.interp(samples, self.places, self.heights)
        is_wet = self.share(self.is_wet, width) > 0.5
        found = np.zeros(SAMPLES)
        for wet in (False, True):
            of_kind = (self.is_wet == wet).astype(np.float64)
            count = self._samples_in(width)
            weight = _smoothed(of_kind, count)
            mean = _smoothed(of_kind * z, count) / np.maximum(weight, 1e-9)
            found = np.where(is_wet == wet, np.where(weight > 1e-6, mean, z), found)
        rows = np.minimum((places * (SAMPLES / 4.0)).astype(np.int64), SAMPLES - 1)
        return np.asarray(found[rows])

    def _samples_in(self, width: float) -> int:
        return int(np.clip(width / self.perimeter, 1.0 / SAMPLES, _WIDEST_SHARE) * SAMPLES)


def _smoothed(values: Floats, count: int) -> Floats:
    """The means of the `count` values about each value of a ring (n,)."""
    before, size = count // 2, len(values)
    around = values[np.arange(-before, size + count - before) % size]
    sums = np.concatenate([[0.0], np.cumsum(around)])
    means: Floats = (sums[count : count + size] - sums[:size]) / count
    return means


def border_of(ground: Mesh, bounds: Bounds) -> MapBorder | None:
    """The border of a ground; None where its mesh does not fill the rectangle `bounds`."""
    surfaces = _surfaces(ground, bounds)
    if surfaces is None:
        return None
    places, rows = _places_on_border(ground.vertices, bounds)
    order = np.lexsort((ground.vertices[rows, 2], places))
    # Where a kerb ends at the border there are two vertices, one above the other: the lower one.
    first = np.unique(places[order], return_index=True)[1]
    own, z = places[order][first], ground.vertices[rows[order][first], 2]
    own, z = np.append(own, 4.0), np.append(z, z[0])
    if own[0] > 0.0:
        own, z = np.insert(own, 0, 0.0), np.insert(z, 0, z[-1])
    return MapBorder(bounds, own, z, surfaces)


def _surfaces(ground: Mesh, bounds: Bounds) -> Bytes | None:
    """The surface at each sample: that of the triangle whose edge is there.

    None where edges are on less than `_LEAST_EDGES` of a side.
    """
    on_side = _on_sides(ground.vertices, bounds)
    starts, surfaces = [], []
    for side in range(4):
        rows = np.flatnonzero(on_side[ground.triangles, side].sum(axis=1) == 2)
        corners = ground.vertices[ground.triangles[rows]]
        there = on_side[ground.triangles[rows], side]
        along = np.where(there, _along(corners.reshape(-1, 3), side, bounds).reshape(-1, 3), np.inf)
        first = along.min(axis=1)
        if np.sum(np.where(there, along, -np.inf).max(axis=1) - first) < _LEAST_EDGES:
            return None
        starts.append(side + first)
        surfaces.append(ground.surfaces[rows])
    places = np.concatenate(starts)
    order = np.argsort(places, kind="stable")
    samples = (np.arange(SAMPLES) + 0.5) * (4.0 / SAMPLES)
    at = np.searchsorted(places[order], samples, side="right") - 1
    return np.asarray(np.concatenate(surfaces)[order][at], dtype=np.uint8)


def _places_on_border(vertices: Floats, bounds: Bounds) -> tuple[Floats, Integers32]:
    """`s` of the vertices on the border, below 4, and their numbers."""
    on_side = _on_sides(vertices, bounds)
    places, rows = [], []
    for side in range(4):
        found = np.flatnonzero(on_side[:, side])
        along = _along(vertices[found], side, bounds)
        # The corner at the end of a side is the beginning of the next one.
        own = along < 1.0 - 1e-9
        places.append(side + np.clip(along[own], 0.0, None))
        rows.append(found[own])
    return np.concatenate(places), np.concatenate(rows).astype(np.int32)


def _on_sides(vertices: Floats, bounds: Bounds) -> Booleans:
    """Whether each vertex (n, 4) lies on the southern, eastern, northern and western side."""
    x_min, y_min, x_max, y_max = bounds
    x, y = vertices[:, 0], vertices[:, 1]
    distances = np.column_stack([y - y_min, x - x_max, y - y_max, x - x_min])
    return np.asarray(np.abs(distances) < _ON_BORDER)


def _along(vertices: Floats, side: int, bounds: Bounds) -> Floats:
    """The share of a side (n,) at which vertices on it lie."""
    x_min, y_min, x_max, y_max = bounds
    axis = side % 2
    low, length = ((x_min, x_max - x_min), (y_min, y_max - y_min))[axis]
    share = (vertices[:, axis] - low) / length
    return np.asarray(share if side < 2 else 1.0 - share)
