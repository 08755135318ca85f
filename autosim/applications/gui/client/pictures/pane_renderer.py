"""The pictures in the client's window: when they are drawn, and what is painted over them."""

from collections.abc import Callable

from PyQt6.QtGui import QPainter

from autosim.applications.gui.client.pictures.frame_limiter import FrameLimiter
from autosim.applications.gui.client.pictures.meter import RateMeter, figures_text
from autosim.applications.gui.client.pictures.pane import MOST_PANES, Pane, PaneGrid
from autosim.applications.gui.client.pictures.pane_camera import PaneCamera
from autosim.applications.gui.client.pictures.pane_looks import PaneLook
from autosim.applications.gui.client.pictures.pane_overlays import Chosen
from autosim.applications.gui.client.pictures.picture_view import Paint
from autosim.applications.gui.client.player import Player, Shown

LOOK_SECONDS = 0.002
"""Time [s] between two looks for something to draw: an eighth of a picture at 60 Hz, so that none
comes late."""

# Half a look earlier, since looks seldom come right on time.
_FRAME_SECONDS = 1.0 / 60.0 - LOOK_SECONDS / 2
_LONGEST_MOTION = 0.1
"""Longest interval [s] between two pictures that a camera moved by keys covers in one step."""


class PaneRenderer:
    """Draws the panes of a window, each through its own camera.

    `chosen`: the selected overlays; `frames`: number of drawn pictures of all panes.

    Args:
        player: the client's connection.
        grid: the panes.
        keep: called with the time [s] of each new picture of the current pane.
    """

    def __init__(self, player: Player, grid: PaneGrid, *, keep: Callable[[float], None]) -> None:
        self.chosen = Chosen()
        self.frames = 0
        self._player, self._grid, self._keep = player, grid, keep
        self._limiter = FrameLimiter(_FRAME_SECONDS)
        self._pictures, self._states = RateMeter(), RateMeter()
        self._cameras = 0
        self._looks: list[PaneLook] = []

    def draw_due(self, now: float) -> None:
        """Takes the states that have come, and draws what has changed, where it is time [s].

        Raises:
            RendererError: it cannot be drawn.
        """
        self._states.count(now, self._player.poll())
        self._limiter.look(now, lambda seconds: self._draw(now, seconds))

    def _draw(self, now: float, seconds: float) -> bool:
        """Draws the panes whose pictures have changed: by a new state, or by their cameras.

        Args:
            now: monotonic time [s].
            seconds: since the last look [s], for cameras that keys move.

        Returns:
            whether any had changed.
        """
        has_changed = self._player.advance(now)
        has_drawn = False
        for pane in self._grid.shown:
            # Asked also where the state has changed: it moves the camera.
            has_moved = pane.view.take_motion(min(seconds, _LONGEST_MOTION))
            is_due = has_changed or has_moved or (pane.camera and not pane.camera.is_settled)
            state = self._player.state
            if is_due and state is not None and pane.camera:
                has_depths = self.chosen.has_places
                pane.view.show_picture(pane.camera.picture(state, has_depths=has_depths))
                has_drawn = True
            if pane is self._grid.current and has_drawn:
                self._keep(now)
        if has_drawn:
            self.frames += 1
            self._pictures.count(now)
        return has_drawn

    def annotate(self, now: float) -> None:
        """Shows figures in the first picture, and across all what is the matter."""
        session, state = self._player.session, self._player.state
        trouble = session.trouble if session is not None else ""
        if session is None and state is not None:
            trouble = f"Not connected: a picture of {state.time:.3f} s. Run (F5) connects again."
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
        for pane in self._grid.shown:
            shown = figures if pane is self._grid.shown[0] else []
            pane.view.annotate(banner=trouble, is_fault=is_fault, figures=shown)

    def hint(self, text: str) -> None:
        """Shows a status text instead of pictures."""
        for pane in self._grid.panes:
            pane.view.hint = text
            pane.view.update()

    def take_world(self, shown: Shown) -> None:
        """Gives all panes cameras of a world: the same as before, where it has them."""
        looks = self._looks
        for pane in self._grid.panes:
            self._equip(pane, shown)
        for pane, look in zip(self._grid.panes, looks, strict=False):
            look.choose_in(pane)

    def drop_world(self) -> None:
        """Takes the cameras from all panes: their world goes."""
        self._looks = self.looks()
        for pane in self._grid.panes:
            pane.take_camera(None)

    def looks(self) -> list[PaneLook]:
        """The camera of each pane; before a world is loaded, the one that it is to have."""
        panes = self._grid.panes
        cameras = [pane.camera for pane in panes if pane.camera is not None]
        if len(cameras) < len(panes):
            return self._looks
        return [PaneLook(each.choice, each.robot_name) for each in cameras]

    def restore(self, looks: list[PaneLook]) -> None:
        """Shows as many panes as these, which look so as soon as there is a world."""
        self._looks = looks[:MOST_PANES]
        while len(self._grid.panes) < len(self._looks):
            self._grid.add()

    def add_pane(self) -> None:
        """Adds a pane, which looks where no other does; it becomes the current one."""
        pane = self._grid.add()
        if self._player.shown is not None:
            self._equip(pane, self._player.shown)
            pane.choose(_other_choice(self._grid.panes, pane))
        pane.view.setFocus()

    def choose_overlay(self, name: str, is_on: bool) -> None:
        """Paints one of `OVERLAYS` over the pictures, or no more."""
        setattr(self.chosen, name, is_on)
        self._repaint()

    def colour_by_next(self) -> None:
        """Selects the next column by which points of published lists are coloured, or none."""
        shown = self._player.shown
        if shown is None:
            return
        columns = ["", *shown.overlays.columns]
        present = columns.index(self.chosen.column) if self.chosen.column in columns else 0
        self.chosen.column = columns[(present + 1) % len(columns)]
        self._repaint()

    def _repaint(self) -> None:
        # The pictures may not know yet how far away things in them are.
        self.mark()
        for pane in self._grid.panes:
            pane.view.update()

    def mark(self) -> None:
        """Requests new pictures in all panes: something other than their state has changed."""
        for pane in self._grid.panes:
            pane.view.mark()

    def _equip(self, pane: Pane, shown: Shown) -> None:
        self._cameras += 1
        camera = PaneCamera(
            shown.viewer,
            shown.window_pictures,
            world=shown.world,
            tree=shown.tree,
            number=self._cameras,
            clearance=shown.clearance,
        )
        pane.take_camera(camera)
        pane.view.paint_over = self._painter(pane)

    def _painter(self, pane: Pane) -> Paint:
        def paint(painter: QPainter, width: float, height: float) -> None:
            shown, state = self._player.shown, self._player.state
            if shown is None or state is None or pane.camera is None:
                return
            if pane.camera.is_plain:
                projection = pane.camera.projection(width, height)
                sight = pane.camera.sight(projection)
                shown.overlays.paint(painter, projection, state, self.chosen, sight=sight)

        return paint


def _other_choice(panes: list[Pane], pane: Pane) -> str:
    """A camera that no other pane shows, a robot's first; the chase camera where all are shown."""
    assert pane.camera is not None
    taken = {each.camera.choice for each in panes if each is not pane and each.camera}
    devices = pane.camera.choices[2:]
    return next((each for each in devices if each not in taken), pane.camera.choices[0])
