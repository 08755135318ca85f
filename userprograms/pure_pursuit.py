"""Follows a track by pure pursuit: it steers for a point ahead on the middle of the asphalt.

The plainest of all racers, against which others are measured. It knows the map, the measures of its
car, and what the car believes of its motion; the speed at each place is the fastest that the car
holds there (autosim.tracks.racing). It takes no account of what its own commands need to act.

The car and the pace: `arguments="LATERAL FORWARD BRAKING TOP_SPEED"` [m/s², m/s] in the world file.
Source: R. C. Coulter, "Implementation of the Pure Pursuit Path Tracking Algorithm", CMU 1992.
"""

import numpy as np

from autosim.portable import arctan, arctan2, cos, hypot, sin
from autosim.tracks.curve import Curve
from autosim.tracks.nearest_points import nearest_points
from autosim.tracks.racing import CarLimits, speed_profile
from autosim.userprogram import get_roads, get_state_estimate, get_vehicle_info, set_data, wait

PERIOD = 0.05  # s between two decisions
PACE = CarLimits(lateral=4.0, forward=2.0, braking=3.0, top_speed=15.0)
SPACING = 2.0  # m between points of the path

LOOKAHEAD = 3.0  # m ahead of the rear axle while it stands
LOOKAHEAD_SECONDS = 0.3  # s of driving that come to this
RESPONSE = 0.3  # s in which the car shall have the speed that it should have then


class Path:
    """The closed middle of the track, with the speed to have at each place."""

    def __init__(self, place, yaw, pace):
        roads = get_roads()
        lane = roads.lanes[roads.nearest_lane(place, yaw)[0]]
        points, following = [lane.centre_line[:, :2]], lane
        while following.successors and following.successors[0] != lane.index:
            following = roads.lanes[following.successors[0]]
            points.append(following.centre_line[:, :2])
        # Where points lie close together, their rounding looks like narrow bends.
        self.curve = Curve.through(np.vstack(points), is_closed=True).resampled(SPACING)
        self.speeds = speed_profile(self.curve, pace)

    def station(self, place):
        """How far along the path a place (2,) is [m]."""
        return float(nearest_points(self.curve, place).distance[0])

    def point(self, station):
        """The point (2,) so far along the path [m]."""
        return self.curve.at([station % self.curve.length])[0]

    def speed(self, station):
        """The speed to have so far along the path [m/s]."""
        stations = self.curve.distances[:-1]
        return float(np.interp(station, stations, self.speeds, period=self.curve.length))


def steering_angle(pose, yaw, goal, wheelbase):
    """The angle [rad] of the front wheels that leads the rear axle to the goal on a circle."""
    east, north = goal - pose
    ahead = cos(yaw) * east + sin(yaw) * north
    left = cos(yaw) * north - sin(yaw) * east
    return float(arctan(wheelbase * 2.0 * left / (ahead * ahead + left * left)))


def main(argv):
    """Drives the robot `argv[0]` for ever, at the pace of the further arguments."""
    robot = argv[0]
    pace = CarLimits(*map(float, argv[1:5])) if len(argv) > 4 else PACE
    vehicle = get_vehicle_info(robot)
    drive = f"{robot}.{vehicle.part}.{vehicle.actuator}"
    path = None
    while True:
        belief = get_state_estimate(robot)
        x, y, z, w = belief.orientation
        yaw = float(arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
        middle = np.array(belief.position[:2])
        rear = middle + vehicle.rear_axle * np.array([cos(yaw), sin(yaw)])
        path = path or Path(np.array(belief.position), yaw, pace)
        speed = float(hypot(belief.velocity[0], belief.velocity[1]))
        station = path.station(rear)
        goal = path.point(station + LOOKAHEAD + LOOKAHEAD_SECONDS * speed)
        wanted = (path.speed(station + RESPONSE * speed) - speed) / RESPONSE
        push, brake = wanted / vehicle.acceleration, -wanted / vehicle.deceleration
        steering = steering_angle(rear, yaw, goal, vehicle.wheelbase)
        set_data(drive, [steering, min(max(push, 0.0), 1.0), min(max(brake, 0.0), 1.0)])
        wait(PERIOD)
