"""Appearance of bodies without a model: their shapes in their poses."""

from math import pi

import numpy as np

from autosim.arrays import Floats
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.palette import Colour
from autosim.client.models.primitive_meshes import box_mesh, flat_mesh, revolved_mesh
from autosim.model.quaternions import matrix_of
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.model.rigid_bodies.shapes import (
    Box,
    Capsule,
    Cylinder,
    PlacedShape,
    Shape,
    Sphere,
)

_QUARTER = 8
"""Number of faces from a pole of a sphere to its equator: 32 around it, as smooth as a tyre."""


def body_mesh(body: RigidBody, colour: Colour) -> DrawMesh:
    """The shapes of a body in B."""
    return joined([_placed(each, colour) for each in body.shapes])


def _placed(placed: PlacedShape, colour: Colour) -> DrawMesh:
    mesh = _mesh(placed.shape, colour)
    turn = matrix_of(placed.orientation).T
    return DrawMesh(
        (mesh.vertices @ turn + placed.position).astype(np.float32),
        (mesh.normals @ turn).astype(np.float32),
        mesh.colours,
        mesh.uvs,
        mesh.triangles,
    )


def _mesh(shape: Shape, colour: Colour) -> DrawMesh:
    if isinstance(shape, Box):
        return box_mesh(shape.size, colour)
    if isinstance(shape, Sphere):
        return revolved_mesh(*_round_ends(shape.radius, 0.0), colour, segments=4 * _QUARTER)
    if isinstance(shape, Capsule):
        ends = _round_ends(shape.radius, shape.length / 2.0)
        return revolved_mesh(*ends, colour, segments=4 * _QUARTER)
    if isinstance(shape, Cylinder):
        ends = _flat_ends(shape.radius, shape.length / 2.0)
        return revolved_mesh(*ends, colour, segments=4 * _QUARTER)
    corners = shape.vertices[shape.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    triangles = np.arange(3 * len(corners)).reshape(-1, 3)
    return flat_mesh(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0), colour, triangles)


def _round_ends(radius: float, half: float) -> tuple[Floats, Floats]:
    """The outline (n, 2) of a capsule from below, across and up [m], and its normals."""
    angles = np.linspace(-pi / 2.0, pi / 2.0, 2 * _QUARTER + 1)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lower, upper = normals[: _QUARTER + 1], normals[_QUARTER:]
    outline = np.vstack([radius * lower - [0.0, half], radius * upper + [0.0, half]])
    return outline, np.vstack([lower, upper])


def _flat_ends(radius: float, half: float) -> tuple[Floats, Floats]:
    """The outline of a cylinder; where it has an edge a point stands twice, with both normals."""
    rim, pole = [radius, half], [0.0, half]
    outline = np.array([[0.0, -half], [radius, -half], [radius, -half], rim, rim, pole])
    down, out, up = [0.0, -1.0], [1.0, 0.0], [0.0, 1.0]
    return outline, np.array([down, down, out, out, up, up])
