"""What may go wrong while a map is furnished, beyond faults of its files."""

from autosim.errors import UserError


class ManipulatorError(UserError):
    """The map cannot be furnished as asked for; the message says why and what to do."""


class CancelledError(ManipulatorError):
    """The user has called it off; nothing was written."""
