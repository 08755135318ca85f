"""The kinds that there are.

To add one that comes with AutoSim, write its module and put it into `PARTS`, `LINKS` or
`BUILT_IN`.
"""

from typing import Any

from autosim.kinds.actuators import drive_actuator, light, propeller, wheel
from autosim.kinds.bodies import box, capsule, compound, cylinder, mesh, sphere, spherical_link
from autosim.kinds.kind import DeviceKind, LinkKind, PartKind
from autosim.kinds.owners import noisy_state, program_state, simple_ins
from autosim.kinds.sensors import (
    camera,
    clock,
    compass,
    contact,
    gps,
    gyroscope,
    inclinometer,
    lane_sensor,
    lidar,
    psd,
    radar,
    velocimeter,
)

PARTS: tuple[PartKind[Any], ...] = (
    box.KIND,
    sphere.KIND,
    capsule.KIND,
    cylinder.KIND,
    compound.KIND,
    mesh.KIND,
)
"""The parts that robots are made of, and objects, in the order of the documentation."""

LINKS: tuple[LinkKind[Any], ...] = (spherical_link.KIND,)
"""What joins parts, in the order of the documentation."""

BUILT_IN: tuple[DeviceKind[Any], ...] = (
    drive_actuator.KIND,
    wheel.KIND,
    propeller.KIND,
    light.LIGHT,
    light.HEAD_LIGHT,
    psd.KIND,
    lidar.KIND,
    radar.KIND,
    lane_sensor.KIND,
    contact.KIND,
    gyroscope.KIND,
    velocimeter.KIND,
    compass.KIND,
    inclinometer.KIND,
    gps.KIND,
    clock.KIND,
    camera.KIND,
    program_state.KIND,
    noisy_state.KIND,
    simple_ins.KIND,
)
"""The devices that come with AutoSim, in the order of the documentation."""
