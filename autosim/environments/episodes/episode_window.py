"""A window that shows an episode: the render mode `human`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from autosim.config.descriptions import WorldDescription
from autosim.config.world_settings import SkyDescription
from autosim.errors import UserError
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.world.compiled.compiled_world import CompiledWorld

if TYPE_CHECKING:  # Panda3D is needed only where something is drawn
    from autosim.client.scene.viewer import Viewer

SIZE = (960, 540)
"""Width and height [pixels] of a window."""


class EpisodeWindow:
    """A window in which the car is seen from behind, no faster than in real time.

    It opens with the first picture; after its user has closed it, nothing is drawn.

    Args:
        world: what is drawn.
        compiled: its map.
        tree: of its states.
        seconds: length of a step [s].
    """

    def __init__(
        self,
        world: WorldDescription,
        compiled: CompiledWorld,
        tree: SimulationTree,
        seconds: float,
    ) -> None:
        self._world, self._compiled, self._tree = world, compiled, tree
        self._seconds, self._due = seconds, 0.0
        self._sky = world.graphics.sky
        self._viewer: Viewer | None = None

    @property
    def is_open(self) -> bool:
        """Whether the window is there."""
        return self._viewer is not None and not self._viewer.is_closed

    def begin(self, sky: SkyDescription) -> None:
        """Begins an episode with its own day time and weather."""
        self._sky, self._due = sky, 0.0
        if self._viewer is not None:
            self._viewer.show_sky(sky)

    def show(self, robot: str, state: State) -> None:
        """Shows a robot in a state, when it is time.

        Raises:
            UserError: there is no screen.
            RendererError: nothing can be drawn here.
            ImportError: Panda3D is not installed.
        """
        viewer = self._viewer or self._open(robot)
        if viewer.is_closed:
            return
        now = time.monotonic()
        if self._due > now:
            time.sleep(self._due - now)
        self._due = max(self._due, now) + self._seconds
        viewer.update(state)
        viewer.show_picture()

    def close(self) -> None:
        """Closes the window; the next picture opens another one."""
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None

    def _open(self, robot: str) -> Viewer:
        try:
            from autosim.client.cameras.moving_cameras import ChaseCamera
            from autosim.client.scene.viewer import Viewer
        except ImportError as error:
            reason = "a window needs Panda3D: pip install 'autosim[learning,client]'"
            raise ImportError(reason) from error
        width, height = SIZE
        viewer = Viewer(
            *(self._world, self._compiled, self._tree), width=width, height=height, onscreen=True
        )
        if not viewer.has_window:
            viewer.close()
            raise UserError(
                "render_mode='human' needs a screen ($DISPLAY): without one, use 'rgb_array'"
            )
        described = next(each for each in self._world.robots if each.name == robot).robot
        part = f"{robot}.{described.parts[0].name}"
        viewer.add_camera("", ChaseCamera(described, tree=self._tree, name=part))
        viewer.show_sky(self._sky)
        self._viewer = viewer
        return viewer
