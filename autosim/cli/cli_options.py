"""Shared parts of the sub-commands: options, error messages, examples in the help."""

import errno
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

import click

from autosim.access import variables
from autosim.access.server_addresses import split
from autosim.config.diagnostics import printable
from autosim.config.reading.attribute_values import InvalidValueError, read_value
from autosim.config.schema import Attribute
from autosim.errors import UserError
from autosim.system_limits import explain_shortage
from autosim.terminal_text import for_terminal
from autosim.wire import DEFAULT_ADDRESS

P = ParamSpec("P")
R = TypeVar("R")

MOST_STEPS = 10**12
"""Number of steps of one order at most: a server does as many in a century."""

DEFAULT_WORLD = "worlds/circle_town.xml"
FILE = click.Path(path_type=Path)


_SENTENCE = 200
"""Characters; Click cuts the first sentences of commands at the end of a line."""


class CommandGroup(click.Group):
    """A group whose list of commands shows the whole first sentence of each."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(_SENTENCE)) for name, each in commands if each]
            )


class Real(click.FloatRange):
    """A number in a range. NaN and infinity, which Python reads as numbers, are refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


class WireField(click.types.FloatParamType):
    """A number that goes over the wire: what its field may hold, in the words of the server."""

    name = "number"

    def __init__(self, field: Attribute) -> None:
        self._field = field

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        try:
            number = read_value(self._field, str(value))
        except InvalidValueError as fault:
            self.fail(str(fault), param, ctx)
        assert isinstance(number, int | float)
        return number


class NewRecord(click.Path):
    """The file of a record that is to be written: a record of before is not lost."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The file."""
        path = cast(Path, super().convert(value, param, ctx))
        if path.exists():
            self.fail(f"there is already '{path}': choose another name, or remove it.", param, ctx)
        return path


class RecordedStep(click.ParamType[tuple[Path, int | None]]):
    """A record, and a step of it after an @: its file and the number, None for the last step."""

    name = "record"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Path, int | None]:
        """The file and the step."""
        name, _, step = str(value).rpartition("@")
        if name and step.isdecimal() and len(step) <= len(str(MOST_STEPS)):
            return Path(name), int(step)
        path = Path(str(value))
        if name and Path(name).is_file() and not path.exists():
            reason = f"expected the number of a step after the @, as {name}@2400, not '{step}'."
            self.fail(reason, param, ctx)
        return path, None


def _address(context: click.Context, parameter: click.Parameter, address: str) -> str:
    """The address of a command's server, from the command's options or from those of its group.

    A group's own address is checked when a command takes it.
    """
    if isinstance(context.command, click.Group):
        return address
    is_given = context.get_parameter_source("address") is click.core.ParameterSource.COMMANDLINE
    parent = context.parent
    while not is_given and parent is not None and "address" in parent.params:
        address = parent.params["address"]
        is_given = parent.get_parameter_source("address") is click.core.ParameterSource.COMMANDLINE
        parent = parent.parent
    try:
        _, port = split(address)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    if not port:
        raise click.BadParameter(f"'{address}' has no port, as {DEFAULT_ADDRESS} has")
    return address


_Command = TypeVar("_Command", bound=Callable[..., Any])

_FOR_SERVERS_ELSEWHERE = (
    (
        "--token-file",
        variables.TOKEN_OPTION,
        FILE,
        "Holds the token to show; not needed for servers of your own on this machine.",
    ),
    (
        "--fingerprint",
        variables.FINGERPRINT,
        str,
        "SHA256:… of the server's certificate, which is accepted from now on.",
    ),
    (
        "--ca",
        variables.AUTHORITY,
        FILE,
        "Certificates of who vouches for the server's, in PEM.",
    ),
    (
        "--insecure",
        variables.INSECURE,
        bool,
        "Do not encrypt; others can read along.",
    ),
)
"""Options with the variables that carry them, also to the processes that a command starts."""


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before


def _carry(variable: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def carry(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value:
            context.with_resource(_environment(variable, str(value)))

    return carry


def server_options(command: _Command) -> _Command:
    """Adds the options for a server's address, token and encryption to a command."""
    return _ADDRESS(CREDENTIALS(command))


def CREDENTIALS(command: _Command) -> _Command:  # noqa: N802 - a decorator that has no arguments
    """Adds the options for the token and the encryption of a server to a command."""
    for name, variable, kind, text in reversed(_FOR_SERVERS_ELSEWHERE):
        command = click.option(
            name,
            type=None if kind is bool else kind,
            is_flag=kind is bool,
            expose_value=False,
            callback=_carry(variable),
            help=text,
        )(command)
    return command


_ADDRESS = click.option(
    "--server",
    "address",
    envvar="AUTOSIM_SERVER",
    default=DEFAULT_ADDRESS,
    show_default=True,
    show_envvar=True,
    metavar="HOST:PORT",
    callback=_address,
    help="Where the server listens.",
)

_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Error numbers of a failed write to an open file, whose error does not name the file."""


def example(*lines: str) -> str:
    """The closing part of a command's help."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def echo_escaped(text: object, *, err: bool = False) -> None:
    """Prints a line; characters that would control the terminal are written out."""
    click.echo(for_terminal(str(text)), err=err)


def _fail(text: str) -> NoReturn:
    echo_escaped(text if "error:" in text else f"error: {text}", err=True)
    sys.exit(1)


def explain_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Turns errors that users can mend into messages and exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UserError as error:
            _fail(str(error))
        except UnicodeEncodeError as error:
            name = printable(str(error.object))
            _fail(f"'{name}' is not text in UTF-8, as worlds and servers need it: rename it")
        except OSError as error:
            if shortage := explain_shortage(error):
                _fail(shortage)
            if error.filename is None and error.errno not in _DISK_FAULTS:
                raise
            place = "" if error.filename is None else f"{error.filename}: "
            _fail(f"{place}error: {error.strerror}")
        except (ImportError, MemoryError, RuntimeError) as error:
            shortage = explain_shortage(error)
            if not shortage:
                raise
            _fail(shortage)
        except KeyboardInterrupt:
            echo_escaped("interrupted", err=True)
            sys.exit(130)

    return run
