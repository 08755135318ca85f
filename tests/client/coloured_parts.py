"""A car with coloured parts, seen from above."""

import numpy as np

from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.panda.panda_frames import look_rotation

GREEN = (0.1, 0.8, 0.2)


class Above:
    """Looks straight down at the car."""

    fov = 0.5

    def pose(self, state):
        down, north = np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0])
        return CameraPose(np.array([0.0, 0.0, 6.0]), look_rotation(down, north))
