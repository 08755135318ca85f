"""A picture that can be moved with the mouse and made larger with the wheel."""

from PIL import Image
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage, QPainter, QPixmap, QResizeEvent, QWheelEvent
from PyQt6.QtWidgets import QGraphicsPixmapItem, QGraphicsScene, QGraphicsView

_ZOOM_STEP = 1.25
"""Factor of one step of the mouse wheel."""

_LARGEST = 20.0
"""Greatest factor between pixels of the screen and of the picture."""


class PictureViewer(QGraphicsView):
    """Shows one picture, as large as the view lets it until the user zooms."""

    def __init__(self) -> None:
        self._pictures = QGraphicsScene()
        super().__init__(self._pictures)
        self._item: QGraphicsPixmapItem | None = None
        self._zoom = 1.0
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setRenderHints(
            QPainter.RenderHint.SmoothPixmapTransform | QPainter.RenderHint.Antialiasing
        )
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setMinimumSize(320, 320)

    @property
    def has_picture(self) -> bool:
        """Whether a picture is shown."""
        return self._item is not None

    def show_picture(self, picture: Image.Image) -> None:
        """Shows an RGB picture in place of the last one."""
        data = picture.convert("RGB").tobytes()
        width, height = picture.size
        image = QImage(data, width, height, 3 * width, QImage.Format.Format_RGB888)
        self._pictures.clear()
        # The pixmap is a copy, so the bytes may go.
        self._item = self._pictures.addPixmap(QPixmap.fromImage(image))
        self._pictures.setSceneRect(0.0, 0.0, width, height)
        self._zoom = 1.0
        self._fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: N802 - Qt's name
        """Zooms about the mouse."""
        if event is None or self._item is None:
            return
        factor = _ZOOM_STEP if event.angleDelta().y() > 0 else 1.0 / _ZOOM_STEP
        zoom = self._zoom * factor
        if zoom <= 1.0:
            self._zoom = 1.0
            self._fit()
        elif zoom <= _LARGEST:
            self._zoom = zoom
            self.scale(factor, factor)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Keeps an unzoomed picture whole."""
        super().resizeEvent(event)
        if self._zoom == 1.0:
            self._fit()

    def _fit(self) -> None:
        if self._item is not None:
            self.fitInView(self._item, Qt.AspectRatioMode.KeepAspectRatio)
