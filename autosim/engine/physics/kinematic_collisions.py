"""The collisions of kinematic vehicles that the physics does not see."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Integers
from autosim.config.descriptions import Part
from autosim.engine.physics.engine import STATIC, ContactPoint
from autosim.kinds.kind import body_of
from autosim.model.bodies import BodyStates
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.kinematic.kinematic_collision_tests import (
    EVERY,
    MOST,
    boxes_of,
    find_pairs,
    find_walls,
)

_MOST_PAIRS = 4
"""Greatest number of reported pairs for each body: in a heap of cars all collide anyway."""


class KinematicCollisions:
    """Of driven bodies with each other, with bodies that stand, and with the world.

    Args:
        driven: numbers of the bodies that vehicles drive.
        parts: of all robots and objects, in the order of the bodies.
        bodies: as the last `read` found them.
        rays: the world.

    `touches`: what the last `contacts` found; `mesh` of those with the world is -2 less the place
    of the mesh in `autosim.rays.ray_scene.colliding`.
    """

    def __init__(
        self, driven: Integers, *, parts: Sequence[Part], bodies: BodyStates, rays: RayScene
    ) -> None:
        self._bodies, self._rays = bodies, rays
        own = set(driven.tolist())
        body = [
            number for number, part in enumerate(parts) if number in own or part.motion == "static"
        ]
        shapes = [body_of(parts[number]) for number in body]
        self._boxes = boxes_of(
            np.array(body, dtype=np.int64),
            np.array([each.low for each in shapes], dtype=np.float64).reshape(-1, 3),
            np.array([each.high for each in shapes], dtype=np.float64).reshape(-1, 3),
            np.array([number in own for number in body], dtype=np.int64),
        )
        self._pairs = np.zeros((_MOST_PAIRS * len(body), 2), dtype=np.int64)
        self._walls = np.full(len(body), -1)
        self._near = np.zeros(MOST, dtype=np.int32)
        self.touches: list[ContactPoint] = []

    def contacts(self, step: int) -> Integers:
        """The pairs (n, 2) of bodies that touch after a step; the second may be `STATIC`."""
        states, boxes = self._bodies, self._boxes
        count = 0
        if step % EVERY == 0:
            count = find_pairs(boxes, states.positions, states.rotations, self._pairs)
        self._rays.complete(
            lambda begin: find_walls(
                boxes,
                states.positions,
                states.rotations,
                self._rays.hierarchy,
                begin,
                step,
                self._near,
                self._walls,
            )
        )
        hit = np.flatnonzero(self._walls >= 0)
        self.touches = [
            ContactPoint(a, b, -1, states.positions[a].copy(), 0.0, 0.0)
            for a, b in self._pairs[:count].tolist()
        ]
        self.touches += [self._touch(k) for k in hit.tolist()]
        world = np.column_stack([boxes.body[hit], np.full(len(hit), STATIC)])
        return np.concatenate([self._pairs[:count], world])

    def _touch(self, box: int) -> ContactPoint:
        """Of a body with a triangle of the world: at the triangle's middle."""
        place = int(self._walls[box])
        middle = self._rays.hierarchy.corners[place].reshape(3, 3).mean(axis=0)
        mesh = self._rays.mesh_of(int(self._rays.hierarchy.numbers[place]))
        return ContactPoint(int(self._boxes.body[box]), STATIC, -2 - mesh, middle, 0.0, 0.0)
