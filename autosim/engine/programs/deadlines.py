"""Deadlines of user programs, in seconds of wall-clock time."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The deadlines of a simulation's programs for which the world file sets none."""

    turn: float = 2.0
    """Longest time from one wait to the next [s]; inf: no limit (to use a debugger)."""
    start: float = 60.0
    """Longest time in which a program must start and reach its first wait() [s]."""
    remote: Mapping[str, float] = field(default_factory=lambda: _NONE)
    """By robot, `turn` of its program where that runs outside the server [s]."""


DEFAULT_DEADLINES = Deadlines()
"""The deadlines of a server's programs."""
