"""Reports of a server to a client's window: its messages, and programs that have failed."""

from collections import deque
from collections.abc import Callable, Sequence

from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import RunReport, SimulationControl
from autosim.model.notices import Notice
from autosim.model.program_status import ProgramStatus
from autosim.orders.programs import ProgramReport
from autosim.orders.robot_orders import MoveRobot

FAILED = (ProgramStatus.FAILED, ProgramStatus.DISABLED)
"""States of programs that a person has to look after."""

_REMEMBERED = 100
"""Number of messages of the window's own programs that are not shown again when the server reports
them, too: more than come between two questions."""


class ServerNews(QObject):
    """Asks a server for its messages and its programs.

    Args:
        control: gives the way to the server, None while there is none.
        parent: owns it.

    Signals: `came` (Notice) for each message of the server; `failed_changed` (a list of
    `ProgramReport`): the programs that have failed are others; `refused` (text): a program cannot
    be restarted or ended, or a robot not be moved.
    """

    came = pyqtSignal(object)
    failed_changed = pyqtSignal(list)
    refused = pyqtSignal(str)

    def __init__(self, control: Callable[[], SimulationControl | None], parent: QObject) -> None:
        super().__init__(parent)
        self._control = control
        self._calls = BackgroundCalls(self)
        self._own: deque[tuple[str, str]] = deque(maxlen=_REMEMBERED)
        self._failed: list[ProgramReport] = []
        self.forget()

    def forget(self) -> None:
        """Begins again with the messages of another connection."""
        self._next_number = 0
        self._is_asking = False
        self._show_failed([])

    def note_own(self, notice: Notice) -> None:
        """Takes a message that the window shows already, and does not show it again."""
        self._own.append((notice.level, notice.text))

    def ask(self) -> None:
        """Asks for news, unless the last answer is still to come."""
        control = self._control()
        if control is None or self._is_asking:
            return
        self._is_asking = True
        first = self._next_number

        def look() -> tuple[RunReport, tuple[ProgramReport, ...]]:
            report = control.report(messages_after=first)
            if report.said < first:  # The run has begun again, and counts from 0.
                report = control.report()
            return report, ServerManagement(control).programs()

        self._calls.submit(look, on_result=self._take, on_error=self._give_up)

    def restart(self, robots: Sequence[str]) -> None:
        """Starts the programs of these robots again."""
        control = self._control()
        if control is None:
            return

        def restart() -> None:
            for robot in robots:
                ServerManagement(control).restart_program(robot)

        self._calls.submit(
            restart,
            on_result=lambda _: self.ask(),
            on_error=lambda error: self.refused.emit(str(error)),
            is_in_order=True,
        )

    def free(self, robot: str, then: Callable[[], None]) -> None:
        """Ends the server's own program of a robot where it drives; `then` when that is done.

        The server restarts it when the robot's next driver has left.
        """
        control = self._control()
        if control is None:
            return

        def end() -> None:
            management = ServerManagement(control)
            if any(
                each.side == "server" and robot in each.drives for each in management.programs()
            ):
                management.take_over(robot)

        self._calls.submit(
            end,
            on_result=lambda _: then(),
            on_error=lambda error: self.refused.emit(str(error)),
            is_in_order=True,
        )

    def move(self, move: MoveRobot) -> None:
        """Puts a robot elsewhere; `refused` where it cannot stand there, or may not be moved."""
        control = self._control()
        if control is not None:
            self._calls.submit(
                lambda: ServerManagement(control).move_robot(move),
                on_error=lambda error: self.refused.emit(str(error)),
                is_in_order=True,
            )

    def close(self) -> None:
        """Waits for no answer any longer."""
        self._calls.close()

    def _take(self, news: tuple[RunReport, tuple[ProgramReport, ...]]) -> None:
        report, programs = news
        self._is_asking = False
        if self._control() is None:
            return
        self._next_number = report.said
        for notice in report.notices:
            key = (notice.level, notice.text)
            if key in self._own:
                self._own.remove(key)
            else:
                self.came.emit(notice)
        self._show_failed([each for each in programs if each.state in FAILED])

    def _give_up(self, error: Exception) -> None:
        # The connection itself says why a lost server does not answer.
        self._is_asking = False

    def _show_failed(self, failed: list[ProgramReport]) -> None:
        if [_failure(each) for each in failed] != [_failure(each) for each in self._failed]:
            self.failed_changed.emit(failed)
        self._failed = failed


def _failure(program: ProgramReport) -> tuple[str, str, int, ProgramStatus]:
    """Identifies a failure, without the figures of time, which change all the while."""
    return program.robot, program.exit_reason, program.restarts, program.state
