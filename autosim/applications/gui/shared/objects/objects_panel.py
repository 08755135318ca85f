"""Simulation Objects: the tree with its values, a filter by name, and the selected actuator."""

from PyQt6.QtCore import QModelIndex, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QFontDatabase,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLineEdit,
    QMenu,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.shared.formats import unit_text, value_text
from autosim.applications.gui.shared.menus import add_action, copy_text
from autosim.applications.gui.shared.objects.actuator_panel import ActuatorPanel
from autosim.applications.gui.shared.objects.tree_model import (
    TreeColumn,
    TreeModel,
    TreeRow,
    is_plottable,
)
from autosim.applications.gui.shared.shrinkable import Shrinkable
from autosim.config.descriptions import WorldDescription
from autosim.model.state import State
from autosim.model.tree import Access, TreeNode

FEW_ROBOTS = 3
"""Number of robots that are shown unfolded: with more, a user would scroll to find the next one."""

LEAST_LINES = 14
"""In a panel of fewer lines there is no actuator below the tree."""

_ROOM_FOR_KIND = 79
"""Width [characters] from which on the tree has a column of kinds, where it has none of values in
other units."""

_ROOM_FOR_OTHER = 106
"""Width [characters] from which on the tree has a column of values in other units."""

_ROOM_FOR_ALL = 122
"""Width [characters] from which on the tree has both."""


class TreeView(QTreeView):
    """The tree.

    Signals: `plot_wanted` (Row), by a double click or P; `plot_together_wanted` (Row), by Shift+P;
    `menu_wanted` (Row, point on the screen).

    `is_in_click`: a row is chosen by the first press of what may become a double click.
    """

    plot_wanted = pyqtSignal(object)
    plot_together_wanted = pyqtSignal(object)
    menu_wanted = pyqtSignal(object, QPoint)

    def __init__(self, model: TreeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = model
        self.setModel(model)
        # Rows of one height are what keeps a tree of thousands of rows quick.
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setIndentation(14)
        self.setMinimumHeight(3 * self.fontMetrics().height())
        self.setExpandsOnDoubleClick(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAccessibleName("Simulation objects")
        self.setToolTip(
            "Double click or P: plot. Shift+P: plot together with the last. F2: set an actuator's "
            "value. Right click: more."
        )
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
        header, viewport = self.header(), self.viewport()
        assert header is not None
        assert viewport is not None
        # Qt draws again the rows that a signal names, and `TreeModel.refresh` names the top ones.
        model.dataChanged.connect(lambda: viewport.update())
        self._header = header
        self._is_fitting, self._is_fitted = False, True
        self.is_in_click = False
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.sectionResized.connect(self._leave_columns)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: D102, N802
        super().resizeEvent(event)
        if self._is_fitted:
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Gives each column the width that it needs, as far as the window has room."""
        character = self.fontMetrics().averageCharWidth()
        room = self._header.width()
        self._is_fitting = True
        self._header.resizeSection(TreeColumn.NAME, min(26 * character, round(0.38 * room)))
        self._header.resizeSection(TreeColumn.VALUE, min(36 * character, round(0.5 * room)))
        self._header.resizeSection(TreeColumn.UNIT, min(7 * character, round(0.11 * room)))
        self._header.resizeSection(TreeColumn.OTHER, 38 * character)
        # In a narrow window the tool tip has the one, and names tell the other.
        has_other = room >= _ROOM_FOR_OTHER * character
        least = _ROOM_FOR_ALL if has_other else _ROOM_FOR_KIND
        self.setColumnHidden(TreeColumn.OTHER, not has_other)
        self._header.resizeSection(TreeColumn.KIND, 10 * character)  # stretched, but no less
        self.setColumnHidden(TreeColumn.KIND, room < least * character)
        self._is_fitting = False

    def _leave_columns(self, column: int) -> None:
        # The last column that is shown takes what is left; any other was moved by the user, who
        # knows better.
        last = TreeColumn.OTHER if self.isColumnHidden(TreeColumn.KIND) else TreeColumn.KIND
        last = TreeColumn.UNIT if self.isColumnHidden(last) else last
        if not self._is_fitting and column < last:
            self._is_fitted = False

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        self.is_in_click = True
        super().mousePressEvent(event)
        self.is_in_click = False

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        super().mouseDoubleClickEvent(event)
        if event is not None and event.button() is Qt.MouseButton.LeftButton:
            self._activate(self.indexAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        if event is not None and event.key() == Qt.Key.Key_P:
            is_together = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._activate(self.currentIndex(), is_together=is_together)
        elif event is not None and event.key() == Qt.Key.Key_F2:
            self.edit(self.currentIndex().siblingAtColumn(TreeColumn.VALUE))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: D102, N802
        viewport = self.viewport()
        if event is None or viewport is None:
            return
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            index, at = self.indexAt(event.pos()), event.globalPos()
        else:
            index = self.currentIndex()
            at = viewport.mapToGlobal(self.visualRect(index).bottomLeft())
        row = self._rows.row_of(index)
        if row is not None:
            self.menu_wanted.emit(row, at)

    def _activate(self, index: QModelIndex, *, is_together: bool = False) -> None:
        row = self._rows.row_of(index)
        if row is None:
            return
        if is_plottable(row):
            (self.plot_together_wanted if is_together else self.plot_wanted).emit(row)
        else:
            name = index.siblingAtColumn(TreeColumn.NAME)
            self.setExpanded(name, not self.isExpanded(name))


class ObjectsPanel(QWidget):
    """The tree with its filter above and the selected actuator below.

    Signals: `plot_wanted` (Row), `plot_together_wanted` (Row): with others in one plot;
    `menu_wanted` (Row, point on the screen); `set_wanted` (actuator, values); `robot_chosen`
    (name).
    """

    plot_wanted = pyqtSignal(object)
    plot_together_wanted = pyqtSignal(object)
    menu_wanted = pyqtSignal(object, QPoint)
    set_wanted = pyqtSignal(str, object)
    robot_chosen = pyqtSignal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TreeModel(self)
        self.view = TreeView(self.model, self)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText("Filter by name (Ctrl+F)")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("Filter by name")
        self.actuator = ActuatorPanel(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.filter)
        layout.addWidget(self.view, 1)
        self._beside = Shrinkable(self.actuator, self)
        layout.addWidget(self._beside)
        self._show_actuator = QTimer(self)
        self._show_actuator.setSingleShot(True)
        self._show_actuator.timeout.connect(self._take_actuator)
        self._unfolded: set[str] | None = None
        self._world: WorldDescription | None = None
        self.filter.textChanged.connect(self._filter)
        self.filter.returnPressed.connect(self._enter_tree)
        self.view.plot_wanted.connect(self.plot_wanted)
        self.view.plot_together_wanted.connect(self.plot_together_wanted)
        self.view.menu_wanted.connect(self.menu_wanted)
        self.model.edited.connect(self.set_wanted)
        self.actuator.set_wanted.connect(self.set_wanted)
        selection = self.view.selectionModel()
        assert selection is not None
        selection.currentChanged.connect(self._choose)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: D102, N802
        super().resizeEvent(event)
        # In a low window the tree needs the room; F2 sets an actuator there, too.
        self._beside.setVisible(self.height() >= LEAST_LINES * self.fontMetrics().height())

    def show_world(self, world: WorldDescription, state: State) -> None:
        """Shows the tree of a world, with the values of `state`."""
        self._world = world
        if not self.model.show(state):
            return
        self._show_actuator.stop()
        self.actuator.forget()
        if len(world.robots) <= FEW_ROBOTS:
            self.view.expandToDepth(1)
        self._unfolded = None
        self._filter(self.filter.text())

    def refresh(self) -> None:
        """Shows the state's present values."""
        self.model.refresh()
        self.actuator.refresh()

    def add_copies(self, menu: QMenu, row: TreeRow) -> None:
        """Adds to a menu what copies the name of a row and its value with the unit."""
        value, text = self.model.value(row), ""
        if value is not None and row.field is not None:
            text = f"{value_text(value, row.node, row.field)} {unit_text(row.field)}".strip()
        add_action(menu, "Copy &Name", lambda: copy_text(row.path))
        add_action(menu, "Copy &Value", lambda: copy_text(text), is_enabled=bool(text))

    @property
    def current_path(self) -> str:
        """The name of the current node or field, "" where there is none."""
        row = self.model.row_of(self.view.currentIndex())
        return row.path if row is not None else ""

    def select(self, path: str) -> bool:
        """Makes the node or field with that name the current one; whether there is one."""
        index = self.model.find(path)
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
        return index.isValid()

    def edit(self, row: TreeRow) -> None:
        """Lets the user write the value of a row."""
        self.view.edit(self.model.index_of(row, TreeColumn.VALUE))

    def release_actuator(self) -> None:
        """Takes the focus from the sliders of the actuator: they follow its values again."""
        focused = QApplication.focusWidget()
        if focused is not None and self.actuator.isAncestorOf(focused):
            self.view.setFocus()

    def unfold(self, row: TreeRow) -> None:
        """Shows all that is below a row."""
        self.view.expandRecursively(self.model.index_of(row))

    def _choose(self, current: QModelIndex) -> None:
        row = self.model.row_of(current)
        if row is None or self._world is None:
            return
        self.robot_chosen.emit(_robot_of(row.node))
        self._show_actuator.stop()
        if self.view.is_in_click and not self.actuator.isVisible():
            # The panel takes the lower half of the tree: the second press of a double click there
            # would meet the panel in place of the row.
            self._show_actuator.start(QApplication.doubleClickInterval())
        else:
            self._take_actuator()

    def _take_actuator(self) -> None:
        """Selects the actuator of the current row for its sliders."""
        row = self.model.row_of(self.view.currentIndex())
        if row is None:
            return
        node = self._actuator_for(row.node)
        if node is None or self.model.state is None:
            self.actuator.forget()
        else:
            self.actuator.take(node, model=self.model)
            self._settle_layout()
            self.view.scrollTo(self.view.currentIndex())

    def _settle_layout(self) -> None:
        layout = self.layout()
        if layout is not None:
            layout.activate()

    def _actuator_for(self, node: TreeNode) -> TreeNode | None:
        """The actuator to show for a node: itself, else one of its robot, if it has any.

        One of the same robot stays selected while its sensors are selected in the tree.
        """
        if node.access is Access.DRIVE:
            return node
        taken, state = self.actuator.node, self.model.state
        if taken is not None and _robot_of(taken) == _robot_of(node):
            return taken
        robot = state.tree.find(_robot_of(node)) if state is not None else None
        walk = robot.walk() if robot is not None else iter(())
        return next((each for each in walk if each.access is Access.DRIVE), None)

    def _filter(self, text: str) -> None:
        wanted = text.strip().casefold()
        if wanted and self._unfolded is None:
            self._unfolded = self._unfolded_rows()
        rows = list(self.model.rows())
        shown = rows_to_show(rows, wanted)
        for row in rows:
            index = self.model.index_of(row)
            parent = index.parent()
            if self.view.isRowHidden(row.position, parent) is shown[row.number]:
                self.view.setRowHidden(row.position, parent, not shown[row.number])
        if wanted:
            self._unfold(rows, shown)
            found = first_found(rows, wanted)
            if found is not None:
                self.view.scrollTo(self.model.index_of(found))
        elif self._unfolded is not None:
            self._fold_again(rows)

    def _enter_tree(self) -> None:
        """Selects the first row that the filter has found."""
        wanted = self.filter.text().strip().casefold()
        found = first_found(list(self.model.rows()), wanted)
        if found is not None:
            self.view.setCurrentIndex(self.model.index_of(found))
        self.view.setFocus()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        # What the line has no use for comes up to here.
        key = event.key() if event is not None and self.focusWidget() is self.filter else None
        if key == Qt.Key.Key_Down:
            self._enter_tree()
        elif key == Qt.Key.Key_Escape and self.filter.text():
            self.filter.clear()
        else:
            super().keyPressEvent(event)

    def _unfolded_rows(self) -> set[str]:
        """The paths of the rows that are unfolded now."""
        model, view = self.model, self.view
        return {row.path for row in model.rows() if view.isExpanded(model.index_of(row))}

    def _fold_again(self, rows: list[TreeRow]) -> None:
        """Restores the tree from before the filter, with the selected row in sight."""
        unfolded, self._unfolded = self._unfolded or set(), None
        for row in rows:
            self.view.setExpanded(self.model.index_of(row), row.path in unfolded)
        if self.view.currentIndex().isValid():
            self.view.scrollTo(self.view.currentIndex())

    def _unfold(self, rows: list[TreeRow], shown: list[bool]) -> None:
        for row in rows:
            if shown[row.number] and any(shown[child] for child in row.children):
                self.view.expand(self.model.index_of(row))


def _robot_of(node: TreeNode) -> str:
    return node.name.split(".", 1)[0]


def rows_to_show(rows: list[TreeRow], wanted: str) -> list[bool]:
    """For each row whether it, a row above it or a row below it has `wanted` in its name."""
    shown = [wanted in row.path.casefold() for row in rows]
    for row in rows:
        if row.parent >= 0 and wanted in rows[row.parent].path.casefold():
            shown[row.number] = True
    for row in reversed(rows):
        if shown[row.number] and row.parent >= 0:
            shown[row.parent] = True
    return shown


def first_found(rows: list[TreeRow], wanted: str) -> TreeRow | None:
    """The first row whose own name holds `wanted`, else the first with it in its path."""
    found = [row for row in rows if wanted in row.path.casefold()]
    return next((row for row in found if wanted in row.label.casefold()), next(iter(found), None))
