"""Believes where its car is by dead reckoning alone, and publishes that with how sure it is.

It begins at one GPS fix and one compass heading; from then on it integrates the velocimeter and the
gyroscope, and the error grows. It drives nothing, so it may run beside the program that does.
docs/tutorials/dead_reckoning.md explains it.

    autosim client --program userprograms/dead_reckoning.py
"""

import numpy as np

from autosim.userprogram import get_data, get_roads, read_rmc, set_state_estimate, to_local

HEIGHT = 0.81  # m, of the part's centre above the road
REAR_AXLE = 1.19  # m, behind the part's centre: that point does not slip sideways
FIX_DEVIATION = 0.1  # m, of the GPS fix at the start, to the east and to the north
HEADING_DEVIATION = 0.01  # rad, of the compass at the start
SPEED_DEVIATION = 0.03  # m/s, of the velocimeter and of adding it up so seldom
RATE_DEVIATION = 0.004  # rad/s, of the gyroscope, likewise


class Program:
    """Integrates speed and yaw rate; the believed state is east [m], north [m], heading [rad]."""

    period = 0.05

    def start(self, robot):
        """Takes the pose to begin with from GPS and compass."""
        self.robot, self.car = robot, f"{robot}.chassis"
        fix = read_rmc(get_data(f"{self.car}.gps"))
        place = to_local(fix.latitude, fix.longitude)
        self.state = np.array([*place, get_data(f"{self.car}.compass")])
        self.covariance = np.diag([FIX_DEVIATION, FIX_DEVIATION, HEADING_DEVIATION]) ** 2
        self.road = get_roads().points
        self.speed = self.rate = 0.0
        self.publish()

    def step(self, dt):
        """Goes on by what the sensors say (the prediction of an extended Kalman filter)."""
        self.speed = speed = get_data(f"{self.car}.velocimeter")
        self.rate = rate = -get_data(f"{self.car}.gyro_yaw")  # clockwise, as the heading
        heading = self.state[2] + 0.5 * rate * dt
        ahead = np.array([np.sin(heading), np.cos(heading)])
        right = np.array([np.cos(heading), -np.sin(heading)])
        drift = REAR_AXLE * rate  # m/s: in a curve the centre is turned about the rear axle
        self.state[:2] += dt * (speed * ahead + drift * right)
        self.state[2] += dt * rate

        change = np.eye(3)  # of the state after the step with the state before
        change[:2, 2] = dt * speed * right
        noise = np.zeros((3, 2))  # of the state after the step with the errors of both sensors
        noise[:2, 0] = dt * ahead
        noise[2, 1] = dt
        errors = np.diag([SPEED_DEVIATION, RATE_DEVIATION]) ** 2
        self.covariance = change @ self.covariance @ change.T + noise @ errors @ noise.T
        self.publish()

    def publish(self):
        """Sets what the robot believes, which the client shows beside the truth."""
        nearest = np.argmin(np.linalg.norm(self.road[:, :2] - self.state[:2], axis=1))
        place = [*self.state[:2], self.road[nearest, 2] + HEIGHT]
        heading = self.state[2]
        velocity = self.speed * np.array([np.sin(heading), np.cos(heading), 0.0])
        errors = np.zeros((9, 9))  # of position, orientation and velocity, three each
        known = np.ix_([0, 1, 5], [0, 1, 5])  # east, north, and the turn about the vertical
        clockwise = np.diag([1.0, 1.0, -1.0])  # as the heading; turns are counter-clockwise
        errors[known] = clockwise @ self.covariance @ clockwise
        motion = {"velocity": velocity, "angular_velocity": [0.0, 0.0, -self.rate]}
        set_state_estimate(self.robot, position=place, heading=heading, covariance=errors, **motion)
