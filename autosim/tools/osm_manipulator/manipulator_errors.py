"""Errors of furnishing a map, other than faults of its files."""

from autosim.errors import UserError


class ManipulatorError(UserError):
    """The map cannot be furnished as requested; the message says why and what to do."""


class CancelledError(ManipulatorError):
    """The user cancelled the work; nothing was written."""
