"""The list of all kinds.

To add one that comes with AutoSim, write its module and add it to `PARTS`, `LINKS` or
`BUILT_IN`.
"""

from autosim.kinds.actuators import (
    drive_actuator,
    flat_tyre,
    floats,
    light,
    load,
    motor,
    propeller,
    wheel,
    wing,
)
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
from autosim.kinds.coupling import fmu_device
from autosim.kinds.kind import AnyDeviceKind, AnyLinkKind, AnyPartKind
from autosim.kinds.kinematic import (
    initial_pose,
    kinematic_state,
    kinematic_vehicle,
    kinematic_wheel,
    state_command,
    state_report,
    vehicle_transform,
)
from autosim.kinds.owners import ins, noisy_state, program_state, simple_ins
from autosim.kinds.sensors import time_device
from autosim.kinds.sensors.driving import (
    drive_sensor,
    odometer,
    wheel_encoder,
    wheel_force_sensor,
)
from autosim.kinds.sensors.motion import (
    accelerometer,
    gyroscope,
    imu,
    link_sensor,
    velocimeter,
)
from autosim.kinds.sensors.perception import camera, contact, noisy_contacts, radio
from autosim.kinds.sensors.positioning import barometer, compass, gps, inclinometer, lane_sensor
from autosim.kinds.sensors.ranging import lidar, psd, radar, ultrasonic

PARTS: tuple[AnyPartKind, ...] = (
    box.KIND,
    sphere.KIND,
    capsule.KIND,
    cylinder.KIND,
    compound.KIND,
    mesh.KIND,
)
"""The parts that robots are made of, and objects, in the order of the documentation."""

LINKS: tuple[AnyLinkKind, ...] = (
    spherical_link.KIND,
    revolute_link.KIND,
    prismatic_link.KIND,
    fixed_link.KIND,
)
"""Kinds of links, in the order of the documentation."""

BUILT_IN: tuple[AnyDeviceKind, ...] = (
    drive_actuator.KIND,
    wheel.KIND,
    flat_tyre.KIND,
    load.KIND,
    motor.KIND,
    propeller.KIND,
    floats.KIND,
    wing.KIND,
    kinematic_vehicle.KIND,
    kinematic_wheel.KIND,
    state_command.KIND,
    initial_pose.KIND,
    kinematic_state.KIND,
    state_report.KIND,
    vehicle_transform.KIND,
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
    wheel_force_sensor.KIND,
    drive_sensor.KIND,
    time_device.KIND,
    camera.KIND,
    fmu_device.KIND,
    program_state.KIND,
    noisy_state.KIND,
    simple_ins.KIND,
    ins.KIND,
)
"""The devices that come with AutoSim, in the order of the documentation."""
