"""Poses what a camera sees of hundreds of models, into one mesh for each picture."""

from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Floats32, Integers
from autosim.client.traffic.rigs import (
    DYES,
    LEVELS,
    JointColumns,
    PieceColumns,
    PieceMotion,
    Rigs,
)
from autosim.jit import compiled, jitable
from autosim.portable import cos, sin

Words = npt.NDArray[np.uint32]
_Arrays = tuple[npt.NDArray[np.generic], ...]

_C, _J = PieceColumns(), JointColumns()

_FIXED, _WHEEL, _SHANK = int(PieceMotion.FIXED), int(PieceMotion.WHEEL), int(PieceMotion.SHANK)
"""The codes of the ways in which pieces move, as kernels know them."""

REACHES = (5.5, 20.0, 45.0, 450.0)
"""Distances up to which each level of detail is drawn, as factors of a model's radius: beyond the
last it is smaller than a pixel or two."""

LARGEST = 3.5
"""Radius [m] of the largest models whose size counts for their detail: windows of buses are hardly
larger than those of cars."""

_AROUND = 25.0
"""Distance [m] from the eye within which also what is not in the picture is drawn: it may cast its
shadow into it."""

_BRISK = 0.8
"""Speed [m/s] from which on limbs swing in full."""

_JUMP = 12.0
"""Distance [m] between two pictures beyond which a thing was moved rather than moving."""

ROW = 9
"""Number of words of a vertex: place, normal, colour, place in a texture."""


class PosedModels(NamedTuple):
    """Models in their poses.

    kinds: (n,) row of the rigs, that of a model (`drawn_models.py`) and not of the fleet; negative
    for unused slots; places: (n, 3) [m] in W; rotations: (n, 3, 3) from B to W; sizes: (n,)
    factors; rolled: (n,) [m]; steering: (n,) [rad]; speeds: (n,) [m/s]; dyes: (n, DYES) uint32
    colours of their dyes, red in the lowest byte; labels: (n, 2) float32.
    """

    kinds: Integers
    places: Floats
    rotations: Floats
    sizes: Floats
    rolled: Floats
    steering: Floats
    speeds: Floats
    dyes: Words
    labels: Floats32


def match_previous(before: PosedModels, now: PosedModels) -> PosedModels:
    """The things of an earlier state; the current ones where they are new or were moved."""
    apart = np.abs(before.places - now.places).max(axis=1, initial=0.0)
    goes_on = (before.kinds == now.kinds) & (apart < _JUMP)
    pairs = zip(cast(_Arrays, before), cast(_Arrays, now), strict=True)
    chosen = [np.where(_along(goes_on, is_now.ndim), was, is_now) for was, is_now in pairs]
    return PosedModels(*chosen)


def _along(values: Booleans, axes: int) -> Booleans:
    """Values (n,) reshaped to `axes` axes, all but the first of length 1."""
    return values.reshape((-1,) + (1,) * (axes - 1))


class VisibleModels(NamedTuple):
    """The drawn things: rows of `PosedModels` and models (k,), the near ones first.

    near: how many things, vertices and corners are near; whole: the same of all.
    """

    rows: Integers
    models: Integers
    near: tuple[int, ...]
    whole: tuple[int, ...]


def select_visible(
    rigs: Rigs, things: PosedModels, eye: Floats, planes: Floats, near: float
) -> VisibleModels:
    """The things that a camera sees, each in the level of detail for its distance.

    Args:
        rigs: the models.
        things: all of them.
        eye: (3,) [m] of the camera.
        planes: (p, 3) unit normals, pointing inwards, of the planes through the eye that bound what
            it sees; none: it sees everything.
        near: distance [m] from the eye up to which things are near.
    """
    count = len(things.kinds)
    rows, models = np.empty(count, np.int64), np.empty(count, np.int64)
    sizes = np.zeros((2, 3), np.int64)
    _see(
        *(things.kinds, things.places, rigs.radii, rigs.heights, eye, planes, near),
        *(rigs.starts, rigs.pieces, rows, models, sizes),
    )
    first, whole = sizes.tolist()
    return VisibleModels(rows[: whole[0]], models[: whole[0]], tuple(first), tuple(whole))


@jitable
def _level(distance2: float, radius: float) -> int:
    """The level of detail of a model by its distance squared [m²] and radius [m]."""
    level = 0
    while level < LEVELS and distance2 > (REACHES[level] * radius) ** 2:
        level += 1
    return level


@jitable
def is_inside(x: float, y: float, z: float, radius: float, planes: Floats) -> bool:
    """Whether something of a ball at a place against the eye [m] is between planes through it."""
    for p in range(len(planes)):
        if planes[p, 0] * x + planes[p, 1] * y + planes[p, 2] * z < -radius:
            return False
    return True


@compiled
def _see(
    kinds: Integers,
    places: Floats,
    radii: Floats,
    heights: Floats,
    eye: Floats,
    planes: Floats,
    near: float,
    starts: Integers,
    pieces: Integers,
    rows: Integers,
    models: Integers,
    sizes: Integers,
) -> None:
    whole = sizes[1]
    for is_far in range(2):
        for i in range(len(kinds)):
            kind = kinds[i]
            if kind < 0 or kind >= len(radii):
                continue
            x, y = places[i, 0] - eye[0], places[i, 1] - eye[1]
            z = places[i, 2] + heights[kind] - eye[2]
            radius = radii[kind]
            distance2 = x * x + y * y + z * z
            level = _level(distance2, min(radius, LARGEST))
            if level == LEVELS or (distance2 >= near * near) != (is_far == 1):
                continue
            if distance2 > (_AROUND + radius) ** 2 and not is_inside(x, y, z, radius, planes):
                continue
            model = kind * LEVELS + level
            rows[whole[0]], models[whole[0]] = i, model
            whole[0] += 1
            for piece in range(starts[model], starts[model + 1]):
                whole[1] += pieces[piece, _C.vertices]
                whole[2] += pieces[piece, _C.corners]
        if is_far == 0:
            sizes[0] = whole


def write_pose_mesh(rigs: Rigs, things: PosedModels, seen: VisibleModels, into: "Posed") -> None:
    """Fills a mesh with what is seen."""
    _pose(
        *(seen.rows, seen.models, seen.near[0], things.places, things.rotations, things.sizes),
        *(things.rolled, things.steering, things.speeds, things.dyes, things.labels),
        *(rigs.starts, rigs.pieces, rigs.joints, rigs.vertices),
        *(rigs.colours.view(np.uint32).ravel(), rigs.dyes, rigs.triangles),
        into.rows,
        into.rows.view(np.uint32),
        into.labels,
        into.corners,
    )


class Posed(NamedTuple):
    """Meshes as a graphics card wants them: one of what is near, and after it one of the rest.

    rows: (n, ROW) float32, of which word 6 is the colour; labels: (n, 2) float32; corners: (t,)
    uint32 of triangles, counted from the first vertex of their mesh.
    """

    rows: Floats32
    labels: Floats32
    corners: Words

    @classmethod
    def room_for(cls, seen: VisibleModels) -> "Posed":
        """Empty meshes for what is seen."""
        _, vertices, corners = seen.whole
        rows = np.zeros((vertices, ROW), np.float32)
        labels = np.empty((vertices, 2), np.float32)
        return cls(rows, labels, np.empty(corners, np.uint32))

    def parts(self, seen: VisibleModels) -> "tuple[Posed, Posed]":
        """The mesh of what is near, and that of the rest."""
        _, n, t = seen.near
        near = Posed(self.rows[:n], self.labels[:n], self.corners[:t])
        return near, Posed(self.rows[n:], self.labels[n:], self.corners[t:])


@jitable
def _times(first: Floats, second: Floats, product: Floats) -> None:
    """The product of two matrices (3, 3)."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += first[i, k] * second[k, j]
            product[i, j] = total


@jitable
def _about_y(angle: float, turn: float, matrix: Floats) -> None:
    """The rotation by `angle` about y, and then by `turn` about z."""
    c, s, ct, st = cos(angle), sin(angle), cos(turn), sin(turn)
    matrix[0, 0], matrix[0, 1], matrix[0, 2] = ct * c, -st, ct * s
    matrix[1, 0], matrix[1, 1], matrix[1, 2] = st * c, ct, st * s
    matrix[2, 0], matrix[2, 1], matrix[2, 2] = -s, 0.0, c


@jitable
def _limb_angle(joint: Floats, walked: float, speed: float) -> tuple[float, float, float]:
    """Forward swing of a limb [rad], its phase [rad], and the share of its swing."""
    vigour = min(1.0, abs(speed) / _BRISK)
    vigour = vigour + (1.0 - vigour) * joint[_J.idle]
    phase = 2.0 * np.pi * walked / joint[_J.stride] + joint[_J.phase]
    return joint[_J.mean] + vigour * joint[_J.swing] * sin(phase), phase, vigour


@jitable
def _place_piece(
    piece: int,
    first: int,
    pieces: Integers,
    joints: Floats,
    rolled: float,
    steering: float,
    speed: float,
    matrix: Floats,
    offset: Floats,
) -> None:
    """The rotation (3, 3) and the place (3,) of a piece in its body."""
    joint = joints[piece]
    motion = pieces[piece, _C.motion]
    for axis in range(3):
        offset[axis] = joint[axis]
    if motion == _FIXED:
        _about_y(0.0, 0.0, matrix)
    elif motion == _WHEEL:
        turned = joint[_J.turned]
        angle = rolled / joint[_J.radius] * (1.0 - 2.0 * turned)
        _about_y(angle, steering * joint[_J.steers] + np.pi * turned, matrix)
    elif motion == _SHANK:
        limb = joints[first + pieces[piece, _C.parent]]
        angle, phase, vigour = _limb_angle(limb, rolled, speed)
        c, s = cos(angle), sin(angle)
        x, z = joint[_J.pivot_x], joint[_J.pivot_z]
        offset[0] = limb[_J.pivot_x] + c * x - s * z
        offset[1] = limb[_J.pivot_y] + joint[_J.pivot_y]
        offset[2] = limb[_J.pivot_z] + s * x + c * z
        # The knee bends while the leg swings forward, and in the rhythm of pedals.
        forward = max(0.0, cos(phase))
        bend = joint[_J.mean] + vigour * joint[_J.lift] * forward
        bend += vigour * joint[_J.swing] * sin(phase)
        _about_y(bend - angle, 0.0, matrix)
    else:
        angle, _, _ = _limb_angle(joint, rolled, speed)
        _about_y(-angle, 0.0, matrix)


@compiled
def _pose(
    rows: Integers,
    models: Integers,
    near: int,
    places: Floats,
    rotations: Floats,
    sizes: Floats,
    rolled: Floats,
    steering: Floats,
    speeds: Floats,
    dyes: Words,
    labels: Floats32,
    starts: Integers,
    pieces: Integers,
    joints: Floats,
    vertices: Floats32,
    colours: Words,
    dye_of: npt.NDArray[np.uint8],
    triangles: npt.NDArray[np.int32],
    out: Floats32,
    out_words: Words,
    out_labels: Floats32,
    out_corners: Words,
) -> None:
    own, whole = np.empty((3, 3)), np.empty((3, 3))
    offset, middle = np.empty(3), np.empty(3)
    n = t = base = 0
    for k in range(len(rows)):
        if k == near:
            base = n
        i, first = rows[k], starts[models[k]]
        for piece in range(first, starts[models[k] + 1]):
            _place_piece(
                piece, first, pieces, joints, rolled[i], steering[i], speeds[i], own, offset
            )
            _times(rotations[i], own, whole)
            for axis in range(3):
                total = 0.0
                for j in range(3):
                    total += rotations[i, axis, j] * offset[j]
                middle[axis] = places[i, axis] + sizes[i] * total
            start, corner = pieces[piece, _C.first_vertex], pieces[piece, _C.first_corner]
            for c in range(corner, corner + pieces[piece, _C.corners]):
                out_corners[t] = n - base + triangles[c]
                t += 1
            sx = sizes[i] * joints[piece, _J.scale_x]
            sy = sizes[i] * joints[piece, _J.scale_y]
            sz = sizes[i] * joints[piece, _J.scale_z]
            for v in range(start, start + pieces[piece, _C.vertices]):
                x, y, z = sx * vertices[v, 0], sy * vertices[v, 1], sz * vertices[v, 2]
                for axis in range(3):
                    a, b, c_ = whole[axis, 0], whole[axis, 1], whole[axis, 2]
                    out[n, axis] = middle[axis] + a * x + b * y + c_ * z
                    out[n, 3 + axis] = a * vertices[v, 3] + b * vertices[v, 4] + c_ * vertices[v, 5]
                word = colours[v]
                if dye_of[v]:
                    word = (word & np.uint32(0xFF000000)) | dyes[i, dye_of[v]]
                out_words[n, 6] = word
                out_labels[n, 0], out_labels[n, 1] = labels[i, 0], labels[i, 1]
                n += 1


def no_dyes(count: int) -> Words:
    """Colours of dyes for `count` things, all black."""
    return np.zeros((count, DYES), np.uint32)
