"""A pane: a picture with the choice of its camera above it; and the grid of all panes."""

from math import ceil, sqrt

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from autosim.applications.gui.client.pictures.pane_camera import PaneCamera
from autosim.applications.gui.client.pictures.picture_view import PictureView

RESIZE_MS = 150
"""A picture of another size needs another buffer: not for each step of a drag."""

MOST_PANES = 6
"""Number of pictures in one window: with more, each would be too small to see anything in."""


class Pane(QWidget):
    """One picture. Signals: `focused`; `close_wanted`."""

    focused = pyqtSignal()
    close_wanted = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = PictureView(self)
        self.choice = QComboBox(self)
        self.choice.setAccessibleName("Camera")
        self.choice.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.choice.setMinimumContentsLength(12)
        self.close_button = QToolButton(self)
        self.close_button.setText("✕")
        self.close_button.setAutoRaise(True)
        self.close_button.setToolTip("Close this picture (Ctrl+W)")
        self.close_button.setAccessibleName("Close this picture")
        self.header = QWidget(self)
        self._resizing = QTimer(self)
        self._resizing.setSingleShot(True)
        self._resizing.setInterval(RESIZE_MS)
        self._lay_out()
        self.choice.activated.connect(self._choose)
        self.close_button.clicked.connect(self.close_wanted)
        self.view.focused.connect(self.focused)
        self.view.resized.connect(self._resizing.start)
        self._resizing.timeout.connect(self.fit)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self.header)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.choice, 1)
        row.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.header)
        column.addWidget(self.view, 1)

    @property
    def camera(self) -> PaneCamera | None:
        """The camera, None where no world is loaded."""
        return self.view.camera

    def take_camera(self, camera: PaneCamera | None) -> None:
        """Looks through the camera of another world, or of none."""
        self.view.camera = camera
        self.view.show_picture(None)
        self.choice.clear()
        if camera is not None:
            self.choice.addItems(camera.choices)
            self.fit()
        self.show_choice()

    def fit(self) -> None:
        """Sets the size of the pictures to the displayed size."""
        if self.camera is not None and self.camera.has_own_size:
            size = self.view.device_size
            self.camera.fit(size.width(), size.height())
            self.view.mark()

    def choose(self, choice: str) -> None:
        """Looks through another camera."""
        if self.camera is not None:
            self.camera.choose(choice)
            self.fit()
            self.show_choice()
            self.view.mark()

    def choose_robot(self, name: str = "") -> None:
        """Looks at another robot; "": the next one."""
        if self.camera is None:
            return
        if name:
            self.camera.choose_robot(name)
        else:
            self.camera.choose_next_robot()
        self.fit()
        self.show_choice()
        self.view.mark()

    def show_choice(self) -> None:
        """Shows which camera it is."""
        if self.camera is not None:
            self.choice.setCurrentText(self.camera.choice)
            self.choice.setToolTip(f"The camera of this picture: {self.camera.choice}")
        self.choice.setEnabled(self.camera is not None)

    def _choose(self, number: int) -> None:
        self.choose(self.choice.itemText(number))
        self.view.setFocus()


class PaneGrid(QWidget):
    """All panes, in rows. One of them is the current one: that which had the focus last.

    Signal `changed`: there are more or fewer of them, or another is the current one.
    """

    changed = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panes: list[Pane] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(4)
        self._is_single = False
        self._offered: list[QAction] = []
        self.current = self.add()

    @property
    def shown(self) -> list[Pane]:
        """The panes that can be seen."""
        return [self.current] if self._is_single else self.panes

    def add(self) -> Pane:
        """One more pane; it becomes the current one."""
        pane = Pane(self)
        pane.focused.connect(lambda: self._make_current(pane))
        pane.close_wanted.connect(lambda: self.remove(pane))
        pane.view.addActions(self._offered)
        self.panes.append(pane)
        self.current = pane
        self._arrange()
        return pane

    def offer(self, actions: list[QAction]) -> None:
        """Gives all pictures, also those to come, a menu for the right mouse button."""
        self._offered = actions
        for pane in self.panes:
            pane.view.addActions(actions)

    def remove(self, pane: Pane) -> None:
        """Closes a pane; the last one stays."""
        if len(self.panes) == 1:
            return
        self.panes.remove(pane)
        self._grid.removeWidget(pane)
        if pane.camera is not None:
            pane.camera.close()
            # Until Qt has deleted it, it may be painted once more.
            pane.take_camera(None)
        pane.deleteLater()
        if self.current is pane:
            self.current = self.panes[-1]
            self.current.view.setFocus()
        self._arrange()

    def show_single(self, is_single: bool) -> None:
        """Shows the current pane alone and bare, or all of them."""
        self._is_single = is_single
        self._arrange()
        self.current.view.setFocus()

    def focus_next(self) -> None:
        """Makes the next pane the current one."""
        number = self.panes.index(self.current)
        self.panes[(number + 1) % len(self.panes)].view.setFocus()

    def _make_current(self, pane: Pane) -> None:
        if pane is not self.current:
            self.current = pane
            self.changed.emit()

    def _arrange(self) -> None:
        columns = ceil(sqrt(len(self.panes)))
        for number, pane in enumerate(self.panes):
            self._grid.addWidget(pane, number // columns, number % columns)
            pane.setVisible(pane in self.shown)
            pane.view.has_ring = len(self.shown) > 1
            pane.header.setVisible(not self._is_single)
            pane.close_button.setEnabled(len(self.panes) > 1)
        for line in range(MOST_PANES):
            used = [p for n, p in enumerate(self.panes) if n // columns == line and p in self.shown]
            self._grid.setRowStretch(line, 1 if used else 0)
            used = [p for n, p in enumerate(self.panes) if n % columns == line and p in self.shown]
            self._grid.setColumnStretch(line, 1 if used else 0)
        self._grid.setAlignment(Qt.AlignmentFlag(0))
        self.changed.emit()
