"""The menus of the right mouse button over the tree and the map: what can be done with a robot."""

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtWidgets import QMenu

from autosim.applications.gui.server.map.robot_changes import RobotChanges
from autosim.applications.gui.server.server_shell import ServerShell
from autosim.applications.gui.server.world_editing import WorldEditing
from autosim.applications.gui.shared.menus import add_action, copy_text
from autosim.applications.gui.shared.objects.tree_model import TreeRow, is_editable, is_plottable


class ContextMenus(QObject):
    """Opens the menus, and does what is chosen.

    Args:
        window: its tree, map and programs are shown, followed and asked for.
        managing: adds robots, starts and stops programs.
        changes: moves and removes robots.
        plot: plots a row, in the plot of that name or, for "", in one of its own.
    """

    def __init__(
        self,
        window: ServerShell,
        *,
        managing: WorldEditing,
        changes: RobotChanges,
        plot: Callable[[TreeRow, str], None],
    ) -> None:
        super().__init__(window)
        self._window, self._managing, self._changes, self._plot = window, managing, changes, plot
        window.objects.menu_wanted.connect(self._open_tree_menu)
        window.map.menu_wanted.connect(self._open_map_menu)

    def _open_tree_menu(self, row: TreeRow, at: QPoint) -> None:
        menu = self.tree_menu(row)
        menu.popup(at)

    def _open_map_menu(self, robot: str, x: float, y: float, at: QPoint) -> None:
        self.map_menu(robot, x, y).popup(at)

    def tree_menu(self, row: TreeRow) -> QMenu:
        """Context menu of a row of the tree."""
        menu = self._menu()
        self._window.objects.add_copies(menu, row)
        menu.addSeparator()
        self._add_plots(menu, row)
        if is_editable(row):
            add_action(menu, "&Set Value… (F2)", lambda: self._window.objects.edit(row))
        robot = row.node.name.split(".", 1)[0]
        if robot in self._window.map.robots.names:
            menu.addSeparator()
            self._add_robot(menu, robot)
            if row.node.name == robot:
                add_action(menu, "&Unfold All", lambda: self._window.objects.unfold(row))
        return menu

    def _add_plots(self, menu: QMenu, row: TreeRow) -> None:
        plots = self._window.plots
        add_action(menu, "&Plot (P)", lambda: self._plot(row, ""), is_enabled=is_plottable(row))
        others = [name for name in plots.names if row.path not in plots.curves_of(name)]
        if is_plottable(row) and others:
            together = QMenu("Plot &Together With", menu)
            for name in others:
                add_action(together, name, partial(self._plot, row, name))
            menu.addMenu(together)
        if plots.is_plotted(row.path):
            add_action(menu, "Take out of the P&lots", lambda: plots.take_out(row.path))

    def map_menu(self, robot: str, x: float, y: float) -> QMenu:
        """Context menu of a robot on the map, or, for "", of a place x, y [m]."""
        menu, view = self._menu(), self._window.map
        is_live = self._window.is_live
        chosen = view.robots.chosen_name
        if robot:
            self._add_robot(menu, robot)
            add_action(menu, "Copy &Name", lambda: copy_text(robot))
        else:
            if chosen:
                add_action(
                    menu,
                    f"&Move {chosen} Here",
                    lambda: self._changes.move_here(chosen, x, y),
                    is_enabled=is_live,
                )
            add_action(
                menu,
                "&Add a Robot Here…",
                lambda: self._managing.ask_for_robot((x, y)),
                is_enabled=is_live,
            )
        menu.addSeparator()
        add_action(menu, "Copy &Place", lambda: copy_text(f"{x:.2f},{y:.2f}"))
        add_action(menu, "Show the &Whole Map (0)", view.fit)
        return menu

    def _add_robot(self, menu: QMenu, robot: str) -> None:
        """Adds the actions for a robot, wherever it is shown."""
        window, changes, is_live = self._window, self._changes, self._window.is_live
        add_action(menu, f"&Follow {robot} on the Map", lambda: window.follow(robot))
        add_action(menu, "S&how in the Tree", lambda: window.objects.select(robot))
        add_action(menu, "&Turn to…", lambda: changes.ask_for_heading(robot), is_enabled=is_live)
        add_action(menu, "&Remove…", lambda: changes.ask_to_remove(robot), is_enabled=is_live)
        menu.addSeparator()
        window.programs.add_to_menu(menu, robot)
        menu.addSeparator()

    def _menu(self) -> QMenu:
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu
