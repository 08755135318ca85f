"""What the window's driver wants: keys, a joystick, and a window that hangs."""

from pathlib import Path

import pytest

pytest.importorskip("PyQt6")

from autosim.applications.driving.driver_input import AWAY, DriverCommand
from autosim.applications.driving.event_device import Axis
from autosim.applications.driving.keys import Key
from autosim.applications.gui.client.driving.driving_controls import WindowControls
from tests.applications.simulated_device import SimulatedDevice


class Seat:
    def __init__(self) -> None:
        self.now, self.said = 0.0, []
        self.controls = WindowControls(report=self.said.append, clock=lambda: self.now)

    def read(self, seconds: float = 0.05) -> DriverCommand:
        return self.controls.read(speed=15.0, seconds=seconds)


def test_a_window_that_hangs_lets_go_of_its_keys():
    seat = Seat()
    seat.controls.down = frozenset({Key.FORWARDS})
    assert seat.read(1.0).push == 1.0
    seat.now = 2.0
    assert seat.read(1.0).push == 0.0
    seat.controls.mark()
    assert seat.read(1.0).push == 1.0


def test_a_joystick_drives_until_a_key_is_down_or_it_is_pulled_out(tmp_path: Path):
    device = SimulatedDevice(tmp_path / "event5", axes={})
    seat = Seat()
    seat.controls.device, seat.controls.has_focus = device.path, False
    assert seat.read() == AWAY
    device.move(Axis.Y, -32768)
    assert seat.read() == DriverCommand(push=1.0)
    seat.controls.down = frozenset({Key.BRAKE})
    assert seat.read() == DriverCommand(brake=1.0)
    seat.controls.down, seat.controls.has_focus = frozenset(), True
    device.pull_out()
    assert seat.read(1.0) == DriverCommand()
    assert seat.said == [f"{device.path} is gone: the keys drive"]


def test_a_joystick_that_is_missing_is_one_sentence(tmp_path: Path):
    seat = Seat()
    seat.controls.device = str(tmp_path / "event9")
    seat.read()
    seat.read()
    (sentence,) = seat.said
    assert sentence.startswith("cannot open the joystick")
    assert sentence.endswith("; the keys drive")
