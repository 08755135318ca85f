"""Visibility of satellites between houses, under bridges and in tunnels."""

from math import pi, sqrt

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.kinds.nmea import LARGEST_DILUTION
from autosim.model.vector_kernels import read_vector, vec_scale
from autosim.rays.batch import RayBatch
from autosim.rays.ray_scene import RayScene
from autosim.rays.traversal import NOTHING

SATELLITES = 12
"""Number of satellites over the horizon: of GPS there are 8 to 13 at a place and time."""

LEAST_FOR_A_FIX = 4
"""Number of satellites that give a fix: for three coordinates and the receiver's clock."""

_LOWEST = pi / 18
"""Elevation [rad] below which receivers use no satellite: 10 degrees."""

_GOLDEN_ANGLE = pi * (3.0 - sqrt(5.0))
"""Turn [rad] from one satellite to the next: no two come to stand above each other."""

_FAR = 500.0
"""Distance [m] beyond which nothing stands between an antenna and the sky: the highest buildings,
seen at the elevation of most satellites, are nearer."""


def constellation() -> Floats:
    """Unit vectors (satellites, 3) in W to the satellites, evenly over the sky.

    They stay where they are: in a run of minutes satellites move by a few degrees.
    """
    number: Floats = np.arange(SATELLITES, dtype=np.float64)
    lowest = float(portable.sin(np.array([_LOWEST]))[0])
    up = lowest + (1.0 - lowest) * (number + 0.5) / SATELLITES
    level = np.asarray(np.sqrt(1.0 - up * up), dtype=np.float64)
    angle = number * _GOLDEN_ANGLE
    return np.column_stack([level * portable.cos(angle), level * portable.sin(angle), up])


class SatelliteVisibility:
    """The satellites in sight of n antennas.

    Args:
        scene: what hides them.
        count: of antennas.

    `satellites` (n,) is how many of them each antenna sees; `dilution` (n,) the horizontal dilution
    of precision that follows from where they are.
    """

    def __init__(self, scene: RayScene, count: int) -> None:
        self._scene, self._rays = scene, RayBatch.of(count * SATELLITES)
        self._rays.ways[:] = np.tile(constellation() * _FAR, (count, 1))
        self.satellites = np.full(count, float(SATELLITES))
        self.dilution = np.ones(count)

    def update(self, places: Floats, due: Integers) -> None:
        """Looks at the sky from the antennas `due` (k,), which are at `places` (n, 3) [m] in W."""
        count = len(due) * SATELLITES
        self._rays.origins[:count] = np.repeat(places[due], SATELLITES, axis=0)
        self._scene.meet(self._rays, count)
        _count_satellites(self._rays, due, self.satellites, self.dilution)


@compiled
def _count_satellites(rays: RayBatch, due: Integers, satellites: Floats, dilution: Floats) -> None:
    """Writes `satellites` and `dilution` of the antennas due, from what their rays have met."""
    normal = np.empty((4, 4))
    for k in range(len(due)):
        seen = 0
        normal[:] = 0.0
        for ray in range(k * SATELLITES, (k + 1) * SATELLITES):
            if rays.triangles[ray] == NOTHING:
                seen += 1
                u = vec_scale(1.0 / _FAR, read_vector(rays.ways[ray]))
                row = (u[0], u[1], u[2], 1.0)
                for a in range(4):
                    for b in range(4):
                        normal[a, b] += row[a] * row[b]
        satellites[due[k]] = seen
        dilution[due[k]] = _dilution(normal) if seen >= LEAST_FOR_A_FIX else LARGEST_DILUTION


@jitable
def _dilution(normal: Floats) -> float:
    """The horizontal dilution of precision of a normal matrix (4, 4), which is overwritten.

    It is the root of the first two diagonal elements of the inverse, which Gauss and Jordan's
    elimination finds; the matrix is symmetric and positive, so that no rows need to change places.
    """
    inverse = np.eye(4)
    for k in range(4):
        if normal[k, k] < 1e-9:
            return LARGEST_DILUTION
        scale = 1.0 / normal[k, k]
        for b in range(4):
            normal[k, b] *= scale
            inverse[k, b] *= scale
        for a in range(4):
            if a != k:
                share = normal[a, k]
                for b in range(4):
                    normal[a, b] -= share * normal[k, b]
                    inverse[a, b] -= share * inverse[k, b]
    return min(sqrt(inverse[0, 0] + inverse[1, 1]), LARGEST_DILUTION)
