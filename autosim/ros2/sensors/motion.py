"""Inertial sensors, compasses, velocimeters and barometers as messages."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from autosim.kinds.sensors.motion.accelerometer import Accelerometer
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.model.nmea import NmeaError, read_gga, read_rmc
from autosim.ros2.frames import xyz
from autosim.ros2.sensors.topics import DeviceOf, Topic

_UNKNOWN_ORIENTATION = np.array([-1.0, *[0.0] * 8])
"""Covariance (9,) by which an Imu message says that it has no orientation."""

_NO_FIX, _FIX, _GPS = -1, 0, 1
"""Numbers of NavSatStatus."""


def imu(device: DeviceOf[IMU]) -> list[Topic]:
    """`sensor_msgs/Imu` without an orientation, on ROBOT/IMU/data_raw, as REP 145 names it."""
    values = device.numbers()

    def make(time: int) -> Mapping[str, Any]:
        return {
            "header": device.header(time),
            "orientation": {"w": 1.0},
            "orientation_covariance": _UNKNOWN_ORIENTATION,
            "angular_velocity": xyz(values[:3]),
            "linear_acceleration": xyz(values[3:6]),
        }

    return [Topic(device.topic("data_raw"), "sensor_msgs/msg/Imu", make, period=device.period)]


def accelerometer(device: DeviceOf[Accelerometer]) -> list[Topic]:
    """`geometry_msgs/AccelStamped` with the specific force."""
    values = device.numbers()

    def make(time: int) -> Mapping[str, Any]:
        return {"header": device.header(time), "accel": {"linear": xyz(values)}}

    kind = "geometry_msgs/msg/AccelStamped"
    return [Topic(device.topic("specific_force"), kind, make, period=device.period)]


def gyroscope(device: DeviceOf[GyroscopeSensor]) -> list[Topic]:
    """`geometry_msgs/Vector3Stamped`: the rate about the axis of the device, along x."""
    values = device.numbers()

    def make(time: int) -> Mapping[str, Any]:
        return {"header": device.header(time), "vector": {"x": float(values[0])}}

    kind = "geometry_msgs/msg/Vector3Stamped"
    return [Topic(device.topic("angular_velocity"), kind, make, period=device.period)]


def velocimeter(device: DeviceOf[VelocimeterSensor]) -> list[Topic]:
    """`geometry_msgs/TwistStamped`: the speed along the axis of the device, along x."""
    values = device.numbers()

    def make(time: int) -> Mapping[str, Any]:
        return {"header": device.header(time), "twist": {"linear": {"x": float(values[0])}}}

    kind = "geometry_msgs/msg/TwistStamped"
    return [Topic(device.topic("velocity"), kind, make, period=device.period)]


def barometer(device: DeviceOf[Barometer]) -> list[Topic]:
    """`sensor_msgs/FluidPressure`."""
    values = device.numbers()

    def make(time: int) -> Mapping[str, Any]:
        return {"header": device.header(time), "fluid_pressure": float(values[0])}

    kind = "sensor_msgs/msg/FluidPressure"
    return [Topic(device.topic("pressure"), kind, make, period=device.period)]


def receiver(device: DeviceOf[GPSSensor]) -> list[Topic]:
    """`sensor_msgs/NavSatFix` and the NMEA sentences as `std_msgs/String`."""
    fields = device.node.fields

    def sentences() -> list[str]:
        return [str(device.state.value(device.node, field)) for field in fields]

    def make_fix(time: int) -> Mapping[str, Any]:
        fix: dict[str, Any] = {"header": device.header(time)}
        rmc, *gga = sentences()
        try:
            place = read_rmc(rmc)
            altitude = read_gga(gga[0]).height if gga else float("nan")
        except NmeaError:
            nowhere = dict.fromkeys(("latitude", "longitude", "altitude"), float("nan"))
            return {**fix, **nowhere, "status": {"status": _NO_FIX, "service": _GPS}}
        return {
            **fix,
            "status": {"status": _FIX, "service": _GPS},
            "latitude": place.latitude,
            "longitude": place.longitude,
            "altitude": altitude,
        }

    def make_text(time: int) -> Mapping[str, Any]:
        return {"data": "\r\n".join(sentences())}

    period = device.period
    return [
        Topic(device.topic("fix"), "sensor_msgs/msg/NavSatFix", make_fix, period=period),
        Topic(device.topic("nmea"), "std_msgs/msg/String", make_text, period=period),
    ]
