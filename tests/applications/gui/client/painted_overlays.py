"""Overlays painted into a picture."""

import numpy as np
from PyQt6.QtGui import QColor, QImage, QPainter

from autosim.applications.gui.client.pane_recorder import to_pixels
from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.cameras.depth_test import DepthTest
from autosim.client.panda.panda_frames import look_rotation

WIDTH, HEIGHT = 320, 240


def painted(overlays, state, chosen, *, ceiling=None):
    down, north = np.array([0.0, 0.0, -1.0]), np.array([0.0, 1.0, 0.0])
    pose = CameraPose(np.array([0.0, 0.0, 60.0]), look_rotation(down, north))
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor(0, 0, 0))
    painter = QPainter(image)
    projection = CameraProjection(pose, fov=1.0, width=WIDTH, height=HEIGHT)
    depths = None if ceiling is None else np.full((60, 80), 60.0 - ceiling, dtype=np.float32)
    sight = DepthTest(projection, depths)
    overlays.paint(painter, projection, state, chosen, sight=sight)
    painter.end()
    return to_pixels(image)[..., :3]
