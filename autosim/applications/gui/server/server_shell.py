"""The server window's parts and where they stand; what they do is in `server_window`."""

from PyQt6.QtCore import QEvent, QSettings, Qt, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence
from PyQt6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMenu,
    QToolBar,
    QWidget,
)

from autosim.applications.gui.server.map.map_view import MapView
from autosim.applications.gui.server.network_panel import NetworkPanel
from autosim.applications.gui.server.operator import ServerSettings
from autosim.applications.gui.server.plots.plots_panel import PlotsPanel
from autosim.applications.gui.server.programs_panel import ProgramsPanel
from autosim.applications.gui.server.server_actions import ServerActions
from autosim.applications.gui.server.simulation_controls import SimulationControls
from autosim.applications.gui.server.time_panel import TimePanel
from autosim.applications.gui.shared.layout.panel_docks import Area, PanelDocks
from autosim.applications.gui.shared.layout.window_appearance import AppearanceMenu
from autosim.applications.gui.shared.loading.loading_bar import LoadingBar
from autosim.applications.gui.shared.loading.recent import RecentWorlds
from autosim.applications.gui.shared.messages.messages_panel import MessagesPanel
from autosim.applications.gui.shared.objects.objects_panel import ObjectsPanel
from autosim.config.reading.map_kinds import MAP_SUFFIXES
from autosim.tools.gui.first_size import take_first_size
from autosim.tools.gui.help_menu import HelpMenu

_MORE_KEYS = (
    ("Tree: plot a value", "double click, P"),
    ("Tree: plot it together with the last", "Shift+P"),
    ("Tree: set an actuator's value", "F2"),
    ("Map: zoom; move", "wheel, + -; drag, arrows"),
    ("Map: carry a robot; turn it", "drag it; drag its circle"),
    ("Map: … in steps of 15°", "Shift"),
    ("Map: remove the selected robot", "Delete"),
    ("Plot: zoom; follow; close", "wheel, + -; A; Delete"),
    ("What can be done with this", "right click, Menu"),
    ("Next part of the window", "Ctrl+Tab"),
)
"""Keys and mouse actions in addition to the menus."""


class ServerShell(QMainWindow):
    """Dockable panels: at first tree, map and plots above; messages, programs and network below.

    Args:
        server: options of the server.
        settings: where recent worlds and the window's shape are kept.

    Signals: `world_chosen` (file) from the menu of recent worlds, or dropped.
    """

    world_chosen = pyqtSignal(str)

    def __init__(self, server: ServerSettings, settings: QSettings) -> None:
        super().__init__()
        self._settings = settings
        self.recent = RecentWorlds(settings)
        self.objects = ObjectsPanel()
        self.map = MapView()
        self.plots = PlotsPanel()
        self.messages = MessagesPanel()
        self.programs = ProgramsPanel(is_safe=server.is_safe)
        self.network = NetworkPanel(
            host=server.host, port=server.port, is_insecure=server.is_insecure
        )
        self.time = TimePanel()
        self._is_replay = server.replay is not None
        self.controls = SimulationControls(pace=server.pace)
        self.docks = PanelDocks(self, settings)
        self._actions: ServerActions | None = None
        self._lay_out()

    @property
    def is_live(self) -> bool:
        """Whether there is a simulation that takes orders."""
        return self._actions is not None and self._actions.add_robot.isEnabled()

    def follow(self, robot: str) -> None:
        """Shows a robot on the map and keeps it in the middle."""
        self.objects.select(robot)
        self.map.choose(robot)
        self.docks.bring(self.map)
        self.map.follow()

    def equip(self, actions: ServerActions) -> None:
        """Puts the commands where they can be found."""
        self._actions = actions
        self._make_menus(actions)
        self._make_tool_bar(actions)
        self.docks.remember_first()
        self.docks.restore()
        if self._is_replay:
            self.docks.bring(self.time)

    def _lay_out(self) -> None:
        self.setAcceptDrops(True)
        take_first_size(self, 1180, 700)
        docks, left, right = self.docks, Area.LeftDockWidgetArea, Area.RightDockWidgetArea
        docks.add(self.objects, "Simulation Objects", left)
        docks.add(self.map, "Map", right)
        docks.add(self.plots, "Plots", right, tabbed_with=self.map)
        below = Area.BottomDockWidgetArea
        docks.add(self.messages, "Messages", below)
        docks.add(self.programs, "User Programs", below, tabbed_with=self.messages)
        docks.add(self.network, "Network", below, tabbed_with=self.messages)
        docks.add(self.time, "Time", below, tabbed_with=self.messages)
        docks.resize({self.objects: 620, self.map: 550}, Qt.Orientation.Horizontal)
        docks.resize({self.objects: 430, self.messages: 190}, Qt.Orientation.Vertical)
        docks.raise_panel(self.map)
        docks.raise_panel(self.messages)
        self._make_status_bar()

    def _make_menus(self, does: ServerActions) -> None:
        bar = self.menuBar()
        assert bar is not None
        file, simulation, view = (QMenu(text, self) for text in ("&File", "&Simulation", "&View"))
        for menu in (file, simulation, view):
            bar.addMenu(menu)
        file.addAction(does.select)
        self._recent_menu = QMenu("&Recent Worlds", self)
        self._recent_menu.aboutToShow.connect(self._fill_recent_menu)
        file.addMenu(self._recent_menu)
        file.addAction(does.save)
        file.addSeparator()
        file.addAction(does.close)
        simulation.addActions([*does.simulation, does.cancel])
        simulation.addSeparator()
        simulation.addActions([does.add_robot, does.undo, does.attach, does.restart_program])
        self._fill_view_menu(view)
        self.help = HelpMenu(self, "server_window.md", more_keys=_MORE_KEYS)
        bar.addMenu(self.help)

    def _fill_view_menu(self, menu: QMenu) -> None:
        def add(text: str, keys: str, do: object) -> None:
            action = menu.addAction(text)
            assert action is not None
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(do)  # type: ignore[arg-type]

        panels: tuple[QWidget, ...] = (self.objects, self.map, self.plots, self.messages)
        panels += (self.programs, self.network, self.time)
        keys = {panel: f"Ctrl+{number}" for number, panel in enumerate(panels, start=1)}
        self.docks.fill_menu(menu, keys)
        menu.addMenu(AppearanceMenu(self._settings, self))
        menu.addSeparator()
        add("&Filter Objects", "Ctrl+F", lambda: self.objects.filter.setFocus())
        add("Show the &Whole Map", "Ctrl+0", self.map.fit)
        add("Follow the &Robot in Hand", "Ctrl+Shift+F", self.map.follow)
        add("&Close All Plots", "Ctrl+Shift+W", self.plots.clear)

    def _make_tool_bar(self, does: ServerActions) -> None:
        bar = QToolBar("Simulation", self)
        bar.setObjectName("simulation")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        does.paint(self.palette())
        bar.addActions(does.simulation)
        for action in does.simulation:
            button = bar.widgetForAction(action)
            if button is not None:
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        pace = QToolBar("Step size and pace", self)
        pace.setObjectName("pace")
        pace.setMovable(False)
        pace.addWidget(self.controls)
        self.addToolBar(bar)
        self.addToolBarBreak()
        self.addToolBar(pace)
        for each in (bar, pace):
            each.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def _make_status_bar(self) -> None:
        bar = self.statusBar()
        assert bar is not None
        self.stage_label, self.time_label, self.speed_label = QLabel(), QLabel(), QLabel()
        self.chosen_label = QLabel()
        for label in (self.stage_label, self.chosen_label, self.speed_label, self.time_label):
            label.setContentsMargins(6, 0, 6, 0)
        bar.addWidget(self.stage_label)
        self.loading = LoadingBar()
        bar.addWidget(self.chosen_label)
        bar.addWidget(self.loading, 1)
        bar.addPermanentWidget(self.speed_label)
        bar.addPermanentWidget(self.time_label)

    def _fill_recent_menu(self) -> None:
        self._recent_menu.clear()
        for number, file in enumerate(self.recent.files, start=1):
            action = self._recent_menu.addAction(f"&{number} {file}")
            if action is not None:
                action.triggered.connect(lambda _, file=file: self.world_chosen.emit(file))
        self._recent_menu.addSeparator()
        self._recent_menu.addAction("&Forget These", self.recent.clear)

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: D102, N802
        if event is not None and _dropped_file(event):
            event.setDropAction(Qt.DropAction.CopyAction)  # a moved file would be deleted there
            event.accept()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: D102, N802
        file = _dropped_file(event) if event is not None else ""
        is_free = self._actions is not None and self._actions.select.isEnabled()
        if event is not None and file and is_free:
            self.world_chosen.emit(file)
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: D102, N802
        super().changeEvent(event)
        is_other = event is not None and event.type() == QEvent.Type.PaletteChange
        if is_other and self._actions is not None:
            self._actions.paint(self.palette())


def _dropped_file(event: QDropEvent) -> str:
    data = event.mimeData()
    urls = data.urls() if data is not None else []
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    return next((file for file in files if file.endswith((".xml", *MAP_SUFFIXES))), "")
