"""The controller behind the window's buttons: from a world file to pictures of a simulation."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal

from autosim.applications.gui.client.client_session import ClientSession
from autosim.applications.gui.client.pause_control import PauseControl
from autosim.applications.gui.client.pictures.pane_overlays import Overlays
from autosim.applications.gui.client.server_news import ServerNews
from autosim.applications.gui.shared.background_calls import BackgroundCalls
from autosim.applications.gui.shared.loading.fetch_worker import FetchOrder
from autosim.applications.gui.shared.loading.world_controller import WorldController
from autosim.applications.gui.shared.skies import SkyChoice
from autosim.applications.remote.program_choice import chosen_program
from autosim.client.cameras.clearance import Clearance
from autosim.client.cameras.robot_picker import RobotPicker
from autosim.client.link.client_errors import ServerRefusedError
from autosim.client.link.connection import Connection
from autosim.client.overlays.interpolation import Playback
from autosim.client.programs.client_programs import ClientPrograms
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.rendering.world_renderer import WorldRenderer
from autosim.client.scene.viewer import Viewer
from autosim.config.arguments import split_arguments
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.kinds.director import build_tree
from autosim.loading.world_worker import PrepareOrder
from autosim.model.commands import DeviceError
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.rays.ray_scene import RayScene
from autosim.userprogram.ipc.camera_images import DrawnImage, PictureRequest
from autosim.wire import DEFAULT_ADDRESS
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.fetched_worlds import fetched_map


class ClientStage(Enum):
    """Stage of the window."""

    EMPTY = auto()
    LOADING = auto()
    LOADED = auto()
    RUNNING = auto()


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """Server and program; `rate` [Hz]: requested states per simulated second.

    `arguments` follow the robot's name, on one line; "": those of the world file.
    `offers_pictures`: the client offers to render for programs that run elsewhere.
    """

    address: str = DEFAULT_ADDRESS
    """HOST:PORT of the server."""
    robot: str = ""
    program: str = ""
    arguments: str = ""
    rate: float = 60.0
    renderer: str | None = None
    """Name of the graphics library's driver, None: the best one."""
    offers_pictures: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A world that can be drawn; `device_pictures` are what user programs see of it.

    `window_pictures` are those of the same cameras for panes, whose rates are not the programs'.
    `clearance` keeps cameras that follow robots out of houses; `picker` finds robots in pictures.

    Attributes:
        compiled: compiled world.
        tree: tree of the server's simulation.
        viewer: draws the world.
        overlays: paints over pictures.
    """

    world: WorldDescription
    compiled: CompiledWorld
    tree: SimulationTree
    viewer: WorldRenderer
    device_pictures: DevicePictures
    window_pictures: DevicePictures
    overlays: Overlays
    clearance: Clearance
    picker: RobotPicker


class Player(WorldController[ClientStage]):
    """Loads a world, connects, and provides the newest state, for the drawing thread.

    Signals, in addition to those of `WorldController`: `unloading` (drawing must stop),
    `loaded` (Shown), `program_failed` (text): the user program of this window has failed, and why;
    "" once it is started again.
    """

    unloading = pyqtSignal()
    loaded = pyqtSignal(object)
    program_failed = pyqtSignal(str)

    def __init__(self, settings: ClientSettings, parent: QObject | None = None) -> None:
        super().__init__("client", ClientStage.EMPTY, parent)
        self.settings = settings
        self.shown: Shown | None = None
        self.playback: Playback | None = None
        self.session: ClientSession | None = None
        self.time = PauseControl(self._connection, self)
        self.time.failed.connect(lambda text: self._say("error", text))
        self.news = ServerNews(self._connection, self)
        self._sky = SkyChoice()
        self._calls = BackgroundCalls(self)
        self._loader.prepared.connect(self._compile)
        self._loader.refused.connect(self._give_up)
        self._runs_when_loaded = False
        self._notices: deque[Notice] = deque()
        self._texts: deque[str] = deque()
        self._has_state = False
        # The files of the world with which the server has refused this client last.
        self._refused: tuple[tuple[str, str], ...] | None = None
        # Programs that continue while the server's world with other robots is loaded.
        self._programs: ClientPrograms | None = None

    @property
    def state(self) -> State | None:
        """The state that the pictures show; None before the first one."""
        return self.playback.state if self.playback is not None and self._has_state else None

    def load(self) -> None:
        """Loads the chosen world; that of the server where none is chosen."""
        self.unload()
        self._enter(ClientStage.LOADING)
        self._loader.start(
            PrepareOrder(self.world_file, has_picture=False)
            if self.world_file
            else FetchOrder(self.settings.address)
        )

    def run(self) -> None:
        """Connects to the server and starts the user program; loads first where needed."""
        if self.stage is ClientStage.LOADED:
            self._connect()
        elif self.stage is ClientStage.EMPTY:
            self._runs_when_loaded = True
            self.load()

    def stop(self) -> None:
        """Ends the loading; or the connection and the user program, and the last pictures stay."""
        if self.stage is ClientStage.LOADING:
            self._cancel_loading()
            self._give_up()
        self._end_programs()
        if self.session is not None:
            self.session.close()
            self.session = None
            self.news.forget()
            self._tell()
            self.program_failed.emit("")
            self._enter(ClientStage.LOADED)

    def restart_program(self) -> None:
        """Starts the user program again, as the file is now."""
        if self.session is not None:
            self._launch(self.session)

    def unload(self) -> None:
        """Forgets the world."""
        self._loader.drop()
        self.stop()
        self.unloading.emit()
        if self.shown is not None:
            self.shown.viewer.close()
        self.shown = self.playback = None
        self._has_state = False
        self._enter(ClientStage.EMPTY)

    def close(self) -> None:
        """Ends everything."""
        self.time.close()
        self.news.close()
        self.unload()
        self._calls.close()

    def set_data(self, actuator: str, values: npt.ArrayLike) -> None:
        """Sets an actuator at the next step, also at one that is ordered right after this."""
        if self.session is None:
            self._say("warning", "not connected: nothing was set")
            return
        mirror, is_running = self.session.mirror, not self.time.is_standing
        try:
            self.time.orders.set_data(mirror, actuator, values, is_running=is_running)
        except (UserError, DeviceError) as error:
            self._say("error", str(error))

    def choose_sky(self, choice: SkyChoice) -> None:
        """Shows pictures of another day time and weather; user programs keep the world's own."""
        self._sky = choice
        if self.shown is not None:
            self._show_sky(self.shown)

    def poll(self) -> int:
        """Takes the newest state and serves user programs; how many states have come."""
        self._tell()
        if self.session is None or self.playback is None or self.shown is None:
            return 0
        try:
            has_come = self.session.mirror.take()
        except ServerRefusedError as error:
            self._take_refusal(str(error))
            return 0
        self.playback.state.is_standing = self.session.mirror.state.is_standing
        states = 0
        if has_come:
            states, arrived = self.session.count_states()
            self.playback.take(self.session.mirror.state, arrived, states=states)
            self.shown.overlays.take(self.session.mirror.state)
            self._has_state = True
            self._refused = None
        self.session.programs.serve_pending()
        return states

    def _connection(self) -> Connection | None:
        return self.session.mirror.connection if self.session is not None else None

    def _take_refusal(self, reason: str) -> None:
        """Takes the server's other world, where none was chosen here; else ends the connection."""
        refused = self.shown.world.files if self.shown is not None else ()
        if self.world_file or refused == self._refused:
            self._say("error", reason)
            self.stop()
            return
        self._refused = refused
        self._say("info", "the server's world has changed")
        programs = self.session.release_programs() if self.session is not None else None
        self.unload()
        self.run()
        self._programs = programs

    def advance(self, now: float) -> bool:
        """Brings what is shown up to `now` (monotonic [s]); whether pictures have changed."""
        if self.playback is None or self.shown is None or not self._has_state:
            return False
        has_changed = self.playback.advance(now)
        if has_changed:
            self.shown.viewer.update(self.playback.state)
        return has_changed

    def _show_sky(self, shown: Shown) -> None:
        shown.viewer.show_sky(self._sky.of(shown.world.graphics.sky))

    def _compile(self, world: WorldDescription) -> None:
        self._loader.drop()
        self.progressed.emit("read the map", 1.0)
        self._calls.submit(
            lambda: compile_world(world.terrain, sent=fetched_map(world.terrain.osm)),
            on_result=lambda compiled: self._build(world, compiled),
            on_error=self._refuse,
        )

    def _build(self, world: WorldDescription, compiled: CompiledWorld) -> None:
        if self.stage is not ClientStage.LOADING:
            return
        try:
            self._show(world, compiled)
        except (UserError, ValueError) as error:
            self._refuse(error)
            return
        self._enter(ClientStage.LOADED)
        if self._runs_when_loaded:
            self._runs_when_loaded = False
            self._connect()

    def _show(self, world: WorldDescription, compiled: CompiledWorld) -> None:
        tree = build_tree(world)
        viewer = Viewer(
            world,
            compiled,
            tree,
            width=world.graphics.width,
            height=world.graphics.height,
            onscreen=False,
            renderer=self.settings.renderer,
        )
        self._say("info", f"pictures by {viewer.renderer}")
        for text in (*viewer.limitations, *viewer.warnings):
            self._say("warning", text)
        overlays = Overlays(world, compiled, tree)
        of_programs, of_window = (DevicePictures(viewer, world, tree) for _ in range(2))
        clearance = Clearance()
        # The scene of a large map takes seconds, in which cameras are free to go anywhere.
        self._calls.submit(lambda: RayScene.of(compiled), on_result=clearance.take)
        picker = RobotPicker(world, tree, clearance)
        self.shown = Shown(
            *(world, compiled, tree, viewer, of_programs, of_window),
            overlays=overlays,
            clearance=clearance,
            picker=picker,
        )
        self._show_sky(self.shown)
        self.playback = Playback(tree)
        self.loaded.emit(self.shown)

    def _connect(self) -> None:
        assert self.shown is not None
        self.shown.overlays.clear()
        try:
            self.session = ClientSession(
                self.shown.world,
                self.settings.address,
                rate=self.settings.rate,
                render=self.render_for_programs,
                report=self._texts.append,
                notice=self._notices.append,
                programs=self._programs,
            )
        except (UserError, ValueError) as error:
            self._say("error", str(error))
            return
        self._programs = None
        self._enter(ClientStage.RUNNING)
        if not self.session.programs.running:
            self._launch(self.session)
        if self.settings.offers_pictures:
            self._offer_pictures(self.session)

    def _launch(self, session: ClientSession) -> None:
        """Starts the chosen program, or the one that the world names for the chosen robot."""
        assert self.shown is not None
        try:
            program = Path(self.settings.program).expanduser() if self.settings.program else None
            robot = self.settings.robot or None
            arguments = split_arguments(self.settings.arguments)
            order = chosen_program(
                self.shown.world, program=program, robot=robot, arguments=arguments
            )
            if order is not None:
                session.programs.replace(order)
                self.program_failed.emit("")
                self._say("info", f"started {order.program.name} for {order.robot}")
        except UserError as error:
            self._say("error", str(error))

    def _offer_pictures(self, session: ClientSession) -> None:
        try:
            session.programs.offer_pictures()
        except UserError as error:
            self._say("error", str(error))

    def render_for_programs(
        self, wishes: Sequence[PictureRequest], state: State
    ) -> Sequence[DrawnImage]:
        """Pictures for a user program, of the state that it sees and in the world's own light."""
        assert self.shown is not None
        if self.session is not None:
            self.shown.device_pictures.seed = self.session.mirror.connection.seed
        return self.shown.device_pictures.draw(wishes, state)

    def _refuse(self, error: Exception) -> None:
        self._say("error", str(error))
        self._give_up()

    def _give_up(self) -> None:
        self._loader.drop()
        self._runs_when_loaded = False
        self._end_programs()
        self._enter(ClientStage.EMPTY)

    def _end_programs(self) -> None:
        """Ends the programs that no session has."""
        if self._programs is not None:
            self._programs.close()
            self._programs = None

    def _tell(self) -> None:
        while self._texts:
            self._say("info", self._texts.popleft())
        world = self.shown.world if self.shown is not None else None
        while self._notices:
            notice = self._notices.popleft()
            if not notice.is_output:
                self.news.note_own(notice)
            if notice.level == "error":
                name, reason = Path(notice.source).name, notice.text.partition("\n")[0]
                self.program_failed.emit(f"{name} has failed: {reason}")
            self._pass_on(notice, world)
