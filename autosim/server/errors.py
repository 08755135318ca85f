"""Errors of a server as a whole."""

from autosim.errors import UserError


class ServerError(UserError):
    """The server cannot start or cannot continue."""


class AddressError(ServerError):
    """The server may not, or cannot, listen on the given address."""


class SimulationFailedError(ServerError):
    """The simulation process ended by itself; the message holds its traceback or signal."""


class StoppedError(ServerError):
    """The server has ended because a client, or a signal, said so."""


class NoWorldError(ServerError):
    """The server has no world yet."""


class PlacementError(UserError):
    """There is no place for a robot."""


class CommandError(UserError):
    """A command is not valid."""


class MomentError(UserError):
    """A moment of a simulation cannot be kept, or not be gone back to."""


class WorldError(ServerError):
    """The world that was asked for cannot be used; the one that was there stays."""
