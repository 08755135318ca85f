"""The kinds that there are.

To add one that comes with AutoSim, write its module and put it into `BUILT_IN`.
"""

from typing import Any

from autosim.kinds import (
    belief,
    box,
    camera,
    clock,
    compass,
    drive_actuator,
    gps,
    gyroscope,
    inclinometer,
    lidar,
    light,
    psd,
    spherical_link,
    velocimeter,
    wheel,
)
from autosim.kinds.kind import DeviceKind, Kind

PARTS: tuple[Kind[Any], ...] = (box.KIND, spherical_link.KIND)
"""What may stand in the section Parts of a robot file, in the order of the documentation."""

BUILT_IN: tuple[DeviceKind[Any], ...] = (
    drive_actuator.KIND,
    wheel.KIND,
    light.LIGHT,
    light.HEAD_LIGHT,
    belief.KIND,
    psd.KIND,
    lidar.KIND,
    gyroscope.KIND,
    velocimeter.KIND,
    compass.KIND,
    inclinometer.KIND,
    gps.KIND,
    clock.KIND,
    camera.KIND,
)
"""The devices that come with AutoSim, in the order of the documentation."""
