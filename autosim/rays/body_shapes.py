"""Rays against the shapes of all bodies, which move."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Vector3
from autosim.jit import jitable
from autosim.model.quaternions import matrix_of
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.model.rigid_bodies.shapes import (
    Box,
    Capsule,
    Cylinder,
    MeshShape,
    PlacedShape,
    Shape,
    Sphere,
)
from autosim.model.vector_kernels import Triple, dot, read_vector, to_body, vec_scale, vec_sub
from autosim.rays.mesh_shapes import MeshTrees, enter_mesh
from autosim.rays.solid_intersection import enter_box, enter_capsule, enter_cylinder, enter_sphere

_KINDS = (Box, Sphere, Cylinder, Capsule, MeshShape)
_BOX, _SPHERE, _CYLINDER, _CAPSULE, _MESH = range(5)
"""Numbers of the kinds of shapes, in the order of `_KINDS`."""

NO_BODY = -1
"""The number of a body where there is none."""


class Solids(NamedTuple):
    """The shapes of bodies that are more than a box.

    shapes: (s, 6, 3) of each its rotation to B; its place [m] in B; three lengths [m], half the
    extents of a box, or radius and half the length of a round shape; and its kind, see `_KINDS`. Of
    a mesh the first length is 1 if it is convex, and behind its kind stand its first row in meshes
    and the one after its last. meshes: see `MeshTrees`.
    """

    shapes: Floats
    meshes: Floats


class BodyShapes(NamedTuple):
    """m bodies, in the order of their places along an axis, so that rays look at few of them.

    halves: (m, 3) m, half the extents of a body that is a box along the axes of B, as most are; of
    another 0, its first row in `Solids.shapes`, and how many they are. radii: (m,) m of the spheres
    around them; most: the largest of these; robots: (m,) number of the robot that each belongs to.
    order: (m,) the bodies along x or y, keys: (m,) m in W, where they are along it; axis: (1,)
    which one it is; these are brought up to date by `sort_bodies`.
    """

    halves: Floats
    radii: Floats
    most: float
    robots: Integers
    order: Integers
    keys: Floats
    axis: Integers


def shapes_of(bodies: Sequence[RigidBody], robots: Integers) -> tuple[BodyShapes, Solids | None]:
    """The shapes of bodies, each of one of `robots` (m,); no solids where all are boxes.

    Kernels are then compiled without what only solids take.
    """
    radii = np.array([body.reach for body in bodies], dtype=np.float64)
    starts = np.cumsum([0, *(len(body.shapes) for body in bodies)]).tolist()
    halves = [_half(body, start) for body, start in zip(bodies, starts, strict=False)]
    shapes = BodyShapes(
        np.array(halves, dtype=np.float64).reshape(-1, 3),
        radii,
        float(radii.max(initial=0.0)),
        robots,
        np.arange(len(bodies)),
        np.zeros(len(bodies)),
        np.zeros(1, dtype=np.int64),
    )
    if all(half[0] > 0.0 for half in halves):
        return shapes, None
    placed = [each for body in bodies for each in body.shapes]
    trees = MeshTrees([each.shape for each in placed if isinstance(each.shape, MeshShape)])
    ranges = iter(trees.ranges)
    rows = [_shape_rows(each, ranges) for each in placed]
    return shapes, Solids(np.array(rows, dtype=np.float64).reshape(-1, 6, 3), trees.rows)


def _half(body: RigidBody, start: int) -> Vector3:
    first, *others = body.shapes
    if not others and first == PlacedShape(first.shape) and isinstance(first.shape, Box):
        return first.shape.high
    return 0.0, start, len(body.shapes)


def _shape_rows(placed: PlacedShape, ranges: Iterator[tuple[int, int]]) -> list[object]:
    shape = placed.shape
    first, end = next(ranges) if isinstance(shape, MeshShape) else (0, 0)
    kind = _KINDS.index(type(shape)), first, end
    return [*matrix_of(placed.orientation), placed.position, _lengths(shape), kind]


def _lengths(shape: Shape) -> Vector3:
    if isinstance(shape, MeshShape):
        return float(shape.is_convex), 0.0, 0.0
    if isinstance(shape, Box):
        return shape.high
    return shape.radius, 0.0 if isinstance(shape, Sphere) else shape.length / 2.0, 0.0


@jitable
def sort_bodies(bodies: BodyShapes, positions: Floats) -> None:
    """Brings the order up to date. It is nearly that of the last step, so this is quick.

    Args:
        bodies: `order`, `keys` and `axis` are written.
        positions: (m, 3) m in W of the origins of B.
    """
    axis, order, keys = _longer_axis(positions), bodies.order, bodies.keys
    bodies.axis[0] = axis
    for i in range(len(order)):
        body = order[i]
        key = positions[body, axis]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j], order[j] = keys[j - 1], order[j - 1]
            j -= 1
        keys[j], order[j] = key, body


@jitable
def _longer_axis(positions: Floats) -> int:
    """0 or 1: the axis along which positions (m, 3) lie further apart."""
    least_x, least_y, most_x, most_y = np.inf, np.inf, -np.inf, -np.inf
    for i in range(len(positions)):
        x, y = positions[i, 0], positions[i, 1]
        least_x, most_x = min(least_x, x), max(most_x, x)
        least_y, most_y = min(least_y, y), max(most_y, y)
    return 0 if most_x - least_x >= most_y - least_y else 1


@jitable
def first_body(
    bodies: BodyShapes,
    solids: Solids | None,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
    limit: float,
) -> tuple[float, int]:
    """The first body of another robot that a ray meets, and how far it gets before.

    A ray that begins inside a solid has met it at once.

    Args:
        bodies: as `sort_bodies` left them.
        solids: of those that are more than a box.
        positions: (m, 3) m in W of the origins of B.
        rotations: (m, 3, 3) R_WB.
        origin: m in W.
        way: to the ray's end [m] in W.
        robot: that casts the ray; its own bodies are passed.
        limit: share of the way beyond which nothing counts, at most 1.

    Returns:
        The share of the way, `limit` where it meets none before, and the body's number, else
        `NO_BODY`.
    """
    axis = bodies.axis[0]
    end = origin[axis] + limit * way[axis]
    low = min(origin[axis], end) - bodies.most
    high = max(origin[axis], end) + bodies.most
    best, found = limit, NO_BODY
    for i in range(_first_from(bodies.keys, low), len(bodies.keys)):
        if not bodies.keys[i] <= high:
            break
        body = bodies.order[i]
        centre = read_vector(positions[body])
        if bodies.robots[body] == robot or _misses(origin, way, centre, bodies.radii[body]):
            continue
        R = rotations[body]
        start, through = to_body(R, vec_sub(origin, centre)), to_body(R, way)
        hit = enter_body(read_vector(bodies.halves[body]), solids, start, through, best)
        if hit < best:
            best, found = hit, body
    return best, found


@jitable
def enter_body(
    half: Triple, solids: Solids | None, start: Triple, way: Triple, limit: float
) -> float:
    """Entry of a ray, from `start` along `way` in B, into a body with a row `half` of `halves`."""
    if solids is None or half[0] > 0.0:
        return enter_box(start, way, half)
    first = int(half[1])
    return _enter_shapes(
        solids.shapes[first : first + int(half[2])], solids.meshes, start, way, limit
    )


@jitable
def _enter_shapes(
    shapes: Floats, meshes: Floats, start: Triple, way: Triple, limit: float
) -> float:
    """Entry of a ray, from `start` along `way` in B, into the first of a body's shapes."""
    best = limit
    for i in range(len(shapes)):
        shape = shapes[i]
        a, v = to_body(shape, vec_sub(start, read_vector(shape[3]))), to_body(shape, way)
        size, kind = read_vector(shape[4]), shape[5, 0]
        if kind == _BOX:
            best = min(best, enter_box(a, v, size))
        elif kind == _SPHERE:
            best = min(best, enter_sphere(a, v, size[0]))
        elif kind == _CYLINDER:
            best = min(best, enter_cylinder(a, v, size[0], size[1]))
        elif kind == _CAPSULE:
            best = min(best, enter_capsule(a, v, size[0], size[1]))
        else:
            first, end = int(shape[5, 1]), int(shape[5, 2])
            best = enter_mesh(meshes, first, end, a, v, size[0] > 0.0, best)
    return best


@jitable
def _first_from(keys: Floats, low: float) -> int:
    """The first of ascending keys that is not below `low`."""
    first, end = 0, len(keys)
    while first < end:
        middle = (first + end) // 2
        if keys[middle] < low:
            first = middle + 1
        else:
            end = middle
    return first


@jitable
def _misses(origin: Triple, way: Triple, centre: Triple, radius: float) -> bool:
    """Whether a ray stays outside a sphere: a cheap test that most pairs end with."""
    there = vec_sub(centre, origin)
    along, squared = dot(way, there), dot(way, way)
    share = min(max(along / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    apart = vec_sub(there, vec_scale(share, way))
    return dot(apart, apart) > radius * radius
