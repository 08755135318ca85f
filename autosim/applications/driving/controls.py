"""What a person at the controls wants, and how it becomes the values of a drive actuator."""

import os
import select
from dataclasses import dataclass
from typing import Protocol

STANDING = 0.5
"""Below this speed [m/s] a car that is told to go backwards stops braking and reverses."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the driver wants now.

    `steering` is a share of the largest angle, -1 (right) to 1 (left); `push` a share of the
    motor's force, -1 (backwards) to 1; `brake` a share of the brakes' force, 0 to 1.
    """

    steering: float = 0.0
    push: float = 0.0
    brake: float = 0.0


HALT = Wish(brake=1.0)
"""What happens when nobody is at the controls."""


class Controls(Protocol):
    """What a driver holds. `help` says how to drive."""

    help: str

    @property
    def is_over(self) -> bool:
        """Whether the driver is gone."""

    def read(self, now: float) -> Wish:
        """What the driver wants at the time `now` [s of wall-clock time]."""


def read_waiting(descriptor: int) -> tuple[bytes, bool]:
    """The bytes that wait to be read, and whether no more will come."""
    data = b""
    try:
        while select.select([descriptor], [], [], 0.0)[0]:
            more = os.read(descriptor, 1024)
            if not more:
                return data, True
            data += more
    except BlockingIOError:
        return data, False
    except OSError:
        return data, True
    return data, False


def actuator_values(
    wish: Wish, *, speed: float, largest_angle: float
) -> tuple[float, float, float]:
    """Steering [rad], acceleration and brake of a drive actuator.

    Args:
        wish: of the driver.
        speed: of the car, forwards [m/s].
        largest_angle: of the road wheels [rad].

    A push against the direction of travel brakes until the car stands.
    """
    steering = largest_angle * wish.steering
    if wish.push * speed < 0.0 and abs(speed) > STANDING:
        return steering, 0.0, max(wish.brake, abs(wish.push))
    return steering, 0.0 if wish.brake > 0.0 else wish.push, wish.brake
