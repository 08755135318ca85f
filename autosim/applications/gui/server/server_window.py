"""The server's window: connects the signals of its parts."""

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PyQt6.QtWidgets import QFileDialog, QLabel, QWidget

from autosim.applications.gui.server.context_menus import ContextMenus
from autosim.applications.gui.server.map.robot_changes import RobotChanges
from autosim.applications.gui.server.operator import Operator, ServerSettings, ServerStage
from autosim.applications.gui.server.plots.plots_panel import reader
from autosim.applications.gui.server.replay.recorded_run import RecordedRun
from autosim.applications.gui.server.server_actions import make_actions
from autosim.applications.gui.server.server_shell import ServerShell
from autosim.applications.gui.server.speed import SpeedMeter
from autosim.applications.gui.server.status_text import WindowStatus
from autosim.applications.gui.server.world_editing import WorldEditing
from autosim.applications.gui.shared.formats import unit_text
from autosim.applications.gui.shared.messages.entries import MessageEntry, entry_of_text
from autosim.applications.gui.shared.objects.tree_model import TreeRow
from autosim.client.link.connection import Status
from autosim.client.link.mirror import Mirror
from autosim.client.link.time_control import TimeInfo
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import locate
from autosim.model.phase import Phase

FRAME_MS = 100
"""Between two looks for a new state: as fast as numbers are read."""

STATUS_EVERY = 3
"""Number of frames from one status text to the next: more often, its figures cannot be read."""

ASK_EVERY = 5
"""Number of frames from one question to the server to the next: lists follow within half a second.
Nothing is asked that no open panel shows."""

MENUS_EVERY = 20
"""Number of frames from one question for programs to the next while their list is hidden: the menus
need them, and may be two seconds late."""

COMPONENTS = ("x", "y", "z", "w")


class ServerWindow(ServerShell):
    """The main window.

    Args:
        world_file: the initial choice.
        server: options of the server.
        settings: storage of recent worlds and the window's geometry.
    """

    def __init__(self, world_file: str, server: ServerSettings, settings: QSettings) -> None:
        super().__init__(server, settings)
        self.operator = Operator(server, self)
        self.changes = RobotChanges(self.operator, self)
        self.managing = WorldEditing(
            self.operator, self.programs, changes=self.changes, window=self
        )
        self.actions_ = make_actions(
            self,
            self.operator,
            managing=self.managing,
            undo=self.undo,
            select=self.ask_for_world,
            restart_program=self.restart_program,
        )
        self.menus = ContextMenus(
            self, managing=self.managing, changes=self.changes, plot=self.plot
        )
        self.recorded = RecordedRun(server.replay, self) if server.replay is not None else None
        self._speed = SpeedMeter()
        self._simulated_rate = 0
        self.frames = 0
        self.equip(self.actions_)
        self._connect()
        self.select_world(world_file)
        self._show_stage(ServerStage.EMPTY)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._timer.start(FRAME_MS)

    def _connect(self) -> None:
        operator = self.operator
        self.world_chosen.connect(self.select_world)
        operator.stage_changed.connect(self._show_stage)
        operator.coming_changed.connect(self._show_actions)
        operator.progressed.connect(lambda step, share: self.loading.show_share(share, step))
        operator.said.connect(self._take_entry)
        operator.loaded.connect(self._take_world)
        operator.opened.connect(self._take_mirror)
        operator.drawn.connect(self.map.show_picture)
        operator.counted.connect(self._take_status)
        operator.listed.connect(self.network.show_clients)
        operator.times_told.connect(self.time.show_times)
        operator.world_changed.connect(self._take_change)
        operator.moved_elsewhere.connect(self.map.forget_picture)
        self.docks.changed.connect(self._show_state)
        self.docks.changed.connect(self._ask)
        self.programs.safe_mode_changed.connect(self._take_safe_mode)
        self.loading.cancelled.connect(operator.cancel)
        self.controls.pace_changed.connect(operator.set_pace)
        self.controls.steps_changed.connect(self._take_steps)
        self.objects.plot_wanted.connect(self.plot)
        self.objects.plot_together_wanted.connect(self._plot_together)
        self.objects.set_wanted.connect(self.changes.set_data)
        self.objects.robot_chosen.connect(self.map.choose)
        self.map.robot_chosen.connect(self.objects.select)
        self.map.move_wanted.connect(self.changes.move)
        self.map.remove_wanted.connect(self.changes.ask_to_remove)
        self.programs.robot_wanted.connect(self.follow)
        self.changes.changed.connect(self._show_undo)
        self.network.changed.connect(self._take_network)
        self.plots.changed.connect(self._count_plots)
        if self.recorded is not None:
            self.recorded.events_read.connect(self.time.line.set_events)
            self.recorded.failed.connect(
                lambda text: self._take_entry(entry_of_text("warning", "record", text))
            )
            self.recorded.read_events()
        self._connect_time()
        QShortcut(QKeySequence("Ctrl+Tab"), self, self._next_part)

    def _connect_time(self) -> None:
        panel, order = self.time, self.operator.order_time
        panel.record_wanted.connect(
            lambda is_on: order(
                lambda time: time.start_record() if is_on else _without_record(time.stop_record())
            )
        )
        panel.keep_wanted.connect(lambda name: order(lambda time: time.snapshot(name)))
        # The panel shows the record that is being written, not the one of the moment.
        panel.save_wanted.connect(lambda: order(lambda time: _without_record(time.save_snapshot())))
        panel.restore_wanted.connect(lambda name: order(lambda time: time.restore(name)))
        panel.drop_wanted.connect(lambda name: order(lambda time: time.drop(name)))
        panel.seek_wanted.connect(lambda step: order(lambda time: time.seek(step)))
        panel.back_wanted.connect(
            lambda: order(lambda time: time.play_back(self.controls.real_time_factor))
        )

        panel.loop_wanted.connect(self._play_from)

    def _play_from(self, step: int) -> None:
        self.operator.order_time(lambda time: time.seek(step))
        self.operator.run()

    def ask_for_world(self) -> None:
        """Lets the user choose a world file or an extract."""
        start = str(locate(self.operator.world_file)[0].parent)
        maps = "Maps (*.osm *.osm.gz *.osm.bz2 *.pbf *.xodr *.xodr.gz)"
        kinds = f"Worlds (*.xml);;{maps};;All files (*)"
        file, _ = QFileDialog.getOpenFileName(self, "Select World File", start, kinds)
        if file:
            self.select_world(file)

    def select_world(self, file: str) -> None:
        """Chooses the world that Load takes; its own step size comes with it."""
        self.operator.select(file)
        self.operator.settings = replace(self.operator.settings, steps_per_second=None)
        if not self.operator.has_server:
            self._show_title(Path(file).name)
        self.chosen_label.setToolTip(file)
        self._show_status()

    def restart_program(self) -> None:
        """Starts the user program of the selected robot again; that of the only one, if so."""
        robot = self.objects.current_path.split(".", 1)[0]
        names = self.map.robots.names
        if robot not in names and len(names) == 1:
            robot = names[0]
        if robot in names:
            self.managing.restart(robot)
        else:
            text = "select the robot whose user program is to be restarted"
            self._take_entry(entry_of_text("info", "window", text))

    def undo(self) -> None:
        """Undoes the last change."""
        # A slider that is held keeps its value: it is to show the one before.
        self.objects.release_actuator()
        self.changes.undo()

    def load(self) -> None:
        """Loads the chosen world."""
        self.operator.load()

    def plot(self, row: TreeRow, into: str = "") -> None:
        """Plots the values of a row of the tree, in the plot called `into` or in one of its own."""
        field = row.field
        if field is None:
            return
        count = max(1, field.size // 8)
        labels = (row.label,) if count == 1 else COMPONENTS[:count]
        sample = reader(row.node.name, field)
        name = row.path
        self.plots.add(name, unit=unit_text(field), labels=labels, sample=sample, into=into)
        if self.recorded is not None:
            self.recorded.read_values(
                row.node,
                field,
                lambda whole: self.plots.show_whole(name, whole.times, whole.values),
            )
        self.docks.raise_panel(self.plots)

    def _plot_together(self, row: TreeRow) -> None:
        """Plots a row in the last plot, where there is one."""
        self.plot(row, self.plots.names[-1] if self.plots.names else "")

    def _look(self) -> None:
        self.frames += 1
        self._show_status()
        if self.operator.poll():
            self._sample()
            if not self.isMinimized():
                self._show_state()
        if self.operator.stage.is_busy or self.frames % STATUS_EVERY == 0:
            self.operator.ask_status()

        if self.frames % ASK_EVERY == 0:
            self._ask()

    def _show_status(self) -> None:
        """Says in the status bar what is simulated and chosen, or that nothing answers."""
        operator, stage = self.operator, self.operator.stage
        is_loading = stage is ServerStage.LOADING or operator.is_replacing
        file = operator.loading_file if is_loading else operator.world_file
        situation = WindowStatus(
            stage,
            world=operator.world.name if operator.world is not None else "",
            chosen=Path(file).name,
            is_other=operator.has_other_choice,
            has_server=operator.has_server,
            is_replacing=operator.is_replacing,
        )
        connection = operator.mirror.connection if operator.mirror and stage.is_live else None
        trouble = connection.trouble if connection is not None else ""
        _write(self.stage_label, trouble or situation.stage_text)
        _write(self.chosen_label, situation.chosen_text)

    def _ask(self) -> None:
        """Asks for what can be seen and is not in the state."""
        if self.network.isVisible():
            self.operator.ask_clients()
        if self.time.isVisible():
            self.operator.ask_times()
        # The menus of robots say what can be done with programs, seen or not.
        if self.programs.isVisible() or self.frames % MENUS_EVERY == 0:
            self.operator.ask_programs()

    def _sample(self) -> None:
        mirror = self.operator.mirror
        if mirror is not None:
            if self.recorded is not None:
                self.plots.take_present(mirror.state.time)
            else:
                self.plots.take(mirror.state)
            self._speed.add(mirror.state.time)

    def _show_state(self) -> None:
        mirror = self.operator.mirror
        if mirror is not None and self.map.isVisible():
            self.map.show_state(mirror.state)
        self._refresh()

    def _refresh(self) -> None:
        mirror = self.operator.mirror
        if mirror is None:
            return
        self.objects.refresh()
        self.time_label.setText(f"step {mirror.state.step}   {mirror.state.time:.3f} s")
        is_running = self.operator.stage is ServerStage.RUNNING
        factor = self._speed.factor if is_running else None
        self.speed_label.setText("" if factor is None else f"{factor:.2f} × real time")

    def _show_undo(self) -> None:
        label = self.changes.undo_label
        self.actions_.undo.setText(f"&Undo: {label}" if label else "&Undo")

    def _show_actions(self) -> None:
        self.actions_.show_stage(self.operator.stage, self.operator.coming)
        self._show_undo()

    def _show_stage(self, stage: ServerStage) -> None:
        self._show_actions()
        self.map.set_editable(stage.is_live)
        self.programs.show_stage(stage)
        self.plots.show_standing(stage.is_live and stage is not ServerStage.RUNNING)
        self._show_status()
        if stage is ServerStage.LOADING:
            self.loading.show_share(0.0, "loading")
        elif stage is ServerStage.STARTING:
            self.loading.show_busy()
        self.loading.setVisible(stage.is_busy)
        if not stage.is_live:
            self.network.show_server("")
            self.time.show_times(None)
        if stage is not ServerStage.RUNNING:
            self.speed_label.clear()
        self._speed.forget()

    def _take_world(self, world: WorldDescription) -> None:
        if not self._is_replay:  # the world of a record is in a folder that goes with the window
            self.recent.add(str(locate(str(world.source))[0].resolve()))
        self.programs.show_world(world)
        self.time_label.clear()
        self._simulated_rate = 0
        self._show_world(world)

    def _take_change(self, world: WorldDescription) -> None:
        self.programs.show_world(world)
        self._show_world(world)

    def _show_world(self, world: WorldDescription) -> None:
        steps_per_second = round(1.0 / world.physics.step_seconds)
        if steps_per_second != self._simulated_rate:
            self._simulated_rate = steps_per_second
            self.controls.choose_steps(steps_per_second)
        self._show_title(world.name)
        self._show_status()

    def _show_title(self, name: str) -> None:
        """Names the world that is simulated, or the file that is chosen where there is none."""
        self.setWindowTitle(f"{name} – AutoSim Server")

    def _take_safe_mode(self, is_safe: bool) -> None:
        self.operator.settings = replace(self.operator.settings, is_safe=is_safe)

    def _take_mirror(self, mirror: Mirror) -> None:
        if self.operator.world is not None:
            self.objects.show_world(self.operator.world, mirror.state)
        self.map.show_tree(mirror.tree)
        self.network.show_server(self.operator.address)

    def _take_status(self, status: Status) -> None:
        if status.phase is Phase.RUNNING:
            self._show_pace(status.real_time_factor)
        self.time.follow_playback(status.step, is_playing=status.phase is Phase.RUNNING)
        self.network.show_server(self.operator.address)
        self.network.show_status(status)

    def _show_pace(self, pace: float) -> None:
        """Shows the pace of the simulation, set here or by another client."""
        self.controls.show_pace(pace)
        self.operator.settings = replace(self.operator.settings, pace=pace)

    def _take_steps(self, steps_per_second: int) -> None:
        settings = self.operator.settings
        self.operator.settings = replace(settings, steps_per_second=steps_per_second)

    def _take_network(self) -> None:
        self.operator.settings = replace(
            self.operator.settings,
            host=self.network.address.text().strip(),
            port=self.network.port.value(),
        )

    def _take_entry(self, entry: MessageEntry) -> None:
        self.messages.add(entry)
        problems = self.messages.problems
        title = f"Messages ({problems})" if problems else "Messages"
        self.docks.set_title(self.messages, title)
        if entry.level == "error":
            self.docks.raise_panel(self.messages)

    def _count_plots(self, count: int) -> None:
        self.docks.set_title(self.plots, f"Plots ({count})" if count else "Plots")

    def _next_part(self) -> None:
        parts: list[QWidget] = [self.objects.view, self.map, self.plots, self.messages.view]
        shown = [part for part in parts if part.isVisible()]
        number = next((n for n, part in enumerate(shown) if part.hasFocus()), -1)
        shown[(number + 1) % len(shown)].setFocus()

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: D102, N802
        self._timer.stop()
        self.docks.save()
        # The window goes at once; the server's processes need a moment.
        self.hide()
        self.operator.close()
        if self.recorded is not None:
            self.recorded.close()
        super().closeEvent(event)


def _without_record(info: TimeInfo) -> TimeInfo:
    """The times after a record has ended: nothing is recorded."""
    return replace(info, record=None)


def _write(label: QLabel, text: str) -> None:
    if text != label.text():
        label.setText(text)
