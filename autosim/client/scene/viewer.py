"""The viewer: what the rest of a client needs to know of pictures."""

import weakref
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats32
from autosim.client.cameras.camera_rigs import CameraPose, Rig, make_rigs, view_height
from autosim.client.cameras.depth_test import Depths
from autosim.client.materials import label_shader, motion_shader
from autosim.client.materials.label_shader import NORMAL_STEPS
from autosim.client.materials.picture_quality import QUALITIES
from autosim.client.panda.display_modules import Probe, has_screen
from autosim.client.panda.panda_imports import core
from autosim.client.panda.picture_card import PictureCard
from autosim.client.panda.readback import Pixels
from autosim.client.panda.renderer import open_renderer
from autosim.client.panda.renderer_errors import RendererError
from autosim.client.rendering.measured import Measured, unpacked
from autosim.client.rendering.view_state import ViewState
from autosim.client.scene.birds_eye import overlook
from autosim.client.scene.drawn_scene import Scene
from autosim.client.scene.view import FloatView, View
from autosim.config.descriptions import WorldDescription
from autosim.config.semantic_classes import class_number
from autosim.config.world_settings import SkyDescription
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.world.compiled.compiled_world import CompiledWorld

_BUDGET = 1
"""Number of tiles that are fetched for one picture of a window: each takes some milliseconds."""


_LABELS, _MOTION = "labels", "motion"
_PROGRAMS = {
    _LABELS: (label_shader.VERTEX, label_shader.FRAGMENT),
    _MOTION: (motion_shader.VERTEX, motion_shader.FRAGMENT),
}
"""The programs of views that write floats, by what these are."""

_SKY = class_number("sky")


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Content of a picture: its moment, update and sky, and the camera's pose.

    `has_all`: whether nothing was missing.
    """

    moment: ViewState
    updates: int
    sky: SkyDescription
    pose: CameraPose
    has_all: bool


class Viewer:
    """Draws a world from its cameras: in a window, or offscreen.

    The main view is the first robot's third-person camera, or one behind its first part; where
    there is no robot, it is above the streets.

    `now` is the viewer's own view state, which its pictures show; another party that needs pictures
    of other states, or under another sky, has its own (`new_moment`).

    Args:
        world: robots, cameras, graphics settings.
        compiled: the place.
        tree: the tree of the states that `update` takes.
        width: pixels of every picture, also of the window at first.
        height: the same.
        onscreen: a window is wanted; without a screen the pictures are drawn offscreen, and
            `limitations` says so.
        renderer: a display module to take, see `DISPLAY_MODULES`; default: the first that starts.
        probe: tries a module; one that has begun to try saves the time for it.

    Raises:
        RendererError: no renderer starts, or a buffer was refused.
    """

    def __init__(
        self,
        world: WorldDescription,
        compiled: CompiledWorld,
        tree: SimulationTree,
        *,
        width: int,
        height: int,
        onscreen: bool,
        renderer: str | None = None,
        probe: Probe | None = None,
    ) -> None:
        self._renderer = open_renderer(renderer, onscreen=onscreen, probe=probe)
        self._finalizer = weakref.finalize(self, self._renderer.close)
        self._size = (width, height)
        self._graphics = world.graphics
        self._title = f"AutoSim: {world.name}"
        self._scene = Scene(self._renderer, world=world, compiled=compiled, tree=tree)
        self._tree = tree
        self.now = self.new_moment()
        self._sky = self.now.sky
        self._daylight = self._scene.show_sky(self._sky)
        self._rigs: dict[str, Rig] = {**make_rigs(world, tree)}
        if "" not in self._rigs:
            self._rigs[""] = overlook(compiled)
        self._sizes: dict[str, tuple[int, int]] = {}
        self._views: dict[str, View] = {}
        self._float_views: dict[tuple[str, str], FloatView] = {}
        self._drawn: dict[str, _Drawn] = {}
        self._measured: dict[str, tuple[_Drawn, Measured]] = {}
        self._with_depths: set[str] = set()
        self._shown: tuple[ViewState, int] | None = None
        self._is_checked = False
        has_window = onscreen and self._renderer.capabilities.has_window
        self._window = self._open_window() if has_window else None
        self._card: PictureCard | None = None
        self.limitations = self._list_limitations(onscreen)

    @property
    def renderer(self) -> str:
        """The display module and the driver behind it."""
        return self._renderer.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """The models and pictures that could not be shown so far, and why."""
        return self._scene.warnings

    @property
    def camera_names(self) -> tuple[str, ...]:
        """Qualified names of the cameras that `image` takes."""
        return tuple(name for name in self._rigs if name)

    @property
    def has_window(self) -> bool:
        """Whether the main view is in a window: one was wanted and there is a screen."""
        return self._window is not None

    @property
    def is_closed(self) -> bool:
        """Whether the window was closed, by its user or by `close`."""
        is_gone = self._window is not None and self._window.is_closed
        return is_gone or not self._finalizer.alive

    def add_camera(self, name: str, rig: Rig, *, size: tuple[int, int] | None = None) -> None:
        """Adds a camera that is not a device, or changes it.

        Args:
            name: for `image`; no robot's name has a colon, so "free:1" is free.
            rig: where it is; asked for each picture.
            size: width and height [pixels] of its pictures; default: as all others.
        """
        old = self._rigs.get(name), self._sizes.get(name)
        self._rigs[name] = rig
        if size is not None:
            self._sizes[name] = size
        if old != (rig, self._sizes.get(name)):
            self._forget_view(name)

    def remove_camera(self, name: str) -> None:
        """Frees what was added with `add_camera`."""
        self._forget_view(name)
        self._with_depths.discard(name)
        self._sizes.pop(name, None)
        del self._rigs[name]

    def pose(self, camera: str = "") -> CameraPose:
        """Pose of a camera at the viewer's own moment."""
        return self._rigs[camera].pose(self.now.state)

    def fov(self, camera: str = "") -> float:
        """The vertical field of view [rad] of a camera."""
        return self._rigs[camera].fov

    def new_moment(self) -> ViewState:
        """A moment for another party: before any state, under the world's own sky."""
        return ViewState(self._tree, self._graphics.sky)

    def update(self, state: State) -> None:
        """Moves the viewer's own moment to `state`, which may change afterwards."""
        self.now.update(state)

    def show_sky(self, sky: SkyDescription) -> None:
        """Draws another day time and weather at the viewer's own moment."""
        self.now.sky = sky

    def draw(self) -> None:
        """Draws one frame of the main view; in a window, also handles the window's events."""
        if self.is_closed:
            return
        if self._window is None or not self._is_checked:
            self._draw_picture("", self.pose(), _BUDGET, self.now)
        if self._window is not None:
            self._draw(self._window, "", self.pose(), _BUDGET, self.now)

    def show_picture(self) -> None:
        """Draws a picture of the main view as `image` does, and shows it in the window."""
        if self.is_closed or self._window is None:
            return
        pixels = self.image()
        if self._card is None:
            self._card = PictureCard(self._window.output)
        self._card.show(pixels)
        self._render(self._window)

    def image(
        self, camera: str = "", *, is_streamed: bool = False, at: ViewState | None = None
    ) -> Pixels:
        """The picture of the main view or of a camera.

        Args:
            camera: qualified name of a Camera device, "" for the main view.
            at: the moment to show; default: the viewer's own.
            is_streamed: for a person: what is far away may still be missing, and comes picture
                by picture (`has_all`), so that none takes long. Otherwise all that the camera
                can see is there, and the same state gives the same picture.

        Returns:
            (height, width, 4) uint8 RGBA, rows from the top.

        Raises:
            RendererError: no such camera, the viewer is closed, or the first picture came out
                in one colour.
        """
        moment, pose = self._ask(camera, at)
        if not self._is_drawn(self._drawn.get(camera), pose, moment):
            self._draw_picture(camera, pose, _BUDGET if is_streamed else None, moment)
        return self._views[camera].picture()

    def measure(self, camera: str = "", *, at: ViewState | None = None) -> Measured:
        """Depths, classes, instances and normals of what a camera sees.

        Args:
            camera: as for `image`.
            at: the same.

        Raises:
            RendererError: no such camera, the viewer is closed, or the renderer cannot measure.
        """
        moment, pose = self._ask(camera, at)
        drawn = self._measured.get(camera)
        if drawn is None or not self._is_drawn(drawn[0], pose, moment):
            pixels = self._draw_floats(camera, _LABELS, pose, moment)
            measured = unpacked(pixels, steps=NORMAL_STEPS, sky=_SKY)
            drawn = self._mark_drawn(moment, pose), measured
            self._measured[camera] = drawn
        return drawn[1]

    def motion(self, camera: str, *, at: ViewState, since: ViewState) -> Floats32:
        """Motion of what a camera sees between two moments.

        Args:
            camera: as for `image`.
            at: the moment to show.
            since: the one before it.

        Returns:
            (height, width, 3) [m] where each place was less where it is, along the axes of the
            camera at the later moment (forward, left, up); 0 where nothing is.

        Raises:
            RendererError: as `measure`.
        """
        moment, pose = self._ask(camera, at)
        self._scene.compare(since.state, moment.state)
        return self._draw_floats(camera, _MOTION, pose, moment)[..., :3]

    def keep_depths(self, camera: str, is_kept: bool) -> None:
        """Keeps with each picture of a camera from now on how far away things in it are, or not.

        It costs a copy a picture. A renderer without depth textures keeps nothing.
        """
        if is_kept is (camera in self._with_depths):
            return
        if is_kept and self._renderer.capabilities.has_shadows:
            self._with_depths.add(camera)
        else:
            self._with_depths.discard(camera)
        self._forget_view(camera)

    def depths(self, camera: str) -> Depths | None:
        """Depths [m] along the view axis in the last picture of a camera.

        Returns:
            (height, width), rows from the top; None where nothing is kept.
        """
        view = self._views.get(camera)
        return view.depths() if view is not None else None

    @property
    def has_all(self) -> bool:
        """Whether all that the cameras drawn last can see has been fetched."""
        return self._scene.tiles.is_complete

    @property
    def shown_tiles(self) -> tuple[int, int]:
        """Number of loaded tiles, and how many of them are in full detail."""
        return self._scene.tiles.shown

    def close(self) -> None:
        """Closes the window and frees the renderer."""
        self._finalizer()

    def _ask(self, camera: str, at: ViewState | None) -> tuple[ViewState, CameraPose]:
        """The moment to show, and where the camera is then.

        Raises:
            RendererError: the viewer is closed, or there is no such camera.
        """
        if self.is_closed:
            raise RendererError("the viewer is closed: it draws no more pictures")
        if camera not in self._rigs:
            known = ", ".join(self.camera_names) or "none"
            raise RendererError(f"there is no camera '{camera}'; there are: {known}")
        moment = at or self.now
        return moment, self._rigs[camera].pose(moment.state)

    def _draw_floats(self, camera: str, what: str, pose: CameraPose, moment: ViewState) -> Floats32:
        view = self._float_views.get((camera, what))
        if view is None:
            view = self._make_float_view(camera, what)
            self._float_views[camera, what] = view
        self._bring_to(moment)
        view.place(pose)
        self._scene.fetch(pose.position, camera=camera, frustum=view.frustum(pose))
        self._render(view)
        return view.floats()

    def _draw_picture(
        self, camera: str, pose: CameraPose, budget: int | None, moment: ViewState
    ) -> None:
        """Draws a picture to be kept; the very first one is looked at."""
        view = self._views.get(camera) or self._views.setdefault(camera, self._make_view(camera))
        if camera in self._with_depths:
            view.keep_depths()
        self._draw(view, camera, pose, budget, moment)
        if not self._is_checked:
            _check_picture(view.picture(), self.renderer)
            self._is_checked = True
        self._drawn[camera] = self._mark_drawn(moment, pose)

    def _mark_drawn(self, moment: ViewState, pose: CameraPose) -> _Drawn:
        return _Drawn(moment, moment.updates, moment.sky, pose, self.has_all)

    def _is_drawn(self, drawn: _Drawn | None, pose: CameraPose, moment: ViewState) -> bool:
        """Whether a picture is there: of this state and sky, from this pose, whole."""
        if drawn is None or not drawn.has_all or drawn.moment is not moment:
            return False
        is_same = (drawn.updates, drawn.sky) == (moment.updates, moment.sky)
        return is_same and drawn.pose.equals(pose)

    def _bring_to(self, moment: ViewState) -> None:
        """Moves and lights the scene as `moment` has it."""
        if moment.sky != self._sky:
            self._sky = moment.sky
            self._daylight = self._scene.show_sky(moment.sky)
            # Under another sky, rain falls from where it is at time 0.
            self._shown = None
        shown = moment, moment.updates
        if moment.updates and shown != self._shown:
            self._scene.update(moment.state)
            self._shown = shown

    def _forget_view(self, name: str) -> None:
        self._drawn.pop(name, None)
        self._measured.pop(name, None)
        self._scene.tiles.forget(name)
        floats = [self._float_views.pop((name, what), None) for what in _PROGRAMS]
        for view in (self._views.pop(name, None), *floats):
            if view is not None and not self.is_closed:
                view.close()
                self._renderer.remove(view.output)

    def _draw(
        self, view: View, camera: str, pose: CameraPose, budget: int | None, moment: ViewState
    ) -> None:
        self._bring_to(moment)
        view.place(pose)
        view.set_background(self._daylight.horizon)
        self._scene.follow(
            pose.position,
            pose.rotation[:, 1],
            camera=camera,
            budget=budget,
            frustum=view.frustum(pose),
        )
        self._scene.equip(view.eye)
        self._render(view)

    def _render(self, view: View) -> None:
        """Draws one frame of one view."""
        window = [self._window] if self._window else []
        for other in (*self._views.values(), *self._float_views.values(), *window):
            other.set_active(other is view)
        self._renderer.engine.renderFrame()

    def _make_view(self, camera: str) -> View:
        width, height = self._sizes.get(camera, self._size)
        name = camera or "main"
        output = self._renderer.make_buffer(name, width, height, multisamples=self._samples)
        return self._view_on(output, camera, is_kept=True)

    def _make_float_view(self, camera: str, what: str) -> FloatView:
        if not self._renderer.capabilities.has_float_textures:
            raise RendererError(
                f"{self.renderer}: it draws colours alone, no depths, labels or normals: "
                "take p3headlessgl or pandagl"
            )
        width, height = self._sizes.get(camera, self._size)
        output = self._renderer.make_buffer(f"{camera} {what}", width, height, has_floats=True)
        rig = self._rigs[camera]
        return FloatView(
            output,
            root=self._scene.root,
            fov=rig.fov,
            far=self._graphics.far,
            span=view_height(rig),
            program=_PROGRAMS[what],
        )

    def _open_window(self) -> View:
        width, height = self._size
        window = self._renderer.make_window(self._title, width, height, multisamples=self._samples)
        return self._view_on(window, "", is_kept=False)

    def _view_on(self, output: core.GraphicsOutput, camera: str, *, is_kept: bool) -> View:
        rig, far = self._rigs[camera], self._graphics.far
        return View(
            output,
            root=self._scene.root,
            fov=rig.fov,
            far=far,
            is_kept=is_kept,
            span=view_height(rig),
        )

    @property
    def _samples(self) -> int:
        wanted = max(self._graphics.multisamples, QUALITIES[self._graphics.quality].multisamples)
        return min(wanted, self._renderer.capabilities.multisamples)

    def _list_limitations(self, onscreen: bool) -> tuple[str, ...]:
        limitations = list(self._renderer.capabilities.limitations)
        if onscreen and self._window is None:
            why = "it draws offscreen only" if has_screen() else "there is no screen ($DISPLAY)"
            limitations.insert(0, f"no window: {why}")
        return tuple(limitations)


def _check_picture(picture: Pixels, renderer: str) -> None:
    """Refuses a first picture without anything in it: sky above ground is never one colour."""
    spread = np.ptp(picture[..., :3].astype(np.int64).reshape(-1, 3), axis=0).max()
    if spread < 8:
        colour = tuple(picture[0, 0, :3].tolist())
        raise RendererError(f"{renderer}: the first picture is all of one colour {colour}")
