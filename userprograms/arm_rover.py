"""Drives a rover on, and reaches out with its arm.

autosim run userprograms/arm_rover.py --robot arm_rover
"""

from rover import Rover

from autosim.userprogram import get_data, set_data, wait

WAY = 2.0  # m
POSE = {"turret.turn": 1.2, "turret.lift": 0.7, "upper_arm.reach": 0.3}  # rad, rad, m
PERIOD = 0.1  # s
CLOSE = 0.005  # rad or m


def move(robot, pose):
    """Sets the motors of the arm, and waits until all of its links are there."""
    for name, position in pose.items():
        set_data(f"{robot}.{name}_motor", position)
    while any(
        abs(get_data(f"{robot}.{name}_sensor")[0] - position) > CLOSE
        for name, position in pose.items()
    ):
        wait(PERIOD)


def main(argv):
    """Drives the rover `argv[0]`, reaches out, and folds the arm again."""
    rover = Rover(argv[0])
    rover.go(WAY)
    rover.halt()
    move(argv[0], POSE)
    wait(2.0)
    move(argv[0], dict.fromkeys(POSE, 0.0))
