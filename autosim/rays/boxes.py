"""Rays against the shapes of all bodies, which move."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.jit import compilable
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.mesh_shapes import hierarchy_of
from autosim.rays.solids import enter_box, enter_capsule, enter_cylinder, enter_sphere
from autosim.rays.traversal import NOTHING, back_is_seen, nearest_below
from autosim.simulation.frames import Triple, dot, minus, read, times, to_body
from autosim.simulation.rigid_body import RigidBody
from autosim.simulation.shapes import Box, Capsule, Cylinder, Mesh, PlacedShape, Sphere
from autosim.simulation.turns import matrix_of

_KINDS = (Box, Sphere, Cylinder, Capsule, Mesh)
_BOX, _SPHERE, _CYLINDER, _CAPSULE, _MESH = range(5)
"""Numbers of the kinds of shapes, in the order of `_KINDS`."""

NO_BOX = -1
"""The number of a box where there is none."""


class PartBoxes(NamedTuple):
    """m bodies, in the order of their places along an axis, so that rays look at few of them.

    radii: (m,) m of the spheres around them; most: the largest of these; robots: (m,) number of the
    robot that each belongs to. order: (m,) the bodies along x or y, keys: (m,) m in W, where they
    are along it; axis: (1,) which one it is; these are brought up to date by `sort_boxes`.

    Body i has the shapes from starts[i] to starts[i + 1]. Of each shape, kinds: (s,) see `_KINDS`;
    sizes: (s, 3) m, half the extents of a box, radius and half the length of a round one;
    is_placed: (s,) it has a place and a turn of its own in B, in places (s, 3) m and turns
    (s, 3, 3); roots: (s,) where a mesh begins in meshes; is_convex: (s,) the mesh is a solid.
    """

    radii: Floats
    most: float
    robots: Integers
    order: Integers
    keys: Floats
    axis: Integers
    starts: Integers
    kinds: Integers
    sizes: Floats
    is_placed: Booleans
    places: Floats
    turns: Floats
    roots: Integers
    is_convex: Booleans
    meshes: Hierarchy

    @classmethod
    def of(cls, bodies: Sequence[RigidBody], robots: Integers) -> "PartBoxes":
        """Bodies, each of one of `robots` (m,)."""
        radii = np.array([body.reach for body in bodies], dtype=np.float64)
        count = len(bodies)
        placed = [each for body in bodies for each in body.shapes]
        meshes, roots = hierarchy_of([each.shape for each in placed])
        turns = [matrix_of(each.orientation) for each in placed]
        return cls(
            radii,
            float(radii.max(initial=0.0)),
            robots,
            np.arange(count),
            np.zeros(count),
            np.zeros(1, dtype=np.int64),
            np.cumsum([0, *(len(body.shapes) for body in bodies)]),
            np.array([_KINDS.index(type(each.shape)) for each in placed], dtype=np.int64),
            np.array([_size(each) for each in placed], dtype=np.float64).reshape(-1, 3),
            np.array([each != PlacedShape(each.shape) for each in placed], dtype=np.bool_),
            np.array([each.position for each in placed], dtype=np.float64).reshape(-1, 3),
            np.array(turns, dtype=np.float64).reshape(-1, 3, 3),
            roots,
            np.array(
                [isinstance(each.shape, Mesh) and each.shape.is_convex for each in placed],
                dtype=np.bool_,
            ),
            meshes,
        )


def _size(placed: PlacedShape) -> tuple[float, float, float]:
    shape = placed.shape
    if isinstance(shape, Sphere):
        return shape.radius, 0.0, 0.0
    if isinstance(shape, Capsule | Cylinder):
        return shape.radius, shape.length / 2.0, 0.0
    return shape.high


@compilable
def sort_boxes(boxes: PartBoxes, positions: Floats) -> None:
    """Brings the order up to date. It is nearly that of the last step, so this is quick.

    Args:
        boxes: `order`, `keys` and `axis` are written.
        positions: (m, 3) m in W of the origins of B.
    """
    axis, order, keys = _longer_axis(positions), boxes.order, boxes.keys
    boxes.axis[0] = axis
    for i in range(len(order)):
        box = order[i]
        key = positions[box, axis]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j], order[j] = keys[j - 1], order[j - 1]
            j -= 1
        keys[j], order[j] = key, box


@compilable
def _longer_axis(positions: Floats) -> int:
    """0 or 1: the axis along which positions (m, 3) lie further apart."""
    least_x, least_y, most_x, most_y = np.inf, np.inf, -np.inf, -np.inf
    for i in range(len(positions)):
        x, y = positions[i, 0], positions[i, 1]
        least_x, most_x = min(least_x, x), max(most_x, x)
        least_y, most_y = min(least_y, y), max(most_y, y)
    return 0 if most_x - least_x >= most_y - least_y else 1


@compilable
def nearest_box(
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    origin: Triple,
    way: Triple,
    robot: int,
    limit: float,
) -> float:
    """How far a ray gets before it meets a body of another robot: see `first_box`."""
    return first_box(boxes, positions, rotations, origin, way, robot, limit)[0]


@compilable
def first_box(
    boxes: PartBoxes,
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
        boxes: as `sort_boxes` left them.
        positions: (m, 3) m in W of the origins of B.
        rotations: (m, 3, 3) R_WB.
        origin: m in W.
        way: to the ray's end [m] in W.
        robot: that casts the ray; its own bodies are passed.
        limit: share of the way beyond which nothing counts, at most 1.

    Returns:
        The share of the way, `limit` where it meets none before, and the box's number, else
        `NO_BOX`.
    """
    axis = boxes.axis[0]
    end = origin[axis] + limit * way[axis]
    low = min(origin[axis], end) - boxes.most
    high = max(origin[axis], end) + boxes.most
    best, found = limit, NO_BOX
    for i in range(_first_from(boxes.keys, low), len(boxes.keys)):
        if not boxes.keys[i] <= high:
            break
        body = boxes.order[i]
        centre = read(positions[body])
        if boxes.robots[body] == robot or _misses(origin, way, centre, boxes.radii[body]):
            continue
        R = rotations[body]
        start, through = to_body(R, minus(origin, centre)), to_body(R, way)
        for shape in range(boxes.starts[body], boxes.starts[body + 1]):
            hit = _enter(boxes, shape, start, through, best)
            if hit < best:
                best, found = hit, body
    return best, found


@compilable
def _enter(boxes: PartBoxes, shape: int, start: Triple, way: Triple, limit: float) -> float:
    """Where a ray enters a shape: from `start` along `way` in B; `limit` or 1 where it misses."""
    if boxes.is_placed[shape]:
        turn = boxes.turns[shape]
        start, way = to_body(turn, minus(start, read(boxes.places[shape]))), to_body(turn, way)
    kind, size = boxes.kinds[shape], read(boxes.sizes[shape])
    if kind == _BOX:
        return enter_box(start, way, size)
    if kind == _SPHERE:
        return enter_sphere(start, way, size[0])
    if kind == _CYLINDER:
        return enter_cylinder(start, way, size[0], size[1])
    if kind == _CAPSULE:
        return enter_capsule(start, way, size[0], size[1])
    share, hit = nearest_below(boxes.meshes, boxes.roots[shape], start, way, limit)
    if hit != NOTHING and boxes.is_convex[shape] and back_is_seen(boxes.meshes.corners, hit, way):
        return 0.0
    return share


@compilable
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


@compilable
def _misses(origin: Triple, way: Triple, centre: Triple, radius: float) -> bool:
    """Whether a ray stays outside a sphere: a cheap test that most pairs end with."""
    there = minus(centre, origin)
    along, squared = dot(way, there), dot(way, way)
    share = min(max(along / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    apart = minus(there, times(share, way))
    return dot(apart, apart) > radius * radius
