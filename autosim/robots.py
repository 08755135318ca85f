"""The classes of what robots are made of, as `describe` of user programs and `load_robot` give it.

    from autosim.robots import PSDSensor

    beams = [each for each in describe(robot).devices if isinstance(each, PSDSensor)]

Each is a frozen dataclass with a field for each child of its element, in SI units and radians, in
the axes of the part: x forward, y left, z up.
"""

from autosim.config.descriptions import Device, Link, Part, RobotDescription
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.flat_tyre import FlatTyre
from autosim.kinds.actuators.floats import Float
from autosim.kinds.actuators.light import HeadLightDevice, LightDevice
from autosim.kinds.actuators.load import Load
from autosim.kinds.actuators.motor import Motor
from autosim.kinds.actuators.propeller import Propeller
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.actuators.wing import Wing
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.bodies.capsule import CapsulePart
from autosim.kinds.bodies.compound import CompoundPart
from autosim.kinds.bodies.cylinder import CylinderPart
from autosim.kinds.bodies.fixed_link import FixedLink
from autosim.kinds.bodies.mesh import MeshPart
from autosim.kinds.bodies.prismatic_link import PrismaticLink
from autosim.kinds.bodies.revolute_link import RevoluteLink
from autosim.kinds.bodies.sphere import SpherePart
from autosim.kinds.bodies.spherical_link import SphericalLink
from autosim.kinds.coupling.fmu_record import FmuDevice, FmuPort
from autosim.kinds.kinematic.initial_pose import InitialPose
from autosim.kinds.kinematic.kinematic_state import VehicleKinematicState
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.kinds.kinematic.state_command import VehicleStateCommand
from autosim.kinds.kinematic.state_report import VehicleStateReport
from autosim.kinds.kinematic.vehicle_transform import VehicleTransform
from autosim.kinds.owners.ins_device import INS
from autosim.kinds.owners.noisy_state import NoisyState
from autosim.kinds.owners.program_state import ProgramState
from autosim.kinds.owners.simple_ins import SimpleINS
from autosim.kinds.sensors.driving.drive_sensor import DriveSensor
from autosim.kinds.sensors.driving.odometer import Odometer
from autosim.kinds.sensors.driving.wheel_encoder import WheelEncoder
from autosim.kinds.sensors.driving.wheel_force_sensor import WheelForceSensor
from autosim.kinds.sensors.motion.accelerometer import Accelerometer
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.link_sensor import LinkSensor
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.perception.camera import Camera, lens_of
from autosim.kinds.sensors.perception.contact import ContactSensor
from autosim.kinds.sensors.perception.noisy_contacts import NoisyContacts
from autosim.kinds.sensors.perception.radio import (
    RadioDevice,
    numbers_of_text,
    text_of_numbers,
)
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.compass import CompassSensor
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.positioning.inclinometer import InclinometerSensor
from autosim.kinds.sensors.positioning.lane_sensor import LaneSensor
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.kinds.sensors.ranging.radar import RadarSensor
from autosim.kinds.sensors.ranging.ultrasonic import UltrasonicSensor
from autosim.kinds.sensors.time_device import TimeDevice
from autosim.vehicle.info.vehicle_info import VehicleInfo

__all__ = [
    "IMU",
    "INS",
    "Accelerometer",
    "Barometer",
    "BoxPart",
    "Camera",
    "CapsulePart",
    "CompassSensor",
    "CompoundPart",
    "ContactSensor",
    "CylinderPart",
    "Device",
    "DriveActuator",
    "DriveSensor",
    "FixedLink",
    "FlatTyre",
    "Float",
    "FmuDevice",
    "FmuPort",
    "GPSSensor",
    "GyroscopeSensor",
    "HeadLightDevice",
    "InclinometerSensor",
    "InitialPose",
    "KinematicVehicle",
    "KinematicWheel",
    "LaneSensor",
    "LidarSensor",
    "LightDevice",
    "Link",
    "LinkSensor",
    "Load",
    "MeshPart",
    "Motor",
    "NoisyContacts",
    "NoisyState",
    "Odometer",
    "PSDSensor",
    "Part",
    "PrismaticLink",
    "ProgramState",
    "Propeller",
    "RadarSensor",
    "RadioDevice",
    "RevoluteLink",
    "RobotDescription",
    "SimpleINS",
    "SpherePart",
    "SphericalLink",
    "TimeDevice",
    "UltrasonicSensor",
    "VehicleInfo",
    "VehicleKinematicState",
    "VehicleStateCommand",
    "VehicleStateReport",
    "VehicleTransform",
    "VelocimeterSensor",
    "WheelDevice",
    "WheelEncoder",
    "WheelForceSensor",
    "Wing",
    "lens_of",
    "numbers_of_text",
    "text_of_numbers",
]
