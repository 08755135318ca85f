"""The signs on the buttons, drawn in the colours of the palette, light or dark."""

from enum import Enum

from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPixmap, QPolygonF

_SIZE = 64
"""[pixels] Edge of the square on which signs are drawn; Qt scales them down for buttons."""

Shape = tuple[tuple[float, float], ...]

_PLAY: Shape = ((16, 10), (54, 32), (16, 54))
"""The triangle of Run, corners [pixels] in a sign of 64 by 64."""


class IconGlyph(Enum):
    """A sign: the filled shapes that it is made of, on a square of 64."""

    RUN = (_PLAY,)
    PAUSE = (((14, 10), (26, 10), (26, 54), (14, 54)), ((38, 10), (50, 10), (50, 54), (38, 54)))
    STEP = (
        ((10, 10), (40, 32), (10, 54)),
        ((44, 10), (54, 10), (54, 54), (44, 54)),
    )
    STOP = (((13, 13), (51, 13), (51, 51), (13, 51)),)
    RESET = (
        ((54, 10), (24, 32), (54, 54)),
        ((10, 10), (20, 10), (20, 54), (10, 54)),
    )
    LOAD = (
        ((26, 6), (38, 6), (38, 28), (52, 28), (32, 48), (12, 28), (26, 28)),
        ((8, 50), (56, 50), (56, 58), (8, 58)),
    )


def make_icon(sign: IconGlyph, palette: QPalette) -> QIcon:
    """The icon, also for a button that is disabled."""
    icon = QIcon()
    groups = (
        (QIcon.Mode.Normal, QPalette.ColorGroup.Active),
        (QIcon.Mode.Disabled, QPalette.ColorGroup.Disabled),
    )
    for mode, group in groups:
        colour = palette.color(group, QPalette.ColorRole.ButtonText)
        icon.addPixmap(_draw(sign, colour), mode)
    return icon


def _draw(sign: IconGlyph, colour: QColor) -> QPixmap:
    pixmap = QPixmap(_SIZE, _SIZE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(colour)
    pen = QPen(colour, 3.0)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    for shape in sign.value:
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in shape]))
    painter.end()
    return pixmap
