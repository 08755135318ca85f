"""Finishes: what a mesh is drawn with, as Panda3D's render states, each made once."""

from dataclasses import dataclass
from typing import Any

from autosim.client.nodes import make_texture
from autosim.client.panda import core
from autosim.client.pictures import Picture
from autosim.client.sheens import Sheen


@dataclass(frozen=True, slots=True)
class Finish:
    """`picture` None is plain; `depth_offset` lifts paint off the ground that it lies on."""

    picture: Picture | None = None
    sheen: Sheen = Sheen.MATT
    depth_offset: int = 0


class Finishes:
    """The render states of a scene: all meshes of one finish share one, and its texture.

    The sheen is not in them: it is a mark on nodes, by which cameras choose their programs.
    """

    def __init__(self) -> None:
        self._states: dict[Finish, Any] = {}
        self._textures: dict[Picture, Any] = {}

    def state(self, finish: Finish) -> Any:
        """The render state of a finish."""
        found = self._states.get(finish)
        return found if found is not None else self._states.setdefault(finish, self._make(finish))

    def _make(self, finish: Finish) -> Any:
        node = core.NodePath("finish")
        if finish.picture is not None:
            node.setTexture(self._texture(finish.picture))
        if finish.depth_offset:
            node.setDepthOffset(finish.depth_offset)
        return node.getState()

    def _texture(self, picture: Picture) -> Any:
        if picture not in self._textures:
            self._textures[picture] = make_texture(picture.name, picture.pixels)
        return self._textures[picture]
