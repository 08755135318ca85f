"""The compiled world: what the pipeline makes, the cache keeps, and server and client load."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from autosim.arrays import Bytes, Floats, Floats32, Integers
from autosim.config.descriptions import DrivingSide
from autosim.world.geometry.meshes import Mesh, empty_mesh, no_starts
from autosim.world.lanes.roads import RoadNetwork


class PropKind(IntEnum):
    """What a prop is."""

    BROADLEAF = 0
    CONIFER = 1
    LAMP = 2
    BENCH = 3


@dataclass(frozen=True, slots=True)
class Props:
    """Small things that stand about, drawn in great numbers from a few shapes.

    kinds: (n,) uint8 of `PropKind`; positions: (n, 3) float64 [m] in W, of the foot; yaws: (n,)
    [rad] of the front (a lamp's arm, a sitter's eyes); heights: (n,) [m]. starts: as in `Mesh`.
    """

    kinds: Bytes
    positions: Floats
    yaws: Floats
    heights: Floats
    starts: Integers = field(default_factory=no_starts)


def no_props() -> Props:
    """No props at all."""
    return Props(np.zeros(0, np.uint8), np.zeros((0, 3)), np.zeros(0), np.zeros(0))


def no_tints() -> Bytes:
    """No stated colours."""
    return np.zeros((0, 4), dtype=np.uint8)


def no_frictions() -> Floats32:
    """No stated friction."""
    return np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Building:
    """A placed house, for the eye where its model can be shown, beside its box in a mesh.

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

    ground: the one watertight level (ground, carriageway, pavement, kerb), with holes where tunnels
    begin; structures: bridges and tunnels, closed solids whose floors are carriageway, pavement and
    kerb and whose rest is concrete; buildings: walls and roofs, closed solids; house_boxes: the
    placed `houses`, 12 triangles for each, in their order. All serve physics and graphics, and all
    are in the order of the tiles (`world/tiles.py`). `bounds` is (x_min, y_min, x_max, y_max) [m].
    `origin` (latitude, longitude) [deg] is the W origin: local transverse Mercator, k = 1.
    `invariants` and `left_out` are (name, count) pairs for the user; `digest` names all inputs.
    `worst_places` are (invariant, latitude, longitude) [deg], where one looks for a fault, and
    `worst_causes` (invariant, words), what is the matter there.
    `markings` (paint on carriageways), `rails` and `props` are for the eye only; `obstacles` are
    closed solids that collide: walls, fences, and the stems of mapped props, which are not drawn.
    `building_tints` (m, 4) are stated colours of the triangles of `buildings`, RGB and 255, or 0
    where nothing is stated; without any it may be empty.
    `ground_friction` (m,) is the friction of the triangles of `ground` relative to dry asphalt;
    without it, empty, it is 1 everywhere.
    `used` counts the map's objects that are in the world, `ignored` those that are not, each with
    its reason: ("ways: highway=footway", 12). `warnings` of the build are
    (file name, line, message).
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
    worst_places: tuple[tuple[str, float, float], ...] = ()
    worst_causes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[tuple[str, int, str], ...] = ()
    structures: Mesh = field(default_factory=empty_mesh)
    markings: Mesh = field(default_factory=empty_mesh)
    rails: Mesh = field(default_factory=empty_mesh)
    obstacles: Mesh = field(default_factory=empty_mesh)
    house_boxes: Mesh = field(default_factory=empty_mesh)
    props: Props = field(default_factory=no_props)
    building_tints: Bytes = field(default_factory=no_tints)
    ground_friction: Floats32 = field(default_factory=no_frictions)
