"""The `autosim ctl token` commands: create, list and revoke tokens."""

import re
import time
from collections.abc import Sequence
from pathlib import Path

from autosim.access.private_files import write_private_file
from autosim.access.server_addresses import is_loopback, split
from autosim.applications.common.terminal import tell
from autosim.client.link.served_world import fetch_description
from autosim.client.link.server_tokens import ServerTokens, TokenInfo
from autosim.client.link.simulation_control import simulation_control
from autosim.errors import UserError

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d{1,6})([smhd])")


def make_token(
    address: str, role: str, *, name: str, robots: Sequence[str], seconds: float, out: Path | None
) -> str:
    """Makes a token and returns its secret, or "" where that is in the file `out` now.

    Raises:
        UserError: the server refuses, or the file cannot be written.
    """
    with simulation_control(address) as control:
        made, secret = ServerTokens(control).make(role, name=name, robots=robots, seconds=seconds)
    _warn_of_unknown(address, robots)
    tell(f"made the token {token_text(made)}")
    if out is None:
        tell("it is shown only now; a client gives it by --token-file or in $AUTOSIM_TOKEN:")
        return secret
    write_private_file(out, f"{secret}\n".encode())
    tell(f"wrote it to {out}, which you alone can read")
    return ""


def make_class_tokens(
    address: str, *, robots: Sequence[str], seconds: float, out: Path | None
) -> str:
    """Makes a token to drive for each robot of the present world; returns a line for each.

    A line has the robot, the token and the command with which a student uses it, with tabs between.

    Args:
        address: HOST:PORT of the server.
        robots: of which tokens are made; empty: of all.
        seconds: how long they are valid; 0: until they are revoked.
        out: the file to which the lines are written; then "" is returned.

    Raises:
        UserError: there is no such robot, a token of its name is there, the server refuses, or the
            file cannot be written.
    """
    known = [node.name for node in fetch_description(address).tree.robots]
    unknown = sorted(set(robots) - set(known))
    if unknown or not known:
        found = ", ".join(known) or "none"
        raise UserError(f"no robot '{', '.join(unknown)}' in the present world (robots: {found})")
    chosen = [name for name in known if not robots or name in robots]
    with simulation_control(address) as control:
        service = ServerTokens(control)
        taken = {each.name for each in service.listed()} & set(chosen)
        if taken:
            names = ", ".join(sorted(taken))
            raise UserError(
                f"there are tokens of these names already: {names}. autosim ctl token revoke NAME "
                "revokes one"
            )
        secrets = [
            service.make("drive", name=name, robots=(name,), seconds=seconds)[1] for name in chosen
        ]
    lines = "\n".join(
        f"{name}\t{secret}\tAUTOSIM_TOKEN={secret} autosim run PROGRAM.py --robot {name} "
        f"--server {address}"
        for name, secret in zip(chosen, secrets, strict=True)
    )
    tell("each token is named after its robot and shown only now")
    if is_loopback(split(address)[0]):
        tell(f"the lines name {address}: on other machines, give the address of this one there")
    if out is None:
        return lines
    write_private_file(out, f"{lines}\n".encode())
    tell(f"wrote them to {out}, which you alone can read")
    return ""


def list_tokens(address: str) -> tuple[TokenInfo, ...]:
    """The tokens of the server.

    Raises:
        UserError: the server refuses.
    """
    with simulation_control(address) as control:
        return ServerTokens(control).listed()


def revoke_token(address: str, name: str) -> None:
    """Makes a token worthless.

    Raises:
        UserError: there is none of that name.
    """
    with simulation_control(address) as control:
        ServerTokens(control).revoke(name)
    tell(f"the token '{name}' is revoked")


def seconds_of(text: str) -> float:
    """Seconds of a duration like 30m, 8h or 7d.

    Raises:
        UserError: it is none.
    """
    found = _DURATION.fullmatch(text)
    if found is None or not int(found[1]):
        raise UserError(f"'{text}' is not a duration: expected, for example, 90s, 30m, 8h or 7d")
    return int(found[1]) * _UNITS[found[2]]


def token_text(token: TokenInfo) -> str:
    """One line of text."""
    robots = f" {', '.join(token.robots)}" if token.robots else ""
    end = f"until {_time_text(token.expires)}" if token.expires else "until it is revoked"
    return f"'{token.name}': may {token.role}{robots}, {end}"


def token_record(token: TokenInfo) -> dict[str, object]:
    """The same, as JSON has it; times are UNIX time [s]."""
    return {
        "name": token.name,
        "role": token.role,
        "robots": list(token.robots),
        "made": token.made,
        "expires": token.expires or None,
    }


def _time_text(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def _warn_of_unknown(address: str, robots: Sequence[str]) -> None:
    """Says which robots the present world does not have: a name may be mistyped."""
    if not robots:
        return
    try:
        known = {node.name for node in fetch_description(address).tree.robots}
    except UserError:
        return
    for name in sorted(set(robots) - known):
        tell(f"warning: the present world has no robot '{name}'")
