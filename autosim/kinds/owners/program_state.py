"""Belief that user programs keep up to date."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Access

STALE_AFTER = 1.0
"""Age [s] from which an unset belief is reported: several turns of a slow program."""


@dataclass(frozen=True, slots=True)
class ProgramState(Device):
    """A user program keeps the robot's belief up to date.

    `stale_after` [s] is the age from which a belief that is not kept up is reported.
    """

    stale_after: float = STALE_AFTER


KIND = DeviceKind(
    record=ProgramState,
    element=device_element(
        "ProgramState",
        "A user program owns what the robot believes, `<robot>.state`: `set_state_estimate` sets "
        "it. Until one does, the robot believes the truth.",
        parameter(
            "StaleAfter",
            "Age from which a belief is reported that its program does not keep up to date.",
            unit="s",
            default=STALE_AFTER,
            interval=Interval(0.001, 1e6),
        ),
    ),
    state_access=Access.SET,
)
"""It has no values of its own: they stand in `<robot>.state`."""
