"""Drives along a wall on its left, by the distance sensors alone.

Two PSD sensors look to the left, one near the front and one near the rear of the car: their mean
is the distance to the wall, their difference the angle between car and wall. A third one looks
ahead. Made for robots/scout.xml; docs/tutorials/wall_follower.md explains it.
"""

from math import atan2

from autosim.userprogram import describe, get_data, set_data

TOP_SPEED = 5.0  # m/s
GAP = 4.0  # m to what stands ahead
DECELERATION = 2.0  # m/s^2

DISTANCE_GAIN = 0.06  # rad of steering for each metre too far away
ANGLE_GAIN = 0.8  # rad of steering for each radian between car and wall
LARGEST_ANGLE = 0.4  # rad


class Program:
    """Follows the wall; the argument is the distance to keep [m]."""

    period = 0.05

    def start(self, robot, distance="4.0"):
        """Remembers the devices, and how far apart the two sensors are [m]."""
        self.car = f"{robot}.chassis"
        front = describe(f"{self.car}.psd_left_front").position[0]
        self.base = front - describe(f"{self.car}.psd_left_rear").position[0]
        self.distance = float(distance)

    def step(self, dt):
        """Steers along the wall; slows down for what stands in the way."""
        front = get_data(f"{self.car}.psd_left_front")
        rear = get_data(f"{self.car}.psd_left_rear")
        angle = atan2(front - rear, self.base)  # positive: the wall goes away to the left
        too_far = 0.5 * (front + rear) - self.distance
        steering = DISTANCE_GAIN * too_far + ANGLE_GAIN * angle
        steering = min(max(steering, -LARGEST_ANGLE), LARGEST_ANGLE)

        speed = get_data(f"{self.car}.velocimeter")
        room = get_data(f"{self.car}.psd_front") - GAP
        goal = min(TOP_SPEED, (2 * DECELERATION * max(room, 0.0)) ** 0.5)
        push = min(max(0.4 * (goal - speed), -1.0), 0.4)
        set_data(f"{self.car}.drive_chassis", [steering, max(push, 0.0), max(-push, 0.0)])
