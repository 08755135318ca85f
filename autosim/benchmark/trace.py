"""Traces of episodes: what scores are made of, sampled from the states of a simulation."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import RobotDescription
from autosim.kinds.kind import body_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.traffic.traffic_node import TrafficArrays, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET

_POSE_WORDS = 13
"""Numbers of a body in the state: position, quaternion, velocity, angular velocity."""

PERSON_HALF = 0.3
"""Half the width [m] of the square that stands for a person."""

_KIND_HALVES = np.array([(0.5 * each.length, 0.5 * each.width) for each in FLEET])
"""Half length and half width [m] of each kind of vehicle."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The box of a robot in plan, in the axes of its first part.

    `middle`: distance [m] of the middle of the box ahead of the part; `half_length` and
    `half_width` [m].
    """

    middle: float
    half_length: float
    half_width: float

    @classmethod
    def of(cls, robot: RobotDescription) -> "Outline":
        """The outline of all parts of a robot."""
        origin = np.array(robot.parts[0].position)
        bodies = [(np.array(part.position) - origin, body_of(part)) for part in robot.parts]
        low = np.min([place + body.low for place, body in bodies], axis=0)
        high = np.max([place + body.high for place, body in bodies], axis=0)
        half = 0.5 * (high - low)
        return cls(float(low[0] + half[0]), float(half[0]), float(half[1]))


@dataclass(frozen=True, slots=True)
class Trace:
    """The course of an episode: n samples, `interval` [s] apart.

    `outline` of the car. `car` (n, 6): x, y, z [m] of the middle of its box, yaw [rad], forward
    speed [m/s], count of collisions. `vehicles` (n, v, 6): x, y, z [m], yaw [rad], speed [m/s],
    kind (-1: empty row). `people` (n, p, 6): the same, kind -1 in an empty row. `signals` (n, s)
    of `SignalState`, by the number of the signal.
    """

    interval: float
    outline: Outline
    car: Floats
    vehicles: Floats
    people: Floats
    signals: Integers

    @property
    def seconds(self) -> float:
        """Duration [s]."""
        return self.interval * max(len(self.car) - 1, 0)

    def vehicle_halves(self) -> Floats:
        """Half lengths and half widths (n, v, 2) [m]; 0 in empty rows."""
        kinds = self.vehicles[..., KIND].astype(np.int64)
        halves: Floats = np.where(kinds[..., None] >= 0, _KIND_HALVES[np.maximum(kinds, 0)], 0.0)
        return halves

    def thinned(self, every: int) -> "Trace":
        """The trace of each `every`-th sample."""
        return Trace(
            self.interval * every,
            self.outline,
            self.car[::every],
            self.vehicles[::every],
            self.people[::every],
            self.signals[::every],
        )

    def last(self, samples: int) -> "Trace":
        """The trace of the last samples."""
        return replace(
            self,
            car=self.car[-samples:],
            vehicles=self.vehicles[-samples:],
            people=self.people[-samples:],
            signals=self.signals[-samples:],
        )

    def save(self, file: Path) -> None:
        """Writes the trace to a compressed file of arrays (`.npz`)."""
        arrays = {each.name: getattr(self, each.name) for each in fields(self)}
        outline = self.outline
        box = (outline.middle, outline.half_length, outline.half_width)
        np.savez_compressed(file, **(arrays | {"outline": np.array(box)}))

    @classmethod
    def load(cls, file: Path) -> "Trace":
        """Reads a trace.

        Raises:
            OSError: the file cannot be read.
        """
        with np.load(file) as found:
            arrays = {each.name: found[each.name] for each in fields(cls)}
        arrays["outline"] = Outline(*arrays["outline"].tolist())
        return cls(**(arrays | {"interval": float(arrays["interval"])}))


X, Y, Z, YAW, SPEED, KIND = range(6)
"""Columns of cars, vehicles and people in traces."""

COLLISIONS = 5
"""Column of the count of collisions of the car."""


@dataclass(slots=True)
class TraceRecorder:
    """Samples the states of a simulation.

    Args:
        state: any state of the world: it says where everything is.
        robot: name of the car.
        description: of the car.
        interval: time [s] between two samples.
    """

    state: State
    robot: str
    description: RobotDescription
    interval: float
    _outline: Outline = field(init=False)
    _body: slice = field(init=False)
    _collisions: int = field(init=False)
    _traffic: TrafficArrays | None = field(init=False)
    _rows: list[tuple[Floats, Floats, Floats, Integers]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        node = self.state.tree.find(self.robot)
        part = self.state.tree.find(f"{self.robot}.{self.description.parts[0].name}")
        assert node is not None
        assert part is not None
        first = part.start // WORD
        self._outline = Outline.of(self.description)
        self._body = slice(first, first + _POSE_WORDS)
        self._collisions = node.field_offset("collisions") // WORD
        self._traffic = traffic_arrays_of(self.state)

    def sample(self) -> Floats:
        """Adds the current state; returns the row (6,) of the car."""
        car = self._car()
        traffic = self._traffic
        if traffic is None:
            nothing = np.zeros((0, 6))
            self._rows.append((car, nothing, nothing, np.zeros(0, dtype=np.int64)))
        else:
            vehicles = traffic.vehicles[:, [V.x, V.y, V.z, V.yaw, V.speed, V.kind]]
            people = traffic.people[:, [1, 2, 3, 4, 5, 0]]
            self._rows.append((car, vehicles, people, traffic.signals.copy()))
        return car

    def trace(self, samples: int | None = None) -> Trace:
        """The trace of all samples, or of the last ones."""
        columns = zip(*self._rows[-samples if samples else 0 :], strict=True)
        car, vehicles, people, signals = (np.stack(each) for each in columns)
        used = int(np.flatnonzero(signals.any(axis=0)).max(initial=-1)) + 1
        return Trace(self.interval, self._outline, car, vehicles, people, signals[:, :used])

    def _car(self) -> Floats:
        body = self.state.floats[self._body].tolist()
        x, y, z, qx, qy, qz, qw, *velocity = body[:10]
        forward = (
            1.0 - 2.0 * (qy * qy + qz * qz),
            2.0 * (qx * qy + qw * qz),
            2.0 * (qx * qz - qw * qy),
        )
        yaw = float(portable.arctan2(np.float64(forward[1]), np.float64(forward[0])))
        speed = sum(a * b for a, b in zip(forward, velocity, strict=True))
        ahead = self._outline.middle
        x += ahead * float(portable.cos(np.float64(yaw)))
        y += ahead * float(portable.sin(np.float64(yaw)))
        return np.array([x, y, z, yaw, speed, float(self.state.ints[self._collisions])])


def corners(x: Floats, y: Floats, yaw: Floats, half_length: Floats, half_width: Floats) -> Floats:
    """Corners (..., 4, 2) [m] of boxes in plan."""
    c, s = portable.cos(yaw), portable.sin(yaw)
    found: Sequence[Floats] = [
        np.stack(
            [
                x + c * i * half_length - s * j * half_width,
                y + s * i * half_length + c * j * half_width,
            ],
            axis=-1,
        )
        for i, j in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0))
    ]
    return np.stack(found, axis=-2)


def overlap(first: Floats, second: Floats) -> Booleans:
    """Whether boxes (..., 5) touch in plan, by the theorem of separating axes.

    Args:
        first: x, y [m], yaw [rad], half length, half width [m].
        second: the same; both broadcast. A box of half length 0 touches nothing.

    Returns:
        (...) bool.
    """
    dx, dy = second[..., 0] - first[..., 0], second[..., 1] - first[..., 1]
    ca, sa = portable.cos(first[..., 2]), portable.sin(first[..., 2])
    cb, sb = portable.cos(second[..., 2]), portable.sin(second[..., 2])
    cosine, sine = np.abs(ca * cb + sa * sb), np.abs(sa * cb - ca * sb)
    al, aw, bl, bw = first[..., 3], first[..., 4], second[..., 3], second[..., 4]
    touches: Booleans = (
        (np.abs(ca * dx + sa * dy) <= al + bl * cosine + bw * sine)
        & (np.abs(ca * dy - sa * dx) <= aw + bl * sine + bw * cosine)
        & (np.abs(cb * dx + sb * dy) <= bl + al * cosine + aw * sine)
        & (np.abs(cb * dy - sb * dx) <= bw + al * sine + aw * cosine)
        & (al > 0.0)
        & (bl > 0.0)
    )
    return touches
