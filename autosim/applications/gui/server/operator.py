"""The controller behind the window's buttons: load, run, pause, step and stop a simulation."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.server.server_session import ServerSession
from autosim.applications.gui.shared.loading.world_controller import WorldController
from autosim.client.link.connection import Status
from autosim.client.link.mirror import Mirror
from autosim.client.link.time_control import TimeControl, TimeInfo
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import locate
from autosim.loading.world_worker import MapPicture, PrepareOrder
from autosim.model.commands import DeviceError
from autosim.model.phase import Phase
from autosim.records.record_format import Continuation
from autosim.server.network.front import LoadAnswered, ServerOptions
from autosim.server.worlds.server_options import REPLAY, SIMULATION, WorldChanged


class ServerStage(Enum):
    """Stage of the window with a world."""

    EMPTY = auto()
    LOADING = auto()
    STARTING = auto()
    READY = auto()
    RUNNING = auto()
    PAUSED = auto()
    STOPPING = auto()
    STOPPED = auto()

    @property
    def is_busy(self) -> bool:
        """Whether something is on its way that Cancel ends."""
        return self in (ServerStage.LOADING, ServerStage.STARTING)

    @property
    def is_live(self) -> bool:
        """Whether there is a simulation that takes orders."""
        return self in (ServerStage.READY, ServerStage.RUNNING, ServerStage.PAUSED)


_STAGES = {
    Phase.LOADING: ServerStage.STARTING,
    Phase.READY: ServerStage.READY,
    Phase.RUNNING: ServerStage.RUNNING,
    Phase.PAUSED: ServerStage.PAUSED,
}


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of the next server; `pace` is the real-time factor, 0 as fast as possible.

    `described`: the world of a record, which is used in place of its file.

    Attributes:
        host: name or address at which clients connect.
        port: 0: any free one.
        is_insecure: no encryption and no tokens.
        certificate: PEM file, None: the server's own.
        key: PEM file of the certificate's key.
        seed: of the random numbers.
        steps_per_second: steps per simulated second [Hz], None: the world's.
        is_safe: starts no user program of the world.
        keep_seconds: interval of snapshots [s of simulated time], 0: none.
        replay: record to show, None: none.
        continued: start of a continued run, None: the first step.
    """

    host: str
    port: int
    is_insecure: bool = False
    certificate: Path | None = None
    key: Path | None = None
    seed: int = 0
    pace: float = 1.0
    steps_per_second: int | None = None
    is_safe: bool = False
    record: Path | None = None
    keep_seconds: float = 0.0
    replay: Path | None = None
    continued: Continuation | None = None
    described: WorldDescription | None = None

    def server_options(self) -> ServerOptions:
        """The same, for a server that waits for a word before its first step."""
        return ServerOptions(
            address=f"{self.host}:{self.port}",
            seed=self.seed,
            is_insecure=self.is_insecure,
            certificate=self.certificate,
            key=self.key,
            is_safe=self.is_safe,
            record=self.record,
            keep_seconds=self.keep_seconds,
            simulation=SIMULATION if self.replay is None else REPLAY,
            replay=self.replay,
            continued=self.continued,
        )


class Operator(WorldController[ServerStage]):
    """Carries out what the user wants, one stage after the other.

    `is_replacing`: the server loads a world that is compiled, in place of the one that it has.

    Signals, beside those of `WorldController`: `loaded` (WorldDescription), `opened` (Mirror),
    `drawn` (MapPicture), `counted` (Status), `listed` (the connected clients), `programs_listed`
    (the user programs), `undoable_told` (the change that undo would undo, in words, "" for none),
    `times_told` (TimeInfo), `world_changed` (WorldDescription: the server
    simulates another one), `moved_elsewhere`: that has another map, which is drawn now;
    `coming_changed`: `coming` did.
    """

    loaded = pyqtSignal(object)
    opened = pyqtSignal(object)
    drawn = pyqtSignal(object)
    counted = pyqtSignal(object)
    listed = pyqtSignal(object)
    programs_listed = pyqtSignal(object)
    undoable_told = pyqtSignal(str)
    times_told = pyqtSignal(object)
    world_changed = pyqtSignal(object)
    moved_elsewhere = pyqtSignal()
    coming_changed = pyqtSignal()

    def __init__(self, settings: ServerSettings, parent: QObject | None = None) -> None:
        super().__init__("server", ServerStage.EMPTY, parent)
        self.settings = settings
        self.loading_file = ""
        self.world: WorldDescription | None = None
        self.as_loaded: WorldDescription | None = None
        self._loader.prepared.connect(self._take_prepared)
        self._loader.drawn.connect(self._take_picture)
        self._loader.refused.connect(self._give_up)
        self._session: ServerSession | None = None
        self._runs_when_ready = False
        self._continued: Continuation | None = None
        self._prepared: WorldDescription | None = None
        self.is_replacing = False
        self._held_picture: MapPicture | None = None
        self._stage_before = ServerStage.EMPTY
        self._is_drawn = True

    @property
    def mirror(self) -> Mirror | None:
        """The mirror of the running server, None where there is none."""
        return self._session.mirror if self._session else None

    @property
    def coming(self) -> Phase | None:
        """The phase to which an order on its way leads, None where there is none."""
        return self._session.orders.coming if self._session is not None else None

    @property
    def has_server(self) -> bool:
        """Whether there is a server, be it one that is just starting or ending."""
        return self._session is not None

    @property
    def address(self) -> str:
        """Address for clients; "" without a server."""
        return self._session.address if self._session else ""

    @property
    def has_other_choice(self) -> bool:
        """Whether the chosen file is not that of the world that is simulated."""
        return self.world is None or not _is_same(self.world_file, self.world)

    def select(self, world_file: str) -> None:
        """Chooses the world that `load` takes."""
        self.world_file = world_file

    def load(self) -> None:
        """Loads the chosen world; a running server continues until the new world is ready."""
        described, file = self.settings.described, self.world_file
        is_described = described is not None and _is_same(file, described)
        self._continued = self.settings.continued
        self._prepare(file, described if described is not None and is_described else file)

    def _prepare(self, file: str, world: str | WorldDescription) -> None:
        self._stage_before = self.stage
        self.loading_file = file
        self._enter(ServerStage.LOADING)
        self._loader.start(PrepareOrder(world, self.settings.steps_per_second))

    def cancel(self) -> None:
        """Ends what is on its way."""
        self._runs_when_ready = False
        if self.stage is ServerStage.LOADING:
            self._cancel_loading()
            self._give_up()
        elif self.stage is ServerStage.STARTING and self.is_replacing:
            if self._session is not None:
                self._session.cancel_load()
        elif self.stage is ServerStage.STARTING:
            self.stop()

    def run(self) -> None:
        """Runs on, as soon as the world is ready; loads the chosen one where none is loaded."""
        if self.stage.is_live and self._session is not None:
            self._session.orders.run(self.settings.pace)
            return
        self._runs_when_ready = True
        if not self.stage.is_busy:
            self.load()

    def pause(self) -> None:
        """Pauses after the current step."""
        if self._session is not None and self.stage.is_live:
            self._session.orders.pause()

    def step(self) -> None:
        """Does one step."""
        if self._session is not None and self.stage.is_live:
            self._session.orders.step()

    def stop(self) -> None:
        """Ends the server; what it simulated last stays to be seen."""
        if self._session is not None:
            self._enter(ServerStage.STOPPING)
            self._session.end()

    def reset(self) -> None:
        """Begins the present world again at step 0, as it was loaded.

        Its files are not read again. The other settings, such as the step size, are those of now.
        """
        if self.as_loaded is None:
            self.load()
            return
        self._runs_when_ready = False
        self._continued = None
        self._prepare(str(self.as_loaded.source), self.as_loaded)

    def set_pace(self, pace: float) -> None:
        """Changes the real-time factor, also of a simulation that runs."""
        self.settings = replace(self.settings, pace=pace)
        if self.stage is ServerStage.RUNNING:
            self.run()

    def set_data(self, actuator: str, values: npt.ArrayLike) -> None:
        """Sets an actuator at the next step."""
        try:
            if self._session is not None:
                self._session.set_data(
                    actuator, values, is_running=self.stage is ServerStage.RUNNING
                )
        except DeviceError as error:
            self._say("error", str(error))

    def poll(self) -> bool:
        """Takes over the newest state; True where there is one."""
        return self._session is not None and self._session.poll()

    def ask_status(self) -> None:
        """Asks the server where it stands."""
        if self._session is not None:
            self._session.orders.ask_status()

    def ask_clients(self) -> None:
        """Asks the server who is connected."""
        if self._session is not None:
            self._session.ask_clients()

    @property
    def live_session(self) -> ServerSession | None:
        """The server that takes orders now, None where none does."""
        return self._session if self.stage.is_live else None

    def ask_programs(self) -> None:
        """Asks the server how the user programs fare."""
        if self.live_session is not None:
            self.live_session.ask_programs()

    def ask_times(self) -> None:
        """Asks the server what is recorded and kept of the run."""
        if self.live_session is not None:
            self.live_session.ask_times()

    def order_time(self, order: Callable[[TimeControl], TimeInfo]) -> None:
        """Gives an order to the simulation's time."""
        if self.live_session is not None:
            self.live_session.order_time(order)

    def close(self) -> None:
        """Ends all processes and waits until they are gone."""
        self._loader.drop()
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def _server_options(self) -> ServerOptions:
        return replace(self.settings.server_options(), continued=self._continued)

    def _take_prepared(self, world: WorldDescription) -> None:
        options = self._server_options
        if self._session is None:
            self._start_server(world)
        elif self._session.has_address_of(options):
            self.is_replacing = True
            self._enter(ServerStage.STARTING)
            self._session.load(world, options)
        else:
            self._prepared = world
            self.stop()

    def _take_picture(self, picture: MapPicture) -> None:
        """Shows the map of the present world; that of the one for its place waits for it."""
        if self.is_replacing:
            self._held_picture = picture
        else:
            self.drawn.emit(picture)

    def _take_refusal(self, answer: LoadAnswered) -> None:
        """The present world continues."""
        if self.is_replacing:
            self._loader.drop()
            self._end_replacing()
            self._say(answer.level, answer.refusal)
            self._give_up()

    def _end_replacing(self) -> None:
        self.is_replacing, self._held_picture = False, None

    def _start_server(self, world: WorldDescription) -> None:
        self._prepared, self.world, self._is_drawn = None, world, True
        self.as_loaded = world
        self.loaded.emit(world)
        self._enter(ServerStage.STARTING)
        self._session = ServerSession(world, self._server_options, parent=self)
        self._session.opened.connect(self._show_mirror)
        self._session.changed.connect(self._follow)
        self._session.listed.connect(self.listed)
        self._session.programs_listed.connect(self.programs_listed)
        self._session.times_told.connect(self.times_told)
        self._session.undoable_told.connect(self.undoable_told)
        self._session.world_changed.connect(self._take_change)
        self._session.load_refused.connect(self._take_refusal)
        self._session.noticed.connect(lambda notice: self._pass_on(notice, self.world))
        self._session.coming_changed.connect(self.coming_changed)
        self._session.ended.connect(self._forget_session)

    def _give_up(self) -> None:
        """Returns to the previous stage: the server that was there, if any, has continued."""
        self._runs_when_ready = False
        has_none = ServerStage.EMPTY if self.world is None else ServerStage.STOPPED
        self._enter(self._stage_before if self._session is not None else has_none)
        self._draw()

    def _show_mirror(self) -> None:
        self._say("info", f"listening at {self.address}")
        self.opened.emit(self.mirror)

    def _take_change(self, changed: WorldChanged) -> None:
        before, had_other_choice, world = self.world, self.has_other_choice, changed.world
        self.world = world
        if not had_other_choice:
            self.select(str(world.source))
        if changed.is_loaded:
            self.as_loaded = world
            self.loaded.emit(world)
        self.world_changed.emit(world)
        self.opened.emit(self.mirror)
        is_own = self.is_replacing and changed.is_loaded
        picture = self._held_picture
        if is_own:
            self._end_replacing()
        if before is None or world.terrain != before.terrain:
            self.moved_elsewhere.emit()
            self._is_drawn = is_own
            self._draw()
        if is_own and picture is not None:
            self.drawn.emit(picture)

    def _draw(self) -> None:
        """Draws the map of the present world, where it is not that which is shown."""
        if not self._is_drawn and self.world is not None and self.stage is not ServerStage.LOADING:
            self._is_drawn = True
            self._loader.draw(PrepareOrder(self.world))

    def _follow(self, status: Status) -> None:
        self.counted.emit(status)
        if self.is_replacing or self.stage in (ServerStage.LOADING, ServerStage.STOPPING):
            return
        self._enter(_STAGES[status.phase])
        if self._runs_when_ready and self.stage is ServerStage.READY:
            self._runs_when_ready = False
            self.run()

    def _forget_session(self, why: str) -> None:
        if self._session is not None:
            self._session.deleteLater()
            self._session = None
        self._end_replacing()
        if why:
            self._say("error", why)
        if self._prepared is not None:
            self._start_server(self._prepared)
        elif self.stage is not ServerStage.LOADING:
            self._runs_when_ready = False
            self._enter(ServerStage.STOPPED)


def _is_same(file: str, world: WorldDescription) -> bool:
    return locate(file)[0].resolve() == world.source.resolve()
