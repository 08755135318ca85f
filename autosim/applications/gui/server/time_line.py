"""A line of steps: of a replay, to go along it, or of a run, with marks for its snapshots."""

from collections.abc import Iterable

from PyQt6.QtCore import QEvent, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PyQt6.QtWidgets import QAbstractSlider, QSlider, QStyle, QToolTip, QWidget

from autosim.applications.gui.server.replay.run_events import EventKind, EventMark

_MARK_WIDTH = 3
"""Width [pixels] of a mark: seen at once, and as fine as a step on most lines."""

_MARK_REACH = 8
"""Length [pixels] of a mark above the middle and below it: beyond the handle of usual styles."""

_EVENT_WIDTH = 2
"""Width [pixels] of the mark of an event: many may lie side by side."""

_EVENT_COLOURS = {
    EventKind.OUTPUT: QColor(140, 140, 140),
    EventKind.MESSAGE: QColor(90, 140, 210),
    EventKind.WARNING: QColor(230, 150, 20),
    EventKind.COLLISION: QColor(220, 40, 40),
    EventKind.ERROR: QColor(170, 20, 120),
}
"""Colours of events, chosen by eye for light and dark grounds."""

_NEAR = 4
"""Distance [pixels] between the mouse and a mark within which its tool tip is shown."""

_Action = QAbstractSlider.SliderAction
_FORWARD = (_Action.SliderSingleStepAdd, _Action.SliderPageStepAdd)
_BACK = (_Action.SliderSingleStepSub, _Action.SliderPageStepSub)


class TimeLine(QSlider):
    """A slider of steps that goes where it is clicked, and from there with the mouse.

    Where there are marks, keys go from one to the next. Events are marked, too; Ctrl with ← or →
    goes from one to the next, and a click next to one goes to its step. `accepted`: Enter was
    pressed. `[` and `]` let a range begin and end at the handle; the same key there again takes
    its end back. `ranged`: that has changed.
    """

    accepted = pyqtSignal()
    ranged = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setAccessibleName("Time line")
        self.setMinimumHeight(2 * _MARK_REACH + 2)
        self._marks: dict[int, str] = {}
        self._events: list[EventMark] = []
        self._now = 0
        self._first: int | None = None
        self._last: int | None = None
        self.actionTriggered.connect(self._go_to_mark)

    def set_marks(self, marks: Iterable[tuple[int, str]], now: int) -> None:
        """Shows marks at these steps, each with a text as its tool tip; keys reach `now`, too."""
        self._marks, self._now = dict(marks), now
        self.update()

    def set_events(self, events: list[EventMark]) -> None:
        """Marks what happened in a recorded run, in the order of steps."""
        self._events = events
        self.update()

    @property
    def bounds(self) -> tuple[int, int]:
        """First and last step of the range that the user has bounded; else of the whole line."""
        first = self.minimum() if self._first is None else self._first
        return first, self.maximum() if self._last is None else self._last

    def place_of(self, step: int) -> int:
        """Position of a step on the line: its distance [pixels] from the left."""
        handle = self._handle_length()
        room = self.width() - handle
        span = self.minimum(), self.maximum()
        return handle // 2 + QStyle.sliderPositionFromValue(*span, step, room)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        """Moves the handle below the mouse, so that it is dragged from there on."""
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            handle = self._handle_length()
            place, room = round(event.position().x()) - handle // 2, self.width() - handle
            self.setSliderDown(True)  # receivers of the value leave the handle where it is
            value = QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), place, room)
            near = self._event_at(round(event.position().x()))
            self.setValue(value if near is None else near.step)
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        """Emits a signal for Enter; all other keys move the handle."""
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accepted.emit()
        elif event is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._go_to_event(event)
        elif event is not None and event.key() in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight):
            self._set_bound(is_first=event.key() == Qt.Key.Key_BracketLeft)
        else:
            super().keyPressEvent(event)

    def _set_bound(self, *, is_first: bool) -> None:
        """Begins or ends the range at the handle; where it does already, at the line's end."""
        now = self.value()
        if is_first:
            self._first = None if self._first == now else now
            self._last = None if self._last is not None and self._last <= now else self._last
        else:
            self._last = None if self._last == now else now
            self._first = None if self._first is not None and self._first >= now else self._first
        self.update()
        self.ranged.emit()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        """Draws the marks above the line; that of the handle's step stands out."""
        super().paintEvent(event)
        painter = QPainter(self)
        self._paint_range(painter)
        self._paint_events(painter)
        for step in self._marks:
            painter.fillRect(*self._mark(step), self._colour_of(step))
        painter.end()

    def event(self, event: QEvent | None) -> bool:
        """Shows the text of the mark below the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.text_at(event.pos()), self)
            return True
        return super().event(event)

    def text_at(self, point: QPoint) -> str:
        """The text of the mark next to a point; "" where there is none."""
        gaps = {step: abs(self.place_of(step) - point.x()) for step in self._marks}
        step = min(gaps, key=gaps.__getitem__, default=None)
        if step is not None and gaps[step] <= _NEAR:
            return self._marks[step]
        near = self._event_at(point.x())
        return near.text if near is not None else ""

    def _event_at(self, x: int) -> EventMark | None:
        """The gravest event next to a place [pixels from the left]; None where there is none."""
        near = [each for each in self._events if abs(self.place_of(each.step) - x) <= _NEAR]
        return max(near, key=lambda each: each.kind, default=None)

    def _go_to_event(self, event: QKeyEvent) -> None:
        """Goes to the next event, or to the one before."""
        steps, now = [each.step for each in self._events], self.value()
        if event.key() == Qt.Key.Key_Right:
            self.setValue(min((each for each in steps if each > now), default=now))
        elif event.key() == Qt.Key.Key_Left:
            self.setValue(max((each for each in steps if each < now), default=now))
        else:
            super().keyPressEvent(event)

    def _paint_range(self, painter: QPainter) -> None:
        """Draws a band above the line where the user has bounded a range."""
        if self._first is not None or self._last is not None:
            begin, end = (self.place_of(step) for step in self.bounds)
            colour = self.palette().color(QPalette.ColorRole.Highlight)
            painter.fillRect(begin, self.height() // 2 - _MARK_REACH, end - begin, 3, colour)

    def _paint_events(self, painter: QPainter) -> None:
        """Draws a tick below the line for each event, of several at one place for the gravest."""
        at: dict[int, EventKind] = {}
        for each in self._events:
            place = self.place_of(each.step)
            at[place] = max(each.kind, at.get(place, each.kind))
        middle = self.height() // 2
        for place, kind in sorted(at.items(), key=lambda item: item[1]):
            length = _MARK_REACH if kind > EventKind.MESSAGE else _MARK_REACH // 2
            painter.fillRect(place - 1, middle + 2, _EVENT_WIDTH, length, _EVENT_COLOURS[kind])

    def _go_to_mark(self, action: int) -> None:
        """Makes an action of a key or of the wheel lead to the next mark."""
        stops = {*self._marks, self._now} if self._marks else set()
        now = self.value()
        if stops and _Action(action) in _FORWARD:
            self.setSliderPosition(min((each for each in stops if each > now), default=now))
        elif stops and _Action(action) in _BACK:
            self.setSliderPosition(max((each for each in stops if each < now), default=now))

    def _mark(self, step: int) -> tuple[int, int, int, int]:
        left, middle = self.place_of(step) - _MARK_WIDTH // 2, self.height() // 2
        return left, middle - _MARK_REACH, _MARK_WIDTH, 2 * _MARK_REACH

    def _colour_of(self, step: int) -> QColor:
        is_chosen = step == self.value()
        palette = self.palette()
        return palette.color(
            QPalette.ColorRole.Highlight if is_chosen else QPalette.ColorRole.WindowText
        )

    def _handle_length(self) -> int:
        style = self.style()
        return style.pixelMetric(QStyle.PixelMetric.PM_SliderLength) if style is not None else 0
