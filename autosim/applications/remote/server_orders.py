"""What `autosim ctl` does: one function for each thing that a person asks of a running server.

Everything is asked of the server, its tree included: no file of the world is needed here.
"""

import itertools
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autosim.applications.common.explanations import explanation_record, explanation_text
from autosim.applications.common.terminal import tell
from autosim.applications.common.values import (
    Selection,
    command_of,
    find_node,
    names_with_fields,
    select,
    tree_record,
    tree_text,
)
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import ask_server
from autosim.client.link.simulation_control import SimulationControl, Status, simulation_control
from autosim.errors import UserError
from autosim.simulation.notices import Notice, Severity
from autosim.simulation.phase import Phase
from autosim.simulation.state import State
from autosim.userprogram.session.explained import explain

STATE_SECONDS = 60.0
"""Longest time [s] to the first state of a server that has its world."""

COMPLETION_SECONDS = 1.0
"""Longest time [s] for names that the shell completes: a person waits at the Tab key."""

FOLLOW_SECONDS = 0.5
"""Time [s] between two looks for what is new, in commands that follow a simulation."""

SILENCE_SECONDS = 2.0
"""Time [s] between two looks whether the simulation that people wait for answers."""

LEVELS: tuple[Severity, ...] = ("info", "warning", "error")


def status_text(status: Status) -> str:
    """One line of text."""
    if status.phase is Phase.EMPTY:
        return "no world is loaded: autosim ctl load WORLD loads one"
    if status.phase is Phase.LOADING:
        return f"loading '{status.world}': {status.work or 'its process starts'}"
    text = (
        f"{status.phase.name.lower()} at step {status.step} ({status.time:.3f} s), "
        f"{status.clients} clients, {status.programs} programs elsewhere"
    )
    if status.silent_seconds:
        text += f"; the simulation does not answer since {status.silent_seconds:.0f} s"
    return text


def status_record(status: Status) -> dict[str, Any]:
    """The same, as JSON has it."""
    return {
        "phase": status.phase.name.lower(),
        "world": status.world,
        "step": status.step,
        "time": status.time,
        "clients": status.clients,
        "programs": status.programs,
        "silent_seconds": status.silent_seconds,
    }


@contextmanager
def patient_control(address: str) -> Iterator[SimulationControl]:
    """The calls to the server at `address`; people are told what they wait for.

    That is the world which the server must load first, or a simulation process that is late.

    Raises:
        UserError: the server cannot be reached.
    """
    with simulation_control(address) as control:
        if control.status().phase is Phase.LOADING:
            tell("the server is loading its world and answers when that is done; Ctrl-C ends")
        with _telling_of_silence(control):
            yield control


@contextmanager
def _telling_of_silence(control: SimulationControl) -> Iterator[None]:
    """Inside, people are told once if the simulation process does not answer, and how it loads."""
    is_over = threading.Event()

    def watch() -> None:
        told = ""
        while not is_over.wait(SILENCE_SECONDS):
            try:
                status = control.status()
            except UserError:
                return  # the call that people wait for tells it
            if status.work not in ("", told):
                told = status.work
                tell(told)
            if status.silent_seconds and not is_over.is_set():
                seconds = f"{status.silent_seconds:.0f} s"
                tell(f"the simulation does not answer since {seconds}: waits for it; Ctrl-C ends")
                return

    watcher = threading.Thread(target=watch, name="autosim-silence", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


def read_status(address: str) -> Status:
    """Where the simulation stands.

    Raises:
        UserError: the server cannot be reached.
    """
    with simulation_control(address) as control:
        return control.status()


def run(address: str, *, steps: int, pace: float) -> Status:
    """Lets the simulation run; returns at once.

    Raises:
        UserError: the server cannot be reached.
    """
    with patient_control(address) as control:
        return control.run(steps=steps, real_time_factor=pace)


def pause(address: str) -> Status:
    """Stops stepping after the step in hand.

    Raises:
        UserError: the server cannot be reached.
    """
    with patient_control(address) as control:
        return control.pause()


def step(address: str, steps: int) -> Status:
    """Does so many steps, and returns when they are done.

    Raises:
        UserError: the server cannot be reached.
    """
    with patient_control(address) as control:
        return control.step(steps)


def stop(address: str) -> Status:
    """Ends the server.

    Raises:
        UserError: the server cannot be reached.
    """
    with simulation_control(address) as control:
        return control.stop()


def open_mirror(address: str, *, rate_hz: float = 0.0) -> Mirror:
    """A mirror of the server's world, with its newest state taken.

    Raises:
        UserError: the server cannot be reached, or gives no state.
    """
    mirror = Mirror(ask_server(address), address, rate_hz=rate_hz, name="ctl")
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
    """What a robot, part, device or object is, and what its values mean.

    Raises:
        UserError: the server cannot be reached; there is no such name.
    """
    tree = ask_server(address).tree
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
        count: end after so many states; None: never.

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
    # Time is whole nanoseconds: what a float adds to them nobody need read.
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


def messages(
    address: str, *, after: int = 0, least: Severity = "info", follow: bool = False
) -> Iterator[tuple[int, Notice]]:
    """What was said so far, oldest first, with its number.

    Args:
        address: HOST:PORT of the server.
        after: how many to leave out.
        least: the lowest level wanted.
        follow: wait for more, until the server ends.

    Raises:
        UserError: the server cannot be reached.
    """
    with simulation_control(address) as control:
        while True:
            report = control.report(messages_after=after)
            for number, notice in zip(report.numbers, report.notices, strict=True):
                if number > after:
                    tell(f"{number - after} messages are no longer kept")
                after = number + 1
                if LEVELS.index(notice.level) >= LEVELS.index(least):
                    yield after, notice
            if not follow:
                return
            time.sleep(FOLLOW_SECONDS)


def complete_names(address: str, beginning: str) -> list[str]:
    """Names of the server's tree that begin so; none where it does not answer at once."""
    try:
        served = ask_server(address, timeout=COMPLETION_SECONDS)
    except UserError:
        return []
    return [name for name in names_with_fields(served.tree) if name.startswith(beginning)]
