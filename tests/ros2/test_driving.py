"""Commands of ROS: a car reaches the speed that is asked for, stops without one, and turns."""

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.engine.step.simulation import Simulation
from autosim.model.commands import Command, command_for
from autosim.ros2.bridge import robots_of
from autosim.ros2.driving.speed_control import COMMAND_SECONDS, SpeedController, WantedMotion
from tests.worlds import flat_world, impreza_world


class Drive:
    """The shipped car on a plain, driven by a controller."""

    def __init__(self) -> None:
        world = impreza_world(position=(0.0, 0.0, None), yaw=0.0)
        self.simulation = Simulation(world, compiled=flat_world(), report=lambda notice: None)
        self.state = self.simulation.state
        self.simulation.step()
        self.controller = SpeedController(self.state, robots_of(self.state.tree)[0])

    def go(self, seconds: float, motion: WantedMotion | None = None, turn: float = 0.0) -> Any:
        """Drives on; the motion is asked for in each step. Returns the state of the car."""
        for _ in range(round(seconds * 240)):
            if motion is not None and turn:
                self.controller.wish_twist(motion.speed, turn, self.state.time)
            elif motion is not None:
                self.controller.wish(motion, self.state.time)
            values = self.controller.values(self.state.time)
            if values is not None:
                command = command_for(self.state.tree, self.controller.device, values)
                self.simulation.queue([Command(command.device, command.data)])
            self.simulation.step()
        return self.state.get("impreza.state_truth")

    def __enter__(self) -> "Drive":
        return self

    def __exit__(self, *exception: object) -> None:
        self.simulation.close()


def test_a_car_without_a_command_is_left_alone() -> None:
    with Drive() as drive:
        assert drive.controller.values(drive.state.time) is None


@pytest.mark.parametrize("speed", [1.0, 8.0, -2.0])
def test_a_car_reaches_the_speed_that_is_asked_for(speed: float) -> None:
    with Drive() as drive:
        motion = drive.go(8.0, WantedMotion(speed, 0.0))
        assert motion["velocity"][0] == pytest.approx(speed, abs=0.1)


def test_a_car_stops_and_is_held_when_commands_cease() -> None:
    with Drive() as drive:
        drive.go(4.0, WantedMotion(5.0, 0.0))
        motion = drive.go(COMMAND_SECONDS + 4.0)
        assert np.abs(motion["velocity"]).max() < 0.02


def test_a_bounded_acceleration_is_kept() -> None:
    with Drive() as drive:
        motion = drive.go(2.0, WantedMotion(10.0, 0.0, 1.0))
        assert motion["velocity"][0] == pytest.approx(2.0, abs=0.3)


def test_a_rate_of_turn_becomes_a_steering_angle() -> None:
    with Drive() as drive:
        motion = drive.go(6.0, WantedMotion(4.0, 0.0), turn=0.3)
        assert motion["angular_velocity"][2] == pytest.approx(0.3, abs=0.05)


def test_a_car_does_not_turn_on_the_spot() -> None:
    with Drive() as drive:
        drive.controller.wish_twist(0.0, 1.0, drive.state.time)
        values = drive.controller.values(drive.state.time)
        assert values is not None
        assert values[1] == 0.0
        assert all(map(math.isfinite, values))
