"""Lets the indicators blink on the side to which the car turns.

The example of the first AutoSim's manual (its listing B.3), in Python, and for both sides.
docs/tutorials/blinking_indicator.md explains it.

    autosim run userprograms/blinking_indicator.py --robot impreza
"""

from autosim.userprogram import get_data, set_data, wait

TURN_RATE = 0.05  # rad/s: a car that turns less goes straight on
HALF_PERIOD = 0.3  # s of simulated time


def main(argv):
    """Looks at the gyroscope of the robot `argv[0]`, and switches its indicators."""
    part = f"{argv[0]}.chassis"
    is_lit = False
    while True:
        rate = get_data(f"{part}.gyro_yaw")  # rad/s, positive when it turns left
        is_lit = abs(rate) > TURN_RATE and not is_lit
        for side, turns in (("left", rate > 0.0), ("right", rate < 0.0)):
            for end in ("front", "rear"):
                set_data(f"{part}.indicator_{side}_{end}", float(is_lit and turns))
        wait(HALF_PERIOD)
