"""Driving by keys: how steering and pedals follow keys that are only up or down.

The one controller for all keyboards: of a window, and of a terminal. It has no clock of its own.
"""

from collections.abc import Collection
from enum import Enum, auto

from autosim.applications.driving.driver_input import STANDING, DriverCommand

STEER_RATE = 2.0
"""Shares of the limit a second with which a key turns the steering. At a standstill that is about
1 rad/s at the road wheels, as fast as a person turns a steering wheel."""

RETURN_RATES = 0.8, 3.0
"""Shares a second with which the steering returns by itself: at a standstill, and from
`RETURN_SPEED` on. Moving tyres push it back; standing ones do not."""

RETURN_SPEED = 10.0
"""Speed [m/s] from which on the moving tyres push the steering back at the full rate: that of a
car in a side street."""

PUSH_RATE = 1.0
"""Shares of the motor's force a second: a pedal is pressed down within a second."""

BRAKE_RATE = 2.5
"""Shares of the brakes' force a second."""

RELEASE_RATE = 5.0
"""Shares a second with which a pedal comes up."""


class Key(Enum):
    """Meaning of a key. BACKWARDS brakes while the car goes forwards; BRAKE is the hand brake."""

    FORWARDS = auto()
    BACKWARDS = auto()
    LEFT = auto()
    RIGHT = auto()
    BRAKE = auto()


PEDALS = frozenset({Key.FORWARDS, Key.BACKWARDS, Key.BRAKE})


class KeyDriver:
    """Turns keys into what the driver wants, over time.

    Without a key the steering returns and the car coasts; once it stands, it is held.
    """

    def __init__(self) -> None:
        self._steering = self._push = self._brake = 0.0

    def step(
        self,
        down: Collection[Key],
        *,
        speed: float,
        seconds: float,
        kept: Collection[Key] = (),
    ) -> DriverCommand:
        """The driver's command after `seconds`.

        Args:
            down: the keys that are down.
            speed: of the car, forwards [m/s].
            seconds: since the last call [s].
            kept: keys that may be down or up: their values stay as they are.
        """
        self._steer(down, kept, speed=speed, seconds=seconds)
        self._press_pedals(down, kept, speed=speed, seconds=seconds)
        return DriverCommand(self._steering, self._push, self._brake)

    def _steer(
        self, down: Collection[Key], kept: Collection[Key], *, speed: float, seconds: float
    ) -> None:
        slow, fast = RETURN_RATES
        way = (Key.LEFT in down) - (Key.RIGHT in down)
        if way:
            rate = STEER_RATE + (fast if way * self._steering < 0.0 else 0.0)
        elif Key.LEFT in kept or Key.RIGHT in kept:
            return
        else:
            rate = slow + (fast - slow) * min(abs(speed) / RETURN_SPEED, 1.0)
        self._steering = _approach(self._steering, float(way), rate * seconds)

    def _press_pedals(
        self, down: Collection[Key], kept: Collection[Key], *, speed: float, seconds: float
    ) -> None:
        if Key.BRAKE in down:
            self._push, self._brake = 0.0, 1.0
            return
        way = (Key.FORWARDS in down) - (Key.BACKWARDS in down)
        if not way and PEDALS & {*kept}:
            return
        is_moving = abs(speed) > STANDING
        brakes = way * speed < 0.0 if is_moving else way == 0
        self._brake = _approach(
            self._brake, float(brakes), (BRAKE_RATE if brakes else RELEASE_RATE) * seconds
        )
        push = 0.0 if brakes else float(way)
        if self._push * push < 0.0:
            self._push = 0.0
        rate = PUSH_RATE if push else RELEASE_RATE
        self._push = _approach(self._push, push, rate * seconds)


def _approach(value: float, target: float, most: float) -> float:
    return value + min(max(target - value, -most), most)
