"""Inertial sensors, compasses, velocimeters and barometers as messages."""

import numpy as np

from autosim.kinds.nmea import NmeaError, read_gga, read_rmc
from autosim.kinds.sensors.motion.accelerometer import Accelerometer
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.ros2.message_types import Fields
from autosim.ros2.ros_frames import xyz
from autosim.ros2.sensors.topics import DeviceOf, RosTopic

_UNKNOWN_ORIENTATION = np.array([-1.0, *[0.0] * 8])
"""Covariance (9,) by which an Imu message says that it has no orientation."""

_NO_FIX, _FIX, _GPS = -1, 0, 1
"""Numbers in a NavSatStatus: of its status, and of the service."""


def imu(device: DeviceOf[IMU]) -> list[RosTopic]:
    """`sensor_msgs/Imu` without an orientation, on ROBOT/IMU/data_raw, as REP 145 names it."""
    values = device.numbers()

    def make(time: int) -> Fields:
        return {
            "header": device.header(time),
            "orientation": {"w": 1.0},
            "orientation_covariance": _UNKNOWN_ORIENTATION,
            "angular_velocity": xyz(values[:3]),
            "linear_acceleration": xyz(values[3:6]),
        }

    return [RosTopic(device.topic("data_raw"), "sensor_msgs/msg/Imu", make, period=device.period)]


def accelerometer(device: DeviceOf[Accelerometer]) -> list[RosTopic]:
    """`geometry_msgs/AccelStamped` with the specific force."""
    values = device.numbers()

    def make(time: int) -> Fields:
        return {"header": device.header(time), "accel": {"linear": xyz(values)}}

    kind = "geometry_msgs/msg/AccelStamped"
    return [RosTopic(device.topic("specific_force"), kind, make, period=device.period)]


def gyroscope(device: DeviceOf[GyroscopeSensor]) -> list[RosTopic]:
    """`geometry_msgs/Vector3Stamped`: the rate about the axis of the device, along x."""
    values = device.numbers()

    def make(time: int) -> Fields:
        return {"header": device.header(time), "vector": {"x": float(values[0])}}

    kind = "geometry_msgs/msg/Vector3Stamped"
    return [RosTopic(device.topic("angular_velocity"), kind, make, period=device.period)]


def velocimeter(device: DeviceOf[VelocimeterSensor]) -> list[RosTopic]:
    """`geometry_msgs/TwistStamped`: the speed along the axis of the device, along x."""
    values = device.numbers()

    def make(time: int) -> Fields:
        return {"header": device.header(time), "twist": {"linear": {"x": float(values[0])}}}

    kind = "geometry_msgs/msg/TwistStamped"
    return [RosTopic(device.topic("velocity"), kind, make, period=device.period)]


def barometer(device: DeviceOf[Barometer]) -> list[RosTopic]:
    """`sensor_msgs/FluidPressure`."""
    values = device.numbers()

    def make(time: int) -> Fields:
        return {"header": device.header(time), "fluid_pressure": float(values[0])}

    kind = "sensor_msgs/msg/FluidPressure"
    return [RosTopic(device.topic("pressure"), kind, make, period=device.period)]


def receiver(device: DeviceOf[GPSSensor]) -> list[RosTopic]:
    """`sensor_msgs/NavSatFix` and the NMEA sentences as `std_msgs/String`."""
    fields = device.node.fields

    def sentences() -> list[str]:
        return [str(device.state.value(device.node, field)) for field in fields]

    def make_fix(time: int) -> Fields:
        fix: Fields = {"header": device.header(time)}
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

    def make_text(time: int) -> Fields:
        return {"data": "\r\n".join(sentences())}

    period = device.period
    return [
        RosTopic(device.topic("fix"), "sensor_msgs/msg/NavSatFix", make_fix, period=period),
        RosTopic(device.topic("nmea"), "std_msgs/msg/String", make_text, period=period),
    ]
