"""Floats: what carries a robot on water."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Bytes, Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Element, Interval
from autosim.config.schemas.common import NOT_NEGATIVE, POSITIVE_LENGTH, vector
from autosim.jit import compiled, jitable
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.element_reader import extent
from autosim.kinds.elements import ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyForces, BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import (
    Triple,
    cross,
    read_vector,
    to_body,
    to_world,
    vec_add,
    write_vector,
)
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest
from autosim.world.geometry.meshes import Surface


@dataclass(frozen=True, slots=True)
class Float(Device):
    """A box of `size` [m] along B's axes, whose middle is at `position` [m] in B from the part's.

    `drag_coefficients` and `linear_drag` [N s/m] are those along B's axes, of the whole box.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    size: Vector3 = (1.0, 1.0, 1.0)
    drag_coefficients: Vector3 = (0.3, 1.0, 1.0)
    linear_drag: Vector3 = (0.0, 0.0, 0.0)


def _along_axes(
    name: str, description: str, *, unit: str, default: Vector3, interval: Interval
) -> Element:
    """A number for each axis, whose sign does not matter."""
    return vector(name, description, unit=unit, default=default, interval=interval)


WATER_DENSITY = 1000.0
"""[kg/m^3] of fresh water at 4 °C; that of the sea is 2.5 % more."""

_DEEPEST = 10.0
"""Distance [m] above the middle of a float up to which water is searched: beyond any depth."""

_POINTS = np.array([-sqrt(0.15), 0.0, sqrt(0.15)])
"""Places of columns, in lengths of the box from its middle: those of Gauss and Legendre for three
points. With them volume, waterplane and its moments are exact as long as the waterline meets no
corner of the box."""

_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18.0
"""Shares of the box that the columns stand for, of the same rule."""

_WATER = int(Surface.WATER)

_UNKNOWN = -1e300
"""Height [m] that stands for no water."""


class _Floats(NamedTuple):
    """Constants of n floats.

    body: (n,); position, size: (n, 3) m in B; linear: (n, 3) N s/m and quadratic: (n, 3) N s²/m²,
    along B's axes.
    """

    body: Integers
    position: Floats
    size: Floats
    linear: Floats
    quadratic: Floats


class _Water(NamedTuple):
    """Effect of water on n floats: written in each step.

    submerged: (n,) share of the box; forces: (n, 3) N in W; torques: (n, 3) N m in W about the
    origin of the body.
    """

    submerged: Floats
    forces: Floats
    torques: Floats


class FloatBank:
    """Buoyancy and drag of floats in still water, whose surface is level around each.

    The mass of the water that moves along with a hull (added mass) is left out.

    Args:
        devices: the floats.
        context: has the scene with the water.
    """

    def __init__(self, devices: Sequence[MountedDevice[Float]], context: BankContext) -> None:
        floats = [mounted.device for mounted in devices]
        size = vectors([each.size for each in floats])
        sides = size[:, [1, 2, 0]] * size[:, [2, 0, 1]]
        coefficients = vectors([each.drag_coefficients for each in floats])
        self._floats = _Floats(
            body_indices(devices),
            vectors([each.position for each in floats]),
            size,
            vectors([each.linear_drag for each in floats]),
            0.5 * WATER_DENSITY * coefficients * sides,
        )
        self._word = word_indices(devices)
        self._scene, self._gravity = context.rays.scene, context.gravity
        self._step_seconds = context.step_seconds
        count = len(floats)
        self._water = _Water(np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3)))

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Lifts and brakes the bodies."""
        self._find(bodies)
        body = self._floats.body
        forces.add_forces(bodies, body, self._water.forces, bodies.positions[body])
        forces.add_torques(body, self._water.torques)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes how far the floats are in the water."""
        self._find(bodies)
        state.floats[self._word] = self._water.submerged

    def _find(self, bodies: BodyStates) -> None:
        self._scene.complete(
            lambda begin: _act(
                self._scene.hierarchy,
                self._scene.surfaces,
                bodies.positions,
                bodies.rotations,
                bodies.velocities,
                bodies.angular_velocities,
                self._floats,
                self._gravity,
                self._step_seconds,
                begin,
                self._water,
            )
        )


@compiled
def _act(
    hierarchy: Hierarchy,
    surfaces: Bytes,
    positions: Floats,
    rotations: Floats,
    velocities: Floats,
    turning: Floats,
    floats: _Floats,
    gravity: float,
    step_seconds: float,
    begin: int,
    water: _Water,
) -> tuple[int, int]:
    """Writes `water` of the floats from `begin` on; returns as `RayScene.complete` wants it."""
    for i in range(begin, len(floats.body)):
        body = floats.body[i]
        R, place = rotations[body], read_vector(positions[body])
        middle = vec_add(place, to_world(R, read_vector(floats.position[i])))
        a, b, c = read_vector(floats.size[i])
        half = 0.5 * sqrt(a * a + b * b + c * c)
        height, missing = _height(hierarchy, surfaces, middle, -half)
        if missing == NOTHING and height == _UNKNOWN:
            height, missing = _height(hierarchy, surfaces, middle, _DEEPEST)
        if missing != NOTHING:
            return missing, i
        _act_on(
            floats,
            i,
            height,
            place,
            R,
            read_vector(velocities[body]),
            read_vector(turning[body]),
            gravity,
            step_seconds,
            water,
        )
    return NOTHING, len(floats.body)


@jitable
def _height(hierarchy: Hierarchy, surfaces: Bytes, middle: Triple, way: float) -> tuple[float, int]:
    """The height [m] of water straight below or above a place, `_UNKNOWN` where something else is.

    Args:
        hierarchy: of the world.
        surfaces: of its triangles.
        middle: the place [m] in W.
        way: how far upwards it is looked for [m].

    Returns:
        It, and a link of the hierarchy that has to grow first, else `NOTHING`.
    """
    share, hit = nearest(hierarchy, middle, (0.0, 0.0, way), 1.0)
    if hit < NOTHING:
        return _UNKNOWN, NOTHING - 1 - hit
    if hit == NOTHING or surfaces[hierarchy.numbers[hit]] != _WATER:
        return _UNKNOWN, NOTHING
    return middle[2] + share * way, NOTHING


@jitable
def _act_on(
    floats: _Floats,
    i: int,
    height: float,
    place: Triple,
    R: Floats,
    velocity: Triple,
    turning: Triple,
    gravity: float,
    step_seconds: float,
    water: _Water,
) -> None:
    """Adds up over the columns of a float what water at a `height` [m] does to it."""
    centre, (a, b, c) = read_vector(floats.position[i]), read_vector(floats.size[i])
    submerged, force, torque = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(len(_POINTS)):
        for k in range(len(_POINTS)):
            column = vec_add(centre, (a * _POINTS[j], b * _POINTS[k], 0.0))
            share, middle = _below(R, column, c, height - place[2])
            if share == 0.0:
                continue
            share *= _WEIGHTS[j] * _WEIGHTS[k]
            displaced = WATER_DENSITY * a * b * c * share
            arm = to_world(R, middle)
            speed = to_body(R, vec_add(velocity, cross(turning, arm)))
            pushed = to_world(R, _drag(floats, i, speed, share, displaced / step_seconds))
            pushed = vec_add(pushed, (0.0, 0.0, displaced * gravity))
            submerged += share
            force, torque = vec_add(force, pushed), vec_add(torque, cross(arm, pushed))
    water.submerged[i] = submerged
    write_vector(force, water.forces[i])
    write_vector(torque, water.torques[i])


@jitable
def _below(R: Floats, column: Triple, length: float, height: float) -> tuple[float, Triple]:
    """The part of a column that is below the water.

    Args:
        R: of the body.
        column: its middle [m] in B from the origin of B; it is upright there.
        length: [m].
        height: of the water above the origin of B [m].

    Returns:
        The share of its length, and the middle of that [m] in B.
    """
    up = 0.5 * length if R[2, 2] >= 0.0 else -0.5 * length
    low = to_world(R, vec_add(column, (0.0, 0.0, -up)))[2]
    high = to_world(R, vec_add(column, (0.0, 0.0, up)))[2]
    if height <= low:
        return 0.0, column
    if height >= high:
        return 1.0, column
    share = (height - low) / (high - low)
    return share, vec_add(column, (0.0, 0.0, (share - 1.0) * up))


@jitable
def _drag(floats: _Floats, i: int, speed: Triple, share: float, most: float) -> Triple:
    """The drag [N] in B on a share of a float that moves with `speed` [m/s] in B.

    No step takes more from it than the momentum of the water that it displaces, which is `most`
    [kg/s]: what falls from high above would be thrown up again.
    """
    linear, quadratic = read_vector(floats.linear[i]), read_vector(floats.quadratic[i])
    x = -min(share * (linear[0] + quadratic[0] * abs(speed[0])), most) * speed[0]
    y = -min(share * (linear[1] + quadratic[1] * abs(speed[1])), most) * speed[1]
    z = -min(share * (linear[2] + quadratic[2] * abs(speed[2])), most) * speed[2]
    return x, y, z


KIND = DeviceKind(
    record=Float,
    element=device_element(
        "Float",
        "A box that displaces water, which carries the part (Archimedes) and brakes it. It turns "
        "nothing of the part's shape into a float: the box is where the water acts. A robot with "
        "a Float passes through the surface of water, which bears all others as a ford does.",
        vector("Position", "Its middle, relative to the part's centre.", default=ORIGIN),
        vector(
            "Size",
            "Its full extents.",
            required=True,
            interval=POSITIVE_LENGTH,
        ),
        _along_axes(
            "DragCoefficients",
            "Drag along each axis relative to the dynamic pressure of the water on that side of "
            "the whole box: it grows with the square of the speed.",
            unit="1",
            default=(1.0, 1.0, 0.3),
            interval=Interval(0.0, 100.0),
        ),
        _along_axes(
            "LinearDrag",
            "Drag along each axis that grows with the speed, of the whole box.",
            unit="N s/m",
            default=(0.0, 0.0, 0.0),
            interval=NOT_NEGATIVE,
        ),
    ),
    fields=(
        Field(
            "submerged",
            limits=Interval(0.0, 1.0),
            meaning="Share of the box that is below the water.",
        ),
    ),
    codecs={"Size": extent, "DragCoefficients": extent, "LinearDrag": extent},
    make_bank=FloatBank,
)
