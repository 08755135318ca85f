"""`autosim ctl token`: tokens, which let others use a server."""

import json
from pathlib import Path

import click

from autosim.cli.cli_options import (
    FILE,
    CommandGroup,
    echo_escaped,
    example,
    explain_errors,
    server_options,
)


@click.group(
    cls=CommandGroup,
    epilog=example("autosim ctl token make --role view", "autosim ctl token revoke alice"),
)
@server_options
def token(address: str) -> None:
    """Makes, lists and revokes tokens, which let others use a server.

    The user who started the server needs no token on the same machine. A token is valid for all
    servers of this user at this address and port, also after a restart. If the server chose a free
    port (--port 0), the token is valid until that server ends.
    """


@token.command(
    epilog=example(
        "autosim ctl token make --role view",
        "autosim ctl token make --role drive --robot impreza --name alice --expires 8h",
        "autosim ctl token make --role control --out colleague.token",
        "autosim ctl token make --class robots --expires 8h --out class.txt",
    )
)
@click.option(
    "--class",
    "class_",
    type=click.Choice(["robots"]),
    help="robots: one token per robot of the current world, to drive it, for a class of students.",
)
@click.option(
    "--role",
    type=click.Choice(["view", "drive", "control"]),
    help="view: watch. drive: also run programs and set actuators of --robot. control: everything.",
)
@click.option(
    "--robot",
    "robots",
    multiple=True,
    help="Robot that the token may drive; may be repeated.",
)
@click.option("--name", default="", help="Name of the token in lists. Default: a free name.")
@click.option("--expires", help="Validity, such as 30m, 8h or 7d. Default: until revoked.")
@click.option("--out", type=FILE, help="File to write instead of printing.")
@server_options
@explain_errors
def make(
    class_: str | None,
    role: str | None,
    robots: tuple[str, ...],
    name: str,
    expires: str | None,
    out: Path | None,
    address: str,
) -> None:
    """Creates a token and prints it once.

    With --class robots it creates a token for each robot of the current world, named after the
    robot, and writes a line for each student: the robot, the token, and the command that runs a
    program with it. --robot selects some of the robots.
    """
    from autosim.applications.remote import token_orders

    seconds = token_orders.seconds_of(expires) if expires else 0.0
    if class_ is not None:
        if role not in (None, "drive") or name:
            raise click.UsageError(
                "--class robots always creates tokens to drive, named after the robots: leave out "
                "--role and --name"
            )
        lines = token_orders.make_class_tokens(address, robots=robots, seconds=seconds, out=out)
        if lines:
            echo_escaped(lines)
        return
    if role is None:
        raise click.UsageError("Missing option '--role'. Choose from: view, drive, control")
    secret = token_orders.make_token(
        address, role, name=name, robots=robots, seconds=seconds, out=out
    )
    if secret:
        echo_escaped(secret)


@token.command("list", epilog=example("autosim ctl token list --json"))
@server_options
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
@explain_errors
def list_(address: str, as_json: bool) -> None:
    """Lists the valid tokens by name; the tokens themselves cannot be shown again."""
    from autosim.applications.remote import token_orders

    found = token_orders.list_tokens(address)
    if as_json:
        echo_escaped(json.dumps([token_orders.token_record(each) for each in found]))
    else:
        echo_escaped("\n".join(map(token_orders.token_text, found)) or "no tokens")


@token.command(epilog=example("autosim ctl token revoke alice"))
@click.argument("name")
@server_options
@explain_errors
def revoke(name: str, address: str) -> None:
    """Revokes the token NAME, and disconnects the clients and programs that use it."""
    from autosim.applications.remote import token_orders

    token_orders.revoke_token(address, name)
