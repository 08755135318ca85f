"""The static meshes of the world in PyBullet."""

from autosim.arrays import Floats, Integers32
from autosim.engine.physics.bullet.collision_filters import filter_as_water
from autosim.engine.physics.bullet.collision_shapes import SURFACE_FLAGS
from autosim.engine.physics.bullet.mesh_lists import mesh_lists
from autosim.engine.physics.bullet.multibodies import BASE
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.engine.physics.engine import PhysicsError

with suppress_stderr():
    import pybullet

import numpy as np

MOST_VERTICES = 131_072  # number of vertices of a mesh: see below
MOST_TRIANGLES = 174_762
"""B3_MAX_NUM_VERTICES, and a third of B3_MAX_NUM_INDICES: above these numbers PyBullet fails with a
misleading error."""


class WorldMeshes:
    """Meshes, of which some are in the world.

    Args:
        client: PyBullet's.
        visual: the number of a visual shape: without one PyBullet would copy a mesh into one.

    `water`: the numbers of those that bodies which float pass through.
    """

    def __init__(self, client: int, visual: int) -> None:
        self._client, self._visual = client, visual
        self.water: set[int] = set()

    def make_shape(self, vertices: Floats, triangles: Integers32) -> int:
        """As `PhysicsEngine.make_shape`, of `MOST_VERTICES` and `MOST_TRIANGLES` at most.

        PyBullet frees no shape before the end.
        """
        _check_mesh(vertices, triangles)
        points, corners = mesh_lists(vertices, triangles)
        shape: int = pybullet.createCollisionShape(
            pybullet.GEOM_MESH,
            vertices=points,
            indices=corners,
            flags=SURFACE_FLAGS,
            physicsClientId=self._client,
        )
        return shape

    def put_in(self, shape: int, *, friction: float, is_water: bool) -> int:
        """As `PhysicsEngine.add_static`."""
        body: int = pybullet.createMultiBody(
            baseCollisionShapeIndex=shape,
            baseVisualShapeIndex=self._visual,
            physicsClientId=self._client,
        )
        # Bullet multiplies the restitutions of both: so each body bounces with its own.
        pybullet.changeDynamics(
            body, -1, lateralFriction=friction, restitution=1.0, physicsClientId=self._client
        )
        if is_water:
            self.water.add(body)
            filter_as_water(body, BASE, self._client)
        return body

    def take_out(self, body: int) -> None:
        """Removes a mesh; its shape stays and may be put in again."""
        pybullet.removeBody(body, physicsClientId=self._client)
        self.water.discard(body)


def _check_mesh(vertices: Floats, triangles: Integers32) -> None:
    if not np.isfinite(vertices).all():
        raise PhysicsError("a mesh has a vertex that is not finite")
    if not len(triangles):
        raise PhysicsError("a mesh has no triangles")
    if not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise PhysicsError("a mesh has a triangle of vertices that it does not have")
    if len(vertices) > MOST_VERTICES or len(triangles) > MOST_TRIANGLES:
        raise PhysicsError(
            f"a mesh of {len(triangles)} triangles and {len(vertices)} vertices is too large: "
            f"PyBullet takes {MOST_TRIANGLES} and {MOST_VERTICES}"
        )
