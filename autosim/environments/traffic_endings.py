"""Terminations and observations that depend on the road users around a car."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.environments.observations import Numbers, NumberWriter, ObservationSource
from autosim.environments.situation import Situation
from autosim.model.state import State
from autosim.traffic.road_users import B

_WIDTH = 6
"""Numbers of a road user: whether it is there, x, y, relative velocity x, y, and heading."""

_SPEED_UNIT = 10.0
"""Speed [m/s] that counts as 1 in observations of road users."""


@dataclass(frozen=True, slots=True)
class HitPerson:
    """The car has hit a person."""

    reward: float = -20.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the car has collided and touches a person."""
        watch = situation.traffic
        return situation.collisions > 0 and watch is not None and watch.partner() == "person"


@dataclass(frozen=True, slots=True)
class HitVehicle:
    """The car has hit a vehicle of traffic."""

    reward: float = -10.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the car has collided and touches a vehicle."""
        watch = situation.traffic
        return situation.collisions > 0 and watch is not None and watch.partner() == "vehicle"


@dataclass(frozen=True, slots=True)
class TimeToCollisionBelow:
    """A collision is less than `seconds` [s] away if all keep their velocities."""

    seconds: float = 0.5
    reward: float = -5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether a collision is that near while the car moves."""
        watch = situation.traffic
        if watch is None or abs(situation.speed) < 0.5:
            return False
        return watch.time_to_collision() < self.seconds


@dataclass(frozen=True, slots=True)
class OffRoad:
    """The middle of the car has left the carriageway, that of other lanes included."""

    reward: float = -5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether it is off the carriageway."""
        return situation.traffic is not None and situation.traffic.is_off_road()


@dataclass(frozen=True, slots=True)
class RanRed:
    """The front of the car has passed a stop line whose signal is red."""

    reward: float = -10.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether it has, in this step."""
        return situation.traffic is not None and situation.traffic.has_run_red()


@dataclass(frozen=True, slots=True)
class ScenarioPassed:
    """The scenario has ended, and all its criteria are met."""

    reward: float = 10.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether it has ended so."""
        return situation.traffic is not None and situation.traffic.has_passed() is True


@dataclass(frozen=True, slots=True)
class ScenarioFailed:
    """The scenario has ended, and a criterion is broken."""

    reward: float = -10.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether it has ended so."""
        return situation.traffic is not None and situation.traffic.has_passed() is False


@dataclass(frozen=True, slots=True)
class NearestRoadUsers:
    """The nearest vehicles and people in the frame of the car, six numbers each.

    Of each: 1 where there is one, else all are 0; x and y by `distance` [m]; velocity relative to
    the car by 10 m/s, x and y; its heading by half a turn. First `vehicles`, then `people`, nearest
    first; those farther than `distance` are left out.
    """

    vehicles: int = 6
    people: int = 4
    distance: float = 50.0

    def bounds(self, state: State, robot: str) -> tuple[Numbers, Numbers]:
        """Of each number."""
        most = np.tile(np.array([1.0, 1.0, 1.0, 5.0, 5.0, 1.0], dtype=np.float32), self._rows)
        least = -most
        least[::_WIDTH] = 0.0
        return least, most

    def reader(self, state: State, robot: str) -> NumberWriter:
        """Reads them from the situation."""

        def read(look: ObservationSource, out: Numbers) -> None:
            out[:] = 0.0
            watch = look.situation.traffic
            if watch is None:
                return
            boxes, count = watch.boxes()
            x, y, _, yaw, speed = watch.pose.tolist()
            c, s = float(portable.cos(yaw)), float(portable.sin(yaw))
            dx, dy = boxes[:, B.x] - x, boxes[:, B.y] - y
            gaps = portable.hypot(dx, dy)
            vx, vy = boxes[:, B.speed_x] - c * speed, boxes[:, B.speed_y] - s * speed
            turned = portable.wrapped(boxes[:, B.yaw] - yaw) / np.pi
            columns = (
                np.ones(len(boxes)),
                (c * dx + s * dy) / self.distance,
                (c * dy - s * dx) / self.distance,
                np.clip((c * vx + s * vy) / _SPEED_UNIT, -5.0, 5.0),
                np.clip((c * vy - s * vx) / _SPEED_UNIT, -5.0, 5.0),
                turned,
            )
            rows = np.stack(columns, axis=1)
            table = out.reshape(self._rows, _WIDTH)
            for first, most, part in (
                (0, self.vehicles, np.arange(count)),
                (self.vehicles, self.people, np.arange(count, len(boxes))),
            ):
                near = part[gaps[part] < self.distance]
                chosen = near[np.argsort(gaps[near], kind="stable")][:most]
                table[first : first + len(chosen)] = rows[chosen]

        return read

    @property
    def _rows(self) -> int:
        return self.vehicles + self.people
