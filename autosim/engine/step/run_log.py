"""The log of a run: what a simulation is told, as records have it, and back."""

from collections.abc import Iterable

import numpy as np

from autosim.engine.step.placement import Placement
from autosim.model.commands import Command, DeviceState, RobotStateChange
from autosim.records.events import (
    CommandApplied,
    CommandOrdered,
    Event,
    PlacementApplied,
    StateChanged,
)

RunInput = Command | Placement | RobotStateChange
"""What decides, with the world and the seed, how a run goes on."""


def as_event(step: int, told: RunInput) -> Event:
    """What a simulation was told after `step` steps, for a record."""
    match told:
        case Command():
            return CommandApplied(step, told.device, tuple(np.frombuffer(told.data).tolist()))
        case Placement():
            return PlacementApplied(
                step,
                told.name,
                position=told.position,
                yaw=told.yaw,
                pitch=told.pitch,
                velocity=told.velocity,
                angular_velocity=told.angular_velocity,
            )
        case RobotStateChange():
            return StateChanged(step, told.robot, int(told.state))


def from_event(event: Event) -> RunInput:
    """What a simulation is to be told, out of a record.

    Raises:
        ValueError: the event is nothing of that kind.
    """
    match event:
        case CommandApplied() | CommandOrdered():
            return Command(event.device, np.array(event.values, dtype=np.float64).tobytes())
        case PlacementApplied():
            return Placement(
                event.name,
                _vector(event.position),
                event.yaw,
                event.pitch,
                _vector(event.velocity),
                _vector(event.angular_velocity),
            )
        case StateChanged():
            return RobotStateChange(event.robot, DeviceState(event.state))
    raise ValueError(f"{type(event).__name__} is not an input of a simulation")


RUN_INPUTS = (CommandApplied, PlacementApplied, StateChanged)
"""All that a simulation was told."""

EXTERNAL_INPUTS = (CommandOrdered, PlacementApplied)
"""What its own programs have not told it."""


class RunLog:
    """A log, step by step.

    Args:
        events: of a record, in their order.
        kinds: those that are told.
    """

    def __init__(self, events: Iterable[Event], kinds: tuple[type[Event], ...]) -> None:
        self._told: dict[int, list[RunInput]] = {}
        for event in events:
            if isinstance(event, kinds):
                self._told.setdefault(event.step, []).append(from_event(event))

    def at(self, step: int) -> list[RunInput]:
        """What is to be told after `step` steps, before the next one."""
        return self._told.get(step, [])


def _vector(numbers: tuple[float, ...]) -> tuple[float, float, float]:
    x, y, z = numbers
    return x, y, z
