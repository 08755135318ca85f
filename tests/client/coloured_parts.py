"""A car with coloured parts, seen from above."""

import numpy as np

from autosim.client.cameras.cameras import Pose
from autosim.client.panda.frames import look_rotation

GREEN = (0.1, 0.8, 0.2)


class Above:
    """Looks straight down at the car."""

    fov = 0.5

    def pose(self, state):
        down, north = np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0])
        return Pose(np.array([0.0, 0.0, 6.0]), look_rotation(down, north))
