"""Contacts, as PyBullet reports them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from autosim.arrays import Integers
from autosim.engine.physics.bullet.suppress_stderr import suppress_stderr
from autosim.engine.physics.engine import STATIC, ContactPoint, Vector3

with suppress_stderr():
    import pybullet

_LINK, _DISTANCE = 4, 8
"""Indices in PyBullet's closest points of the other body's link, and their distance [m], negative
where bodies overlap."""

_NORMAL_FORCE = 9
"""Index in PyBullet's contact points of the step's mean force [N] along the normal."""

Numbers = Mapping[tuple[int, int], int]
"""The number of a body, or `STATIC`, by PyBullet's numbers of body and link."""

Point = tuple[Any, ...]
"""A contact point of PyBullet."""


def points_of(asked: Collection[int] | None, client: int) -> Sequence[Point]:
    """The contact points of the bodies that PyBullet knows by these numbers; None: of all."""
    if asked is None:
        return pybullet.getContactPoints(physicsClientId=client) or ()
    points: list[Point] = []
    for body in sorted(asked):
        told = pybullet.getContactPoints(bodyA=body, physicsClientId=client) or ()
        # Two that are both asked tell the same.
        points += [each for each in told if each[2] not in asked or body < each[2]]
    return points


def pairs_of(points: Sequence[Point], numbers: Numbers) -> Integers:
    """The pairs (n, 2) that touch, as `PhysicsEngine.contacts`."""
    if not points:
        return np.empty((0, 2), dtype=np.int64)
    pairs = {_ordered(numbers[point[1], point[3]], numbers[point[2], point[4]]) for point in points}
    return np.array(sorted(pairs), dtype=np.int64)


def touches_of(
    points: Sequence[Point], numbers: Numbers, step_seconds: float
) -> list[ContactPoint]:
    """The places at which bodies touch, as `PhysicsEngine.contact_points`."""
    found = []
    for point in points:
        pair = numbers[point[1], point[3]], numbers[point[2], point[4]]
        mesh = next((point[1 + k] for k in (0, 1) if pair[k] == STATIC), -1)
        place = np.array(point[5])
        impulse = float(point[_NORMAL_FORCE]) * step_seconds
        depth = -float(point[_DISTANCE])
        found.append(ContactPoint(*_ordered(*pair), mesh, place, depth, impulse))
    return found


def stuck_in(
    shape: int,
    *,
    position: Vector3,
    orientation: Sequence[float],
    reach: float,
    depth: float,
    passed: Collection[int],
    numbers: Numbers,
    client: int,
) -> Integers:
    """Overlaps of a shape, as `PhysicsEngine.penetrating_bodies`.

    Args:
        shape: PyBullet's number of it.
        position: (3,) [m] in W.
        orientation: quaternion (x, y, z, w) of R_WB.
        reach: [m] from its centre to its farthest point.
        depth: [m] by which it is at least in what is found.
        passed: PyBullet's numbers of bodies through which it passes.
        numbers: of all bodies.
        client: PyBullet's.
    """
    centre = np.array(position)
    near = pybullet.getOverlappingObjects(
        (centre - reach).tolist(), (centre + reach).tolist(), physicsClientId=client
    )
    found = set()
    for other in {number for number, _ in near or ()}.difference(passed):
        points = pybullet.getClosestPoints(
            -1,
            other,
            0.0,
            collisionShapeA=shape,
            collisionShapePositionA=position,
            collisionShapeOrientationA=orientation,
            physicsClientId=client,
        )
        touched = {point[_LINK] for point in points if point[_DISTANCE] < -depth}
        # Not the boxes that bear the inertia of links.
        found |= {numbers[other, link] for link in touched if (other, link) in numbers}
    return np.array(sorted(found), dtype=np.int64)


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a > b else (b, a)
