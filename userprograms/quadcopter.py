"""Flies a quadcopter up, around a square, and down again.

Three loops, one in the other: the place asks for a velocity, the velocity for a tilt, the tilt for
the torques that four propellers share. docs/build_a_robot.md tells of the robot.

    autosim run userprograms/quadcopter.py --robot quadcopter
"""

import numpy as np

from autosim.userprogram import describe, get_data, set_data

GRAVITY = 9.81  # m/s²
HEIGHT = 3.0  # m above the ground
SIDE = 4.0  # m of the square
CLOSE = 0.25  # m from a corner, where the next one is due
TOP_SPEED = 1.5  # m/s
STEEPEST = 0.3  # rad
STIFFNESS, DAMPING = 60.0, 12.0  # 1/s², 1/s: of the tilt; it settles in half a second
YAW_STIFFNESS, YAW_DAMPING = 4.0, 4.0  # 1/s², 1/s: slower, for there is little torque about up


class Program:
    """Knows where it is by adding up what the velocimeters say, from where it stands at first."""

    period = 1 / 120

    def start(self, robot):
        """Takes the measures from the robot's description."""
        self.body = f"{robot}.body"
        described = describe(robot)
        self.mass = sum(part.mass for part in described.parts)
        self.inertia = inertia_of(described.parts)
        self.propellers = [each for each in described.devices if hasattr(each, "max_thrust")]
        self.place = np.zeros(2)  # m forward and to the left of where it began
        self.heading = self.yaw()
        around = SIDE * np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
        self.corners = list(around)

    def step(self, dt):
        """Flies on."""
        roll, pitch = self.read("roll"), self.read("pitch")
        ahead, left, up = (self.read(f"speed_{name}") for name in ("forward", "left", "up"))
        turn = wrapped(self.yaw() - self.heading)
        level = [
            ahead * np.cos(pitch) + up * np.sin(pitch),
            left * np.cos(roll) - up * np.sin(roll),
        ]
        velocity = turned(level, turn)
        self.place += dt * velocity
        height = self.read("height") * np.cos(roll) * np.cos(pitch)

        push = turned(self.wanted_push(velocity), -turn)
        climb = np.clip(self.wanted_height() - height, -0.6, 1.0)  # m/s
        thrust = self.mass * (GRAVITY + 3.0 * (climb - up)) / (np.cos(roll) * np.cos(pitch))
        tilt = np.clip(push / GRAVITY, -STEEPEST, STEEPEST)
        torques = self.inertia * [
            STIFFNESS * (-tilt[1] - roll) - DAMPING * self.read("gyro_roll"),
            STIFFNESS * (tilt[0] - pitch) - DAMPING * self.read("gyro_pitch"),
            -YAW_STIFFNESS * turn - YAW_DAMPING * self.read("gyro_yaw"),
        ]
        self.share(max(thrust, 0.0), torques)

    def wanted_push(self, velocity):
        """Acceleration [m/s²] towards the corner that is next, once it is up."""
        is_there = np.hypot(*(self.corners[0] - self.place)) < CLOSE
        if len(self.corners) > 1 and is_there and self.read("height") > 0.8 * HEIGHT:
            self.corners.pop(0)
        goal = 0.9 * (self.corners[0] - self.place)
        speed = np.hypot(*goal)
        if speed > TOP_SPEED:
            goal *= TOP_SPEED / speed
        return 1.8 * (goal - velocity)

    def wanted_height(self):
        """Down again where the square is closed."""
        is_back = len(self.corners) == 1 and np.hypot(*(self.corners[0] - self.place)) < CLOSE
        return 0.0 if is_back else HEIGHT

    def share(self, thrust, torques):
        """Sets the throttles: each propeller gives its part of the thrust and of the torques."""
        count = len(self.propellers)
        for each in self.propellers:
            x, y, _ = each.position
            about_up = each.max_torque / each.max_thrust * (1.0 if each.is_clockwise else -1.0)
            force = thrust + torques[0] / y - torques[1] / x + torques[2] / about_up
            share = np.clip(force / count / each.max_thrust, 0.0, 1.0)
            set_data(f"{self.body}.{each.name}", np.sqrt(share))

    def read(self, sensor):
        """What a sensor of the body says."""
        return get_data(f"{self.body}.{sensor}")

    def yaw(self):
        """Counter-clockwise from east [rad]: a compass counts clockwise from north."""
        return np.pi / 2 - self.read("compass")


def inertia_of(parts):
    """Of boxes about the axes through the first one's centre [kg m²]."""
    inertia = np.zeros(3)
    for part in parts:
        squares = np.array(part.size) ** 2 / 12 + np.array(part.position) ** 2
        inertia += part.mass * (squares.sum() - squares)
    return inertia


def turned(vector, angle):
    """A vector in the plane, turned counter-clockwise [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def wrapped(angle):
    """The same angle between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
