"""Drives as driver.py does, and shows what it goes by: the path ahead, and what its sensors meet.

Both are lists that the world file declares (`<Publication>` in worlds/shown_plan.xml). The client's
window draws them over the picture (key 9), and any program may read them with `get_data`.
"""

import numpy as np
from driver import drive

from autosim.userprogram import describe, get_data, set_data


def plan(path, rows):
    """The next `rows` points of the path (n, 3), a metre apart."""
    return [path.ahead(metres) for metres in range(int(min(rows, path.left)))]


def hits(car, rows):
    """Where the beams of the distance sensors end at something (n, 3), in the frame of the part."""
    ends = []
    for name, beam in car.beams.items():
        distance = get_data(name)
        if distance < beam.range - 0.5:
            ends.append(np.array(beam.position) + distance * np.array(beam.direction))
    return ends[:rows]


def main(argv):
    """Drives the robot `argv[0]` for ever."""
    robot = argv[0]
    rows = {name: describe(f"{robot}.{name}").capacity for name in ("plan", "hits")}

    def show(car, path):
        set_data(f"{robot}.plan", plan(path, rows["plan"]))
        set_data(f"{robot}.hits", hits(car, rows["hits"]))

    drive(robot, look=show)
