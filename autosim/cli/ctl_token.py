"""`autosim ctl token`: lets others use a server."""

import json
from pathlib import Path

import click

from autosim.cli.common import FILE, SERVER, Commands, example, explained, say


@click.group(
    cls=Commands,
    epilog=example("autosim ctl token make --role view", "autosim ctl token revoke alice"),
)
@SERVER
def token(address: str) -> None:
    """Makes, lists and revokes tokens, which let others use a server.

    The user who started the server needs none on the same machine. A token is good for all servers
    of this user at this address and port, also after a restart. Where the server took any free
    port (--port 0), it is good until that server ends.
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
    help="robots: a token to drive each robot of the present world, for a student each.",
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
    help="A robot that the token may drive; repeat it for several.",
)
@click.option("--name", default="", help="A name for the token in lists. Default: a free one.")
@click.option("--expires", help="How long it is valid: 30m, 8h, 7d. Default: until you revoke it.")
@click.option("--out", type=FILE, help="Write it to this file instead of showing it.")
@SERVER
@explained
def make(
    class_: str | None,
    role: str | None,
    robots: tuple[str, ...],
    name: str,
    expires: str | None,
    out: Path | None,
    address: str,
) -> None:
    """Makes a token, and shows it once.

    With --class robots it makes a token for each robot of the present world, named after it, and
    writes a line for each student: the robot, the token, and the command that runs a program with
    it. --robot chooses some of the robots.
    """
    from autosim.applications.remote import tokens

    seconds = tokens.seconds_of(expires) if expires else 0.0
    if class_ is not None:
        if role not in (None, "drive") or name:
            raise click.UsageError("--class robots makes tokens to drive, named after their robots")
        lines = tokens.make_class_tokens(address, robots=robots, seconds=seconds, out=out)
        if lines:
            say(lines)
        return
    if role is None:
        raise click.UsageError("Missing option '--role'. Choose from: view, drive, control")
    secret = tokens.make_token(address, role, name=name, robots=robots, seconds=seconds, out=out)
    if secret:
        say(secret)


@token.command("list", epilog=example("autosim ctl token list --json"))
@SERVER
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
@explained
def list_(address: str, as_json: bool) -> None:
    """Lists the valid tokens by name; the tokens themselves cannot be shown again."""
    from autosim.applications.remote import tokens

    found = tokens.list_tokens(address)
    if as_json:
        say(json.dumps([tokens.token_record(each) for each in found]))
    else:
        say("\n".join(map(tokens.token_text, found)) or "no tokens")


@token.command(epilog=example("autosim ctl token revoke alice"))
@click.argument("name")
@SERVER
@explained
def revoke(name: str, address: str) -> None:
    """Revokes the token NAME, and disconnects the clients and programs that use it."""
    from autosim.applications.remote import tokens

    tokens.revoke_token(address, name)
