"""Follows its route by plans that it tries by the thousand, among traffic.

Model predictive path integral control (MPPI) chooses the steering of the next second and a half
along the route; the speed is that of `userprograms/idm_driver.py`, by the Intelligent Driver Model.
It reads its own true motion, and where vehicles and people are; no sensor is involved. It is a
baseline of the benchmark:

    autosim benchmark run town --agent mppi

The arguments are those of `userprograms/driver.py`. The world has to let programs read the true
motion of the car, as the benchmark's track `state` does.
"""

import sys

from driver import Car, Path, Rules, lanes_of
from idm_driver import acceleration_of, pose_of
from mppi_racer import car_of

from autosim.control.car_models import slipless_model
from autosim.control.costs import Costs
from autosim.control.mppi import MPPI
from autosim.estimation.slipless import saturating_torque
from autosim.tracks.curvilinear_table import CurvilinearTable
from autosim.userprogram import describe, get_roads, set_data, wait

PERIOD = 0.05  # s between two decisions, and of a step of a plan
STEPS, SAMPLES = 24, 1024  # of a plan; tried for each command
BEHIND, AHEAD = 12.0, 45.0  # m of the route that are drawn into a table
HALF_WIDTH = 1.2  # m beside the route at which the middle of the car is in bounds
GRIP, BRAKING = 5.0, 4.0  # m/s^2 that plans take of the tyres
FINEST = 1.0  # m/s: plans of a standing car steer nowhere


def controller(measures):
    """The controller of a car with these measures."""
    torque = saturating_torque(measures)
    limit = 0.95 * measures.steering_limit
    return MPPI(
        slipless_model(measures),
        least=(-limit, -torque),
        most=(limit, torque),
        deviation=(0.05, 0.3 * torque),
        correlation=0.9,
        rates=(1.5, 10.0 * torque),
        costs=Costs(half_width=HALF_WIDTH, lateral_acceleration=GRIP, offset=2.0),
        samples=SAMPLES,
        steps=STEPS,
        seconds=PERIOD,
        temperature=2.0,
        effort=0.0,
    )


def drive(robot, lanes, seed=0):
    """Drives `robot` along `lanes`, or along a route of `seed` where they are None."""
    car, roads, rules = Car(robot), get_roads(), Rules()
    measures = car_of(robot, GRIP, BRAKING)
    middle = describe(robot).parts[0].centre_of_mass[0]
    path = Path(roads, pose_of(robot), seed, lanes)
    mppi = controller(measures)
    while True:
        pose = pose_of(robot)
        path.advance(pose.position)
        acceleration, wanted = acceleration_of(car, pose, path, rules)
        points, _ = path.near(BEHIND, AHEAD)
        steering = 0.0
        if len(points) > 2:
            centre = pose.point(middle)
            table = CurvilinearTable.of(points[:, :2], width=7.0, size=256, around=tuple(centre))
            mppi.costs = mppi.costs._replace(speed=max(wanted, pose.speed, FINEST))
            motion = (*centre, pose.yaw, max(pose.speed, FINEST))
            steering = float(mppi.command(motion, table)[0])
        push = max(acceleration, 0.0) / car.vehicle.acceleration
        brake = max(-acceleration, 0.0) / car.vehicle.deceleration
        set_data(car.drive, [steering, push, brake])
        wait(PERIOD)


def main(argv):
    """Drives the robot `argv[0]` along the route or by the seed that the last argument states."""
    robot, *others = argv
    if others and others[-1].startswith("route="):
        drive(robot, lanes_of(others[-1]))
    else:
        drive(robot, None, int(others[0]) if others else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
