"""Errors of a server as a whole."""

from autosim.errors import UserError


class ServerError(UserError):
    """The server cannot start or cannot continue."""


class AddressError(ServerError):
    """The server may not, or cannot, listen on the given address."""


class SimulationCrashedError(ServerError):
    """The simulation process ended by itself; the message holds its traceback or signal."""


class StoppedError(ServerError):
    """The server has ended because a client, or a signal, said so."""


class NoWorldError(ServerError):
    """The server has no world yet."""


class CommandError(UserError):
    """A command is not valid."""


class WorldError(ServerError):
    """The world that was asked for cannot be used; the one that was there stays."""
