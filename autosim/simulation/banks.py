"""Banks: all devices of one kind computed with one expression.

A bank holds the places of its devices' values in the state and, for each device, the index of
the body that carries it. Python's cost is per kind of device, never per device.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import (
    CompassSensor,
    Device,
    GyroscopeSensor,
    InclinometerSensor,
    TimeDevice,
    VelocimeterSensor,
)
from autosim.simulation.angles import directions
from autosim.simulation.bodies import BodyStates, dot, rotate
from autosim.simulation.snapshot import Memory
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, Node

DeviceT = TypeVar("DeviceT", bound=Device, covariant=True)
Indices = Integers


@dataclass(frozen=True, slots=True)
class Mounted(Generic[DeviceT]):
    """A device in the tree on the body with the index `body`."""

    node: Node
    device: DeviceT
    body: int


class Bank(Protocol):
    """All devices of one kind."""

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the devices' values into `state`; `noise` (n,) in their unit."""


def body_indices(devices: Sequence[Mounted[Device]]) -> Indices:
    """Index (n,) of the body of each device."""
    return np.array([mounted.body for mounted in devices], dtype=np.int64)


def word_indices(devices: Sequence[Mounted[Device]]) -> Indices:
    """Index (n,) of each device's first word in `State.floats`."""
    return np.array([mounted.node.start // WORD for mounted in devices], dtype=np.int64)


def vectors(values: Sequence[tuple[float, float, float]]) -> Floats:
    """Rows (n, 3) as an array."""
    return np.array(values, dtype=np.float64).reshape(-1, 3)


@runtime_checkable
class Remembering(Protocol):
    """A bank whose devices keep something from step to step beside their values."""

    memory: Memory


def memory_of(devices: Sequence[Mounted[Device]], *, width: int = 1) -> Memory:
    """An empty memory with a row of `width` numbers for each of `devices`, all of one kind."""
    names = tuple(mounted.node.name for mounted in devices)
    return Memory(devices[0].node.kind, names, np.full((len(devices), width), np.nan))


class LowPass:
    """First-order low-pass y += alpha (x − y) of n values; each begins at its first sample.

    Args:
        alpha: of each value.
        values: (n,) float64 that it keeps them in; NaN before the first sample.
    """

    def __init__(self, alpha: Sequence[float], values: Floats) -> None:
        self._alpha = np.array(alpha)
        self._values = values

    def __call__(self, sample: Floats) -> Floats:
        """The filtered values (n,) after `sample` (n,)."""
        later = self._values + self._alpha * (sample - self._values)
        self._values[:] = np.where(np.isnan(self._values), sample, later)
        return self._values


class GyroscopeBank:
    """Angular velocity [rad/s] about each sensor's axis."""

    def __init__(self, devices: Sequence[Mounted[GyroscopeSensor]]) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self.memory = memory_of(devices)
        alpha = [mounted.device.alpha for mounted in devices]
        self._filter = LowPass(alpha, self.memory.rows[:, 0])

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the rates."""
        axis_W = rotate(bodies.rotations[self._body], self._axis)
        rate = dot(bodies.angular_velocities[self._body], axis_W)
        state.floats[self._word] = self._filter(rate) + noise


class VelocimeterBank:
    """Velocity [m/s] along each sensor's axis."""

    def __init__(self, devices: Sequence[Mounted[VelocimeterSensor]]) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self.memory = memory_of(devices)
        alpha = [mounted.device.alpha for mounted in devices]
        self._filter = LowPass(alpha, self.memory.rows[:, 0])

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the velocities."""
        axis_W = rotate(bodies.rotations[self._body], self._axis)
        velocity = dot(bodies.velocities[self._body], axis_W)
        state.floats[self._word] = self._filter(velocity) + noise


class CompassBank:
    """Heading [rad] of each sensor's axis, clockwise from north, in [0, 2 pi)."""

    def __init__(self, devices: Sequence[Mounted[CompassSensor]]) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the headings."""
        axis_W = rotate(bodies.rotations[self._body], self._axis)
        heading = directions(axis_W[:, 0], axis_W[:, 1]) + noise
        state.floats[self._word] = np.mod(heading, 2 * np.pi)


class InclinometerBank:
    """Tilt [rad] of each part about its sensor's axis against gravity, in (−pi, pi].

    What a pendulum that swings about the axis shows, were there no acceleration but gravity: the
    angle, in the plane across the axis, from the world's up to the part's own. With the axis `a`
    and the part's up `z`, and the world's up `u`, all in B, it is atan2(u·s, u·c) with
    s = z × a and c = z − (z·a) a. Heading has no part in it. While the axis stands upright, a
    pendulum rests at any angle; 0 is said then.
    """

    _UPRIGHT = 1e-9
    """Sine of the angle between axis and vertical below which rounding would choose the angle."""

    def __init__(self, devices: Sequence[Mounted[InclinometerSensor]]) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        axis = vectors([mounted.device.axis for mounted in devices])
        up = np.array([0.0, 0.0, 1.0])
        self._sine = np.cross(up, axis)
        self._cosine = up - axis[:, 2:] * axis

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the angles."""
        up_B = bodies.rotations[self._body, 2]
        sine, cosine = dot(up_B, self._sine), dot(up_B, self._cosine)
        is_upright = np.maximum(abs(sine), abs(cosine)) < self._UPRIGHT
        angle = np.where(is_upright, 0.0, directions(sine, cosine)) + noise
        state.floats[self._word] = np.pi - np.mod(np.pi - angle, 2 * np.pi)


class TimeBank:
    """Simulated time [s]."""

    def __init__(self, devices: Sequence[Mounted[TimeDevice]]) -> None:
        self._word = word_indices(devices)

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the time."""
        state.floats[self._word] = state.time + noise


BANKS: dict[type[Device], Callable[..., Bank]] = {
    GyroscopeSensor: GyroscopeBank,
    VelocimeterSensor: VelocimeterBank,
    CompassSensor: CompassBank,
    InclinometerSensor: InclinometerBank,
    TimeDevice: TimeBank,
}
"""The banks that need nothing but the bodies, by kind of device."""
