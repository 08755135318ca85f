"""Poses and velocities of all bodies as arrays: what the sensors read."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.model.vector_kernels import write_rotations


class BodyStates:
    """State of n bodies, structure of arrays; `origin` is the centre of a body's shape.

    positions: p_WB (n, 3) [m]; orientations: quaternions (n, 4) x, y, z, w of R_WB;
    velocities: of the origin (n, 3) [m/s] in W; angular_velocities: (n, 3) [rad/s] in W;
    rotations: R_WB (n, 3, 3), brought up to date by `update_rotations`.
    """

    def __init__(self, count: int) -> None:
        self.positions: Floats = np.zeros((count, 3))
        self.orientations: Floats = np.zeros((count, 4))
        self.orientations[:, 3] = 1.0
        self.velocities: Floats = np.zeros((count, 3))
        self.angular_velocities: Floats = np.zeros((count, 3))
        self.rotations: Floats = np.broadcast_to(np.eye(3), (count, 3, 3)).copy()

    def update_rotations(self) -> None:
        """Computes `rotations` from `orientations`."""
        write_rotations(self.orientations, self.rotations)


class ContactPoints(NamedTuple):
    """Contacts between bodies in a step.

    bodies: (n, 2) their numbers, the second -1 for the world; places: (n, 3) m in W; impulses: (n,)
    N s that each has given the other along the normal of their surfaces.
    """

    bodies: Integers
    places: Floats
    impulses: Floats

    @classmethod
    def none(cls) -> "ContactPoints":
        """Nothing touches."""
        return cls(np.zeros((0, 2), dtype=np.int64), np.zeros((0, 3)), np.zeros(0))


class BodyForces:
    """Forces and torques on n bodies in one step, in W.

    Args:
        centres: (n, 3) m in B, of the bodies' masses from their origins.

    forces: (n, 3) N at the centres of mass; torques: (n, 3) N m about them.
    """

    def __init__(self, centres: Floats) -> None:
        self.forces: Floats = np.zeros_like(centres)
        self.torques: Floats = np.zeros_like(centres)
        self.centres = centres

    def add_forces(
        self, bodies: BodyStates, body: Integers, forces: Floats, points: Floats
    ) -> None:
        """Adds forces that act at points of bodies.

        Args:
            bodies: as they are now.
            body: (k,) which body each force acts on.
            forces: (k, 3) N in W.
            points: (k, 3) m in W.
        """
        centres = bodies.positions[body] + rotate(bodies.rotations[body], self.centres[body])
        np.add.at(self.forces, body, forces)
        np.add.at(self.torques, body, np.cross(points - centres, forces))

    def add_torques(self, body: Integers, torques: Floats) -> None:
        """Adds `torques` (k, 3) N m in W, each to the body (k,) that it turns."""
        np.add.at(self.torques, body, torques)


def rotation_matrices(quaternions: Floats) -> Floats:
    """R (n, 3, 3) of unit quaternions (n, 4) in the order x, y, z, w."""
    x, y, z, w = quaternions.T
    matrices = np.empty((len(quaternions), 3, 3))
    matrices[:, 0, 0] = 1 - 2 * (y * y + z * z)
    matrices[:, 0, 1] = 2 * (x * y - z * w)
    matrices[:, 0, 2] = 2 * (x * z + y * w)
    matrices[:, 1, 0] = 2 * (x * y + z * w)
    matrices[:, 1, 1] = 1 - 2 * (x * x + z * z)
    matrices[:, 1, 2] = 2 * (y * z - x * w)
    matrices[:, 2, 0] = 2 * (x * z - y * w)
    matrices[:, 2, 1] = 2 * (y * z + x * w)
    matrices[:, 2, 2] = 1 - 2 * (x * x + y * y)
    return matrices


def rotate(rotations: Floats, vectors: Floats) -> Floats:
    """R v for each of n rotations (n, 3, 3) and vectors (n, 3)."""
    result: Floats = np.einsum("nij,nj->ni", rotations, vectors)
    return result


def dot(a: Floats, b: Floats) -> Floats:
    """Scalar products (n,) of rows (n, 3)."""
    result: Floats = np.einsum("ni,ni->n", a, b)
    return result
