"""Bodies that move as they are commanded: computed here, since engines let others hold them up."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats


@dataclass(slots=True)
class KinematicBody:
    """Pose and velocity of a body that keeps its velocity.

    `position` (3,) [m] of its centre and `orientation` (4,) (x, y, z, w) in W, `velocity` (3,)
    [m/s] and `angular_velocity` (3,) [rad/s] in W.
    """

    position: Floats
    orientation: Floats
    velocity: Floats
    angular_velocity: Floats

    def copy(self) -> "KinematicBody":
        """The same with arrays of its own."""
        return KinematicBody(
            self.position.copy(),
            self.orientation.copy(),
            self.velocity.copy(),
            self.angular_velocity.copy(),
        )

    def advance(self, seconds: float) -> None:
        """Moves on by `seconds` [s]."""
        self.position = self.position + seconds * self.velocity
        rate = portable.length(self.angular_velocity)
        if rate > 0.0:
            half = 0.5 * rate * seconds
            axis = self.angular_velocity / rate
            turn = np.append(portable.sin(half) * axis, portable.cos(half))
            self.orientation = _product(turn, self.orientation)


def _product(a: Floats, b: Floats) -> Floats:
    """The rotation `b`, then `a`: unit quaternions (x, y, z, w)."""
    x, y, z, w = a.tolist()
    p, q, r, s = b.tolist()
    product = np.array(
        [
            w * p + x * s + y * r - z * q,
            w * q - x * r + y * s + z * p,
            w * r + x * q - y * p + z * s,
            w * s - x * p - y * q - z * r,
        ]
    )
    unit: Floats = product / portable.length(product)
    return unit
