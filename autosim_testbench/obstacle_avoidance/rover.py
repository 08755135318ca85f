"""Motion of a rover by its wheels.

A kinematic model with three degrees of freedom. Both sides of wheels go ahead (1), stop (0) or go
back (-1). Sides that differ turn the rover about a point on its own axis; sides that agree move it.
The thesis' equation 3 turns the point of rotation about the origin; intended is the rover about the
point, as implemented here.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RoverModel:
    """The parameters of the model.

    Attributes:
        turn_rate: when the sides differ [rad/s]; 23 °/s was the thesis' rover.
        speed: when both sides go [m/s]; 7 cm/s was the thesis' rover.
        axis: how far ahead of its place the point lies about which it turns left [m]; the one for
            turns to the right lies as far behind.
    """

    turn_rate: float = math.radians(23.0)
    speed: float = 0.07
    axis: float = 0.05

    def move(
        self, pose: tuple[float, float, float], left: int, right: int, seconds: float
    ) -> tuple[float, float, float]:
        """The pose (x [m], y [m], yaw [rad]) after wheels have turned for a time [s]."""
        x, y, yaw = pose
        way = (left < right) - (left > right)
        turn = way * self.turn_rate * seconds
        ahead = way * self.axis
        # The point of rotation stays where it is: it is `ahead` of the rover before and after.
        x += ahead * (math.cos(yaw) - math.cos(yaw + turn))
        y += ahead * (math.sin(yaw) - math.sin(yaw + turn))
        yaw += turn
        go = (left > 0 and right > 0) - (left < 0 and right < 0)
        distance = go * self.speed * seconds
        x += distance * math.cos(yaw)
        y += distance * math.sin(yaw)
        return x, y, math.remainder(yaw, math.tau)
