"""The window of the OSM Manipulator: fields, a map to work on, progress, and what went wrong."""

from pathlib import Path

from PyQt6.QtCore import QSettings, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeySequence
from PyQt6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QMessageBox,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from autosim.config.files.lookup import locate
from autosim.errors import UserError
from autosim.remaining_time import RemainingTime
from autosim.tools.gui.first_size import take_first_size
from autosim.tools.gui.help_menu import HelpMenu
from autosim.tools.gui.house_edits import HouseEdits
from autosim.tools.gui.house_tools import HouseTools
from autosim.tools.gui.house_view import HouseView
from autosim.tools.gui.manipulator_form import MAPS, ManipulatorForm
from autosim.tools.gui.start_page import StartPage
from autosim.tools.gui.worker import Task, Worker
from autosim.tools.osm_manipulator.furnish_options import FurnishRequest, Progress
from autosim.tools.osm_manipulator.manipulator import (
    Furnished,
    check_target,
    furnish,
    write_furnished,
)
from autosim.tools.osm_manipulator.preview import Plan, draw_plan

_ERROR_STYLE = "color: #a01010;"
_STEPS = 1000
"""Number of steps of the progress bar: more than its pixels."""

_MOST_LINES = 12
"""Number of lines of a message that the window shows at most."""

_RECENT, _MOST_RECENT = "recent_maps", 5
_MAP_PAGE = 1
"""Number of the map's page in the stack; page 0 is the start page."""

SHIPPED_MAP = Path("worlds/circle_town/circle_town.osm")

_MORE_KEYS = (
    ("Set the chosen house", "click, while Set by Click is on"),
    ("Move a house", "drag it"),
    ("Turn what is chosen by 15°", "R, Shift+R"),
    ("Remove what is chosen", "Delete"),
    ("Choose nothing, set nothing", "Esc"),
    ("Zoom; move the map", "wheel; drag"),
    ("What can be done here", "right click"),
)
"""Actions of keys and mouse on the map."""


class ManipulatorWindow(QMainWindow):
    """The OSM Manipulator.

    "Preview" finds places and draws them; there houses are changed by hand. "Generate OSM File"
    finds places too, unless what is drawn is what the fields say, and then writes the target file.

    Args:
        request: what the fields begin with.
        target: the same.
        settings: where maps are kept that were opened last; None: nowhere.
    """

    _found = pyqtSignal(object, object)

    def __init__(
        self, request: FurnishRequest, target: Path | None = None, settings: QSettings | None = None
    ) -> None:
        super().__init__()
        self._settings = settings
        self.setWindowTitle("OSM Manipulator")
        self.form = ManipulatorForm()
        self.form.fill(request, target)
        self.preview_button = QPushButton("Preview")
        self.generate_button = QPushButton("Generate OSM File")
        self.cancel_button = QPushButton("Cancel")
        self._remaining = RemainingTime()
        self.progress = QProgressBar()
        self.progress.setRange(0, _STEPS)
        self.message = QLabel()
        self.edits = HouseEdits(self)
        self.map = HouseView(self.edits)
        self.tools = HouseTools(self.edits, self.map)
        self.start_page = StartPage(locate(SHIPPED_MAP)[0], self.recent)
        self._worker: Worker | None = None
        self._furnished: Furnished | None = None
        self._found.connect(self._show_found)
        self.preview_button.clicked.connect(self.preview)
        self.generate_button.clicked.connect(self.generate)
        self.cancel_button.clicked.connect(self.cancel)
        self.start_page.map_wanted.connect(self.ask_for_map)
        self.start_page.map_chosen.connect(self.open_map)
        self.map.placed.connect(self._say_fault)
        self._lay_out()
        self._set_busy(False)

    @property
    def is_busy(self) -> bool:
        """Whether work is in progress."""
        return self._worker is not None

    @property
    def recent(self) -> list[Path]:
        """The maps that were opened last, newest first, as far as they are still there."""
        kept = self._settings.value(_RECENT, [], type=list) if self._settings is not None else []
        return [file for file in map(Path, kept) if file.is_file()]

    def ask_for_map(self) -> None:
        """Lets the user choose a map, and opens it."""
        start = str(self.form.files.original.path or locate(SHIPPED_MAP)[0].parent)
        chosen, _ = QFileDialog.getOpenFileName(self, "Open a Map", start, f"{MAPS};;All files (*)")
        if chosen:
            self.open_map(Path(chosen))

    def open_map(self, file: Path) -> None:
        """Takes a map as the original, and draws it with its houses."""
        files = self.form.files
        files.original.path = file
        if files.target.path is None:
            files.target.path = Path("out") / f"{file.name.split('.')[0]}_furnished.osm"
        self._remember(file)
        self.preview()

    def _remember(self, file: Path) -> None:
        if self._settings is not None:
            place = file.resolve()
            others = [each for each in self.recent if each != place]
            kept = [str(each) for each in (place, *others)]
            self._settings.setValue(_RECENT, kept[:_MOST_RECENT])

    def _may_drop_edits(self) -> bool:
        """Whether what was changed by hand may go; asks where there is any."""
        if not self.edits.is_edited:
            return True
        box = QMessageBox(self)
        box.setWindowTitle("OSM Manipulator")
        box.setIcon(QMessageBox.Icon.Question)
        box.setText("Discard your manual changes?")
        box.setInformativeText("They are not saved yet. All positions are computed again.")
        drop = box.addButton("&Discard", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        return box.clickedButton() is drop

    def _say_fault(self, number: int) -> None:
        """Names the fault of the place of a house that was set or moved; the house may stay."""
        fault = self.edits.fault(number)
        if fault:
            self._show_error(f"{self.edits.houses[number].house.name} stands {fault}")
        else:
            self._show_text("")

    def preview(self) -> None:
        """Finds places for houses and draws them; nothing is written."""
        if not self._may_drop_edits():
            return
        try:
            request = self.form.request()
        except UserError as error:
            self._show_error(str(error))
            return

        def task(progress: Progress) -> None:
            self._find(request, progress)

        self._furnished = None if self.edits.is_edited else self._furnished
        self._start(task, "")

    def generate(self) -> None:
        """Writes the target file."""
        try:
            request, target = self.form.request(), self.form.target()
            check_target(request, target)
        except UserError as error:
            self._show_error(str(error))
            return

        is_shown = self._furnished is not None and self._furnished.is_still_true(request)
        if not is_shown and not self._may_drop_edits():
            return
        houses = tuple(self.edits.houses.values())

        def task(progress: Progress) -> None:
            found = self._find(request, lambda step, share: progress(step, 0.8 * share))
            write_furnished(
                found.with_houses(houses) if is_shown else found,
                target,
                lambda step, share: progress(step, 0.8 + 0.2 * share),
            )

        self._start(task, f"written: {target}")

    def cancel(self) -> None:
        """Cancels the work and discards its partial results."""
        if self._worker is not None:
            self.message.setText("cancelling …")
            self._worker.cancel()

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802 - Qt's name
        """Cancels the work and waits for its end, so that no half-written file remains."""
        if event is not None and not self._may_drop_edits():
            event.ignore()
            return
        if self._worker is not None:
            self._worker.cancel()
            self._worker.wait()
        super().closeEvent(event)

    def _find(self, request: FurnishRequest, progress: Progress) -> Furnished:
        """Finds places, in the worker's thread, or takes those shown if they still hold."""
        shown = self._furnished
        if shown is not None and shown.is_still_true(request):
            progress("nothing has changed", 1.0)
            return shown
        furnished = furnish(request, progress)
        self._found.emit(furnished, draw_plan(furnished))
        return furnished

    def _show_found(self, furnished: Furnished, plan: Plan) -> None:
        self._furnished = furnished
        self.tools.show_kinds(furnished.kinds)
        self.map.show_plan(plan)
        self.edits.begin(furnished)
        self.legend.setText(
            "Red: new. Brown: of the map; what has a dark front can be changed. "
            f"{furnished.survey.attribution}"
        )
        self._pages.setCurrentIndex(_MAP_PAGE)

    def _start(self, task: Task, success: str) -> None:
        if self._worker is not None:
            return
        worker = Worker(task)
        worker.progressed.connect(self._show_progress)
        worker.succeeded.connect(lambda: self._show_success(success))
        worker.failed.connect(self._show_error)
        worker.cancelled.connect(lambda: self._show_text("cancelled; nothing was written"))
        worker.finished.connect(self._finish)
        self._worker = worker
        self._set_busy(True)
        self._show_text("")
        worker.start()

    def _finish(self) -> None:
        self._worker = None
        self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        for widget in (self.form, self.preview_button, self.generate_button, self._pages):
            widget.setEnabled(not is_busy)
        self.cancel_button.setEnabled(is_busy)
        if not is_busy:
            self.progress.setValue(0)
            self.progress.setFormat("")

    def _show_progress(self, step: str, share: float) -> None:
        left = self._remaining.text(share)
        self.progress.setFormat(f"{step} (%p %, {left})" if left else f"{step} (%p %)")
        self.progress.setValue(round(share * _STEPS))

    def _show_success(self, written: str) -> None:
        lines = [written] if written else []
        if written:
            self.edits.stack.setClean()
        if self._furnished is not None:
            new = sum(house.node is None for house in self.edits.houses.values())
            lines.insert(0, f"{new} new houses and trees")
            lines += [str(warning) for warning in self._furnished.warnings]
        self._show_text(_shortened(lines))

    def _show_error(self, text: str) -> None:
        self._show_text(_shortened(text.splitlines()))
        self.message.setStyleSheet(_ERROR_STYLE)

    def _show_text(self, text: str) -> None:
        self.message.setStyleSheet("")
        self.message.setText(text)

    def _lay_out(self) -> None:
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = QHBoxLayout()
        for button in (self.preview_button, self.generate_button, self.cancel_button):
            buttons.addWidget(button)
        left = QWidget()
        column = QVBoxLayout(left)
        column.addWidget(self.form)
        column.addLayout(buttons)
        column.addWidget(self.progress)
        column.addWidget(self.message)
        column.addStretch(1)
        self.legend = QLabel()
        board = QWidget()
        above = QVBoxLayout(board)
        above.setContentsMargins(0, 0, 0, 0)
        above.addWidget(self.tools)
        above.addWidget(self.map, 1)
        above.addWidget(self.legend)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.start_page)
        self._pages.addWidget(board)
        halves = QSplitter()
        halves.addWidget(left)
        halves.addWidget(self._pages)
        halves.setStretchFactor(1, 1)
        halves.setSizes([480, 760])
        self.setCentralWidget(halves)
        self._make_menus()
        take_first_size(self, 1240, 760)

    def _make_menus(self) -> None:
        bar = self.menuBar()
        assert bar is not None
        file, edit = QMenu("&File", self), QMenu("&Edit", self)
        for text, keys, do in (
            ("&Open a Map…", "Ctrl+O", self.ask_for_map),
            ("&Preview", "F5", self.preview),
            ("&Generate OSM File", "Ctrl+S", self.generate),
            ("&Quit", "Ctrl+Q", self.close),
        ):
            action = file.addAction(text)
            assert action is not None
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _, do=do: do())
        edit.addActions([each for each in (self.tools.undo, self.tools.redo) if each is not None])
        for menu in (file, edit):
            bar.addMenu(menu)
        bar.addMenu(HelpMenu(self, "furnish_a_town.md", more_keys=_MORE_KEYS))


def _shortened(lines: list[str]) -> str:
    more = len(lines) - _MOST_LINES
    shown = lines[:_MOST_LINES] + ([f"… and {more} more"] if more > 0 else [])
    return "\n".join(shown)
