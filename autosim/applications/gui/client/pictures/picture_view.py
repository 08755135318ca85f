"""A picture with what is painted over it, and the keys and the mouse that move its camera."""

from collections.abc import Callable

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from autosim.applications.gui.client.pictures.pane_camera import (
    FLIGHT_SPEED,
    TURN_SPEED,
    PaneCamera,
)
from autosim.applications.gui.client.pictures.pane_overlays import paint_banner, paint_figures
from autosim.client.rendering.world_renderer import Pixels

FAST = 5.0
"""Factor by which the key for fast flight raises the speed, to 75 m/s: a town of some
kilometres is crossed in a minute."""

RADIANS_PER_PIXEL = 0.005
"""Turn of the camera [rad] per pixel of the mouse's way: across 630 pixels it turns by half a
turn."""
_K = Qt.Key
_FLIGHT = {
    _K.Key_W: (1.0, 0.0, 0.0),
    _K.Key_S: (-1.0, 0.0, 0.0),
    _K.Key_A: (0.0, 1.0, 0.0),
    _K.Key_D: (0.0, -1.0, 0.0),
    _K.Key_E: (0.0, 0.0, 1.0),
    _K.Key_Q: (0.0, 0.0, -1.0),
}
_TURNS = {
    _K.Key_Left: (1.0, 0.0),
    _K.Key_Right: (-1.0, 0.0),
    _K.Key_Up: (0.0, 1.0),
    _K.Key_Down: (0.0, -1.0),
}
_HELD = {key.value for key in (*_FLIGHT, *_TURNS)}

Paint = Callable[[QPainter, float, float], None]
"""Paints over a picture of that width and height."""

TakeKey = Callable[[QKeyEvent, bool], bool]
"""Takes a key that goes down (True) or up, before the camera does; whether it is taken."""


TakeMouse = Callable[[QMouseEvent], bool]
"""Takes an event of the mouse, before the camera does; whether it is taken."""

TakeDrop = Callable[[str, QPointF], None]
"""Takes a program file that was dropped at that place of the view."""


class PictureView(QWidget):
    """Shows pictures, as large as they fit.

    `hint` stands where there is no picture; `banner` across it; `figures` in its corner. With
    `has_ring` it has one when it has the keyboard's focus.
    Signals: `resized`; `focused`.
    """

    resized = pyqtSignal()
    focused = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.camera: PaneCamera | None = None
        self.paint_over: Paint = lambda painter, width, height: None
        self.paint_display: Paint = lambda painter, width, height: None
        self.take_key: TakeKey = lambda event, is_down: False
        self.take_mouse: TakeMouse = lambda event: False
        self.take_drop: TakeDrop = lambda file, at: None
        self.paint_marks: Paint = lambda painter, width, height: None
        self.take_focus: Callable[[bool], None] = lambda has_focus: None
        self.hint = ""
        self.banner = ""
        self._is_fault = False
        self.has_ring = False
        self.figures: list[str] = []
        self._image: QImage | None = None
        self._data = b""
        self._held: set[int] = set()
        self._is_fast = False
        self._is_dirty = False
        self._dragged_from: QPointF | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setMinimumSize(160, 120)
        self.setAcceptDrops(True)
        self.setAccessibleName("Picture")
        self.setToolTip(
            "W A S D, Q E: fly. Arrows or mouse: turn. Wheel, + −: nearer, farther. Shift: fast. "
            "Click a robot: select. Double click: follow. Shift and drag: move it."
        )

    @property
    def image(self) -> QImage | None:
        """The picture that is shown, None where there is none."""
        return self._image

    @property
    def device_size(self) -> QSize:
        """The widget's size in pixels of the screen."""
        return self.size() * self.devicePixelRatioF()

    def sizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(640, 480)

    def show_picture(self, pixels: Pixels | None) -> None:
        """Shows a picture (height, width, 4) RGBA; None: the hint instead."""
        self._image = None
        if pixels is not None:
            height, width = pixels.shape[:2]
            # The image is a view on these bytes, so they are kept as long as it is.
            self._data = pixels.tobytes()
            layout = QImage.Format.Format_RGBX8888
            self._image = QImage(self._data, width, height, 4 * width, layout)
        self._is_dirty = False
        self.update()

    def mark(self) -> None:
        """Notes that the picture is no longer right."""
        self._is_dirty = True

    def annotate(self, *, banner: str, is_fault: bool, figures: list[str]) -> None:
        """Changes what stands across the picture, as a fault or not, and in its corner."""
        if (banner, is_fault, figures) != (self.banner, self._is_fault, self.figures):
            self.banner, self._is_fault, self.figures = banner, is_fault, figures
            self.update()

    def take_motion(self, seconds: float) -> bool:
        """Moves the camera for keys held over `seconds` [s]; whether it has moved at all."""
        if self.camera is not None and self._held:
            self._move_held(self.camera, seconds)
            self._is_dirty = True
        return self._is_dirty

    def annotated(self) -> QImage | None:
        """The picture with what is painted over it, in the picture's own size."""
        if self._image is None:
            return None
        image = self._image.convertToFormat(QImage.Format.Format_RGB32)
        painter = QPainter(image)
        self._paint_content(painter, QRectF(image.rect()))
        painter.end()
        return image

    def _move_held(self, camera: PaneCamera, seconds: float) -> None:
        way = seconds * FLIGHT_SPEED * (FAST if self._is_fast else 1.0)
        angle = seconds * TURN_SPEED
        for key, (forward, left, up) in _FLIGHT.items():
            if key.value in self._held:
                camera.move(way * forward, way * left, way * up)
        for key, (left, up) in _TURNS.items():
            if key.value in self._held:
                camera.turn(angle * left, angle * up)

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: D102, N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(24, 26, 30))
        if self._image is None:
            painter.setPen(QColor(200, 204, 210))
            flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
            painter.drawText(QRectF(self.rect()).adjusted(16, 16, -16, -16), flags, self.hint)
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            area = self.picture_area(self._image)
            painter.drawImage(area, self._image)
            painter.setClipRect(area)
            self._paint_content(painter, area)
            painter.translate(area.topLeft())
            self.paint_marks(painter, area.width(), area.height())
            painter.resetTransform()
        if self.has_ring and self.hasFocus():
            painter.setClipping(False)
            painter.setPen(self.palette().highlight().color())
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def picture_area(self, image: QImage) -> QRectF:
        """The area [px] of the view that the picture fills."""
        width, height = image.width(), image.height()
        scale = min(self.width() / width, self.height() / height)
        area = QRectF(0.0, 0.0, width * scale, height * scale)
        area.moveCenter(QRectF(self.rect()).center())
        return area

    def in_picture(self, at: QPointF) -> tuple[float, float, float, float] | None:
        """A place of the view in its picture: x, y, and the picture's width and height there.

        None where there is no picture.
        """
        if self._image is None:
            return None
        area = self.picture_area(self._image)
        if not area.contains(at):
            return None
        return at.x() - area.left(), at.y() - area.top(), area.width(), area.height()

    def _paint_content(self, painter: QPainter, area: QRectF) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(area.topLeft())
        self.paint_over(painter, area.width(), area.height())
        self.paint_display(painter, area.width(), area.height())
        painter.restore()
        if self.figures:
            paint_figures(painter, self.figures, area.topLeft() + QPointF(6.0, 6.0))
        if self.banner:
            paint_banner(painter, self.banner, area, is_fault=self._is_fault)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: D102, N802
        super().resizeEvent(event)
        self.resized.emit()

    def focusInEvent(self, event: QFocusEvent | None) -> None:  # noqa: D102, N802
        super().focusInEvent(event)
        self.focused.emit()
        self.take_focus(True)
        self.update()

    def focusOutEvent(self, event: QFocusEvent | None) -> None:  # noqa: D102, N802
        super().focusOutEvent(event)
        self._held.clear()
        self.take_focus(False)
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        if event is None or self.camera is None or self.take_key(event, True):
            return
        self._is_fast = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in _HELD and not _is_command(event):
            self._held.add(event.key())
        elif event.key() in (_K.Key_Plus, _K.Key_Minus):
            self._approach(0.9 if event.key() == _K.Key_Plus else 1.1)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        if event is None or self.take_key(event, False):
            return
        self._is_fast = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if not event.isAutoRepeat():
            # A tap shorter than a frame counts as one.
            if event.key() in self._held and self.camera is not None:
                self.take_motion(1.0 / 60.0)
            self._held.discard(event.key())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is not None:
            self.setFocus()
            if self.take_mouse(event):
                return
            # The right button is the menu's.
            is_drag = event.button() is not Qt.MouseButton.RightButton
            self._dragged_from = event.position() if is_drag else None

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is not None and self.take_mouse(event):
            return
        if event is None or self._dragged_from is None or self.camera is None:
            return
        moved = event.position() - self._dragged_from
        self._dragged_from = event.position()
        self.camera.turn(RADIANS_PER_PIXEL * moved.x(), RADIANS_PER_PIXEL * moved.y())
        self._is_dirty = True

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        self._dragged_from = None
        if event is not None:
            self.take_mouse(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is not None and not self.take_mouse(event):
            super().mouseDoubleClickEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: D102, N802
        if event is not None and _dropped_program(event):
            event.setDropAction(Qt.DropAction.CopyAction)  # a moved file would be deleted there
            event.accept()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: D102, N802
        if event is not None and (file := _dropped_program(event)):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.take_drop(file, event.position())

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: D102, N802
        if event is not None:
            self._approach(0.9 ** (event.angleDelta().y() / 120.0))

    def _approach(self, factor: float) -> None:
        if self.camera is not None:
            self.camera.approach(factor)
            self._is_dirty = True


def _is_command(event: QKeyEvent) -> bool:
    commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    return bool(event.modifiers() & commands)


def _dropped_program(event: QDropEvent) -> str:
    data = event.mimeData()
    urls = data.urls() if data is not None else []
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    return next((file for file in files if file.endswith(".py")), "")
