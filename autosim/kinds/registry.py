"""The kinds that there are.

To add one that comes with AutoSim, write its module and put it into `PARTS`, `LINKS` or
`BUILT_IN`.
"""

from typing import Any

from autosim.kinds.actuators import drive_actuator, light, motor, propeller, wheel
from autosim.kinds.bodies import (
    box,
    capsule,
    compound,
    cylinder,
    fixed_link,
    mesh,
    prismatic_link,
    revolute_link,
    sphere,
    spherical_link,
)
from autosim.kinds.kind import DeviceKind, LinkKind, PartKind
from autosim.kinds.owners import ins, noisy_state, program_state, simple_ins
from autosim.kinds.sensors import (
    accelerometer,
    barometer,
    camera,
    clock,
    compass,
    contact,
    gps,
    gyroscope,
    imu,
    inclinometer,
    lane_sensor,
    lidar,
    link_sensor,
    noisy_contacts,
    odometer,
    psd,
    radar,
    radio,
    ultrasonic,
    velocimeter,
    wheel_encoder,
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

LINKS: tuple[LinkKind[Any], ...] = (
    spherical_link.KIND,
    revolute_link.KIND,
    prismatic_link.KIND,
    fixed_link.KIND,
)
"""What joins parts, in the order of the documentation."""

BUILT_IN: tuple[DeviceKind[Any], ...] = (
    drive_actuator.KIND,
    wheel.KIND,
    motor.KIND,
    propeller.KIND,
    light.LIGHT,
    light.HEAD_LIGHT,
    psd.KIND,
    lidar.KIND,
    noisy_contacts.KIND,
    radar.KIND,
    ultrasonic.KIND,
    lane_sensor.KIND,
    contact.KIND,
    radio.KIND,
    link_sensor.KIND,
    gyroscope.KIND,
    accelerometer.KIND,
    imu.KIND,
    velocimeter.KIND,
    compass.KIND,
    inclinometer.KIND,
    barometer.KIND,
    gps.KIND,
    odometer.KIND,
    wheel_encoder.KIND,
    clock.KIND,
    camera.KIND,
    program_state.KIND,
    noisy_state.KIND,
    simple_ins.KIND,
    ins.KIND,
)
"""The devices that come with AutoSim, in the order of the documentation."""
