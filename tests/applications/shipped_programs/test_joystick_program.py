"""The shipped program that drives by a joystick, with a simulated joystick."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosim.applications.driving.driver_input import Steering, steering_limit
from autosim.applications.driving.event_device import Axis, Button
from autosim.engine.step.simulation import Simulation
from autosim.model.notices import Notice
from tests.applications.simulated_device import SimulatedDevice
from tests.worlds import ROOT, flat_world, impreza_world

SECOND = 240


class Ride:
    """A car on a plain."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        car = simulation.tree.find("impreza.chassis")
        drive = simulation.tree.find("impreza.chassis.drive_chassis")
        assert car is not None
        assert drive is not None
        self._car, self._drive = car.start // 8, drive.start // 8

    def drive(self, seconds: float) -> None:
        for _ in range(round(SECOND * seconds)):
            self._simulation.step()

    @property
    def speed(self) -> float:
        velocity = self._simulation.state.floats[self._car + 7 : self._car + 10]
        return float(np.linalg.norm(velocity))

    @property
    def values(self) -> list[float]:
        return self._simulation.state.floats[self._drive : self._drive + 3].tolist()


def test_the_stick_pushes_steers_and_brakes_and_without_it_the_car_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    axes = dict.fromkeys((Axis.X, Axis.Y), (-32767, 32767))
    device = SimulatedDevice(tmp_path / "event3", axes=axes, buttons={Button.TRIGGER})
    device.answer_in(monkeypatch)
    world = impreza_world(1, position=(0.0, 0.0, None), yaw=0.0)
    robot = replace(
        world.robots[0],
        program=str((ROOT / "userprograms" / "joystick.py").relative_to(ROOT)),
        program_arguments=(device.path,),
    )
    said: list[Notice] = []
    world = replace(world, robots=(robot,))
    with Simulation(world, compiled=flat_world(), report=said.append) as simulation:
        ride = Ride(simulation)
        ride.drive(0.5)
        assert ride.values == [0.0, 0.0, 0.2]  # nobody is at the controls yet
        device.move(Axis.Y, -32767)
        ride.drive(2.0)
        assert ride.values == pytest.approx([0.0, 1.0, 0.0])
        assert ride.speed > 4.0
        device.move(Axis.X, -16384)
        ride.drive(0.2)
        allowed = steering_limit(Steering(0.6, wheelbase=2.52), ride.speed)
        assert allowed < 0.2
        assert ride.values[0] == pytest.approx(allowed * (0.5 - 0.08) / 0.92, rel=0.1)
        device.press(Button.TRIGGER)
        ride.drive(0.2)
        assert ride.values[2] == 1.0
        device.press(Button.TRIGGER, is_down=False)
        ride.drive(0.5)
        device.pull_out()
        ride.drive(3.0)
        assert ride.values == [0.0, 0.0, 1.0]
        assert ride.speed < 0.1
    assert [(each.level, each.text) for each in said] == [("info", "main returned")]


def test_a_joystick_that_is_missing_is_one_sentence(tmp_path: Path):
    world = impreza_world(1, position=(0.0, 0.0, None), yaw=0.0)
    robot = replace(
        world.robots[0],
        program="userprograms/joystick.py",
        program_arguments=(str(tmp_path / "event9"),),
    )
    said: list[Notice] = []
    world = replace(world, robots=(robot,))
    with Simulation(world, compiled=flat_world(), report=said.append) as simulation:
        simulation.step()
    expected = f"cannot open the joystick {tmp_path / 'event9'}: No such file or directory"
    assert [(each.level, each.text) for each in said] == [("error", expected)]
