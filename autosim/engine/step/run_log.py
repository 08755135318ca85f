"""The log of a run: conversion of inputs of a simulation to recorded events, and back."""

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
"""Inputs that determine a run, together with the world and the seed."""


def as_event(step: int, told: RunInput) -> Event:
    """The input of a simulation after `step` steps as an event of a record."""
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
    """The input of a simulation from an event of a record.

    Raises:
        ValueError: the event is not an input.
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
"""Events of all inputs of a simulation."""

EXTERNAL_INPUTS = (CommandOrdered, PlacementApplied)
"""Events of the inputs that do not come from its own programs."""


class RunLog:
    """A log, step by step.

    Args:
        events: of a record, in their order.
        kinds: types of the events to apply.
    """

    def __init__(self, events: Iterable[Event], kinds: tuple[type[Event], ...]) -> None:
        self._told: dict[int, list[RunInput]] = {}
        for event in events:
            if isinstance(event, kinds):
                self._told.setdefault(event.step, []).append(from_event(event))

    def at(self, step: int) -> list[RunInput]:
        """The inputs after `step` steps, before the next one."""
        return self._told.get(step, [])


def _vector(numbers: tuple[float, ...]) -> tuple[float, float, float]:
    x, y, z = numbers
    return x, y, z
