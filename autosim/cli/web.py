"""`autosim relay` and `autosim web`: gateways for browsers, and the option --web of servers."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from autosim.cli.cli_options import (
    CREDENTIALS,
    FILE,
    CommandGroup,
    HostPort,
    echo_escaped,
    example,
    explain_errors,
)
from autosim.web.optional_packages import require_packages
from autosim.web.viewer_limits import MAX_USES
from autosim.wire import DEFAULT_ADDRESS, DEFAULT_WEB_ADDRESS

_Command = TypeVar("_Command", bound=Callable[..., object])


class _WebAddress(HostPort):
    """HOST:PORT, or a port of this machine."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The address."""
        text = str(value)
        return super().convert(f"127.0.0.1:{text}" if text.isdecimal() else text, param, ctx)


def WEB(command: _Command) -> _Command:  # noqa: N802 - a decorator that has no arguments
    """Adds the options of a gateway for browsers to a command that starts a server."""
    command = click.option(
        "--guests",
        type=click.IntRange(0, MAX_USES),
        default=0,
        help="With --web: print a second link, with which this many browsers may watch.",
    )(command)
    return click.option(
        "--web",
        type=_WebAddress(),
        is_flag=False,
        flag_value=DEFAULT_WEB_ADDRESS,
        metavar="[HOST:PORT]",
        help=f"Also serve browsers and print a link. Default address: {DEFAULT_WEB_ADDRESS}.",
    )(command)


@click.command(
    epilog=example(
        "autosim relay 127.0.0.1:2008 --web",
        "autosim relay lab:2008 --web 0.0.0.0:2080 --token-file view.token --guests 30",
    )
)
@click.argument("address", default=DEFAULT_ADDRESS, metavar="[SERVER]", type=HostPort())
@click.option(
    "--web",
    type=_WebAddress(),
    is_flag=False,
    flag_value=DEFAULT_WEB_ADDRESS,
    default=DEFAULT_WEB_ADDRESS,
    show_default=True,
    metavar="[HOST:PORT]",
    help="Address for browsers.",
)
@click.option(
    "--link",
    "role",
    type=click.Choice(["view", "drive", "control"]),
    help="Role of the printed link. Default: that of the token for the server.",
)
@click.option(
    "--guests",
    type=click.IntRange(0, MAX_USES),
    default=0,
    help="Print a second link, with which this many browsers may watch.",
)
@click.option(
    "--web-certificate",
    "certificate",
    type=FILE,
    help="PEM file with the certificate for browsers. Default: your self-signed one.",
)
@click.option("--web-key", "key", type=FILE, help="PEM file with the key of --web-certificate.")
@click.option(
    "--web-insecure", is_flag=True, help="Do not encrypt, even if other machines can connect."
)
@CREDENTIALS
@explain_errors
def relay(
    address: str,
    web: str,
    role: str | None,
    guests: int,
    certificate: Path | None,
    key: Path | None,
    web_insecure: bool,
) -> None:
    """Relays the simulation of SERVER (HOST:PORT) to browsers.

    It subscribes once, for any number of browsers, and costs the server as much as one client.
    """
    require_packages()
    from autosim.applications.web.gateways import run_relay
    from autosim.web.web_gateway import GatewayOptions

    run_relay(
        GatewayOptions(
            server=address,
            web=web,
            certificate=certificate,
            key=key,
            is_insecure=web_insecure,
            link_role=role or "",
            guests=guests,
        )
    )


@click.group(cls=CommandGroup, epilog=example("autosim web link --role view --uses 30"))
def web() -> None:
    """Manages the browser gateway of your own server on this machine."""


@web.command(epilog=example("autosim web link", "autosim web link --role control"))
@click.argument("address", default=DEFAULT_WEB_ADDRESS, metavar="[HOST:PORT]", type=_WebAddress())
@click.option(
    "--role",
    type=click.Choice(["view", "drive", "control"]),
    default="view",
    show_default=True,
    help="Role of the link.",
)
@click.option(
    "--uses",
    type=click.IntRange(1, MAX_USES),
    default=1,
    show_default=True,
    help="Number of browsers that may use the link.",
)
@explain_errors
def link(address: str, role: str, uses: int) -> None:
    """Prints a new link to the gateway at HOST:PORT, valid for ten minutes."""
    from autosim.applications.web.links import make_link

    echo_escaped(make_link(address, role, uses))
