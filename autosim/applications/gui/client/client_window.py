"""The client's window: connects the signals of its parts."""

import time
import traceback
from dataclasses import replace
from functools import partial
from types import TracebackType

from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtGui import QAction, QCloseEvent, QKeyEvent
from PyQt6.QtWidgets import QInputDialog, QMenu

from autosim.applications.gui.client.client_actions import ClientActions, Handlers
from autosim.applications.gui.client.driving.driving_mode import DrivingMode
from autosim.applications.gui.client.picking import Picking
from autosim.applications.gui.client.picture_saving import PictureSaver
from autosim.applications.gui.client.pictures.pane import MOST_PANES
from autosim.applications.gui.client.pictures.pane_looks import looks_from_text, looks_to_text
from autosim.applications.gui.client.pictures.pane_overlays import OVERLAYS
from autosim.applications.gui.client.pictures.pane_renderer import LOOK_SECONDS, PaneRenderer
from autosim.applications.gui.client.player import ClientSettings, ClientStage, Player, Shown
from autosim.applications.gui.client.shell import ClientShell
from autosim.applications.gui.shared.menus import add_action
from autosim.applications.gui.shared.messages.entries import (
    MessageEntry,
    entry_of_notice,
    entry_of_text,
)
from autosim.applications.gui.shared.objects.tree_model import TreeRow, is_editable
from autosim.applications.gui.shared.skies import SkyChoice
from autosim.client.panda.renderer_errors import RendererError
from autosim.config.world_limits import STEP_RATES
from autosim.model.notices import Notice
from autosim.orders.programs import ProgramReport
from autosim.remaining_time import RemainingTime

TREE_SECONDS = 0.12
"""[s] between two updates of the tree and the status bar: as fast as numbers are read."""

NEWS_SECONDS = 0.5
"""Time [s] between two questions for the server's messages and failed programs: a person who looks
for the cause of what they see is to find it there."""

PHASE_SECONDS = 0.5
"""Time [s] between two questions what the simulation does: another client may pause it, and the
buttons are to follow soon."""

_HINTS = {
    ClientStage.EMPTY: "Choose a world and a server, then press Run (F5).",
    ClientStage.LOADING: "Loading the world …",
    ClientStage.LOADED: "Press Run (F5) to connect to the server.",
    ClientStage.RUNNING: "Waiting for the first state …",
}
_STAGES = {
    ClientStage.EMPTY: "no world loaded",
    ClientStage.LOADING: "loading the world",
    ClientStage.LOADED: "not connected",
    ClientStage.RUNNING: "connecting",
}


_OVERLAY_KEYS = "12345679"
"""The keys of `OVERLAYS`, in their order; 8 shows the driver's display."""


class ClientWindow(ClientShell):
    """The main window.

    Args:
        world_file: chosen to begin with.
        client: server, robot and program to begin with.
        settings: where recent worlds are kept.
    """

    def __init__(self, world_file: str, client: ClientSettings, settings: QSettings) -> None:
        super().__init__(settings)
        self.player = Player(client, self)
        self.keeping = PictureSaver(self, lambda: self.grid.current.view)
        self.drawing = PaneRenderer(self.player, self.grid, keep=self.keeping.take)
        self._last_fault = ""
        self._remaining = RemainingTime()
        self._failed: list[str] = []
        self._failure = self._own_failure = ""
        self._last_tree = self._last_asked = self._last_news = 0.0
        self.commands = ClientActions(self, self._handlers())
        overlays = self._make_overlays()
        self.equip(self.commands, overlays)
        self.grid.offer(self.commands.of_picture(overlays))
        self.driving = DrivingMode(self, self.tool_bar, grid=self.grid, player=self.player)
        self.picking = Picking(
            *(self.grid, self.player),
            inspect=self._inspect,
            drive=self.driving.take_over.trigger,
            run=self.run_program,
            parent=self,
        )
        self._connect()
        self._fill(world_file, client)
        self.drawing.restore(looks_from_text(str(settings.value("pictures", ""))))
        self._show_stage(ClientStage.EMPTY)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(round(1000 * LOOK_SECONDS))

    def _handlers(self) -> Handlers:
        return Handlers(
            select_world=self.fields.world.button.click,
            select_program=self.fields.program.button.click,
            save=self.keeping.ask_and_save,
            record=self.keeping.ask_and_record,
            quit=self._quit,
            load=self.load,
            run=self.run,
            stop=self.player.stop,
            restart=self.restart_program,
            pause=self.player.time.toggle,
            step=self.player.time.step,
            step_size=self._ask_step_size,
            add=self.add_pane,
            remove=lambda: self.grid.remove(self.grid.current),
            next_pane=self.grid.focus_next,
            full_screen=self.set_full_screen,
            chase=lambda: self.grid.current.choose("Chase camera"),
            free=lambda: self.grid.current.choose("Free camera"),
            next_robot=self.look_at_next_robot,
            later=lambda: self.fields.sky.add_hours(1.0),
            earlier=lambda: self.fields.sky.add_hours(-1.0),
            next_weather=lambda: self.fields.sky.choose_next_weather(),
            worlds_sky=lambda: self.fields.sky.reset(),
            next_column=self.drawing.colour_by_next,
            filter=self._filter_objects,
        )

    def _make_overlays(self) -> list[QAction]:
        actions = []
        for key, (name, text) in zip(_OVERLAY_KEYS, OVERLAYS.items(), strict=True):
            do = partial(self.drawing.choose_overlay, name)
            action = self.commands.make_switch(text, key, do)
            action.setChecked(getattr(self.drawing.chosen, name))
            actions.append(action)
        return [*actions, self.commands.next_column]

    def _connect(self) -> None:
        player = self.player
        player.stage_changed.connect(self._show_stage)
        player.progressed.connect(self._show_progress)
        player.said.connect(self._take_entry)
        player.unloading.connect(self.drawing.drop_world)
        player.loaded.connect(self._take_world)
        self.keeping.said.connect(
            lambda text: self._take_entry(entry_of_text("info", "client", text))
        )
        self.keeping.failed.connect(self._complain)
        self.keeping.is_recording.connect(self.commands.record.setChecked)
        self.keeping.is_recording.connect(self.recording.setVisible)
        self.objects.set_wanted.connect(player.set_data)
        self.objects.menu_wanted.connect(lambda row, at: self.tree_menu(row).popup(at))
        self.fields.sky.chosen.connect(self._choose_sky)
        self.fields.robot_chosen.connect(self.look_at)
        self.player.time.changed.connect(self._show_phase)
        self.player.news.came.connect(self._take_notice)
        self.player.news.failed_changed.connect(self._show_failed)
        self.player.program_failed.connect(self._show_own_failure)
        self.player.news.refused.connect(self._complain)
        self.banner.mend_wanted.connect(self._restart_failed)

    def _fill(self, world_file: str, client: ClientSettings) -> None:
        self.fields.world.line.setText(world_file)
        self.fields.address.setText(client.address)
        self.fields.robot.setCurrentText(client.robot)
        self.fields.program.line.setText(client.program)
        self.fields.arguments.setText(client.arguments)

    def load(self) -> None:
        """Loads the world in the field."""
        self._read_fields()
        self.player.load()

    def run(self) -> None:
        """Connects; a world that is not the one in the field is loaded first."""
        is_other = self.player.world_file != self.fields.world.line.text().strip()
        self._read_fields()
        if is_other and self.player.stage is ClientStage.LOADED:
            self.player.unload()
        self.player.run()

    def restart_program(self) -> None:
        """Starts the user program in the field again; it takes its robot from the server's."""
        self._read_fields()
        settings = self.player.settings
        if settings.program and settings.robot:
            self.player.news.free(settings.robot, self.player.restart_program)
        else:
            self.player.restart_program()

    def run_program(self, robot: str, file: str) -> None:
        """Runs a program file for a robot, in place of what runs for it here or on the server."""
        self.fields.robot.setCurrentText(robot)
        self.fields.program.line.setText(file)
        self.fields.arguments.clear()
        if self.player.stage is ClientStage.RUNNING:
            self.restart_program()
        else:
            self.run()

    def _inspect(self, robot: str) -> None:
        self.fields.robot.setCurrentText(robot)
        self.docks.raise_panel(self.objects)
        self._show_in_tree(robot)

    def look_at(self, robot: str) -> None:
        """Looks at a robot in the current picture, and shows it in the tree."""
        self.grid.current.choose_robot(robot)
        self._show_in_tree(robot)

    def look_at_next_robot(self) -> None:
        """Moves to the next robot, in the current picture and in the tree."""
        self.grid.current.choose_robot()
        camera = self.grid.current.camera
        if camera is not None:
            self._show_in_tree(camera.robot_name)

    def _show_in_tree(self, robot: str) -> None:
        """Goes from one robot's row in the tree to the same of another, where it has that."""
        _, _, inner = self.objects.current_path.partition(".")
        if not self.objects.select(f"{robot}.{inner}" if inner else robot):
            self.objects.select(robot)

    def tree_menu(self, row: TreeRow) -> QMenu:
        """Context menu of a row of the tree."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        self.objects.add_copies(menu, row)
        if is_editable(row):
            add_action(menu, "&Set Value… (F2)", lambda: self.objects.edit(row))
        robot = row.node.name.split(".", 1)[0]
        if self.fields.robot.findText(robot) >= 0:
            menu.addSeparator()
            add_action(menu, f"&Look at {robot}", lambda: self.look_at(robot))
        return menu

    def add_pane(self) -> None:
        """Adds a picture, where there are not too many."""
        if len(self.grid.panes) == MOST_PANES:
            self._complain(f"{MOST_PANES} pictures are the most")
        else:
            self.drawing.add_pane()

    def set_full_screen(self, is_on: bool) -> None:
        """Shows the current picture alone on the whole screen, or everything again."""
        self.commands.full_screen.setChecked(is_on)
        for part in (self.menuBar(), self.statusBar(), self.tool_bar):
            if part is not None:
                part.setVisible(not is_on)
        self.docks.show_none(is_on)
        self.grid.show_single(is_on)
        # Its other states stay: a window that filled the screen before does so afterwards.
        others = self.windowState() & ~Qt.WindowState.WindowFullScreen
        self.setWindowState(others | Qt.WindowState.WindowFullScreen if is_on else others)

    def _filter_objects(self) -> None:
        self.docks.raise_panel(self.objects)
        self.objects.filter.setFocus()

    def _quit(self) -> None:
        self.close()

    def _read_fields(self) -> None:
        self.player.world_file = self.fields.world.line.text().strip()
        self.player.settings = replace(
            self.player.settings,
            address=self.fields.server_address,
            robot=self.fields.robot.currentText().strip(),
            program=self.fields.program.line.text().strip(),
            arguments=self.fields.arguments.text().strip(),
        )

    def _ask_step_size(self) -> None:
        """Lets the user choose the step size, with which the server's world restarts."""
        session = self.player.session
        if session is None:
            return
        present = round(1.0 / session.mirror.step_seconds)
        text = (
            "Steps per simulated second. A change restarts the server's world:\n"
            "its robots return to their start poses, and its clock to zero."
        )
        low, high = round(STEP_RATES.low), round(STEP_RATES.high)
        steps, is_chosen = QInputDialog.getInt(self, "Step Size", text, present, low, high)
        if is_chosen and steps != present:
            self.player.time.choose_step_size(steps)

    def _tick(self) -> None:
        now = time.monotonic()
        try:
            self.drawing.draw_due(now)
        except RendererError as error:
            self._complain(str(error))
            self.player.unload()
        if now - self._last_tree >= TREE_SECONDS:
            self._last_tree = now
            self._ask_phase(now)
            self._ask_news(now)
            self.objects.refresh()
            self._show_link()
            self.drawing.annotate(now)

    def _ask_phase(self, now: float) -> None:
        if now - self._last_asked >= PHASE_SECONDS:
            self._last_asked = now
            self.player.time.ask()

    def _ask_news(self, now: float) -> None:
        if now - self._last_news >= NEWS_SECONDS:
            self._last_news = now
            self.player.news.ask()

    def _take_notice(self, notice: Notice) -> None:
        shown = self.player.shown
        seconds = shown.world.physics.step_seconds if shown is not None else 0.0
        self._take_entry(entry_of_notice(notice, step_seconds=seconds))

    def _show_failed(self, failed: list[ProgramReport]) -> None:
        self._failed, self._failure = [each.robot for each in failed], ""
        if failed:
            first, more = failed[0], len(failed) - 1
            name = first.file.rsplit("/", 1)[-1]
            others = f" ({more} more programs have failed)" if more else ""
            text = f"{name} of {first.robot} has failed: {first.exit_reason}{others}"
            self._failure = text
        self.banner.show_fault(self._own_failure or self._failure)

    def _show_own_failure(self, text: str) -> None:
        self._own_failure = text
        self.banner.show_fault(self._own_failure or self._failure)

    def _restart_failed(self) -> None:
        if self._own_failure:
            self.restart_program()
        else:
            self.player.news.restart(self._failed)

    def _show_link(self) -> None:
        session = self.player.session
        if session is not None:
            has_state = self.player.state is not None
            fine = f"connected to {session.address}" if has_state else "connecting"
            if self.player.time.is_standing:
                fine += ": the simulation stands (F6: run, F7: one step)"
            self._say_status(session.trouble or fine)

    def _take_world(self, shown: Shown) -> None:
        self.recent.add(self.player.world_file)
        self.fields.show_robots(shown.world.robots)
        self.fields.sky.show_world(shown.world.graphics.sky)
        assert self.player.playback is not None
        self.objects.show_world(shown.world, self.player.playback.newest)
        self.drawing.take_world(shown)

    def _choose_sky(self, choice: SkyChoice) -> None:
        self.player.choose_sky(choice)
        self.drawing.mark()

    def _show_stage(self, stage: ClientStage) -> None:
        shown = self.player.shown
        has_robots = shown is not None and bool(shown.world.robots)
        self.commands.show_stage(stage, has_robots=has_robots)
        self.fields.set_connected(stage is ClientStage.RUNNING)
        self.progress.setVisible(stage is ClientStage.LOADING)
        self._say_status(_STAGES[stage])
        self.drawing.hint(_HINTS[stage])

    def _show_phase(self) -> None:
        self.commands.show_phase(self.player.time.phase)
        self._show_link()

    def _show_progress(self, step: str, share: float) -> None:
        self.progress.setValue(round(1000 * share))
        left = self._remaining.text(share)
        self.progress.setFormat(f"{share:.0%}, {left}" if left else f"{share:.0%}")
        self.drawing.hint(f"{step[:1].upper()}{step[1:]} …\nEsc cancels it.")

    def _take_entry(self, entry: MessageEntry) -> None:
        self.messages.add(entry)

    def take_fault(
        self, kind: type[BaseException], fault: BaseException, trace: TracebackType | None
    ) -> None:
        """Shows a fault of this program, which would else end it without a word."""
        text = "".join(traceback.format_exception(kind, fault, trace))
        if text != self._last_fault:
            self._last_fault = text
            self._complain(text)

    def _complain(self, text: str) -> None:
        self._take_entry(entry_of_text("error", "client", text))

    def _say_status(self, text: str) -> None:
        self.stage_label.setText(text)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        if event is not None and event.key() == Qt.Key.Key_Escape:
            if self.isFullScreen():
                self.set_full_screen(False)
            elif self.player.stage is ClientStage.LOADING:
                self.player.stop()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: D102, N802
        self._timer.stop()
        if self.isFullScreen():
            self.set_full_screen(False)
        self.keep_shape()
        self._settings.setValue("pictures", looks_to_text(self.drawing.looks()))
        self.hide()
        self.driving.close()
        self.player.close()
        self.keeping.close()
        super().closeEvent(event)
