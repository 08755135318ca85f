"""The compiled world: what the pipeline makes, the cache keeps, and server and client load."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from autosim.config.descriptions import DrivingSide
from autosim.world.geometry.renumbering import renumbered
from autosim.world.lanes.roads import RoadNetwork

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
    PAINT = 9
    PAINT_YELLOW = 10
    BALLAST = 11
    RAIL = 12
    MASONRY = 13
    TIMBER = 14
    HEDGE = 15
    STEM = 16


def _no_starts() -> npt.NDArray[np.int64]:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh in W, counter-clockwise seen from outside (from above for the ground).

    vertices: (n, 3) float64 [m]; triangles: (m, 3) int32; surfaces: (m,) uint8 of `Surface`.
    starts: (tiles + 1,) int64, the first triangle of each tile of the world's `TileGrid` and the
    number of all; empty for a mesh that is not in tiles.
    """

    vertices: Floats
    triangles: npt.NDArray[np.int32]
    surfaces: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64] = field(default_factory=_no_starts)

    def tile(self, number: int) -> "Mesh":
        """The part in one tile, with the vertices that it uses. Reads nothing else of a file."""
        return self.select(slice(*self.starts[number : number + 2].tolist()))

    def select(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64] | slice) -> "Mesh":
        """The mesh of the chosen triangles alone, with the vertices that these use."""
        used, triangles = renumbered(self.triangles[chosen])
        return Mesh(self.vertices[used], triangles, np.asarray(self.surfaces[chosen]))


def empty_mesh() -> Mesh:
    """A mesh of nothing."""
    return Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))


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

    kinds: npt.NDArray[np.uint8]
    positions: Floats
    yaws: Floats
    heights: Floats
    starts: npt.NDArray[np.int64] = field(default_factory=_no_starts)


def no_props() -> Props:
    """No props at all."""
    return Props(np.zeros(0, np.uint8), np.zeros((0, 3)), np.zeros(0), np.zeros(0))


def no_tints() -> npt.NDArray[np.uint8]:
    """No stated colours."""
    return np.zeros((0, 4), dtype=np.uint8)


def no_frictions() -> npt.NDArray[np.float32]:
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

    ground: the one watertight sheet (ground, carriageway, pavement, kerb), with holes where tunnels
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
    building_tints: npt.NDArray[np.uint8] = field(default_factory=no_tints)
    ground_friction: npt.NDArray[np.float32] = field(default_factory=no_frictions)
