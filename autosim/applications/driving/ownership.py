"""Taking a robot over from a program, and returning it.

A program that was merely suspended would continue from the car's old place. So it is stopped, and
restarted when the person leaves. The server knows the driver and the program to which a robot is
returned, and returns it by itself when the person's connection is lost.
"""

import time
from collections.abc import Callable, Sequence

from autosim.client.link.client_errors import ClientError
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import simulation_control
from autosim.model.program_status import ProgramStatus
from autosim.orders.programs import ProgramReport

_START_SECONDS = 10.0
"""Longest time [s] to wait for a program that is starting: ones that import large libraries take
some seconds."""

_LOOK_SECONDS = 0.05
"""Time [s] between two questions whether it has started: short for a person, and little work for
the server."""

_MOST_PROGRAMS = 4
"""Number of programs that are ended, one after the other, for the person who drives their robot:
more are not expected, and a server that always names another one is not followed for ever."""


def ask_for_driver(address: str, robot: str) -> ProgramReport | None:
    """The program that drives a robot of the server at `address`, or that will once it runs.

    Raises:
        ClientError: the server does not answer.
    """
    with simulation_control(address) as control:
        return _find_driver(_settled(ServerManagement(control), robot), robot)


def _settled(management: ServerManagement, robot: str) -> Sequence[ProgramReport]:
    """The programs of a server, once that of `robot` has had its first turn, if it is starting."""
    programs = management.programs()
    end = time.monotonic() + _START_SECONDS
    while _is_starting(programs, robot) and time.monotonic() < end:
        time.sleep(_LOOK_SECONDS)
        programs = management.programs()
    return programs


def _is_starting(programs: Sequence[ProgramReport], robot: str) -> bool:
    own = (each for each in programs if each.robot == robot and each.side == "server")
    return any(each.turns.has_turn and not each.drives for each in own)


def _find_driver(programs: Sequence[ProgramReport], robot: str) -> ProgramReport | None:
    """The program that drives `robot`; its own program counts even before it has begun."""
    for each in programs:
        is_to_begin = each.side == "server" and each.state is ProgramStatus.WAITING
        if robot in each.drives or (each.robot == robot and is_to_begin):
            return each
    return None


class Ownership:
    """A robot in the hands of a person.

    Args:
        address: HOST:PORT of the server.
        robot: its name.
        report: told what people should know.

    `taken`: the programs that were ended for the person, the last one last.
    """

    def __init__(self, address: str, robot: str, *, report: Callable[[str], None]) -> None:
        self._address, self._robot, self._report = address, robot, report
        self.taken: list[ProgramReport] = []

    def take_over(self) -> None:
        """Ends the program that drives the robot, where there is one: the robot brakes.

        A participant of the step must not call this in its turn: programs leave between turns.

        Raises:
            ClientError: the server refuses, or does not answer.
        """
        with simulation_control(self._address) as control:
            management = ServerManagement(control)
            for _ in range(_MOST_PROGRAMS):
                programs = _settled(management, self._robot)
                driver = _find_driver(programs, self._robot)
                if driver is None:
                    return
                management.take_over(self._robot)
                self.taken.append(driver)
                self._report(f"took '{self._robot}' over from {driver.file}")

    def give_back(self) -> None:
        """Starts again what was ended; what is not the server's own cannot be started from here."""
        taken, self.taken = self.taken, []
        if not taken:
            return
        trouble = self._order_back()
        for program in reversed(taken):
            if program.side != "server":
                text = f"{program.file} was started elsewhere: start it again there"
            elif trouble:
                text = f"'{self._robot}' could not be given back to {program.file}: {trouble}"
            else:
                text = f"returned '{self._robot}' to {program.file}, which restarts"
            self._report(text)

    def _order_back(self) -> str:
        """Has the server give the robot back; why it cannot, "" where it does."""
        try:
            with simulation_control(self._address) as control:
                ServerManagement(control).give_back(self._robot)
        except ClientError as error:
            return str(error)
        return ""
