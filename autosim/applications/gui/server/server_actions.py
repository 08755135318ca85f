"""The window's commands: each once, for menu, tool bar and keyboard."""

from collections.abc import Callable
from dataclasses import dataclass

from PyQt6.QtGui import QAction, QKeySequence, QPalette
from PyQt6.QtWidgets import QMainWindow

from autosim.applications.gui.server.operator import Operator, ServerStage
from autosim.applications.gui.server.world_editing import WorldEditing
from autosim.applications.gui.shared.icons import IconGlyph, make_icon
from autosim.model.phase import Phase


@dataclass(frozen=True, slots=True)
class ServerActions:
    """All commands; `show_stage` enables those that make sense.

    Attributes:
        select: select another world file.
        close: close the window.
        load: load the selected world.
        run: run the simulation.
        pause: pause the simulation.
        step: simulate steps while paused.
        stop: end the server.
        reset: restart the world at step 0.
        cancel: cancel loading.
        save: save the current world to a file.
        add_robot: add a robot.
        undo: undo the last change of the world.
        attach: start a client of this server.
        restart_program: restart the program of the selected robot.
    """

    select: QAction
    close: QAction
    load: QAction
    run: QAction
    pause: QAction
    step: QAction
    stop: QAction
    reset: QAction
    cancel: QAction
    save: QAction
    add_robot: QAction
    undo: QAction
    attach: QAction
    restart_program: QAction

    @property
    def simulation(self) -> tuple[QAction, ...]:
        """Actions of the tool bar, in its order."""
        return (self.load, self.run, self.pause, self.step, self.stop, self.reset)

    def paint(self, palette: QPalette) -> None:
        """Draws the signs in the colours of `palette`."""
        signs = (
            IconGlyph.LOAD,
            IconGlyph.RUN,
            IconGlyph.PAUSE,
            IconGlyph.STEP,
            IconGlyph.STOP,
            IconGlyph.RESET,
        )
        for action, sign in zip(self.simulation, signs, strict=True):
            action.setIcon(make_icon(sign, palette))

    def show_stage(self, stage: ServerStage, coming: Phase | None = None) -> None:
        """Enables what can be done at `stage`, where an order leads to the phase `coming`."""
        is_still = stage in (ServerStage.READY, ServerStage.PAUSED)
        # Keys may follow one another quicker than the server answers.
        is_pausing, is_starting = coming is Phase.PAUSED, coming is Phase.RUNNING
        is_free = not stage.is_busy and stage is not ServerStage.STOPPING
        self.select.setEnabled(is_free)
        self.load.setEnabled(is_free)
        # While a world is loading, Run means: as soon as it is ready.
        is_running = stage is ServerStage.RUNNING
        self.run.setEnabled(stage is not ServerStage.STOPPING and (not is_running or is_pausing))
        self.pause.setEnabled(is_running or is_starting)
        self.step.setEnabled(is_still or is_pausing)
        self.stop.setEnabled(stage.is_live)
        self.reset.setEnabled(stage.is_live or stage is ServerStage.STOPPED)
        self.cancel.setEnabled(stage.is_busy)
        # The server knows whether there is something to undo, the window only a little later.
        for change in (self.save, self.add_robot, self.undo, self.attach, self.restart_program):
            change.setEnabled(stage.is_live)


def make_actions(
    window: QMainWindow,
    operator: Operator,
    *,
    managing: WorldEditing,
    undo: Callable[[], None],
    select: Callable[[], None],
    restart_program: Callable[[], None],
) -> ServerActions:
    """The commands of `window`; `paint` gives them their signs."""

    def action(text: str, keys: str, tip: str, do: Callable[[], object]) -> QAction:
        made = QAction(text, window)
        made.setShortcut(QKeySequence(keys))
        made.setToolTip(f"{tip} ({keys})")
        made.setStatusTip(tip)
        made.triggered.connect(lambda: do())
        window.addAction(made)
        return made

    return ServerActions(
        select=action("&Select World File…", "Ctrl+O", "Choose the world to load", select),
        close=action("&Quit", "Ctrl+Q", "End the server and close the window", window.close),
        load=action("&Load", "Ctrl+L", "Read the files of the world, and load it", operator.load),
        run=action("&Run", "F5", "Run the simulation", operator.run),
        pause=action("&Pause", "F6", "Pause after the present step", operator.pause),
        step=action("S&tep", "F7", "Do one step", operator.step),
        stop=action("St&op", "F8", "End the server", operator.stop),
        reset=action("R&eset", "F9", "Start again at step 0, as it was loaded", managing.reset),
        cancel=action("&Cancel Loading", "Esc", "End the loading", operator.cancel),
        save=action("Save &As…", "Ctrl+S", "Save the running world as a world file", managing.save),
        add_robot=action(
            "&Add a Robot…", "Ctrl+N", "Put a robot into the simulation", managing.ask_for_robot
        ),
        undo=action(
            "&Undo",
            "Ctrl+Z",
            "Undo the last change: a robot moved, added or removed, an actuator set",
            undo,
        ),
        attach=action(
            "A&ttach a User Program…",
            "Ctrl+U",
            "Give a user program to a robot without one",
            managing.ask_for_program,
        ),
        restart_program=action(
            "Restart User &Program",
            "Ctrl+R",
            "Start the user program of the selected robot again",
            restart_program,
        ),
    )
