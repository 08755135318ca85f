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
"""Largest number of steps in one command: a server needs a century for them."""

DEFAULT_WORLD = "worlds/circle_town.xml"
FILE = click.Path(path_type=Path)


_SENTENCE = 200
"""Longest summary of a command [characters] in a list of commands; Click's default is one line."""


RENAMED = {
    "--safe": ("--no-programs",),
    "--keep": ("--snapshot-interval",),
    "--fresh-programs": ("--restart-programs",),
    "--most": ("--limit",),
    "--by": ("--group-by", "--criterion"),
    "--again": ("--retry-failed",),
    "--claim": ("--volume-claim",),
    "--metres": ("--side",),
    "--in-step": ("--lockstep",),
}
"""Former names of options, and the names that they have now: each of another command."""


class CommandGroup(click.Group):
    """A group that lists each command with its whole first sentence.

    An option under its former name is refused with its present one.
    """

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command that is named."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            own = error.ctx.command.params if error.ctx is not None else ()
            valid = {name for each in own for name in each.opts}
            for new in valid.intersection(RENAMED.get(error.option_name, ())):
                text = f"No such option '{error.option_name}': it is called '{new}' now."
                raise click.NoSuchOption(error.option_name, text, ctx=error.ctx) from error
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(_SENTENCE)) for name, each in commands if each]
            )


class Real(click.FloatRange):
    """A finite number in a range; NaN and infinity are rejected."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class WireField(click.types.FloatParamType):
    """A number of a request, checked as the server checks it and with the same messages."""

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


class HostPort(click.ParamType[str]):
    """An address, written HOST:PORT."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The address."""
        address = str(value)
        try:
            split(address)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return address


class NewRecord(click.Path):
    """The path of a new record; an existing file is never overwritten."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The file."""
        path = cast(Path, super().convert(str(value), param, ctx))
        if path.exists():
            self.fail(f"'{path}' already exists: choose another name or delete it.", param, ctx)
        return path


class RecordedStep(click.ParamType[tuple[Path, int | None]]):
    """A record and a step of it, written RECORD@STEP; without @STEP the last step (None)."""

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
            reason = f"expected a step number after the @, such as {name}@2400, not '{step}'."
            self.fail(reason, param, ctx)
        return path, None


def _address(context: click.Context, parameter: click.Parameter, address: str) -> str:
    """The server's address, from the options of the command or of its group.

    The address of a group is checked when one of its commands uses it.
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
        raise click.BadParameter(
            f"'{address}' has no port: expected, for example, {DEFAULT_ADDRESS}"
        )
    return address


_Command = TypeVar("_Command", bound=Callable[..., object])

_FOR_SERVERS_ELSEWHERE = (
    (
        "--token-file",
        variables.TOKEN_OPTION,
        FILE,
        "File with the token; not needed for your own servers on this machine.",
    ),
    (
        "--fingerprint",
        variables.FINGERPRINT,
        str,
        "Fingerprint (SHA256:…) of the server's certificate, which is trusted from now on.",
    ),
    (
        "--ca",
        variables.AUTHORITY,
        FILE,
        "PEM file with the certificates of the authority that signed the server's certificate.",
    ),
    (
        "--insecure",
        variables.INSECURE,
        bool,
        "Do not encrypt: others on the network can read everything.",
    ),
)
"""Options with their environment variables, which child processes inherit."""


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


def _carry(variable: str) -> Callable[[click.Context, click.Parameter, object], None]:
    def carry(context: click.Context, parameter: click.Parameter, value: object) -> None:
        if value:
            context.with_resource(_environment(variable, str(value)))

    return carry


def server_options(command: _Command) -> _Command:
    """Adds the options for the address, the token and the encryption of a server."""
    return _ADDRESS(CREDENTIALS(command))


def bridge_options(*, port: int, view_only: str) -> Callable[[_Command], _Command]:
    """Adds the server that a bridge connects to, and where the bridge itself listens.

    Args:
        port: default of `--port`.
        view_only: help of `--view-only`.
    """
    options = (
        click.argument("server", default=DEFAULT_ADDRESS, metavar="[SERVER]", type=HostPort()),
        click.option(
            "--address", default="127.0.0.1", show_default=True, help="The address to listen on."
        ),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="The port to listen on; 0: any free port.",
        ),
        click.option("--view-only", is_flag=True, help=view_only),
    )

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def CREDENTIALS(command: _Command) -> _Command:  # noqa: N802 - a decorator that has no arguments
    """Adds the options for the token and the encryption of a server."""
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
    help="Address of the server.",
)

_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Error numbers of a failed write to an open file; such an error does not name the file."""


def example(*lines: str) -> str:
    """The closing part of a command's help."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def echo_escaped(text: object, *, err: bool = False) -> None:
    """Prints a line; control characters are escaped."""
    click.echo(for_terminal(str(text)), err=err)


def _fail(text: str) -> NoReturn:
    echo_escaped(text if "error:" in text else f"error: {text}", err=True)
    sys.exit(1)


def explain_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Turns errors that the user can fix into a message and exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UserError as error:
            _fail(str(error))
        except UnicodeEncodeError as error:
            name = printable(str(error.object))
            _fail(f"'{name}' is not valid UTF-8, which worlds and servers need: rename it")
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
