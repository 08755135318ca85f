"""The driver's seat of the client's window: to take a robot over, to drive it, to give it back."""

import threading
from enum import Enum, auto

from PyQt6.QtCore import QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent

from autosim.applications.driving.keys import Key
from autosim.applications.driving.manual_driving import DrivingSession, drive_manually, make_trip
from autosim.applications.driving.ownership import Ownership
from autosim.applications.gui.client.driving.driving_controls import WindowControls
from autosim.client.link.mirror import Mirror
from autosim.client.link.participation import Participation
from autosim.errors import UserError
from autosim.model.commands import DeviceError
from autosim.userprogram.session.program_session import ProgramStopped

NAME = "the client's window"

MARK_MS = 100
"""Between two marks of the window that it is there."""

LEAVE_SECONDS = 5.0
"""Longest time [s] that a closing window waits for the server to take the robot back; a user would
take a longer one for a window that hangs."""

_K = Qt.Key
_KEYS = {
    Key.FORWARDS: (_K.Key_W, _K.Key_Up),
    Key.BACKWARDS: (_K.Key_S, _K.Key_Down),
    Key.LEFT: (_K.Key_A, _K.Key_Left),
    Key.RIGHT: (_K.Key_D, _K.Key_Right),
    Key.BRAKE: (_K.Key_Space,),
}
KEYS = {int(each.value): key for key, names in _KEYS.items() for each in names}
"""Meaning of Qt's keys."""


class SeatStage(Enum):
    """Stage of driving."""

    OUT = auto()
    DRIVING = auto()
    LEAVING = auto()


class Seat(QObject):
    """Drives one robot at a time, in its own thread: a busy window delays no step.

    Signals: `changed` (SeatStage); `said` (level, text).
    """

    changed = pyqtSignal(object)
    said = pyqtSignal(str, str)
    _left = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stage = SeatStage.OUT
        self.robot = ""
        self.device = ""
        self._controls: WindowControls | None = None
        self._participation: Participation | None = None
        self._thread: threading.Thread | None = None
        self._down: set[int] = set()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._mark)
        # Sent by the thread that drives: Qt queues it for this one.
        self._left.connect(self._take_end)

    @property
    def is_driving(self) -> bool:
        """Whether keys are the car's."""
        return self.stage is SeatStage.DRIVING

    @property
    def has_focus(self) -> bool:
        """Whether the keys reach the seat."""
        return self._controls is not None and self._controls.has_focus

    def take_over(self, mirror: Mirror, address: str, robot: str) -> None:
        """Takes the wheel of `robot`; a program that drives it is ended."""
        if self.stage is not SeatStage.OUT:
            return
        try:
            trip = make_trip(NAME, mirror.tree, robot, takes_over=True)
        except (UserError, ValueError) as error:
            self.said.emit("error", str(error))
            return
        self.robot = robot
        controls = WindowControls(report=lambda text: self.said.emit("warning", text))
        controls.device = self.device
        ownership = Ownership(address, robot, report=lambda text: self.said.emit("info", text))
        participation = Participation(mirror)
        self._controls, self._participation = controls, participation
        self._down.clear()
        self._thread = threading.Thread(
            target=self._drive, args=(participation, controls, trip, ownership), daemon=True
        )
        self._enter(SeatStage.DRIVING)
        self._timer.start(MARK_MS)
        self._thread.start()

    def give_back(self) -> None:
        """Leaves; a program that was ended is started again."""
        if self.stage is not SeatStage.DRIVING:
            return
        assert self._controls is not None
        assert self._participation is not None
        self._controls.is_over = True
        self._enter(SeatStage.LEAVING)
        # It may wait for a simulation that stands still.
        threading.Thread(target=self._participation.close, daemon=True).start()

    def choose_device(self, path: str) -> None:
        """Drives with the joystick at `path`, "": with the keys alone."""
        self.device = path
        if self._controls is not None:
            self._controls.device = path

    def take_key(self, event: QKeyEvent, *, is_down: bool) -> bool:
        """Takes a key that is the car's; whether it is."""
        is_command = event.modifiers() & (_CONTROL | _ALT)
        if not self.is_driving or event.key() not in KEYS or (is_down and is_command):
            return False
        if not event.isAutoRepeat():
            (self._down.add if is_down else self._down.discard)(event.key())
            self._show_keys()
        return True

    def take_focus(self, has_focus: bool) -> None:
        """Releases all keys when the focus is lost."""
        self._down.clear()
        if self._controls is not None:
            self._controls.has_focus = has_focus
        self._show_keys()

    def close(self) -> None:
        """Leaves, and waits until the robot is given back."""
        self.give_back()
        if self._thread is not None:
            self._thread.join(LEAVE_SECONDS)

    def _show_keys(self) -> None:
        if self._controls is not None:
            self._controls.down = frozenset(KEYS[each] for each in self._down)

    def _drive(
        self,
        participation: Participation,
        controls: WindowControls,
        trip: DrivingSession,
        ownership: Ownership,
    ) -> None:
        reason = ""
        try:
            drive_manually(participation, controls, trip, ownership=ownership)
        except DeviceError as error:
            reason = error.reason
        except UserError as error:
            reason = str(error)
        except ProgramStopped:
            reason = "" if controls.is_over else f"'{trip.robot}' is no longer driven from here"
        finally:
            controls.close()
            self._left.emit(reason)

    def _take_end(self, reason: str) -> None:
        self._timer.stop()
        self._controls = self._participation = None
        if reason:
            self.said.emit("warning", reason)
        self._enter(SeatStage.OUT)

    def _mark(self) -> None:
        if self._controls is not None:
            self._controls.mark()

    def _enter(self, stage: SeatStage) -> None:
        self.stage = stage
        self.changed.emit(stage)


_CONTROL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
