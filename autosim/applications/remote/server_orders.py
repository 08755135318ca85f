"""Running, pausing and stepping a running server, its status and its messages."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from autosim.applications.common.terminal import tell
from autosim.client.link.simulation_control import (
    ConnectedClient,
    SimulationControl,
    Status,
    simulation_control,
)
from autosim.errors import UserError
from autosim.model.notices import Notice, Severity
from autosim.model.phase import Phase

FOLLOW_SECONDS = 0.5
"""Time [s] between two looks for what is new, in commands that follow a simulation."""

SILENCE_SECONDS = 2.0
"""Interval [s] between checks whether a silent simulation answers again."""

LEVELS: tuple[Severity, ...] = ("info", "warning", "error")


def status_text(status: Status) -> str:
    """One line of text."""
    if status.phase is Phase.EMPTY:
        return status.work or "no world is loaded: autosim ctl load WORLD loads one"
    if status.phase is Phase.LOADING:
        return f"loading '{status.world}': {status.work or 'its process starts'}"
    text = (
        f"{status.phase.name.lower()} at step {status.step} ({status.time:.3f} s), "
        f"{status.clients} clients, {status.programs} programs elsewhere"
    )
    if status.work:
        text += f"; {status.work}"
    if status.unresponsive_seconds:
        text += f"; the simulation does not answer since {status.unresponsive_seconds:.0f} s"
    return text


def status_record(status: Status) -> dict[str, object]:
    """The same, as JSON has it."""
    return {
        "phase": status.phase.name.lower(),
        "world": status.world,
        "step": status.step,
        "time": status.time,
        "clients": status.clients,
        "programs": status.programs,
        "unresponsive_seconds": status.unresponsive_seconds,
        "work": status.work,
    }


@contextmanager
def patient_control(address: str) -> Iterator[SimulationControl]:
    """The calls to the server at `address`; waiting is reported at the terminal.

    The wait is for a world that the server must load first, or a simulation process that is late.

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
    """Inside, reports loading, and once if the simulation process does not answer."""
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
            if status.unresponsive_seconds and not is_over.is_set():
                seconds = f"{status.unresponsive_seconds:.0f} s"
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
    """The current status of the simulation.

    Raises:
        UserError: the server cannot be reached.
    """
    with simulation_control(address) as control:
        return control.status()


def run(address: str, *, steps: int, pace: float) -> Status:
    """Starts or resumes the simulation; returns at once.

    Raises:
        UserError: the server cannot be reached.
    """
    with patient_control(address) as control:
        return control.run(steps=steps, real_time_factor=pace)


def pause(address: str) -> Status:
    """Pauses after the current step.

    Raises:
        UserError: the server cannot be reached.
    """
    with patient_control(address) as control:
        return control.pause()


def step(address: str, steps: int) -> Status:
    """Does `steps` steps, and returns when they are done.

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


def connected_clients(address: str) -> tuple[ConnectedClient, ...]:
    """The clients that receive the states of a server's simulation.

    Raises:
        UserError: the server cannot be reached.
    """
    with simulation_control(address) as control:
        return control.clients()


def client_text(client: ConnectedClient) -> str:
    """One line of text for a client."""
    rate = f"{client.rate_hz:g} states a simulated second" if client.rate_hz else "each state"
    return (
        f"{client.name} at {client.peer}: {rate}, connected for {client.connected_seconds:.0f} s, "
        f"took {client.updates} ({1e-6 * client.bytes:.1f} MB), too slow for {client.skipped}, "
        f"newest after {1e3 * client.delay:.1f} ms"
    )


def messages(
    address: str, *, after: int = 0, least: Severity = "info", follow: bool = False
) -> Iterator[tuple[int, Notice]]:
    """The messages so far, oldest first, with their numbers.

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
