"""Reading and setting values of a running server: trees, values, documentation, names.

Everything comes from the server, its tree included: no file of the world is needed here.
"""

import itertools
import json
from collections.abc import Iterator, Sequence

from autosim.applications.common.explanations import explanation_record, explanation_text
from autosim.applications.common.tree_values import (
    Selection,
    command_of,
    find_node,
    names_with_fields,
    select,
    tree_record,
    tree_text,
)
from autosim.applications.remote.server_orders import FOLLOW_SECONDS
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import fetch_description
from autosim.errors import UserError
from autosim.model.state import State
from autosim.userprogram.session.node_explanations import explain

STATE_SECONDS = 60.0
"""Longest time [s] to the first state of a server that has its world."""

COMPLETION_SECONDS = 1.0
"""Longest time [s] for completing names in the shell: a user waits at the Tab key."""


def open_mirror(address: str, *, rate_hz: float = 0.0) -> Mirror:
    """A mirror of the server's world, with its newest state taken.

    Raises:
        UserError: the server cannot be reached, or gives no state.
    """
    mirror = Mirror(fetch_description(address), address, rate_hz=rate_hz, name="ctl")
    try:
        mirror.connection.wait_for_state(STATE_SECONDS)
        mirror.take()
    except BaseException:
        mirror.close()
        raise
    return mirror


def tree(address: str, name: str, *, as_json: bool) -> str:
    """The tree, or what is below `name`, with all values.

    Raises:
        UserError: the server cannot be reached; there is no such node.
    """
    with open_mirror(address) as mirror:
        node = find_node(mirror.tree, name) if name else mirror.tree
        if as_json:
            return json.dumps(tree_record(mirror.state, node), indent=2)
        return tree_text(mirror.state, node)


def describe(address: str, name: str, *, as_json: bool) -> str:
    """Documentation of a robot, part, device or object, and of its values.

    Raises:
        UserError: the server cannot be reached; there is no such name.
    """
    tree = fetch_description(address).tree
    explanation = explain(tree, find_node(tree, name).name)
    if as_json:
        return json.dumps(explanation_record(explanation), indent=2)
    return explanation_text(explanation)


def get(address: str, names: Sequence[str], *, as_json: bool) -> str:
    """The newest values: a line for each name, or one JSON object.

    Raises:
        UserError: the server cannot be reached; there is no such name.
    """
    with open_mirror(address) as mirror:
        chosen = [select(mirror.tree, name) for name in names]
        if as_json:
            return _json_line(mirror.state, chosen)
        return "\n".join(each.as_text(mirror.state) for each in chosen)


def watch(
    address: str,
    names: Sequence[str],
    *,
    as_json: bool,
    rate_hz: float = 0.0,
    count: int | None = None,
) -> Iterator[str]:
    """Values as they come: a line for each name, or a JSON object for each state.

    Args:
        address: HOST:PORT of the server.
        names: of nodes or fields.
        as_json: JSON lines, with `step` and `time` [s].
        rate_hz: states a simulated second; 0: every step.
        count: number of states after which it ends; None: never.

    Raises:
        UserError: the server cannot be reached or is lost; there is no such name.
    """
    with open_mirror(address, rate_hz=rate_hz) as mirror:
        chosen = [select(mirror.tree, name) for name in names]
        for number in itertools.count(1):
            state = mirror.state
            if as_json:
                yield _json_line(state, chosen)
            else:
                yield from (f"{state.time:.4f} s {each.as_text(state)}" for each in chosen)
            if number == count:
                return
            _await_next(mirror)


def _json_line(state: State, chosen: Sequence[Selection]) -> str:
    values = {each.name: each.read(state) for each in chosen}
    # Time is whole nanoseconds: digits of the float beyond them are noise.
    return json.dumps({"step": state.step, "time": round(state.time, 9), "values": values})


def _await_next(mirror: Mirror) -> None:
    while not mirror.take():
        mirror.connection.check()
        mirror.connection.wait_until(lambda: _has_next(mirror), FOLLOW_SECONDS)


def _has_next(mirror: Mirror) -> bool:
    newest = mirror.connection.newest
    return newest is not None and newest.packet.step != mirror.state.step


def set_values(address: str, name: str, values: tuple[float, ...]) -> None:
    """Sets an actuator, or one of its fields, at the next step.

    Raises:
        UserError: the server cannot be reached, or refuses; there is no such actuator.
    """
    with open_mirror(address) as mirror:
        mirror.connection.set_data_now([command_of(mirror.state, name, values)])


def complete_names(address: str, beginning: str) -> list[str]:
    """Names of the server's tree that begin so; none where it does not answer at once."""
    try:
        served = fetch_description(address, timeout=COMPLETION_SECONDS)
    except UserError:
        return []
    return [name for name in names_with_fields(served.tree) if name.startswith(beginning)]
