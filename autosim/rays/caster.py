"""Casting of sensors' rays at a world and the bodies that move in it."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Integers
from autosim.jit import bind_leading_arguments
from autosim.model.bodies import BodyStates
from autosim.model.rigid_bodies.rigid_body import RigidBody
from autosim.rays.batch import RayBatch, meet_bodies, write_body_normals
from autosim.rays.body_shapes import shapes_of
from autosim.rays.ray_scene import RayScene

_NO_ROBOTS = np.zeros(0, dtype=np.int64)


class RayCaster:
    """A world and its bodies.

    Args:
        scene: the world.
        bodies: all of them, in the order of `BodyStates`.
        robots: (m,) the robot that each body belongs to.

    `scene` and `robots` are these.
    """

    def __init__(
        self, scene: RayScene, bodies: Sequence[RigidBody] = (), robots: Integers = _NO_ROBOTS
    ) -> None:
        self.scene, self.robots = scene, robots
        self._bodies, self._solids = shapes_of(bodies, robots)
        self._has_several = len(np.unique(robots)) > 1

    def casting(self, rays: RayBatch) -> Callable[[int, BodyStates], None]:
        """As `cast` of one batch, for a user that casts it in each step."""
        meet, known = self.scene.meeting(rays), BodyStates(0)
        meet_others: Callable[[int], None] = lambda count: None  # noqa: E731 (nothing to meet)

        def cast(count: int, bodies: BodyStates) -> None:
            nonlocal known, meet_others
            meet(count)
            if not self._has_several:
                return
            if bodies is not known:
                known, meet_others = bodies, self._meeting_bodies(rays, bodies)
            meet_others(count)
            if len(rays.normals):
                self._write_normals(rays, count, bodies)

        return cast

    def _meeting_bodies(self, rays: RayBatch, bodies: BodyStates) -> Callable[[int], None]:
        places = bodies.positions, bodies.rotations
        return bind_leading_arguments(
            meet_bodies, self._bodies, self._solids, *places, rays, like=(0,)
        )

    def cast(self, rays: RayBatch, count: int, bodies: BodyStates) -> None:
        """Finds what the first `count` rays of a batch meet, each sent by a body's robot.

        Args:
            rays: with `origins`, `ways` and `robots`; the rest is written.
            count: of rays.
            bodies: where they are now.
        """
        self.scene.meet(rays, count)
        if self._has_several:
            self._meet_bodies(rays, count, bodies)

    def _meet_bodies(self, rays: RayBatch, count: int, bodies: BodyStates) -> None:
        places = bodies.positions, bodies.rotations
        meet_bodies(self._bodies, self._solids, *places, rays, count)
        if len(rays.normals):
            self._write_normals(rays, count, bodies)

    def _write_normals(self, rays: RayBatch, count: int, bodies: BodyStates) -> None:
        places = bodies.positions, bodies.rotations
        write_body_normals(self._bodies, self._solids, *places, rays, count)
