"""The client window's commands: each once, for menu, tool bar and keyboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PyQt6.QtGui import QAction, QKeySequence, QPalette
from PyQt6.QtWidgets import QMainWindow

from autosim.applications.gui.client.pause_control import STANDING
from autosim.applications.gui.client.player import ClientStage
from autosim.applications.gui.shared.icons import IconGlyph, make_icon
from autosim.model.phase import Phase

_PAUSE, _GO_ON = "Pa&use Simulation", "Let Simulation R&un"
"""Of the same command, by what the simulation does."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """Handlers of the commands.

    Attributes:
        select_world: asks for a world file.
        select_program: asks for a user program.
        save: saves the picture to a file.
        record: starts or ends a record.
        quit: closes the window.
        load: loads the world.
        run: connects, and runs the program.
        stop: disconnects.
        restart: restarts the user program.
        pause: pauses the simulation, or resumes it.
        step: simulates the chosen number of steps.
        step_size: asks for that number.
        add: adds a pane with a picture.
        remove: closes the current pane.
        next_pane: selects the next pane.
        full_screen: enters or leaves full screen.
        chase: selects the camera behind the robot.
        free: selects the free camera.
        next_robot: selects the next robot.
        later: advances the drawn time of day by an hour.
        earlier: sets the drawn time of day back by an hour.
        next_weather: draws the next kind of weather.
        worlds_sky: draws the world's own sky again.
        next_column: colours published lists by their next column.
        filter: moves the focus to the filter of objects.
    """

    select_world: Callable[[], None]
    select_program: Callable[[], None]
    save: Callable[[], None]
    record: Callable[[bool], None]
    quit: Callable[[], None]
    load: Callable[[], None]
    run: Callable[[], None]
    stop: Callable[[], None]
    restart: Callable[[], None]
    pause: Callable[[], None]
    step: Callable[[], None]
    step_size: Callable[[], None]
    add: Callable[[], None]
    remove: Callable[[], None]
    next_pane: Callable[[], None]
    full_screen: Callable[[bool], None]
    chase: Callable[[], None]
    free: Callable[[], None]
    next_robot: Callable[[], None]
    later: Callable[[], None]
    earlier: Callable[[], None]
    next_weather: Callable[[], None]
    worlds_sky: Callable[[], None]
    next_column: Callable[[], None]
    filter: Callable[[], None]


class ClientActions:
    """All commands. `show_stage` enables those that make sense."""

    def __init__(self, window: QMainWindow, do: Handlers) -> None:
        self._window = window
        make = self._make
        self.select_world = make("&Select World File…", "Ctrl+O", do.select_world)
        self.select_program = make("Select &User Program…", "Ctrl+U", do.select_program)
        self.save = make("Save &Picture…", "Ctrl+Shift+S", do.save)
        self.record = make("&Record…", "Ctrl+Shift+R", do.record, is_switch=True)
        self.quit = make("&Quit", "Ctrl+Q", do.quit)
        self.load = make("&Load", "Ctrl+L", do.load)
        self.run = make("&Run", "F5", do.run)
        self.stop = make("&Disconnect", "Shift+F5", do.stop)
        self.pause = make(_PAUSE, "F6", do.pause)
        self.step = make("S&tep Simulation", "F7", do.step)
        self.step_size = make("Step Si&ze…", "", do.step_size)
        self.restart = make("Restart User &Program", "Ctrl+R", do.restart)
        self.add = make("&Add Picture", "Ctrl+T", do.add)
        self.remove = make("&Close Picture", "Ctrl+W", do.remove)
        self.next_pane = make("Ne&xt Picture", "Ctrl+Tab", do.next_pane)
        self.full_screen = make("F&ull Screen", "F11", do.full_screen, is_switch=True)
        self.chase = make("&Chase Camera", "C", do.chase)
        self.free = make("&Free Camera", "F", do.free)
        self.next_robot = make("&Next Robot", "N", do.next_robot)
        self.later = make("&Later by an Hour", "T", do.later)
        self.earlier = make("&Earlier by an Hour", "Shift+T", do.earlier)
        self.next_weather = make("Next &Weather", "G", do.next_weather)
        self.worlds_sky = make("The World’s &Own Sky", "Shift+G", do.worlds_sky)
        self.next_column = make("C&olour Lists by Next Column", "Shift+9", do.next_column)
        self.filter = make("&Filter Objects", "Ctrl+F", do.filter)
        self.show_stage(ClientStage.EMPTY)
        self.show_phase(None)

    def show_stage(self, stage: ClientStage, *, has_robots: bool = False) -> None:
        """Enables what can be done at `stage`, in a world with or without robots."""
        is_shown = stage in (ClientStage.LOADED, ClientStage.RUNNING)
        self.load.setEnabled(stage in (ClientStage.EMPTY, ClientStage.LOADED))
        self.select_world.setEnabled(stage in (ClientStage.EMPTY, ClientStage.LOADED))
        self.run.setEnabled(stage in (ClientStage.EMPTY, ClientStage.LOADED))
        self.stop.setEnabled(stage in (ClientStage.LOADING, ClientStage.RUNNING))
        self.restart.setEnabled(stage is ClientStage.RUNNING)
        for action in (self.free, self.save, self.record):
            action.setEnabled(is_shown)
        for action in (self.chase, self.next_robot):
            action.setEnabled(is_shown and has_robots)

    def show_phase(self, phase: Phase | None) -> None:
        """Enables what can be done with the simulated time; None: the server says nothing."""
        is_standing = phase in STANDING
        self._pause_sign = IconGlyph.RUN if is_standing else IconGlyph.PAUSE
        self.pause.setText(_GO_ON if is_standing else _PAUSE)
        # In the tool bar there is room for a word.
        self.pause.setIconText("Go On" if is_standing else "Pause")
        self.step.setIconText("Step")
        self.pause.setToolTip(f"{self.pause.text().replace('&', '')} (F6)")
        self.paint(self._window.palette())
        self.pause.setEnabled(is_standing or phase is Phase.RUNNING)
        self.step.setEnabled(is_standing)
        self.step_size.setEnabled(phase is not None)

    def of_picture(self, overlays: Sequence[QAction]) -> list[QAction]:
        """Actions in the menu of a picture."""
        looks = [self.chase, self.free, self.next_robot, self._separator()]
        panes = [self.add, self.remove, self.full_screen, self._separator()]
        return [*looks, *panes, self.save, self.record, self._separator(), *overlays]

    def _separator(self) -> QAction:
        line = QAction(self._window)
        line.setSeparator(True)
        return line

    def paint(self, palette: QPalette) -> None:
        """Draws the signs in the colours of `palette`."""
        signs = (
            (self.load, IconGlyph.LOAD),
            (self.run, IconGlyph.RUN),
            (self.stop, IconGlyph.STOP),
            (self.pause, self._pause_sign),
            (self.step, IconGlyph.STEP),
        )
        for action, sign in signs:
            action.setIcon(make_icon(sign, palette))

    def make_switch(self, text: str, keys: str, do: Callable[[bool], None]) -> QAction:
        """A command that turns something on and off."""
        return self._make(text, keys, do, is_switch=True)

    def _make(
        self,
        text: str,
        keys: str,
        do: Callable[..., None],
        *,
        is_switch: bool = False,
    ) -> QAction:
        action = QAction(text, self._window)
        tip = text.replace("&", "").rstrip("…")
        action.setToolTip(f"{tip} ({keys})" if keys else tip)
        action.setShortcut(QKeySequence(keys))
        action.setCheckable(is_switch)
        if is_switch:
            action.triggered.connect(do)
        else:
            action.triggered.connect(lambda: do())
        self._window.addAction(action)
        return action
