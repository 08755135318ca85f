"""Banks: all devices of one kind computed with one expression.

A bank holds the places of its devices' values in the state and, for each device, the index of
the body that carries it. Python's cost is per kind of device, never per device.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.world_settings import CLEAR, GRAVITY, SkyDescription
from autosim.fmi.fmu_process import FmuState
from autosim.jit import bind_leading_arguments, compiled_without_refcounts
from autosim.model.bodies import BodyForces, BodyStates, ContactPoints
from autosim.model.noise import NoiseField
from autosim.model.notices import Notice
from autosim.model.rigid_bodies.joints import TreeJoint
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.model.tree import WORD, TreeNode
from autosim.model.vector_kernels import dot, read_vector, to_world
from autosim.rays.caster import RayCaster
from autosim.rays.ray_scene import RayScene
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.lanes.roads import RoadNetwork

DeviceT = TypeVar("DeviceT", covariant=True)
Indices = Integers


@dataclass(frozen=True, slots=True)
class MountedDevice(Generic[DeviceT]):
    """A device in the tree on the body with the index `body`."""

    node: TreeNode
    """Its node in the tree."""
    device: DeviceT
    body: int

    def beside(self, name: str) -> str:
        """The name of the node of a device called `name` on the same part."""
        return f"{self.node.name.rpartition('.')[0]}.{name}"


def _nothing_to_see() -> RayCaster:
    return RayCaster(RayScene(()))


@dataclass(frozen=True, slots=True)
class ServoTargets:
    """The `speeds` (n,) [rad/s], [m/s] that joints are held at by up to `forces` (n,) [N m], [N].

    Banks write them for the coming step. A joint whose force is 0 is free.
    """

    speeds: Floats
    forces: Floats

    @classmethod
    def none(cls, count: int) -> "ServoTargets":
        """Of `count` free joints."""
        return cls(np.zeros(count), np.zeros(count))


@dataclass(frozen=True, slots=True)
class MountedJoint:
    """The joint of a link in the tree, by which the body `child` hangs on the body `parent`.

    `number` is its place among all joints, `node` that of the link. The axis of `joint` is in B of
    either body, and `arm` [m] in B leads from the child's origin to its point. `inertia` [kg m²] or
    [kg] is the least that it moves.
    """

    number: int
    node: TreeNode
    joint: TreeJoint
    parent: int
    child: int
    arm: Vector3
    inertia: float


@dataclass(frozen=True, slots=True)
class Weather:
    """The weather around all devices: `rain` [mm/h], and the `visibility` [m] in fog, 0: clear."""

    rain: float = 0.0
    visibility: float = 0.0

    @classmethod
    def under(cls, sky: SkyDescription) -> "Weather":
        """The air of a world under `sky`."""
        fog = sky.visibility if sky.visibility < CLEAR else 0.0
        return cls(_HEAVIEST_RAIN * sky.rain, fog)


_HEAVIEST_RAIN = 50.0
"""Rate [mm/h] of rain that falls as heavily as a world can have it: meteorologists call more of it
violent."""


@dataclass(frozen=True, slots=True)
class DriveReadings:
    """Results of the vehicle model in each step, in arrays that it writes in place.

    `wheels` and `actuators` give the rows of wheels and drive actuators by the names of their
    nodes. `forces` (n, 3): along a wheel and to its left [N], and aligning torque [N m]; `tyres`
    (n, 3): load [N], slip ratio, slip angle [rad]; `steering_wheels` (n,): the actuator that steers
    a wheel, -1 for none. `motors` (a, 4): gear, seconds until it is in, speed [rad/s] and torque
    [N m] of the motor; `steering` (a, 1) [rad].
    """

    wheels: Mapping[str, int] = field(default_factory=dict)
    actuators: Mapping[str, int] = field(default_factory=dict)
    forces: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    tyres: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    steering_wheels: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    motors: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    steering: Floats = field(default_factory=lambda: np.zeros((0, 1)))


def _report_nothing(notice: Notice) -> None:
    pass


def _load_nothing(body: int, masses: Floats, places: Floats) -> None:
    pass


@dataclass(frozen=True, slots=True)
class BankContext:
    """The world and the run that a bank is made for.

    `step_seconds` [s] is the length of a step; `seed` that of the run; `projection` leads from W
    to latitude and longitude; `gravity` [m/s^2]. `rays` are cast at the world and at all bodies.
    `joints` are those of links, by the names of their nodes; `servos` drive them.
    `roads` are the world's lanes, `air` its weather. `touches` tells where bodies have touched in
    the step that has ended; who asks pays for it. `drives` tell what vehicles do, and `set_loads`
    gives a body loads: masses (k,) [kg] at places (k, 3) [m] in B, from the next step on.
    `steering_angles` (bodies,) [rad] are those of kinematic vehicles. `report` takes messages for
    the user.
    """

    step_seconds: float
    seed: int
    projection: MapProjection
    gravity: float = GRAVITY
    rays: RayCaster = field(default_factory=_nothing_to_see)
    joints: Mapping[str, MountedJoint] = field(default_factory=dict)
    servos: ServoTargets = field(default_factory=lambda: ServoTargets.none(0))
    roads: RoadNetwork = field(default_factory=partial(RoadNetwork.from_lanes, ()))
    air: Weather = Weather()
    touches: Callable[[], ContactPoints] = ContactPoints.none
    drives: DriveReadings = field(default_factory=DriveReadings)
    set_loads: Callable[[int, Floats, Floats], None] = _load_nothing
    steering_angles: Floats = field(default_factory=lambda: np.zeros(0))
    report: Callable[[Notice], None] = _report_nothing

    def joint_of(self, mounted: MountedDevice[Device], link: str) -> MountedJoint:
        """The joint of the link of that name, of the robot that `mounted` is on."""
        robot, _, _ = mounted.node.name.split(".")
        return self.joints[f"{robot}.{link}"]


@runtime_checkable
class SensingBank(Protocol):
    """All devices of one kind, which measure something at the end of each step."""

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the devices' values into `state`.

        They are what `noise` makes of what the bank measures: `noise(values)`, where `values` (n,)
        has one for each channel of each device.
        """


@runtime_checkable
class EstimatingBank(Protocol):
    """All devices of one kind, which own what their robots believe."""

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """Brings the beliefs up to date, after all devices have sensed."""


@runtime_checkable
class ExternalBank(Protocol):
    """All devices of one kind, which compute in other processes."""

    def save(self) -> Mapping[str, FmuState]:
        """The states of the devices by the names of their nodes, between two steps."""

    def restore(self, states: Mapping[str, FmuState]) -> None:
        """Continues from states that `save` has returned."""

    def close(self) -> None:
        """Ends the processes."""


@runtime_checkable
class ActingBank(Protocol):
    """All devices of one kind, which push or turn their bodies in each step."""

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Adds to `forces` what the devices do in the coming step.

        They do what `noise` makes of the commands in `state`.
        """


def body_indices(devices: Sequence[MountedDevice[object]]) -> Indices:
    """Index (n,) of the body of each device."""
    return np.array([mounted.body for mounted in devices], dtype=np.int64)


def word_indices(devices: Sequence[MountedDevice[object]]) -> Indices:
    """Index (n,) of each device's first word in `State.floats`."""
    return np.array([mounted.node.start // WORD for mounted in devices], dtype=np.int64)


def sampling_intervals(rates: Sequence[float], step_seconds: float) -> Integers:
    """Steps (n,) from one measurement to the next, at least 1, nearest to `rates` [Hz]."""
    steps = np.round(1.0 / (np.array(rates, dtype=np.float64) * step_seconds))
    return np.maximum(1, steps).astype(np.int64)


def vectors(values: Sequence[tuple[float, float, float]]) -> Floats:
    """Rows (n, 3) as an array."""
    return np.array(values, dtype=np.float64).reshape(-1, 3)


@runtime_checkable
class StatefulBank(Protocol):
    """A bank whose devices keep something from step to step beside their values."""

    memory: Memory


def memory_of(devices: Sequence[MountedDevice[object]], *, width: int = 1) -> Memory:
    """An empty memory with a row of `width` numbers for each of `devices`, all of one kind."""
    names = tuple(mounted.node.name for mounted in devices)
    return Memory(devices[0].node.kind, names, np.full((len(devices), width), np.nan))


class AxisDevice(Protocol):
    """A device that measures along an axis, through a low-pass filter."""

    @property
    def axis(self) -> Vector3:
        """Unit vector in B."""

    @property
    def alpha(self) -> float:
        """Share of the newest sample in the filtered value."""


class AxisBank(ABC):
    """The share of a vector of each body along its device's axis, through a low-pass filter.

    The devices have an `axis` (unit vector in B) and an `alpha`: y += alpha (x − y), which begins
    at the first sample.
    """

    def __init__(self, devices: Sequence[MountedDevice[AxisDevice]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self._alpha = np.array([mounted.device.alpha for mounted in devices])
        self._values = np.zeros(len(devices))
        self.memory = memory_of(devices)
        held = self.memory.rows, self._values
        bodies = BodyStates(0)
        self._filter = bind_leading_arguments(
            _shares_along,
            *(self._body, self._axis, self._alpha, *held),
            like=(bodies.rotations, bodies.velocities),
        )

    @abstractmethod
    def vectors_of(self, bodies: BodyStates) -> Floats:
        """The vectors (bodies, 3) in W that the devices measure."""

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the values."""
        self._filter(bodies.rotations, self.vectors_of(bodies))
        state.floats[self._word] = noise(self._values)


@compiled_without_refcounts
def _shares_along(
    body: Integers,
    axis: Floats,
    alpha: Floats,
    filtered: Floats,
    values: Floats,
    rotations: Floats,
    vectors_W: Floats,
) -> None:
    """Writes into `values` (n,), and into `filtered` (n, 1), which is NaN before the first."""
    for i in range(body.size):
        share = dot(
            to_world(rotations[body[i]], read_vector(axis[i])), read_vector(vectors_W[body[i]])
        )
        before = filtered[i, 0]
        filtered[i, 0] = share if np.isnan(before) else before + alpha[i] * (share - before)
        values[i] = filtered[i, 0]
