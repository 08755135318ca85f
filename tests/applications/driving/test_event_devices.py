"""Joysticks, gamepads and wheels: simulated event devices, and what the driver then wants."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autosim.applications.driving import event_device
from autosim.applications.driving.driver_input import AWAY, HALT, DriverCommand
from autosim.applications.driving.event_device import (
    AXIS,
    DROPPED,
    EVENT,
    SYNCHRONISATION,
    Axis,
    Button,
    EventDevice,
    JoystickError,
    find_joysticks,
)
from autosim.applications.driving.joystick import Joystick, JoystickLayoutChoice, open_joystick
from tests.applications.simulated_device import SimulatedDevice

WORD = (-32768, 32767)
STICK: dict[str, Any] = {"axes": {Axis.X: WORD, Axis.Y: WORD}, "buttons": {Button.TRIGGER}}
GAMEPAD: dict[str, Any] = {
    "axes": {
        **dict.fromkeys((Axis.X, Axis.Y, Axis.RX, Axis.RY), WORD),
        **dict.fromkeys((Axis.Z, Axis.RZ), (0, 1023)),
    },
    "buttons": {Button.SOUTH, Button.EAST},
}
WHEEL: dict[str, Any] = {
    "axes": {Axis.X: (0, 65535), Axis.Y: (0, 255), Axis.Z: (0, 255), Axis.RZ: (0, 255)},
    "buttons": {Button.TRIGGER, Button.THUMB},
}
PEDALS: dict[str, Any] = {
    "axes": {Axis.WHEEL: (-900, 900), Axis.GAS: (0, 4095), Axis.BRAKE: (0, 4095)}
}

Open = Callable[..., tuple[SimulatedDevice, Joystick]]


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Plugs in a device and opens it; it is the only one of the machine."""
    joysticks = []

    def plug(device: dict[str, Any], **choice: Any) -> tuple[SimulatedDevice, Joystick]:
        simulated = SimulatedDevice(tmp_path / "event7", **device)
        simulated.answer_in(monkeypatch)
        monkeypatch.setattr(event_device, "INPUT", tmp_path)
        joysticks.append(open_joystick("auto", JoystickLayoutChoice(**choice)))
        return simulated, joysticks[-1]

    yield plug
    for joystick in joysticks:
        joystick.close()


def test_a_stick_steers_pushes_and_brakes_and_without_it_the_car_halts(plug_in: Open):
    device, stick = plug_in(STICK)
    assert stick.help == "Simulated Stick drives; Ctrl-C ends"
    assert stick.read() == AWAY
    device.move(Axis.Y, -32768)
    assert stick.read() == DriverCommand(push=1.0)
    device.move(Axis.X, -32768)
    device.move(Axis.Y, 1000)
    assert stick.read() == DriverCommand(steering=1.0)
    device.move(Axis.Y, 16384)
    assert stick.read().push == pytest.approx(-(0.5 - 0.08) / 0.92, abs=1e-3)
    device.press(Button.TRIGGER)
    assert stick.read() == DriverCommand(steering=1.0, brake=1.0)
    device.press(Button.TRIGGER, is_down=False)
    assert stick.read().brake == 0.0
    device.pull_out()
    assert stick.read() == HALT
    assert stick.is_over


def test_the_triggers_of_a_gamepad_are_its_pedals(plug_in: Open):
    device, pad = plug_in(GAMEPAD)
    device.move(Axis.RZ, 1023)
    assert pad.read() == DriverCommand(push=1.0)
    device.press(Button.EAST)
    assert pad.read() == DriverCommand(push=-1.0)
    device.move(Axis.RZ, 0)
    device.move(Axis.Z, 1023)
    assert pad.read() == DriverCommand(brake=1.0)
    device.move(Axis.X, 32767)
    assert pad.read() == DriverCommand(-1.0, brake=1.0)
    device.press(Button.SOUTH)
    assert pad.read().brake == 1.0
    device.pull_out()


def test_the_pedals_of_a_wheel_rest_at_their_upper_end_also_before_it_has_said_so(plug_in: Open):
    device, wheel = plug_in(WHEEL)
    device.move(Axis.X, 65535)
    assert wheel.read() == DriverCommand(-1.0, is_direct=True)
    device.move(Axis.Z, 255)
    device.move(Axis.RZ, 255)
    assert wheel.read() == DriverCommand(-1.0, is_direct=True)
    device.move(Axis.Z, 0)
    assert wheel.read() == DriverCommand(-1.0, push=1.0, is_direct=True)
    device.press(Button.THUMB)
    assert wheel.read() == DriverCommand(-1.0, push=-1.0, is_direct=True)
    device.move(Axis.RZ, 0)
    assert wheel.read() == DriverCommand(-1.0, push=-1.0, brake=1.0, is_direct=True)
    device.pull_out()


def test_pedals_with_names_are_known_by_them(plug_in: Open):
    device, wheel = plug_in(PEDALS)
    device.move(Axis.WHEEL, -900)
    device.move(Axis.GAS, 4095)
    assert wheel.read() == DriverCommand(1.0, push=1.0, is_direct=True)
    device.move(Axis.BRAKE, 4095)
    assert wheel.read().brake == 1.0
    device.pull_out()


def test_a_gamepad_whose_triggers_have_the_names_of_pedals_is_no_wheel(plug_in: Open):
    axes = dict.fromkeys((Axis.X, Axis.GAS, Axis.BRAKE), (0, 1023))
    device, pad = plug_in({"axes": axes, "buttons": {Button.SOUTH}})
    device.move(Axis.X, 0)
    device.move(Axis.GAS, 1023)
    assert pad.read() == DriverCommand(1.0, push=1.0)
    device.pull_out()


def test_any_axis_can_be_any_pedal(plug_in: Open):
    device, wheel = plug_in(
        WHEEL, name="wheel", throttle=Axis.RZ, brake=Axis.Y, rest="low", dead_zone=0.5
    )
    device.move(Axis.RZ, 255)
    device.move(Axis.Y, 100)
    assert wheel.read() == DriverCommand(push=1.0, is_direct=True)
    device.pull_out()


def test_what_was_lost_in_a_full_queue_is_asked_for(plug_in: Open):
    device, stick = plug_in(STICK)
    device.values[Axis.Y] = -32768
    device.pressed.add(Button.TRIGGER)
    device.write(SYNCHRONISATION, DROPPED, 0)
    assert stick.read() == DriverCommand(brake=1.0)
    device.press(Button.TRIGGER, is_down=False)
    assert stick.read() == DriverCommand(push=1.0)
    device.pull_out()


def test_half_an_event_waits_for_its_rest(plug_in: Open):
    device, stick = plug_in(STICK)
    data = EVENT.pack(0, 0, AXIS, Axis.Y, -32768)
    device.write_bytes(data[:5])
    assert stick.read() == AWAY
    device.write_bytes(data[5:])
    assert stick.read() == DriverCommand(push=1.0)
    device.pull_out()


def test_a_pipe_that_cannot_be_asked_has_the_usual_ranges(tmp_path: Path):
    device = SimulatedDevice(tmp_path / "remote", axes={})
    with closing(open_joystick(device.path, JoystickLayoutChoice("wheel"))) as wheel:
        device.move(Axis.X, 32767)
        device.move(Axis.Z, 0)
        assert wheel.read() == DriverCommand(-1.0, push=1.0, is_direct=True)
        device.pull_out()


def test_a_device_without_the_axes_says_which_it_has(plug_in: Open):
    with pytest.raises(
        JoystickError, match=r"'Simulated Stick' has no axis Z or RZ \(axes: X, Y\)"
    ):
        plug_in(STICK, name="wheel")


def test_what_is_no_joystick_is_not_taken_for_one(plug_in: Open, tmp_path: Path):
    with pytest.raises(JoystickError, match="there is no joystick, gamepad or wheel"):
        plug_in({"axes": {Axis.X: WORD}, "buttons": {0x110}})  # a tablet, with its left button
    (tmp_path / "event12").symlink_to("gone")
    with pytest.raises(JoystickError, match="1 devices may not be read"):
        find_joysticks()
    with pytest.raises(JoystickError, match="no layout 'boat'"):
        open_joystick(str(tmp_path / "event7"), JoystickLayoutChoice("boat"))


def test_what_is_no_device_is_refused(tmp_path: Path):
    (file := tmp_path / "notes").write_text("no events")
    for path in ("/dev/null", str(file)):
        with pytest.raises(JoystickError, match=f"{path} is not a joystick"):
            EventDevice(path)
