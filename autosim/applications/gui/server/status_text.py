"""What the status bar says: what the server simulates, and which world is chosen to be next."""

from dataclasses import dataclass

from autosim.applications.gui.server.operator import Stage

_WORDS = {
    Stage.EMPTY: "no world is loaded",
    Stage.STARTING: "{world} is starting",
    Stage.READY: "{world} is ready: Run (F5)",
    Stage.RUNNING: "{world} runs",
    Stage.PAUSED: "{world} is paused",
    Stage.STOPPING: "{world} is stopping",
    Stage.STOPPED: "{world} is stopped",
}


@dataclass(frozen=True, slots=True)
class Situation:
    """How far the window has come.

    `world`: what the server simulates or simulated last, "" for none. `chosen`: the name of the
    file that Load takes; `is_other`: it is not that of `world`. `has_server`: `world` goes on while
    another one is loaded.
    """

    stage: Stage
    world: str
    chosen: str
    is_other: bool
    has_server: bool

    @property
    def stage_text(self) -> str:
        """What the server does."""
        if self.stage is not Stage.LOADING:
            return _WORDS[self.stage].format(world=self.world or "the world")
        text = f"loading {self.chosen}"
        return f"{text}; {self.world} goes on meanwhile" if self.has_server else text

    @property
    def chosen_text(self) -> str:
        """What is chosen but not loaded, and what to do with it; "" where there is nothing."""
        if self.stage in (Stage.LOADING, Stage.STARTING, Stage.STOPPING) or not self.chosen:
            return ""
        if self.stage in (Stage.EMPTY, Stage.STOPPED):
            return f"Run (F5) loads and runs {self.chosen}"
        if not self.is_other:
            return ""
        return f"{self.chosen} is chosen: Load (Ctrl+L) puts it in its place, then Run (F5)"
