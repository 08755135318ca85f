"""The compiled world, which the pipeline makes, the cache keeps, and server and client load."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from autosim.arrays import Bytes, Floats, Floats32, Integers
from autosim.config.descriptions import DrivingSide
from autosim.world.compiled.paths import Paths, no_paths
from autosim.world.geometry.meshes import Mesh, empty_mesh, no_starts
from autosim.world.lanes.roads import RoadNetwork


class PropKind(IntEnum):
    """Kinds of props; the numbers stand in compiled worlds."""

    BROADLEAF = 0
    CONIFER = 1
    LAMP = 2
    BENCH = 3
    PARKED_CAR = 4
    PARKED_VAN = 5
    HEDGE = 6


CAR, VAN = (4.5, 1.8, 1.5), (5.2, 2.0, 2.2)
"""Lengths, widths and heights [m] of parked cars and vans: those of traffic, in the mean."""

HEDGE = (0.8, 4.2, 1.2)
"""Depth, length and height [m] of a piece of hedge in a garden."""


@dataclass(frozen=True, slots=True)
class Props:
    """Small objects along the streets, drawn in great numbers from a few shapes.

    Attributes:
        kinds: (n,) uint8, `PropKind` of each.
        positions: (n, 3) float64 [m] in W, the foot of each.
        yaws: (n,) [rad], the direction of its front: a lamp's arm, the view from a bench,
            the bonnet of a car.
        heights: (n,) [m].
        starts: first prop of each tile, as in `Mesh`.
    """

    kinds: Bytes
    positions: Floats
    yaws: Floats
    heights: Floats
    starts: Integers = field(default_factory=no_starts)


def no_props() -> Props:
    """The props of a world that has none."""
    return Props(np.zeros(0, np.uint8), np.zeros((0, 3)), np.zeros(0), np.zeros(0))


def no_tints() -> Bytes:
    """The colours of a world whose map states none."""
    return np.zeros((0, 4), dtype=np.uint8)


def no_frictions() -> Floats32:
    """The friction of a world that has the same everywhere."""
    return np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Building:
    """A placed house. Its box in a mesh collides; clients that have its model draw the model.

    Attributes:
        position: centre of its underside [m] in W.
        yaw: direction of its x axis [rad].
        size: its lengths [m] along its own x, y and z (up).
        model: its model folder, "" for none.
    """

    position: tuple[float, float, float]
    yaw: float
    size: tuple[float, float, float]
    model: str


@dataclass(frozen=True, slots=True)
class CompiledWorld:
    """All that the simulation needs to know of a place.

    All meshes are in the order of the tiles (`autosim.world.compiled.tile_grid`). Physics and
    graphics both use them, except where this says otherwise.

    Attributes:
        name: name of the world.
        digest: identifies all inputs from which the world was compiled.
        origin: latitude and longitude [deg] of the origin of W, in a local transverse Mercator
            projection with the scale 1.
        bounds: (x_min, y_min, x_max, y_max) [m] in W.
        driving_side: the side on which traffic keeps.
        ground: the watertight level of ground, carriageway, pavement and kerb, with holes where
            tunnels begin.
        buildings: walls and roofs as closed solids.
        houses: the placed houses.
        roads: the network of lanes.
        invariants: (name, value) of each measure of soundness.
        left_out: (description, count) of the objects that the pipeline left out.
        attribution: the text that the licence of the map requires.
        used: (kind, count) of the map's objects that are in the world.
        ignored: (kind and reason, count) of the others, such as ("ways: highway=footway", 12).
        worst_places: (invariant, latitude, longitude) [deg] where each is worst.
        worst_causes: (invariant, text) with the cause at that place.
        warnings: (file name, line, message) of the build.
        structures: bridges and tunnels as closed solids. Their floors are carriageway, pavement and
            kerb; the rest is concrete.
        markings: paint on carriageways; drawn only.
        rails: ballast and rails; drawn only.
        obstacles: walls, fences, doors, shop fronts, and the stems of mapped props as closed
            solids. The stems collide and are not drawn.
        house_boxes: the boxes of `houses`, 12 triangles for each, in the same order.
        props: trees, lamps, benches and parked cars; drawn only.
        building_tints: (m, 4) uint8, the colour that the map states for each triangle of
            `buildings`: red, green, blue and 255, or four times 0 for none. Empty where the map
            states no colour.
        ground_friction: (m,) float32, friction of each triangle of `ground` relative to dry
            asphalt. Empty where it is 1 everywhere.
        paths: where people walk and cycle beside streets; not in the order of tiles.
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
    paths: Paths = field(default_factory=no_paths)
