"""Endings as data: what ends an episode of an environment, and what it is worth."""

from dataclasses import dataclass
from typing import Protocol

from autosim.environments.situation import Situation


class Termination(Protocol):
    """Something that ends an episode; `reward` is added to that of its last step."""

    @property
    def reward(self) -> float:
        """The reward of this ending."""

    def is_met(self, situation: Situation) -> bool:
        """Whether it ends the episode here."""


@dataclass(frozen=True, slots=True)
class OffLane:
    """The car is more than `half_widths` of the lane beside its middle."""

    half_widths: float = 1.5
    reward: float = -5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the car has left the lane."""
        return abs(situation.offset) > self.half_widths * situation.half_width


@dataclass(frozen=True, slots=True)
class Collided:
    """The car has hit something."""

    reward: float = -5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the car has collided."""
        return situation.collisions > 0


@dataclass(frozen=True, slots=True)
class WrongWay:
    """The car heads more than `angle` [rad] away from its path."""

    angle: float = 1.6
    reward: float = -5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the car has turned around."""
        return abs(situation.heading) > self.angle


@dataclass(frozen=True, slots=True)
class Stalled:
    """The car has not moved for `seconds` [s]."""

    seconds: float = 10.0
    reward: float = -5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether it has not."""
        return situation.standing >= self.seconds


@dataclass(frozen=True, slots=True)
class Arrived:
    """The car is within `distance` [m] of the end of its path."""

    distance: float = 5.0
    reward: float = 5.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the episode ends here."""
        return situation.station >= situation.length - self.distance


@dataclass(frozen=True, slots=True)
class Parked:
    """The car stands within `distance` [m] and `angle` [rad] of its goal."""

    distance: float = 0.5
    angle: float = 0.15
    speed: float = 0.1
    """Speed [m/s] below which the car counts as standing."""
    reward: float = 10.0
    """Reward of the last step."""

    def is_met(self, situation: Situation) -> bool:
        """Whether the episode ends here."""
        x, y, yaw = situation.goal.tolist()
        is_there = x * x + y * y < self.distance**2 and abs(yaw) < self.angle
        return is_there and abs(situation.speed) < self.speed


LANE_ENDINGS: tuple[Termination, ...] = (OffLane(), Collided(), WrongWay(), Stalled(), Arrived())
"""Of an episode along a lane."""
