"""The client window's parts and where they stand; what they do is in `client_window`."""

from PyQt6.QtCore import QEvent, QSettings, Qt
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMenu,
    QProgressBar,
    QScrollArea,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.client.client_actions import ClientActions
from autosim.applications.gui.client.pictures.pane import PaneGrid
from autosim.applications.gui.client.settings_panel import SettingsPanel
from autosim.applications.gui.shared.layout.panel_docks import Area, PanelDocks
from autosim.applications.gui.shared.layout.window_appearance import AppearanceMenu
from autosim.applications.gui.shared.loading.recent import RecentWorlds
from autosim.applications.gui.shared.messages.banner import Banner
from autosim.applications.gui.shared.messages.messages_panel import MessagesPanel
from autosim.applications.gui.shared.objects.objects_panel import ObjectsPanel
from autosim.tools.gui.first_size import take_first_size
from autosim.tools.gui.help_menu import HelpMenu

_MORE_KEYS = (
    ("Fly the free camera", "W A S D, Q E"),
    ("… fast", "Shift"),
    ("Turn it; go around the robot", "arrows, mouse"),
    ("Nearer, farther", "wheel, + -"),
    ("Select a robot; follow it", "click it; double click"),
    ("Move a robot", "Shift and drag it"),
    ("Run a program for a robot", "drop the file on it"),
)
"""Keys and mouse actions in a picture."""


class ClientShell(QMainWindow):
    """Pictures, and dockable panels around them: fields and tree at the left, messages below.

    Args:
        settings: where recent worlds are kept.
    """

    def __init__(self, settings: QSettings) -> None:
        super().__init__()
        self.recent = RecentWorlds(settings)
        self.fields = SettingsPanel()
        self.objects = ObjectsPanel()
        self.messages = MessagesPanel()
        self.grid = PaneGrid()
        self.banner = Banner("Restar&t")
        self._settings = settings
        self.docks = PanelDocks(self, settings)
        self._commands: ClientActions | None = None
        self._lay_out()

    def equip(self, commands: ClientActions, overlays: list[QAction]) -> None:
        """Puts the commands where they can be found."""
        self._commands = commands
        self._make_menus(commands, overlays)
        self._make_tool_bar(commands)
        self.docks.remember_first()
        self.fields.restore_folds(self._settings)
        self.docks.restore()

    def keep_shape(self) -> None:
        """Keeps the layout of the window for the next time."""
        self.docks.save()
        self.fields.save_folds(self._settings)

    def _lay_out(self) -> None:
        self.setWindowTitle("AutoSim Client")
        take_first_size(self, 1240, 700)
        # On a small screen the fields scroll, so that the tree keeps its place.
        fields = QScrollArea()
        fields.setWidget(self.fields)
        fields.setWidgetResizable(True)
        fields.setFrameShape(QScrollArea.Shape.NoFrame)
        fields.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        fields.setMinimumHeight(70)
        fields.setMinimumWidth(self.fields.minimumSizeHint().width())
        self.objects.setMinimumHeight(140)
        pictures = QWidget()
        column = QVBoxLayout(pictures)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.banner)
        column.addWidget(self.grid, 1)
        self.setCentralWidget(pictures)
        docks, self.settings_area = self.docks, fields
        # The panels at the left reach down to the status bar.
        self.setCorner(Qt.Corner.BottomLeftCorner, Area.LeftDockWidgetArea)
        docks.add(fields, "Settings", Area.LeftDockWidgetArea)
        docks.add(self.objects, "Simulation Objects", Area.LeftDockWidgetArea)
        docks.add(self.messages, "Messages", Area.BottomDockWidgetArea)
        wanted = self.fields.sizeHint().height()
        docks.resize({fields: 400}, Qt.Orientation.Horizontal)
        sizes = {fields: wanted, self.objects: max(700 - wanted, 100)}
        docks.resize(sizes, Qt.Orientation.Vertical)
        docks.resize({self.messages: 150}, Qt.Orientation.Vertical)
        self._make_status_bar()

    def _make_menus(self, does: ClientActions, overlays: list[QAction]) -> None:
        bar = self.menuBar()
        assert bar is not None
        file, simulation, view = (QMenu(text, self) for text in ("&File", "&Simulation", "&View"))
        for menu in (file, simulation, view):
            bar.addMenu(menu)
        self._recent_menu = QMenu("&Recent Worlds", self)
        self._recent_menu.aboutToShow.connect(self._fill_recent_menu)
        file.addAction(does.select_world)
        file.addMenu(self._recent_menu)
        file.addAction(does.select_program)
        file.addSeparator()
        file.addActions([does.save, does.record])
        file.addSeparator()
        file.addAction(does.quit)
        simulation.addActions([does.load, does.run, does.stop, does.restart])
        simulation.addSeparator()
        simulation.addActions([does.pause, does.step, does.step_size])
        view.addActions([does.chase, does.free, does.next_robot])
        view.addSeparator()
        sky = QMenu("Day Time and Wea&ther", self)
        sky.addActions([does.later, does.earlier, does.next_weather, does.worlds_sky])
        view.addMenu(sky)
        view.addSeparator()
        view.addActions([does.add, does.remove, does.next_pane, does.full_screen])
        view.addSeparator()
        keys: dict[QWidget, str] = {self.objects: "Ctrl+1", self.messages: "Ctrl+4"}
        self.docks.fill_menu(view, {**keys, self.settings_area: "Ctrl+8"})
        view.addAction(does.filter)
        view.addMenu(AppearanceMenu(self._settings, self))
        view.addSeparator()
        view.addActions(overlays)
        self.help = HelpMenu(self, "client_window.md", more_keys=_MORE_KEYS)
        bar.addMenu(self.help)

    def _make_tool_bar(self, does: ClientActions) -> None:
        bar = QToolBar("Simulation", self)
        bar.setObjectName("simulation")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addActions([does.load, does.run, does.stop])
        bar.addSeparator()
        bar.addActions([does.pause, does.step])
        bar.addSeparator()
        bar.addActions([does.add, does.chase, does.free, does.next_robot, does.full_screen])
        does.paint(self.palette())
        self.tool_bar = bar
        self.addToolBar(bar)

    def _make_status_bar(self) -> None:
        bar = self.statusBar()
        assert bar is not None
        self.stage_label = QLabel()
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setMaximumWidth(320)
        self.recording = QLabel("● recording")
        self.recording.setToolTip("Recording the current picture; Ctrl+Shift+R stops")
        self.recording.hide()
        bar.addWidget(self.stage_label, 1)
        bar.addPermanentWidget(self.recording)
        bar.addPermanentWidget(self.progress)

    def _fill_recent_menu(self) -> None:
        self._recent_menu.clear()
        for number, file in enumerate(self.recent.files, start=1):
            action = self._recent_menu.addAction(f"&{number} {file}")
            if action is not None:
                action.triggered.connect(lambda _, file=file: self.fields.world.line.setText(file))
        self._recent_menu.addSeparator()
        self._recent_menu.addAction("&Forget These", self.recent.clear)

    def changeEvent(self, event: QEvent | None) -> None:  # noqa: D102, N802
        super().changeEvent(event)
        is_other = event is not None and event.type() is QEvent.Type.PaletteChange
        if is_other and self._commands is not None:
            self._commands.paint(self.palette())
