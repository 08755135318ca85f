"""The compiled world: what the pipeline makes, the cache keeps, and server and client load."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from autosim.config.descriptions import DrivingSide
from autosim.world.roads import RoadNetwork

Floats = npt.NDArray[np.float64]


class Surface(IntEnum):
    """What a triangle of the world is made of; decides its look and its grip."""

    GROUND = 0
    CARRIAGEWAY = 1
    PAVEMENT = 2
    KERB = 3
    PARK = 4
    WATER = 5
    WALL = 6
    ROOF = 7
    CONCRETE = 8


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh in W, counter-clockwise seen from outside (from above for the ground).

    vertices: (n, 3) float64 [m]; triangles: (m, 3) int32; surfaces: (m,) uint8 of `Surface`.
    """

    vertices: Floats
    triangles: npt.NDArray[np.int32]
    surfaces: npt.NDArray[np.uint8]


def empty_mesh() -> Mesh:
    """A mesh of nothing."""
    return Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))


@dataclass(frozen=True, slots=True)
class Building:
    """A building or a placed house for the eye beside its box in the mesh.

    `position` [m] in W is the centre of its underside, `yaw` [rad]; `model` a model folder or "".
    `size` [m]: along the building's x, y, z (up).
    """

    position: tuple[float, float, float]
    yaw: float
    size: tuple[float, float, float]
    model: str


@dataclass(frozen=True, slots=True)
class CompiledWorld:
    """Everything that the simulation needs of a place.

    ground: the one watertight sheet (ground, carriageway, pavement, kerb), with holes where tunnels
    begin; structures: bridges and tunnels, closed solids whose floors are carriageway, pavement and
    kerb and whose rest is concrete; buildings: walls and roofs, closed solids. All serve physics
    and graphics. The boxes of `houses` are the last
    12 * len(houses) triangles of `buildings`, in the order of `houses`. `bounds` is (x_min, y_min,
    x_max, y_max) [m]. `origin` (latitude, longitude) [deg] is the W origin: local transverse
    Mercator, k = 1.
    `invariants` and `left_out` are (name, count) pairs for the user; `digest` names all inputs.
    `used` counts the map's objects that are in the world, `ignored` those that are not, each with
    its reason: ("ways: highway=footway", 12).
    """

    name: str
    digest: str
    origin: tuple[float, float]
    bounds: tuple[float, float, float, float]
    driving_side: DrivingSide
    ground: Mesh
    buildings: Mesh
    houses: tuple[Building, ...]
    roads: RoadNetwork
    invariants: tuple[tuple[str, float], ...]
    left_out: tuple[tuple[str, int], ...]
    attribution: str
    used: tuple[tuple[str, int], ...] = ()
    ignored: tuple[tuple[str, int], ...] = ()
    structures: Mesh = field(default_factory=empty_mesh)
