"""Shapes as PyBullet takes them."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.engine.physics.bullet.mesh_lists import mesh_lists
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, MeshShape, PlacedShape, Shape

with suppress_stderr():  # it prints when it was built
    import pybullet

SURFACE_FLAGS = pybullet.GEOM_FORCE_CONCAVE_TRIMESH | pybullet.GEOM_CONCAVE_INTERNAL_EDGE
"""Without the second a body sliding over a flat mesh trips over its inner edges."""

ROUNDING = 0.04
"""Radius [m] of a box's edges, Bullet's own; its size stays. With PyBullet's 1 mm a box that slides
over triangles of some metres trips over their inner edges: 20 m/s become 4."""

_LEAST_SHARE = 5.0
"""Number by which the least extent of a shape is divided: no more of it is rounded."""


def make_shape(shapes: Sequence[PlacedShape], client: int) -> int:
    """The number of a collision shape of all `shapes` together."""
    if len(shapes) > 1:
        return _make_compound(shapes, client)
    (placed,) = shapes
    place: dict[str, object] = {}
    if placed != PlacedShape(placed.shape):
        place["collisionFramePosition"] = placed.position
        place["collisionFrameOrientation"] = placed.orientation
    made: int = pybullet.createCollisionShape(
        _type(placed.shape), **_arguments(placed.shape), **place, physicsClientId=client
    )
    return made


def margin_of(shapes: Sequence[PlacedShape]) -> float:
    """Radius by which the edges of all `shapes` [m] is rounded."""
    return min(_margin(each.shape) for each in shapes)


def is_surface(shape: Shape) -> bool:
    """Whether it has no inside."""
    return isinstance(shape, MeshShape) and not shape.is_convex


def _make_compound(shapes: Sequence[PlacedShape], client: int) -> int:
    columns: dict[str, Sequence[object]] = {
        "shapeTypes": [_type(each.shape) for each in shapes],
        "radii": [getattr(each.shape, "radius", 0.0) for each in shapes],
        "lengths": [getattr(each.shape, "length", 0.0) for each in shapes],
        "halfExtents": [list(each.shape.high) for each in shapes],
        "collisionFramePositions": [each.position for each in shapes],
        "collisionFrameOrientations": [each.orientation for each in shapes],
    }
    made: int = pybullet.createCollisionShapeArray(**columns, physicsClientId=client)
    return made


def _type(shape: Shape) -> int:
    names = {
        "Box": "BOX",
        "Capsule": "CAPSULE",
        "Cylinder": "CYLINDER",
        "MeshShape": "MESH",
        "Sphere": "SPHERE",
    }
    number: int = getattr(pybullet, f"GEOM_{names[type(shape).__name__]}")
    return number


def _arguments(shape: Shape) -> dict[str, object]:
    if isinstance(shape, Box):
        return {"halfExtents": list(shape.high)}
    if isinstance(shape, MeshShape):
        return _mesh(shape)
    if isinstance(shape, Capsule | Cylinder):
        return {"radius": shape.radius, "height": shape.length}
    return {"radius": shape.radius}


def _mesh(mesh: MeshShape) -> dict[str, object]:
    if mesh.is_convex:
        return {"vertices": mesh_lists(_shrunk(mesh), np.zeros((0, 3), dtype=np.int32))[0]}
    vertices, indices = mesh_lists(mesh.vertices, mesh.triangles)
    return {"vertices": vertices, "indices": indices, "flags": SURFACE_FLAGS}


def _shrunk(mesh: MeshShape) -> Floats:
    """The vertices of a hull, drawn in by what Bullet adds all around: its size stays."""
    low, high = np.array(mesh.low), np.array(mesh.high)
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    vertices: Floats = middle + (mesh.vertices - middle) * ((half - _margin(mesh)) / half)
    return vertices


def _margin(shape: Shape) -> float:
    least = min(high - low for low, high in zip(shape.low, shape.high, strict=True))
    return min(ROUNDING, least / _LEAST_SHARE)
