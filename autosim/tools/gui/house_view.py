"""The map of the OSM Manipulator with its houses, which are set, dragged, turned and removed."""

import numpy as np
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QPen,
)
from PyQt6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QMenu

from autosim.arrays import Floats
from autosim.config.descriptions import House
from autosim.tools.gui.house_edits import TURN, HouseEdits
from autosim.tools.gui.picture_viewer import PictureViewer
from autosim.tools.osm_manipulator.house_placement import PlacedHouse
from autosim.tools.osm_manipulator.preview import (
    FRONT_SHARE,
    NEW_HOUSE,
    NEW_TREE,
    TREE_DOT,
    TREE_WIDTH,
    Plan,
)
from autosim.world.export.plan_image import COLOURS
from autosim.world.geometry.meshes import Surface

_INK = QColor(50, 50, 50)
_CHOSEN = QColor(20, 90, 220)


class HouseItem(QGraphicsPathItem):
    """A house in the picture, in its pixels; the dark part is its front."""

    def __init__(self, number: int, house: PlacedHouse, plan: Plan) -> None:
        super().__init__()
        self.number, self.house = number, house
        flags = QGraphicsItem.GraphicsItemFlag
        self.setFlags(flags.ItemIsSelectable | flags.ItemIsMovable)
        centre = to_picture(np.array(house.centre), plan)
        is_tree = house.house.size[0] < TREE_WIDTH
        self.setPath(_dot(plan) if is_tree else _box(house, plan, 0.0))
        colour = NEW_TREE if is_tree else COLOURS[Surface.ROOF] if house.node else NEW_HOUSE
        self.setBrush(QColor(*colour))
        self.setPen(QPen(Qt.PenStyle.NoPen))
        if not is_tree:
            front = QGraphicsPathItem(_box(house, plan, 1.0 - FRONT_SHARE), self)
            front.setBrush(QBrush(_INK))
            front.setPen(QPen(Qt.PenStyle.NoPen))
        self.setPos(QPointF(*centre))
        self.setToolTip(f"{house.house.name} ({house.house.landuse or 'no land use'})")
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def itemChange(self, change: QGraphicsItem.GraphicsItemChange, value: object) -> object:  # noqa: N802
        """Marks what is chosen."""
        if change is QGraphicsItem.GraphicsItemChange.ItemSelectedHasChanged:
            pen = QPen(_CHOSEN, 2.5)
            pen.setCosmetic(True)
            self.setPen(pen if self.isSelected() else QPen(Qt.PenStyle.NoPen))
        return super().itemChange(change, value)


class HouseView(PictureViewer):
    """A map with houses.

    While `kind` is set, a click on the ground adds a house of it. Otherwise dragging a house moves
    it, Delete removes the selected ones, R and Shift+R turn them, Esc clears `kind` and the
    selection.

    Signals: `placed` (number) after a house was added or moved by the mouse; `let_go`: of `kind`.
    """

    placed = pyqtSignal(int)
    let_go = pyqtSignal()

    def __init__(self, edits: HouseEdits) -> None:
        super().__init__()
        self.edits = edits
        self.kind: House | None = None
        self._plan: Plan | None = None
        self._items: dict[int, HouseItem] = {}
        self._press: QPoint | None = None
        edits.changed.connect(self._show_houses)
        self.setAccessibleName("Map with houses")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_plan(self, plan: Plan) -> None:
        """Shows another map; its houses come with `edits`."""
        self._items.clear()
        self._plan = plan
        self.show_picture(plan.picture)
        self._show_houses()

    def _show_houses(self) -> None:
        """Brings the picture up to date with what has changed."""
        plan, houses, scene = self._plan, self.edits.houses, self.scene()
        if plan is None or scene is None:
            return
        chosen = set(self.chosen())
        for number, item in list(self._items.items()):
            if houses.get(number) is not item.house:
                scene.removeItem(self._items.pop(number))
        for number, house in houses.items():
            if number not in self._items:
                item = self._items[number] = HouseItem(number, house, plan)
                scene.addItem(item)
                item.setSelected(number in chosen)

    def chosen(self) -> list[int]:
        """The numbers of the houses that are chosen."""
        return sorted(number for number, item in self._items.items() if item.isSelected())

    def choose(self, number: int) -> None:
        """Chooses one house alone."""
        for each, item in self._items.items():
            item.setSelected(each == number)

    def set_kind(self, kind: House | None) -> None:
        """Says which house a click sets, None for none."""
        self.kind = kind
        viewport = self.viewport()
        if viewport is not None and kind is not None:
            viewport.setCursor(Qt.CursorShape.CrossCursor)
        elif viewport is not None:
            viewport.unsetCursor()

    def place_at(self, point: QPoint) -> tuple[float, float]:
        """The place [m] in W at a point of the view."""
        assert self._plan is not None
        at = self.mapToScene(point)
        x, y = self._plan.corner
        return (x + at.x() / self._plan.scale, y - at.y() / self._plan.scale)

    def point_of(self, place: tuple[float, float]) -> QPoint:
        """The point of the view at a place [m] in W."""
        assert self._plan is not None
        return self.mapFromScene(QPointF(*to_picture(np.array(place), self._plan)))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Remembers where a click began."""
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            self._press = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Sets a house after a click on the ground, and keeps what was dragged where it is."""
        super().mouseReleaseEvent(event)
        press, self._press = self._press, None
        if event is None or press is None or self._plan is None:
            return
        self._keep_moves()
        point = event.position().toPoint()
        is_click = (point - press).manhattanLength() < 4
        if is_click and self.kind is not None and self._house_at(point) is None:
            number = self.edits.add(self.kind, self.place_at(point))
            self.choose(number)
            self.placed.emit(number)
        if self.kind is not None:
            self.set_kind(self.kind)

    def _keep_moves(self) -> None:
        assert self._plan is not None
        x, y = self._plan.corner
        centres = {}
        for number, item in self._items.items():
            if item.pos() != QPointF(*to_picture(np.array(item.house.centre), self._plan)):
                place = item.pos() / self._plan.scale
                centres[number] = (x + place.x(), y - place.y())
        if centres:
            self.edits.move(centres)
            self.placed.emit(next(iter(centres)))

    def _house_at(self, point: QPoint) -> HouseItem | None:
        item = self.itemAt(point)
        while item is not None and not isinstance(item, HouseItem):
            item = item.parentItem()
        return item

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802 - Qt's name
        """Delete, R, Shift+R, Esc."""
        if event is None:
            return
        match event.key():
            case Qt.Key.Key_Delete:
                self.edits.remove(self.chosen())
            case Qt.Key.Key_R:
                is_left = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.edits.turn(self.chosen(), TURN if is_left else -TURN)
            case Qt.Key.Key_Escape:
                self.choose(-1)
                self.let_go.emit()
            case _:
                super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802 - Qt's name
        """Opens what can be done here."""
        if event is not None and self._plan is not None:
            self.menu_at(event.pos()).popup(event.globalPos())

    def menu_at(self, point: QPoint) -> QMenu:
        """The menu for the house, or the ground, at a point of the view."""
        item, menu = self._house_at(point), QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        if item is not None and not item.isSelected():
            self.choose(item.number)
        edits, chosen = self.edits, self.chosen() if item is not None else []

        def add(text: str, do: object, *, is_enabled: bool = True) -> None:
            action = menu.addAction(text)
            assert action is not None
            action.setEnabled(is_enabled)
            action.triggered.connect(do)  # type: ignore[arg-type]

        if chosen:
            add("Turn &Right (R)", lambda: edits.turn(chosen, -TURN))
            add("Turn &Left (Shift+R)", lambda: edits.turn(chosen, TURN))
            add("Look at the &Street", lambda: edits.face_street(chosen))
            add("&Delete", lambda: edits.remove(chosen))
        elif self.kind is not None:
            kind, place = self.kind, self.place_at(point)
            add(f"&Set {kind.name} Here", lambda: edits.add(kind, place))
        menu.addSeparator()
        add("&Undo (Ctrl+Z)", edits.stack.undo, is_enabled=edits.stack.canUndo())
        add("R&edo (Ctrl+Y)", edits.stack.redo, is_enabled=edits.stack.canRedo())
        add(
            "Remove &All Houses",
            lambda: edits.remove(edits.houses),
            is_enabled=bool(edits.houses),
        )
        return menu

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: N802 - Qt's name
        """Blocks changes while work is in progress, since the result would overwrite them."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.EnabledChange and self._plan:
            self._show_houses()


def to_picture(places: Floats, plan: Plan) -> Floats:
    """The pixels (..., 2) of places (..., 2) [m] in W."""
    pixels: Floats = (places - np.array(plan.corner)) * np.array([plan.scale, -plan.scale])
    return pixels


def _box(house: PlacedHouse, plan: Plan, begin: float) -> QPainterPath:
    """The part of a house's box from that share of its depth on, about its centre."""
    corners = house.corners
    back = corners[[0, 3]] * (1.0 - begin) + corners[[1, 2]] * begin
    ring = np.vstack([back[0], corners[1], corners[2], back[1]])
    points = to_picture(ring, plan) - to_picture(np.array(house.centre), plan)
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(QPointF(*point))
    path.closeSubpath()
    return path


def _dot(plan: Plan) -> QPainterPath:
    path, radius = QPainterPath(), TREE_DOT * plan.scale
    path.addEllipse(QPointF(0.0, 0.0), radius, radius)
    return path
