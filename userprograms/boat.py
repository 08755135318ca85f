"""Takes a boat from place to place: its two propellers turn it by their difference.

Arguments: the places, such as `335,-220 235,-220`, in metres to the east and north of the map's
middle; without any it goes 100 m ahead, and back.

autosim run userprograms/boat.py --robot boat
"""

import numpy as np

from autosim.userprogram import get_data, get_state_estimate, set_data, wait

PERIOD = 1 / 20  # s
SPEED = 3.0  # m/s
AHEAD = 100.0  # m, where no place is given
CLOSE = 4.0  # m from a place, where the next one is due
PUSH, SLIP = 1.0, 0.3  # share of the thrust for each m/s that is missing, and to hold SPEED
TURN, DAMPING = 1.0, 1.2  # share for each rad of the bearing, and for each rad/s
STOPPED = 0.1  # m/s


class Boat:
    """The propellers and sensors of the robot of that name."""

    def __init__(self, robot):
        self.robot, self.hull = robot, f"{robot}.hull"

    def place(self):
        """East and north [m], as the boat believes."""
        return get_state_estimate(self.robot).position[:2]

    def yaw(self):
        """Counter-clockwise from east [rad]: a compass counts clockwise from north."""
        return np.pi / 2 - get_data(f"{self.hull}.compass")

    def thrust(self, push, turn):
        """Sets both propellers to shares of their thrust; a positive `turn` is to the left."""
        turn = np.clip(turn, -0.8, 0.8)
        push = np.clip(push, abs(turn) - 1.0, 1.0 - abs(turn))  # turning comes first
        for side, share in (("left", push - turn), ("right", push + turn)):
            # Thrust goes with the square of the throttle.
            set_data(f"{self.hull}.{side}", np.sign(share) * np.sqrt(abs(share)))
        wait(PERIOD)

    def go_to(self, goal):
        """Until it is close to `goal`, two numbers [m]."""
        while np.linalg.norm(way := goal - self.place()) > CLOSE:
            bearing = wrapped(np.arctan2(way[1], way[0]) - self.yaw())
            rate = get_data(f"{self.hull}.gyro_yaw")
            wanted = SPEED * max(0.2, np.cos(bearing))  # slower where it has to turn
            push = SLIP + PUSH * (wanted - get_data(f"{self.hull}.speed"))
            self.thrust(push, TURN * bearing - DAMPING * rate)

    def stop(self):
        """Backs its propellers until it lies still."""
        while abs(speed := get_data(f"{self.hull}.speed")) > STOPPED:
            self.thrust(-PUSH * speed, -DAMPING * get_data(f"{self.hull}.gyro_yaw"))
        self.thrust(0.0, 0.0)


def wrapped(angle):
    """The same angle between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def main(argv):
    """Takes the boat `argv[0]` to each place of the others, and stops at the last."""
    boat = Boat(argv[0])
    start, yaw = boat.place().copy(), boat.yaw()
    places = [np.array(each.split(","), dtype=float) for each in argv[1:]]
    for goal in places or [start + AHEAD * np.array([np.cos(yaw), np.sin(yaw)]), start]:
        boat.go_to(goal)
    boat.stop()
