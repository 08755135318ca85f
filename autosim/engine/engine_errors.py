"""Errors of the engine that users see."""

from autosim.errors import UserError


class PlacementError(UserError):
    """There is no place for a robot."""


class SnapshotError(UserError):
    """A snapshot of a simulation cannot be taken or restored."""
