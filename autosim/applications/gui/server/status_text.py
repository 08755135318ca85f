"""Texts of the status bar: the simulated world, and the one chosen to be next."""

from dataclasses import dataclass

from autosim.applications.gui.server.operator import ServerStage

_WORDS = {
    ServerStage.EMPTY: "no world is loaded",
    ServerStage.STARTING: "{world} is starting",
    ServerStage.READY: "{world} is ready: Run (F5)",
    ServerStage.RUNNING: "{world} runs",
    ServerStage.PAUSED: "{world} is paused",
    ServerStage.STOPPING: "{world} is stopping",
    ServerStage.STOPPED: "{world} is stopped",
}


@dataclass(frozen=True, slots=True)
class WindowStatus:
    """Status of the window.

    `world`: the current or last simulated world, "" for none. `chosen`: the name of the
    file that Load takes; `is_other`: it is not that of `world`. `has_server`: `world` continues
    while another one is loaded; `is_replacing`: that one is compiled, and is starting.
    """

    stage: ServerStage
    """Stage of the server's life."""
    world: str
    chosen: str
    is_other: bool
    has_server: bool
    is_replacing: bool = False

    @property
    def stage_text(self) -> str:
        """Text of the stage."""
        if self.stage is not ServerStage.LOADING and not self.is_replacing:
            return _WORDS[self.stage].format(world=self.world or "the world")
        text = f"loading {self.chosen}"
        return f"{text}; {self.world} continues meanwhile" if self.has_server else text

    @property
    def chosen_text(self) -> str:
        """Text of a chosen world that is not loaded, with what to do; "" without one."""
        if (
            self.stage in (ServerStage.LOADING, ServerStage.STARTING, ServerStage.STOPPING)
            or not self.chosen
        ):
            return ""
        if self.stage in (ServerStage.EMPTY, ServerStage.STOPPED):
            return f"Run (F5) loads and runs {self.chosen}"
        if not self.is_other:
            return ""
        return f"{self.chosen} is chosen: Load (Ctrl+L) puts it in its place, then Run (F5)"
