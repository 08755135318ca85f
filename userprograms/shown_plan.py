"""Drives as driver.py does, and shows what it goes by: the path ahead, and what its sensors meet.

Both are lists that the world file declares (`<Publication>` in worlds/shown_plan.xml). The client's
window draws them over the picture (key 9), and any program may read them with `get_data`.
"""

import numpy as np
from driver import (
    DECELERATION,
    PERIOD,
    REPLAN_DISTANCE,
    STOP_DISTANCE,
    Car,
    Locator,
    Path,
    free_distance,
    pedals,
    steering_angle,
)

from autosim.userprogram import describe, get_data, get_roads, set_data, wait


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
    car, roads = Car(robot), get_roads()
    room = {name: describe(f"{robot}.{name}").capacity for name in ("plan", "hits")}
    locator = Locator(car.part)
    seed, path = 0, Path(roads, locator.pose, 0)
    while True:
        pose = locator.update(PERIOD)
        path.advance(pose.position)
        if path.left < REPLAN_DISTANCE:
            seed += 1
            path = Path(roads, pose, seed)
        gap = free_distance(car, pose, path) - STOP_DISTANCE
        goal = min(path.speed, np.sqrt(2 * DECELERATION * max(gap, 0.0)))
        set_data(car.drive, [steering_angle(car, pose, path), *pedals(car, pose.speed, goal)])
        set_data(f"{robot}.plan", plan(path, room["plan"]))
        set_data(f"{robot}.hits", hits(car, room["hits"]))
        wait(PERIOD)
