"""Drives by a joystick, a gamepad or a steering wheel.

    autosim run userprograms/joystick.py --robot impreza -- /dev/input/js0 wheel

The arguments are the device (default: the first one that is there) and how its axes lie: gamepad
or wheel. docs/tutorials/joystick.md explains it. `autosim drive --device` does the same without a
program, and lets every axis be chosen.
"""

import time
from contextlib import closing
from pathlib import Path

from autosim.applications.driving.controls import HALT, actuator_values
from autosim.applications.driving.joystick import LAYOUTS, Joystick
from autosim.userprogram import get_data, measure, set_data, wait

PERIOD = 0.05  # s of simulated time between two looks at the joystick


def find_device():
    """The first joystick of this machine."""
    devices = sorted(Path("/dev/input").glob("js*"))
    if not devices:
        raise SystemExit("there is no joystick: no /dev/input/js*")
    return str(devices[0])


def main(argv):
    """Drives the robot `argv[0]` until the joystick is gone."""
    path = argv[1] if len(argv) > 1 else find_device()
    layout = LAYOUTS[argv[2] if len(argv) > 2 else "gamepad"]
    vehicle = measure(argv[0])
    part = f"{argv[0]}.{vehicle.part}"
    with closing(Joystick(path, layout)) as joystick:
        while not joystick.is_over:
            wish = joystick.read(time.monotonic())
            speed = get_data(f"{part}.velocimeter")
            values = actuator_values(wish, speed=speed, largest_angle=vehicle.max_steering_angle)
            set_data(f"{part}.{vehicle.actuator}", values)
            wait(PERIOD)
    values = actuator_values(HALT, speed=0.0, largest_angle=vehicle.max_steering_angle)
    set_data(f"{part}.{vehicle.actuator}", values)
