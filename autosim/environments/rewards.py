"""Rewards as data: an environment adds up what each of a list of them gives for a step."""

from dataclasses import dataclass
from typing import Protocol

from autosim.environments.situation import Situation


class Reward(Protocol):
    """A share of a step's reward."""

    def of(self, situation: Situation) -> float:
        """The reward of the step that has led to `situation`."""


@dataclass(frozen=True, slots=True)
class Progress:
    """`weight` for each metre along the path, as far as the speed limit lets a car get."""

    weight: float = 0.1

    def of(self, situation: Situation) -> float:
        """The reward of the step."""
        most = situation.limit * situation.seconds
        return self.weight * min(situation.progress, most)


@dataclass(frozen=True, slots=True)
class LaneOffset:
    """Less by `weight` in each second at the edge of the lane, and by the square of the offset."""

    weight: float = 0.5

    def of(self, situation: Situation) -> float:
        """The reward of the step."""
        share = situation.offset / situation.half_width
        return -self.weight * share * share * situation.seconds


@dataclass(frozen=True, slots=True)
class ActionRate:
    """Less by `weight` for each change of the action by its whole range."""

    weight: float = 0.03

    def of(self, situation: Situation) -> float:
        """The reward of the step."""
        change = abs(situation.action - situation.last_action)
        return -self.weight * 0.5 * float(change.sum())


@dataclass(frozen=True, slots=True)
class Speeding:
    """Less by `weight` for each metre driven above the speed limit."""

    weight: float = 0.2

    def of(self, situation: Situation) -> float:
        """The reward of the step."""
        return -self.weight * max(0.0, situation.speed - situation.limit) * situation.seconds


@dataclass(frozen=True, slots=True)
class LateralAcceleration:
    """Less by `weight` in each second for each m/s² across the car beyond `most` [m/s²]."""

    weight: float = 0.3
    most: float = 2.5

    def of(self, situation: Situation) -> float:
        """The reward of the step."""
        return -self.weight * max(0.0, abs(situation.lateral) - self.most) * situation.seconds


@dataclass(frozen=True, slots=True)
class GoalDistance:
    """Less by `weight` in each second for each metre from the goal, and `turn` for each radian."""

    weight: float = 0.05
    turn: float = 0.05

    def of(self, situation: Situation) -> float:
        """The reward of the step."""
        x, y, yaw = situation.goal.tolist()
        away = (x * x + y * y) ** 0.5
        return -float(self.weight * away + self.turn * abs(yaw)) * situation.seconds


LANE_REWARDS: tuple[Reward, ...] = (
    *(Progress(), LaneOffset(), ActionRate(), Speeding(), LateralAcceleration()),
)
"""For following a lane: at the limit in the middle of a lane of 50 km/h a second is worth 1.4."""
