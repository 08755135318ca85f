"""Finishes: what a mesh is drawn with, as Panda3D's render states, each made once."""

from dataclasses import dataclass
from typing import Any

from autosim.client.materials.pictures import Picture
from autosim.client.materials.shader_kinds import Sheen
from autosim.client.panda.nodes import make_texture
from autosim.client.panda.panda import core


@dataclass(frozen=True, slots=True)
class Finish:
    """`picture` None is plain; `depth_offset` lifts paint off the ground that it lies on."""

    picture: Picture | None = None
    sheen: Sheen = Sheen.MATT
    depth_offset: int = 0


class Finishes:
    """The render states of a scene: all meshes of one finish share one, and its texture.

    The sheen is not in them: it is a mark on nodes, by which cameras choose their programs.

    Args:
        is_frugal: whether each pixel takes one level of a texture's detail where two could be
            blended: half of the cost, and hardly seen on textures as even as those of a town.
    """

    def __init__(self, *, is_frugal: bool) -> None:
        self._is_frugal = is_frugal
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
            texture = make_texture(picture.name, picture.pixels)
            if self._is_frugal:
                texture.setMinfilter(core.SamplerState.FTLinearMipmapNearest)
            self._textures[picture] = texture
        return self._textures[picture]
