"""Small worlds with lidars."""

from dataclasses import replace

from autosim.config.descriptions import WorldDescription
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from tests.worlds import impreza_world

AHEAD, HEIGHT = 20.0, 0.9
"""Distance between two cars, and height of the lidar above its chassis [m]."""

PLAIN = LidarSensor(
    "lidar",
    "chassis",
    position=(0.0, 0.0, HEIGHT),
    channels=8,
    columns=120,
    update_rate=10.0,
    range=60.0,
)


def world_with(*lidars: LidarSensor) -> WorldDescription:
    """The shipped car with lidars, heading east at the origin, and one like it ahead."""
    world = impreza_world(position=(0.0, 0.0, None), yaw=0.0)
    car = world.robots[0]
    robot = replace(car.robot, devices=(*car.robot.devices, *lidars))
    first = replace(car, robot=robot)
    second = replace(car, name="other", position=(AHEAD, 0.0, None))
    return replace(world, robots=(first, second))
