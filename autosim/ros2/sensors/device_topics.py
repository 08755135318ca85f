"""The topics of each kind of device."""

from collections.abc import Callable

from autosim.config.descriptions import Device
from autosim.kinds.actuators.light import HeadLightDevice, LightDevice
from autosim.kinds.sensors.motion.accelerometer import Accelerometer
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.perception.camera import Camera
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.kinds.sensors.ranging.ultrasonic import UltrasonicSensor
from autosim.kinds.sensors.time_device import TimeDevice
from autosim.ros2.sensors import motion, others, ranging
from autosim.ros2.sensors.topics import AnyDevice, RosTopic

Maker = Callable[[AnyDevice], list[RosTopic]]

MAKERS: dict[type[Device], Maker] = {
    IMU: motion.imu,
    Accelerometer: motion.accelerometer,
    GyroscopeSensor: motion.gyroscope,
    VelocimeterSensor: motion.velocimeter,
    Barometer: motion.barometer,
    GPSSensor: motion.receiver,
    LidarSensor: ranging.lidar,
    RadarSensor: ranging.radar,
    PSDSensor: ranging.distance,
    UltrasonicSensor: ranging.ultrasonic,
    # What was set is of no interest; they obey LAMP/command.
    LightDevice: lambda device: [],
    HeadLightDevice: lambda device: [],
    # Its time is /clock.
    TimeDevice: lambda device: [],
    # Their pictures come from a renderer, see `pictures`.
    Camera: lambda device: [],
}
"""Makers of the topics of a device, by its class."""


def topics_of(device: AnyDevice) -> list[RosTopic]:
    """The topics of a device: those of its kind, or its numbers and lists as they are."""
    maker = MAKERS.get(type(device.record))
    if maker is not None:
        return maker(device)
    if device.has_numbers:
        return others.numbers(device)
    return others.rows(device)
