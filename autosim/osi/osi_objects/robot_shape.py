"""The bounding box and the axles of a robot, as OSI refers to them."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.vehicle.info.vehicle_info import VehicleInfo, vehicle_info

AnyWheel = WheelDevice | KinematicWheel


@dataclass(frozen=True, slots=True)
class RobotShape:
    """A robot's box in its initial pose, in the axes of its first part.

    Attributes:
        centre: (3,) [m] of the box, from the centre of the first part.
        size: (3,) [m] length, width and height; with the ground clearance, as OSI asks for.
        rear, front: (3,) [m] middle of the rear and of the front axle from the centre of the box;
            None without wheels.
        clearance: [m] between the ground and the lowest part; 0 without wheels.
        wheel_radius: [m]; 0 without wheels.
        wheels: with their positions (3,) [m] from the first part, from the front axle to the rear
            one and on each from right to left.
    """

    centre: Floats
    size: Floats
    rear: Floats | None
    front: Floats | None
    clearance: float
    wheel_radius: float
    wheels: tuple[tuple[AnyWheel, Floats], ...]

    @classmethod
    def of(cls, robot: RobotDescription) -> "RobotShape":
        """The shape of a robot."""
        first = np.array(robot.parts[0].position)
        places = {part.name: np.array(part.position) - first for part in robot.parts}
        bodies = [(places[part.name], body_of(part)) for part in robot.parts]
        low = np.min([place + body.low for place, body in bodies], axis=0)
        high = np.max([place + body.high for place, body in bodies], axis=0)
        wheels = _wheels(robot, places)
        info = _info(robot)
        lowest, radius = float(low[2]), 0.0
        if wheels and info is not None:
            # The box ends at the ground, on which the wheels are.
            low[2] = places[info.part][2] - info.height
            radius = float(np.mean([wheel.radius for wheel, _ in wheels]))
            reach = [np.array([wheel.radius, wheel.width / 2.0]) for wheel, _ in wheels]
            around = list(zip(wheels, reach, strict=True))
            low[:2] = np.min([low[:2], *(place[:2] - r for (_, place), r in around)], axis=0)
            high[:2] = np.max([high[:2], *(place[:2] + r for (_, place), r in around)], axis=0)
        centre = (low + high) / 2.0
        rear = front = None
        if info is not None:
            x = places[info.part][0] + info.rear_axle
            ahead = max((place[0] for _, place in wheels), default=x + info.wheelbase)
            rear = np.array([x, 0.0, low[2] + radius]) - centre
            front = np.array([ahead, 0.0, low[2] + radius]) - centre
        clearance = max(lowest - float(low[2]), 0.0)
        return cls(centre, high - low, rear, front, clearance, radius, wheels)

    @property
    def reference(self) -> Floats:
        """Origin (3,) [m] of the vehicle's coordinates, from the centre of its first part.

        The middle of the rear axle; without wheels, the centre of the box.
        """
        return self.centre if self.rear is None else self.centre + self.rear


def _info(robot: RobotDescription) -> VehicleInfo | None:
    try:
        return vehicle_info(robot)
    except ValueError:
        return None


def _wheels(
    robot: RobotDescription, places: dict[str, Floats]
) -> tuple[tuple[AnyWheel, Floats], ...]:
    found = [
        (device, places[device.part] + np.array(device.position))
        for device in robot.devices
        if isinstance(device, AnyWheel)
    ]
    return tuple(sorted(found, key=lambda each: (-round(each[1][0], 2), each[1][1])))
