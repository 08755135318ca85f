"""The models of traffic as arrays: pieces, how they move, and which of their colours vary."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes, Floats, Floats32, Integers, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.palette import Colour
from autosim.client.models.model_files import Model
from autosim.client.models.model_library import ModelLibrary
from autosim.client.models.primitive_meshes import box_mesh
from autosim.client.traffic.drawn_models import VEHICLE_MODELS, vehicle_kind
from autosim.traffic.vehicle_kinds import FLEET, VehicleClass, VehicleKind

LEVELS = 4
"""Number of levels of detail of a model: those of its files, and a few boxes for afar."""


class PieceMotion(IntEnum):
    """Motion of a piece relative to its body."""

    FIXED = 0
    WHEEL = 1
    """Turns with the distance rolled, and steers."""
    LIMB = 2
    """Swings with the distance walked, about its joint."""
    SHANK = 3
    """Hangs from a limb, and bends."""


class Dye(IntEnum):
    """Source of a vertex's colour."""

    NONE = 0
    FIRST = 1
    SECOND = 2
    THIRD = 3
    REAR_LIGHT = 4
    LEFT_INDICATOR = 5
    RIGHT_INDICATOR = 6
    HEAD_LIGHT = 7


DYES = len(Dye)
"""Number of dyes, that of vertices without one included."""

_KEYS = {
    Dye.FIRST: (255, 0, 255),
    Dye.SECOND: (0, 255, 255),
    Dye.THIRD: (255, 255, 0),
    Dye.REAR_LIGHT: (255, 0, 0),
    Dye.LEFT_INDICATOR: (255, 128, 0),
    Dye.HEAD_LIGHT: (255, 255, 255),
}
"""The colour (sRGB, 0..255) that says in a model file which dye a face has."""


class PieceColumns(NamedTuple):
    """Columns of the whole numbers of a piece.

    Attributes:
        first_vertex: index of its first vertex.
        vertices: number of its vertices.
        first_corner: index of the first corner of its triangles.
        corners: number of corners of its triangles.
        motion: its `PieceMotion`.
        parent: row of the piece that it is attached to, -1: the body.
    """

    first_vertex: int = 0
    vertices: int = 1
    first_corner: int = 2
    corners: int = 3
    motion: int = 4
    parent: int = 5


class JointColumns(NamedTuple):
    """Columns of the other numbers of a piece.

    `pivot` [m] is its joint in the body, of a shank in its limb; `scale` its size as a factor.
    Of a wheel: `radius` [m], `steers` (0 or 1), `turned` (1: its outer side looks to the right).
    Of a limb: `mean` and `swing` [rad], `stride` [m], `phase` [rad], and `idle`, the share of the
    swing that stays when it stands. Of a shank: `mean`, `swing` and `lift` [rad] of its knee.

    Attributes:
        pivot_x: joint, forward [m].
        pivot_y: joint, left [m].
        pivot_z: joint, up [m].
        scale_x: size factor along x.
        scale_y: size factor along y.
        scale_z: size factor along z.
    """

    pivot_x: int = 0
    pivot_y: int = 1
    pivot_z: int = 2
    scale_x: int = 3
    scale_y: int = 4
    scale_z: int = 5
    radius: int = 6
    steers: int = 7
    turned: int = 8
    mean: int = 6
    swing: int = 7
    stride: int = 8
    phase: int = 9
    idle: int = 10
    lift: int = 8


PIECE, JOINT = len(PieceColumns()), 11
"""Numbers of columns of both tables."""


@dataclass(frozen=True, slots=True)
class RigPiece:
    """A piece: its levels of detail, and how it is put to a body.

    Attributes:
        motion: motion relative to the body.
        parent: number of the piece that it is attached to, -1: the body.
        numbers: values of the columns of `JointColumns`; zeros follow.
    """

    levels: tuple[DrawMesh | None, ...]
    motion: PieceMotion = PieceMotion.FIXED
    parent: int = -1
    numbers: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Rigs:
    """All models of a fleet for the kernels.

    Model `kind * LEVELS + level` has the pieces `starts[model]:starts[model + 1]`.

    pieces: (n, PIECE) int64; joints: (n, JOINT); vertices: (v, 6) float32, places and normals;
    colours: (v, 4) uint8; dyes: (v,) uint8; triangles: (t,) int32, the corners of all triangles,
    counted from the first vertex of their piece; radii: (kinds,) [m] of a ball about the point
    `heights` (kinds,) [m] above the ground that holds all of it.
    """

    starts: Integers
    pieces: Integers
    joints: Floats
    vertices: Floats32
    colours: Bytes
    dyes: Bytes
    triangles: Integers32
    radii: Floats
    heights: Floats


class _Table:
    """Gathers the pieces of model after model; meshes that several have are there once."""

    def __init__(self) -> None:
        self.starts = [0]
        self.pieces: list[tuple[int, ...]] = []
        self.joints: list[Floats] = []
        self._meshes: dict[int, tuple[int, int]] = {}
        self._kept: list[DrawMesh] = []
        self._vertices = self._corners = 0

    def add(self, pieces: Sequence[RigPiece], level: int) -> None:
        """The next model: those of the pieces that have this level."""
        rows: dict[int, int] = {}
        own = [(k, piece) for k, piece in enumerate(pieces) if piece.levels[level] is not None]
        for row, (k, piece) in enumerate(own):
            rows[k] = row
            mesh = piece.levels[level]
            assert mesh is not None
            first, corner = self._place(mesh)
            parent = -1 if piece.parent < 0 else rows[piece.parent]
            counts = (first, len(mesh.vertices), corner, mesh.triangles.size)
            self.pieces.append((*counts, piece.motion, parent))
            self.joints.append(np.pad(np.array(piece.numbers), (0, JOINT - len(piece.numbers))))
        self.starts.append(len(self.pieces))

    def _place(self, mesh: DrawMesh) -> tuple[int, int]:
        if id(mesh) not in self._meshes:
            self._meshes[id(mesh)] = (self._vertices, self._corners)
            self._kept.append(mesh)
            self._vertices += len(mesh.vertices)
            self._corners += mesh.triangles.size
        return self._meshes[id(mesh)]

    def rigs(self, bounds: Sequence[tuple[float, float]]) -> Rigs:
        """The tables; `bounds` has the radius and the height of the middle of each kind [m]."""
        radii, heights = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
        # Where there are no models, nothing is drawn.
        whole = joined(self._kept or [box_mesh((1.0, 1.0, 1.0), (0, 0, 0, 255))])
        colours, triangles = whole.colours, [mesh.triangles.ravel() for mesh in self._kept]
        vertices = np.hstack([whole.vertices, whole.normals])
        return Rigs(
            starts=np.array(self.starts, dtype=np.int64),
            pieces=np.array(self.pieces, dtype=np.int64).reshape(-1, PIECE),
            joints=np.array(self.joints).reshape(-1, JOINT),
            vertices=np.ascontiguousarray(vertices, dtype=np.float32),
            colours=colours,
            dyes=dyes_of(colours, vertices[:, 1]),
            triangles=np.concatenate([np.zeros(0), *triangles]).astype(np.int32),
            radii=radii.copy(),
            heights=heights.copy(),
        )


def dyes_of(colours: Bytes, y: npt.NDArray[np.floating]) -> Bytes:
    """The dye (n,) of each vertex, by its colour (n, 4); of indicators also by its side `y`."""
    dyes = np.zeros(len(colours), dtype=np.uint8)
    for dye, key in _KEYS.items():
        dyes[(colours[:, :3] == key).all(axis=1)] = dye
    dyes[(dyes == Dye.LEFT_INDICATOR) & (y < 0.0)] = Dye.RIGHT_INDICATOR
    return dyes


def vehicle_pieces(library: ModelLibrary) -> list[list[RigPiece]]:
    """The pieces of each of `VEHICLE_MODELS`; what cannot be read has no meshes."""
    narrow, wide = (
        near_levels(library, "models/traffic/cycle_wheel"),
        near_levels(library, _WHEEL)[:1],
    )
    wide = (*wide, None, None, None)
    found = []
    for model, path in enumerate(VEHICLE_MODELS):
        kind = FLEET[vehicle_kind(model)]
        pieces = [_fitted(model_levels(library, path), kind)]
        pieces += _wheels(kind, narrow if kind.vehicle_class in _NARROW else wide)
        if kind.vehicle_class is VehicleClass.BICYCLE:
            pieces += _cycling_legs(library, len(pieces))
        found.append(pieces)
    return found


def vehicle_rigs(library: ModelLibrary) -> Rigs:
    """The rigs of all models of vehicles."""
    kinds = [FLEET[vehicle_kind(model)] for model in range(len(VEHICLE_MODELS))]
    bounds = [(np.hypot(each.length, each.height) / 2.0, each.height / 2.0) for each in kinds]
    return make_rigs(vehicle_pieces(library), bounds)


def make_rigs(kinds: Sequence[Sequence[RigPiece]], bounds: Sequence[tuple[float, float]]) -> Rigs:
    """The rigs of models of these pieces, with the radius and the middle height [m] of each."""
    table = _Table()
    for pieces in kinds:
        for level in range(LEVELS):
            table.add(pieces, level)
    return table.rigs(bounds)


@dataclass(frozen=True, slots=True)
class _Part:
    """A box of a model from afar, in shares of its extent, and its colour."""

    rear: float
    front: float
    bottom: float
    top: float
    colour: Colour


_PAINT: Colour = (255, 0, 255, 255)  # colour that becomes the paint, or what people wear above
_CLOTH: Colour = (0, 255, 255, 255)  # colour that becomes what they wear below
_SKIN: Colour = (255, 255, 0, 255)  # colour that becomes their skin
_GLASS: Colour = (52, 60, 68, 255)  # colour of windows from afar
_RUBBER: Colour = (34, 34, 36, 255)  # colour of wheels and what is below a vehicle

_LOW = (
    _Part(0.02, 0.98, 0.05, 0.22, _RUBBER),
    _Part(0.0, 1.0, 0.2, 0.62, _PAINT),
    _Part(0.12, 0.72, 0.62, 0.94, _GLASS),
    _Part(0.2, 0.6, 0.94, 1.0, _PAINT),
)
_TALL = (
    _Part(0.02, 0.98, 0.02, 0.16, _RUBBER),
    _Part(0.0, 1.0, 0.14, 0.5, _PAINT),
    _Part(0.01, 0.99, 0.5, 0.78, _GLASS),
    _Part(0.0, 1.0, 0.78, 1.0, _PAINT),
)
_RIDER = (
    _Part(0.0, 1.0, 0.1, 0.36, _RUBBER),
    _Part(0.3, 0.6, 0.36, 0.55, _CLOTH),
    _Part(0.32, 0.58, 0.55, 0.86, _PAINT),
    _Part(0.4, 0.56, 0.86, 1.0, _SKIN),
)
WALKER = (
    _Part(0.25, 0.75, 0.0, 0.5, _CLOTH),
    _Part(0.2, 0.8, 0.5, 0.86, _PAINT),
    _Part(0.3, 0.7, 0.86, 1.0, _SKIN),
)
"""Shapes of cars, buses and lorries, riders, and pedestrians from afar: chosen by eye, to look like
their models in a dozen pixels."""

_TALL_FROM = 2.1
"""Height [m] from which on vehicles look like a bus rather than like a car."""

_WHEEL = "models/traffic/wheel"
"""The folder of the model of a wheel of radius 1 and width 1."""


def model_levels(library: ModelLibrary, path: str) -> tuple[DrawMesh | None, ...]:
    """One mesh for each level of detail but the last; the coarsest serves for those it lacks."""
    found = [_mesh(model) for model in library.levels(path)[: LEVELS - 1]]
    coarsest = found[-1] if found else None
    return (*found, *[coarsest] * (LEVELS - 1 - len(found)))


def boxes_from_afar(mesh: DrawMesh | None, parts: Sequence[_Part]) -> DrawMesh | None:
    """A model from afar: a box for each part, within the extent of its mesh."""
    if mesh is None:
        return None
    low, extent = mesh.vertices.min(axis=0), np.ptp(mesh.vertices, axis=0)
    boxes = []
    for part in parts:
        first = np.array([part.rear, 0.0, part.bottom])
        last = np.array([part.front, 1.0, part.top])
        length, width, height = (extent * (last - first)).tolist()
        middle = low + extent * (first + last) / 2.0
        box = box_mesh((length, width, height), part.colour)
        vertices = (box.vertices + middle).astype(np.float32)
        # The underside is never visible.
        is_seen = box.normals[box.triangles[:, 0], 2] > -0.5
        boxes.append(replace(box, vertices=vertices).select(box.triangles[is_seen]))
    return joined(boxes)


def _parts_of(kind: VehicleKind) -> Sequence[_Part]:
    if kind.vehicle_class in _NARROW:
        return _RIDER
    return _TALL if kind.height > _TALL_FROM else _LOW


def near_levels(library: ModelLibrary, path: str) -> tuple[DrawMesh | None, ...]:
    """The same of what the last levels of a body have themselves."""
    return (*model_levels(library, path)[: LEVELS - 2], None, None)


def _mesh(model: Model) -> DrawMesh:
    return joined([part.mesh for part in model.parts])


def _fitted(levels: tuple[DrawMesh | None, ...], kind: VehicleKind) -> RigPiece:
    """A body, stretched to the sizes of its kind along and across; its height is as drawn."""
    mesh = levels[0]
    levels = (*levels, boxes_from_afar(mesh, _parts_of(kind)))
    if mesh is None:
        return RigPiece(levels)
    extent = np.ptp(mesh.vertices, axis=0)
    return RigPiece(levels, numbers=(0.0, 0.0, 0.0, kind.length / float(extent[0]), 1.0, 1.0))


def _wheels(kind: VehicleKind, wheel: tuple[DrawMesh | None, ...]) -> list[RigPiece]:
    """The wheels of a kind; the first axle steers. From afar a body has its own."""
    radius = kind.axles.wheel_radius
    has_one_track = kind.vehicle_class in _NARROW
    width = _NARROW.get(kind.vehicle_class, 0.66 * radius)
    sides = ((0.0, 0.0),) if has_one_track else _sides(kind, width)
    pieces = []
    for number, place in enumerate(kind.axles.places):
        for y, turned in sides:
            pivot = (kind.length / 2.0 - place, y, radius)
            size = (radius, width, radius)
            numbers = (*pivot, *size, radius, float(number == 0), turned)
            pieces.append(RigPiece(wheel, PieceMotion.WHEEL, -1, numbers))
    return pieces


def _sides(kind: VehicleKind, width: float) -> tuple[tuple[float, float], ...]:
    """The places y [m] of wheels, and whether they look to the right: just within the body."""
    y = kind.width / 2.0 - width / 2.0 - 0.02
    return (y, 0.0), (-y, 1.0)


_NARROW = {VehicleClass.MOTORCYCLE: 0.13, VehicleClass.BICYCLE: 0.035}
"""Width [m] of the wheels of what has two in one track: as of usual tyres."""


def _cycling_legs(library: ModelLibrary, first: int) -> list[RigPiece]:
    """The legs of a cyclist, who turns the pedals once for some metres."""
    thigh = near_levels(library, "models/traffic/leg/thigh")
    shank = near_levels(library, "models/traffic/leg/shank")
    pieces: list[RigPiece] = []
    for side, phase in ((1.0, 0.0), (-1.0, np.pi)):
        hip = (-0.20, 0.10 * side, 0.94, 1.0, 1.0, 1.0)
        limb = (*hip, 0.86, 0.42, 4.6, phase, 1.0)
        pieces.append(RigPiece(thigh, PieceMotion.LIMB, -1, limb))
        knee = (0.0, 0.0, -0.42, 0.92, 0.92, 0.92)
        parent = first + len(pieces) - 1
        pieces.append(RigPiece(shank, PieceMotion.SHANK, parent, (*knee, 1.05, 0.62, 0.0)))
    return pieces
