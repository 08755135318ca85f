"""Driving by a joystick, a gamepad or a steering wheel with pedals."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from autosim.applications.driving.driver_input import AWAY, HALT, DriverCommand
from autosim.applications.driving.event_device import (
    AXIS,
    KEY,
    Axis,
    Button,
    DeviceChange,
    EventDevice,
    JoystickError,
    find_joysticks,
)

STICK_RANGE, PEDAL_RANGE = (-32768, 32767), (0, 255)
"""Of the axes of a pipe, which cannot be asked."""

BRAKE_BUTTONS = frozenset({Button.TRIGGER, Button.SOUTH})
REVERSE_BUTTONS = frozenset({Button.THUMB, Button.EAST, Button.GEAR_DOWN})


@dataclass(frozen=True, slots=True)
class JoystickLayout:
    """Assignment of the axes.

    `steering`: high is right. Where `brake` is None, `throttle` is a stick that does both: up (low)
    is forwards, down backwards. Else both are pedals, which are at the `rest` end of their range
    when released. `dead_zone` is the share of each axis about its rest that is ignored.
    Each position of a wheel (`is_wheel`) is an angle; other devices steer as far as the
    speed allows.
    """

    steering: Axis = Axis.X
    throttle: Axis = Axis.Y
    brake: Axis | None = None
    rest: Literal["low", "high"] = "low"
    dead_zone: float = 0.08
    is_wheel: bool = False

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All that it needs."""
        both = (self.steering, self.throttle)
        return both if self.brake is None else (*both, self.brake)


LAYOUTS: Mapping[str, JoystickLayout] = MappingProxyType(
    {
        "stick": JoystickLayout(),
        # The right trigger and the left one.
        "gamepad": JoystickLayout(throttle=Axis.RZ, brake=Axis.Z),
        # As Logitech's wheels have them.
        "wheel": JoystickLayout(
            throttle=Axis.Z, brake=Axis.RZ, rest="high", dead_zone=0.02, is_wheel=True
        ),
        # Those that call their pedals by their names.
        "pedals": JoystickLayout(
            throttle=Axis.GAS, brake=Axis.BRAKE, dead_zone=0.02, is_wheel=True
        ),
    }
)


@dataclass(frozen=True, slots=True)
class JoystickLayoutChoice:
    """A layout by its name, "auto": by the type of the device; and deviations from it.

    Attributes:
        steering: axis for steering, None: as in the layout.
        throttle: axis of the throttle.
        brake: axis of the brake.
        rest: axis end of a released pedal.
        dead_zone: share of each axis about its rest that is ignored.
    """

    name: str = "auto"
    steering: Axis | None = None
    throttle: Axis | None = None
    brake: Axis | None = None
    rest: Literal["low", "high"] | None = None
    dead_zone: float | None = None

    def layout_of(self, device: EventDevice) -> JoystickLayout:
        """The layout for `device`.

        Raises:
            JoystickError: there is none of that name.
        """
        if self.name not in ("auto", *LAYOUTS):
            known = ", ".join(("auto", *LAYOUTS))
            raise JoystickError(f"there is no layout '{self.name}' (layouts: {known})")
        layout = choose_layout(device) if self.name == "auto" else LAYOUTS[self.name]
        return JoystickLayout(
            steering=layout.steering if self.steering is None else self.steering,
            throttle=layout.throttle if self.throttle is None else self.throttle,
            brake=layout.brake if self.brake is None else self.brake,
            rest=layout.rest if self.rest is None else self.rest,
            dead_zone=layout.dead_zone if self.dead_zone is None else self.dead_zone,
            is_wheel=layout.is_wheel,
        )


def open_joystick(path: str, choice: JoystickLayoutChoice = JoystickLayoutChoice()) -> "Joystick":
    """The joystick at `path`; "auto": the first one of this machine.

    Raises:
        JoystickError: it is not there, may not be read, or lacks an axis of the layout.
    """
    device = EventDevice(next(iter(find_joysticks())) if path == "auto" else path)
    try:
        return Joystick(device, choice.layout_of(device))
    except BaseException:
        device.close()
        raise


def choose_layout(device: EventDevice) -> JoystickLayout:
    """The layout for a device, by the axes and buttons that it has."""
    has = device.ranges.keys()
    if {Axis.GAS, Axis.BRAKE} <= has:
        is_gamepad = Button.SOUTH in device.buttons and Axis.WHEEL not in has
        steering = Axis.WHEEL if Axis.WHEEL in has else Axis.X
        return replace(LAYOUTS["pedals"], steering=steering, is_wheel=not is_gamepad)
    if {Axis.Z, Axis.RZ} <= has:
        if Button.SOUTH in device.buttons:
            return LAYOUTS["gamepad"]
        if Axis.RX not in has:
            return LAYOUTS["wheel"]
    return LAYOUTS["stick"]


class Joystick:
    """A joystick as controls.

    Axes that have not been moved yet are taken to be at rest: the kernel does not know the position
    of wheels before that. Until something has been moved, the driver counts as away; when the
    device is gone, the joystick commands a halt. (One that is held still sends no events, so that
    silence means nothing here.)

    Args:
        device: closed by `close`.
        layout: which axis does what.

    Raises:
        JoystickError: the device does not have the axes of the layout.
    """

    def __init__(self, device: EventDevice, layout: JoystickLayout) -> None:
        missing = [axis.name for axis in layout.axes if axis not in device.ranges]
        if device.ranges and missing:
            known = ", ".join(axis.name for axis in Axis if axis in device.ranges)
            raise JoystickError(
                f"'{device.name}' has no axis {' or '.join(missing)} (axes: {known or 'none'}): "
                "choose another layout or other axes"
            )
        self.help = f"{device.name} drives; Ctrl-C ends"
        self._device = device
        self._layout = layout
        self._axes: dict[int, int] = {}
        self._pressed: set[int] = set()
        self._is_touched = False

    @property
    def is_over(self) -> bool:
        """Whether the device has been pulled out."""
        return self._device.is_gone

    def fileno(self) -> int:
        """The descriptor, to wait for events with `select`."""
        return self._device.fileno()

    @property
    def name(self) -> str:
        """Name of the device."""
        return self._device.name

    def read(self, *, speed: float = 0.0, seconds: float = 0.0) -> DriverCommand:
        """The driver's command, after all events so far, at whatever speed."""
        for change in self._device.read():
            self._take(change)
        if self.is_over:
            return HALT
        if not self._is_touched:
            return AWAY
        layout = self._layout
        push, brake = self._pedals()
        steering = -self._stick(layout.steering)
        return DriverCommand(steering, push, brake, is_direct=layout.is_wheel)

    def _pedals(self) -> tuple[float, float]:
        layout = self._layout
        if self._pressed & BRAKE_BUTTONS:
            return 0.0, 1.0
        if layout.brake is None:
            return -self._stick(layout.throttle), 0.0
        push = self._pedal(layout.throttle)
        return (-push if self._pressed & REVERSE_BUTTONS else push), self._pedal(layout.brake)

    def close(self) -> None:
        """Closes the device."""
        self._device.close()

    def _take(self, change: DeviceChange) -> None:
        self._is_touched = True
        if change.kind == AXIS:
            self._axes[change.code] = change.value
        elif change.kind == KEY and change.value:
            self._pressed.add(change.code)
        else:
            self._pressed.discard(change.code)

    def _stick(self, axis: Axis) -> float:
        """-1 to 1, with the dead zone taken out of the middle."""
        low, high = self._device.ranges.get(axis, STICK_RANGE)
        middle = (low + high) / 2.0
        value = (self._axes.get(axis, middle) - middle) / (high - middle)
        share = self._beyond_dead_zone(abs(value))
        return share if value > 0.0 else -share

    def _pedal(self, axis: Axis) -> float:
        """0 at rest to 1 pressed, with the dead zone taken off the rest."""
        low, high = self._device.ranges.get(axis, PEDAL_RANGE)
        rest, pressed = (low, high) if self._layout.rest == "low" else (high, low)
        return self._beyond_dead_zone((self._axes.get(axis, rest) - rest) / (pressed - rest))

    def _beyond_dead_zone(self, share: float) -> float:
        beyond = (share - self._layout.dead_zone) / (1.0 - self._layout.dead_zone)
        return min(max(beyond, 0.0), 1.0)
