"""Drives a rover around a square: its two sides turn it by their difference.

autosim run userprograms/rover.py --robot rover
"""

import numpy as np

from autosim.userprogram import get_data, get_time, set_data, wait

PERIOD = 1 / 60  # s
SPEED = 0.8  # m/s
SIDE = 2.0  # m of the square
PUSH = 1.5  # share of the drives' force for each m/s that is missing
TURN = 1.0  # the same for each rad/s


class Rover:
    """The drives and sensors of the robot of that name."""

    def __init__(self, robot):
        self.chassis = f"{robot}.chassis"

    def drive(self, speed, rate):
        """Sets both drives for a speed [m/s] and a rate [rad/s] to the left; waits a period."""
        push = PUSH * (speed - get_data(f"{self.chassis}.speed"))
        turn = TURN * (rate - get_data(f"{self.chassis}.gyro_yaw"))
        for side, share in (("left", push - turn), ("right", push + turn)):
            set_data(f"{self.chassis}.drive_{side}", [0.0, np.clip(share, -1.0, 1.0), 0.0])
        wait(PERIOD)

    def yaw(self):
        """Counter-clockwise from east [rad]: a compass counts clockwise from north."""
        return np.pi / 2 - get_data(f"{self.chassis}.compass")

    def go(self, metres):
        """Straight on, as far as the velocimeter says."""
        heading, way = self.yaw(), 0.0
        while way < metres:
            before = get_time()
            speed = np.clip(2.0 * (metres - way), 0.2, SPEED)
            self.drive(speed, 2.0 * wrapped(heading - self.yaw()))
            way += (get_time() - before) * get_data(f"{self.chassis}.speed")

    def turn(self, angle):
        """On the spot, to the left [rad]."""
        heading = self.yaw() + angle
        left = wrapped(heading - self.yaw())
        while abs(left) > 0.02:
            self.drive(0.0, np.sign(left) * np.clip(3.0 * abs(left), 0.2, 1.0))
            left = wrapped(heading - self.yaw())

    def halt(self):
        """Stands on its brakes."""
        for side in ("left", "right"):
            set_data(f"{self.chassis}.drive_{side}", [0.0, 0.0, 1.0])


def wrapped(angle):
    """The same angle between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def main(argv):
    """Drives the rover `argv[0]` around a square, back to where it began."""
    rover = Rover(argv[0])
    for _ in range(4):
        rover.go(SIDE)
        rover.turn(np.pi / 2)
    rover.halt()
