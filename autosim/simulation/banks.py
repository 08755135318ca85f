"""Banks: all devices of one kind computed with one expression.

A bank holds the places of its devices' values in the state and, for each device, the index of
the body that carries it. Python's cost is per kind of device, never per device.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from autosim.config.descriptions import (
    CompassSensor,
    Device,
    GyroscopeSensor,
    InclinometerSensor,
    TimeDevice,
    VelocimeterSensor,
)
from autosim.simulation.bodies import BodyStates, Floats, dot, rotate
from autosim.simulation.snapshot import Memory
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, Node

DeviceT = TypeVar("DeviceT", bound=Device, covariant=True)
Indices = npt.NDArray[np.int64]


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
        heading = np.arctan2(axis_W[:, 0], axis_W[:, 1]) + noise
        state.floats[self._word] = np.mod(heading, 2 * np.pi)


class InclinometerBank:
    """Angle [rad] turned about each sensor's axis since the first sample, in (−pi, pi].

    The angle is the twist of the rotation since then about the axis (swing-twist decomposition).
    """

    def __init__(self, devices: Sequence[Mounted[InclinometerSensor]]) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self.memory = memory_of(devices, width=4)

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the angles."""
        current = bodies.orientations[self._body]
        initial = self.memory.rows
        initial[:] = np.where(np.isnan(initial), current, initial)
        turned = relative_quaternions(initial, current)
        twist = 2 * np.arctan2(dot(turned[:, :3], self._axis), turned[:, 3]) + noise
        state.floats[self._word] = np.pi - np.mod(np.pi - twist, 2 * np.pi)


def relative_quaternions(first: Floats, second: Floats) -> Floats:
    """Rotation from `first` to `second`, both (n, 4) x y z w, in the frame of `first`."""
    v, w = -first[:, :3], first[:, 3:]
    result = np.empty_like(first)
    result[:, :3] = w * second[:, :3] + second[:, 3:] * v + np.cross(v, second[:, :3])
    result[:, 3] = first[:, 3] * second[:, 3] - dot(v, second[:, :3])
    return result


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
