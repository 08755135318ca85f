"""Base of the controllers of both windows: stages, messages, and a world being prepared."""

from enum import Enum
from typing import Generic, TypeVar

from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.shared.loading.world_loader import WorldLoader
from autosim.applications.gui.shared.messages.entries import entry_of_notice, entry_of_text
from autosim.config.descriptions import WorldDescription
from autosim.model.notices import Notice, Severity

Stage = TypeVar("Stage", bound=Enum)


class WorldController(QObject, Generic[Stage]):
    """Takes a window from one stage to the next, and reports it.

    `world_file` is the chosen world; `stage` is the current stage.

    Signals: `stage_changed` (the stage); `progressed` (step, share); `said` (Entry).

    Args:
        source: name of the source of messages that are not about a file.
        stage: the first one.
        parent: owns it.
    """

    stage_changed = pyqtSignal(object)
    progressed = pyqtSignal(str, float)
    said = pyqtSignal(object)

    def __init__(self, source: str, stage: Stage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.world_file = ""
        self.stage = stage
        self._source = source
        self._loader = WorldLoader(source, self)
        self._loader.progressed.connect(self.progressed)
        self._loader.said.connect(self.said)

    def _cancel_loading(self) -> None:
        """Ends the loading, and says so."""
        self._loader.drop()
        self._say("info", "loading was cancelled")

    def _say(self, level: Severity, text: str) -> None:
        self.said.emit(entry_of_text(level, self._source, text))

    def _pass_on(self, notice: Notice, world: WorldDescription | None) -> None:
        """Says what a simulation of `world` has said."""
        seconds = world.physics.step_seconds if world is not None else 0.0
        self.said.emit(entry_of_notice(notice, step_seconds=seconds))

    def _enter(self, stage: Stage) -> None:
        if stage is not self.stage:
            self.stage = stage
            self.stage_changed.emit(stage)
