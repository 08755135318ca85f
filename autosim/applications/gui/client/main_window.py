"""The client's window: how its parts hear of one another, and when pictures are drawn."""

import time
import traceback
from dataclasses import replace
from functools import partial
from types import TracebackType

from PyQt6.QtCore import QSettings, Qt, QTimer
from PyQt6.QtGui import QAction, QCloseEvent, QKeyEvent, QPainter

from autosim.applications.gui.client.commands import Commands, Handlers
from autosim.applications.gui.client.keeping import Keeping
from autosim.applications.gui.client.meter import RateMeter, figures_text
from autosim.applications.gui.client.overlays import OVERLAYS, Chosen
from autosim.applications.gui.client.pane import MOST_PANES, Pane
from autosim.applications.gui.client.pane_camera import PaneCamera
from autosim.applications.gui.client.picture_view import Paint
from autosim.applications.gui.client.player import ClientSettings, Player, Shown, Stage
from autosim.applications.gui.client.shell import ClientShell
from autosim.applications.gui.entries import Entry, entry_of_text
from autosim.applications.skies import SkyChoice
from autosim.client.errors import RendererError

TICK_MS = 2
"""Between two looks for states and for pictures that user programs wait for."""

FRAME_SECONDS = 1.0 / 60.0
TREE_SECONDS = 0.12
_HINTS = {
    Stage.EMPTY: "Choose a world and a server, then Run (F5).",
    Stage.LOADING: "Loading the world …",
    Stage.LOADED: "Run (F5) connects to the server.",
    Stage.RUNNING: "Waiting for the first state …",
}
_STAGES = {
    Stage.EMPTY: "no world loaded",
    Stage.LOADING: "loading the world",
    Stage.LOADED: "not connected",
    Stage.RUNNING: "connecting",
}


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
        self.chosen = Chosen()
        self.keeping = Keeping(self, lambda: self.grid.current.view)
        self.frames = 0
        self._numbers = 0
        self._last_fault = ""
        self._last_frame = self._last_look = self._last_tree = 0.0
        self._pictures, self._states = RateMeter(), RateMeter()
        self.commands = Commands(self, self._handlers())
        self.equip(self.commands, self._make_overlays())
        self._connect()
        self._fill(world_file, client)
        self._show_stage(Stage.EMPTY)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

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
            add=self._add_pane,
            remove=lambda: self.grid.remove(self.grid.current),
            next_pane=self.grid.focus_next,
            full_screen=self.set_full_screen,
            chase=lambda: self.grid.current.choose("Chase camera"),
            free=lambda: self.grid.current.choose("Free camera"),
            next_robot=lambda: self.grid.current.choose_robot(),
            later=lambda: self.fields.sky.add_hours(1.0),
            earlier=lambda: self.fields.sky.add_hours(-1.0),
            next_weather=lambda: self.fields.sky.choose_next_weather(),
            worlds_sky=lambda: self.fields.sky.reset(),
            settings=lambda is_on: self.side.setVisible(is_on),
            filter=self._filter_objects,
        )

    def _make_overlays(self) -> list[QAction]:
        actions = []
        for number, (name, text) in enumerate(OVERLAYS.items(), start=1):
            do = partial(self._choose_overlay, name)
            action = self.commands.make_switch(text, str(number), do)
            action.setChecked(getattr(self.chosen, name))
            actions.append(action)
        return actions

    def _connect(self) -> None:
        player = self.player
        player.stage_changed.connect(self._show_stage)
        player.progressed.connect(self._show_progress)
        player.said.connect(self._take_entry)
        player.unloading.connect(self._drop_world)
        player.loaded.connect(self._take_world)
        self.keeping.said.connect(
            lambda text: self._take_entry(entry_of_text("info", "client", text))
        )
        self.keeping.failed.connect(self._complain)
        self.keeping.is_recording.connect(self.commands.record.setChecked)
        self.keeping.is_recording.connect(self.recording.setVisible)
        self.objects.set_wanted.connect(player.set_data)
        self.fields.sky.chosen.connect(self._choose_sky)
        self.fields.robot_chosen.connect(lambda name: self.grid.current.choose_robot(name))

    def _fill(self, world_file: str, client: ClientSettings) -> None:
        self.fields.world.line.setText(world_file)
        self.fields.address.setText(client.address)
        self.fields.robot.setCurrentText(client.robot)
        self.fields.program.line.setText(client.program)

    def load(self) -> None:
        """Loads the world in the field."""
        self._read_fields()
        self.player.load()

    def run(self) -> None:
        """Connects; a world that is not the one in the field is loaded first."""
        is_other = self.player.world_file != self.fields.world.line.text().strip()
        self._read_fields()
        if is_other and self.player.stage is Stage.LOADED:
            self.player.unload()
        self.player.run()

    def restart_program(self) -> None:
        """Starts the user program again, that in the field."""
        self._read_fields()
        self.player.restart_program()

    def add_pane(self) -> Pane | None:
        """One more picture; None where there are too many."""
        if len(self.grid.panes) == MOST_PANES:
            self._complain(f"{MOST_PANES} pictures are the most")
            return None
        pane = self.grid.add()
        if self.player.shown is not None:
            self._equip(pane, self.player.shown)
            pane.choose(_other_choice(self.grid.panes, pane))
        pane.view.setFocus()
        return pane

    def set_full_screen(self, is_on: bool) -> None:
        """Shows the current picture alone on the whole screen, or everything again."""
        self.commands.full_screen.setChecked(is_on)
        bars = (self.menuBar(), self.statusBar(), self.tool_bar, self.messages)
        for part in bars:
            if part is not None:
                part.setVisible(not is_on)
        self.side.setVisible(not is_on and self.commands.settings.isChecked())
        self.grid.show_single(is_on)
        if is_on:
            self.showFullScreen()
        else:
            self.showNormal()

    def _add_pane(self) -> None:
        self.add_pane()

    def _filter_objects(self) -> None:
        if not self.side.isVisible():
            self.commands.settings.trigger()
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
        )

    def _tick(self) -> None:
        now = time.monotonic()
        self._states.count(now, self.player.poll())
        if now - self._last_frame >= FRAME_SECONDS - 0.5e-3 * TICK_MS:
            try:
                # Where there was nothing to draw, what comes next is drawn as soon as it comes.
                if self._draw(now, now - self._last_look):
                    self._last_frame = now
            except RendererError as error:
                self._complain(str(error))
                self.player.unload()
            self._last_look = now
        if now - self._last_tree >= TREE_SECONDS:
            self._last_tree = now
            self._refresh(now)

    def _draw(self, now: float, seconds: float) -> bool:
        """Draws the panes whose pictures have changed: by a new state, or by their cameras.

        Args:
            now: monotonic time [s].
            seconds: since the last look [s], for cameras that keys move.

        Returns:
            whether any had changed.
        """
        has_changed = self.player.advance(now)
        has_drawn = False
        for pane in self.grid.shown:
            # Asked also where the state has changed: it moves the camera.
            has_moved = pane.view.take_motion(min(seconds, 0.1))
            is_due = has_changed or has_moved or (pane.camera and not pane.camera.is_settled)
            if is_due and self.player.state is not None and pane.camera:
                pane.view.show_picture(pane.camera.picture())
                has_drawn = True
            if pane is self.grid.current and has_drawn:
                self.keeping.take(now)
        if has_drawn:
            self.frames += 1
            self._pictures.count(now)
        return has_drawn

    def _refresh(self, now: float) -> None:
        self.objects.refresh()
        self._show_link()
        session, state = self.player.session, self.player.state
        trouble = session.trouble if session is not None else ""
        is_fault = session is not None and not session.was_stopped
        figures: list[str] = []
        if self.chosen.figures and state is not None and session is not None:
            figures = figures_text(
                pictures=self._pictures.rate(now),
                states=self._states.rate(now),
                latency=session.latency,
                age=session.age,
                time=state.time,
            )
        for pane in self.grid.shown:
            shown = figures if pane is self._first else []
            pane.view.annotate(banner=trouble, is_fault=is_fault, figures=shown)

    def _show_link(self) -> None:
        session = self.player.session
        if session is not None:
            has_state = self.player.state is not None
            fine = f"connected to {session.address}" if has_state else "connecting"
            self._say_status(session.trouble or fine)

    @property
    def _first(self) -> Pane:
        return self.grid.shown[0]

    def _take_world(self, shown: Shown) -> None:
        self.recent.add(self.player.world_file)
        self.fields.show_robots(shown.world.robots)
        self.fields.sky.show_world(shown.world.graphics.sky)
        assert self.player.playback is not None
        self.objects.show_world(shown.world, self.player.playback.newest)
        for pane in self.grid.panes:
            self._equip(pane, shown)

    def _equip(self, pane: Pane, shown: Shown) -> None:
        self._numbers += 1
        camera = PaneCamera(shown.viewer, world=shown.world, tree=shown.tree, number=self._numbers)
        pane.take_camera(camera)
        pane.view.paint_over = self._painter(pane)

    def _painter(self, pane: Pane) -> Paint:
        def paint(painter: QPainter, width: float, height: float) -> None:
            shown, state = self.player.shown, self.player.state
            if shown is not None and state is not None and pane.camera is not None:
                projection = pane.camera.projection(width, height)
                shown.overlays.paint(painter, projection, state, self.chosen)

        return paint

    def _drop_world(self) -> None:
        for pane in self.grid.panes:
            pane.take_camera(None)

    def _choose_overlay(self, name: str, is_on: bool) -> None:
        setattr(self.chosen, name, is_on)
        for pane in self.grid.panes:
            pane.view.update()

    def _choose_sky(self, choice: SkyChoice) -> None:
        self.player.choose_sky(choice)
        for pane in self.grid.panes:
            pane.view.mark()

    def _show_stage(self, stage: Stage) -> None:
        shown = self.player.shown
        has_robots = shown is not None and bool(shown.world.robots)
        self.commands.show_stage(stage, has_robots=has_robots)
        self.fields.set_connected(stage is Stage.RUNNING)
        self.progress.setVisible(stage is Stage.LOADING)
        self._say_status(_STAGES[stage])
        self._hint(_HINTS[stage])

    def _hint(self, text: str) -> None:
        """Shows what is going on where there are no pictures."""
        for pane in self.grid.panes:
            pane.view.hint = text
            pane.view.update()

    def _show_progress(self, step: str, share: float) -> None:
        self.progress.setValue(round(1000 * share))
        self.progress.setFormat(f"{share:.0%}")
        self._hint(f"{step[:1].upper()}{step[1:]} …\nStop (F8) ends that.")

    def _take_entry(self, entry: Entry) -> None:
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
            else:
                self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: D102, N802
        self._timer.stop()
        self.hide()
        self.player.close()
        self.keeping.close()
        super().closeEvent(event)


def _other_choice(panes: list[Pane], pane: Pane) -> str:
    """A camera that no other pane shows, a robot's first; the chase camera where all are shown."""
    assert pane.camera is not None
    taken = {each.camera.choice for each in panes if each is not pane and each.camera}
    devices = pane.camera.choices[2:]
    return next((each for each in devices if each not in taken), pane.camera.choices[0])
