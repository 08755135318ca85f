"""Drives by a joystick, a gamepad or a steering wheel.

    autosim run userprograms/joystick.py --robot impreza -- /dev/input/event5 wheel

The arguments are the device (default: the first one that is there) and how its axes lie: stick,
gamepad, wheel or pedals (default: by what the device is). docs/tutorials/joystick.md explains it.
`autosim drive --device` does the same without a program, and lets every axis be chosen.
"""

from contextlib import closing

from autosim.applications.driving.driver_input import HALT, Steering, actuator_values
from autosim.applications.driving.joystick import JoystickLayoutChoice, open_joystick
from autosim.userprogram import get_data, get_vehicle_info, set_data, wait

PERIOD = 0.05  # s of simulated time between two looks at the joystick


def main(argv):
    """Drives the robot `argv[0]` until the joystick is gone."""
    device = argv[1] if len(argv) > 1 else "auto"
    layout = JoystickLayoutChoice(argv[2] if len(argv) > 2 else "auto")
    vehicle = get_vehicle_info(argv[0])
    part = f"{argv[0]}.{vehicle.part}"
    steering = Steering(vehicle.max_steering_angle, vehicle.wheelbase)
    with closing(open_joystick(device, layout)) as joystick:
        while not joystick.is_over:
            wish = joystick.read()
            speed = get_data(f"{part}.velocimeter")
            values = actuator_values(wish, speed=speed, steering=steering)
            set_data(f"{part}.{vehicle.actuator}", values)
            wait(PERIOD)
    values = actuator_values(HALT, speed=0.0, steering=steering)
    set_data(f"{part}.{vehicle.actuator}", values)
