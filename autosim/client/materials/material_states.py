"""Materials: what a mesh is drawn with, as Panda3D's render states, each made once."""

from autosim.client.materials.material_kinds import Material
from autosim.client.materials.texture_images import TextureImage
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import make_texture


class Materials:
    """The render states of a scene: all meshes of one material share one, and its texture.

    The shader_kind is not in them: it is a mark on nodes, by which cameras choose their programs.

    Args:
        is_frugal: whether each pixel takes one level of a texture's detail where two could be
            blended: half of the cost, and hardly seen on textures as even as those of a town.
        anisotropy: number of samples at flat angles, 1 for none.
    """

    def __init__(self, *, is_frugal: bool, anisotropy: int = 1) -> None:
        self._is_frugal, self._anisotropy = is_frugal, anisotropy
        self._states: dict[Material, core.RenderState] = {}
        self._textures: dict[TextureImage, core.Texture] = {}

    def state(self, material: Material) -> core.RenderState:
        """The render state of a material."""
        found = self._states.get(material)
        return (
            found if found is not None else self._states.setdefault(material, self._make(material))
        )

    def _make(self, material: Material) -> core.RenderState:
        node = core.NodePath("material")
        if material.picture is not None:
            node.setTexture(self._texture(material.picture))
        if material.depth_offset:
            node.setDepthOffset(material.depth_offset)
        return node.getState()

    def _texture(self, picture: TextureImage) -> core.Texture:
        if picture not in self._textures:
            texture = make_texture(picture.name, picture.pixels)
            if self._is_frugal:
                texture.setMinfilter(core.SamplerState.FTLinearMipmapNearest)
            if self._anisotropy > 1:
                texture.setAnisotropicDegree(self._anisotropy)
            self._textures[picture] = texture
        return self._textures[picture]
