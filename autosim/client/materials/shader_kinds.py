"""Choice of the shader for each node: by its material, and by the weather."""

from dataclasses import dataclass

from autosim.client.materials.material_kinds import WETTED, ShaderKind
from autosim.client.materials.shaders import Features, world_shader
from autosim.client.panda.panda_imports import core
from autosim.client.panda.render_bins import RenderBin, take_turn

_TAG = "shader_kind"


_TURNS = {
    ShaderKind.WALL: RenderBin.WALLS,
    ShaderKind.GLOSSY: RenderBin.WALLS,
    ShaderKind.ROAD: RenderBin.ROADS,
    ShaderKind.PATH: RenderBin.ROADS,
    ShaderKind.PLAIN: RenderBin.AFAR,
}


_LAMPLESS = (ShaderKind.VAST, ShaderKind.TUNNEL)
"""Surfaces that no street lamp lights."""


_SNOW = {
    **dict.fromkeys((ShaderKind.MATT, ShaderKind.PLAIN, ShaderKind.VAST, ShaderKind.WALL), 1.0),
    ShaderKind.MEADOW: 1.0,
    ShaderKind.ROAD: 0.7,
    ShaderKind.PATH: 0.88,
}
"""Whiteness of each kind under full snow cover: wheels and feet make it grey."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Requirements on shaders from the weather, the time of day and the robots.

    Attributes:
        is_wet: streets reflect.
        is_snowy: snow covers what faces up.
        is_foggy: visibility is limited.
        is_night: windows and lamps are lit.
        cones: number of lamp cones of robots that are drawn.
        has_lamps: street lamps shine.
    """

    is_wet: bool = False
    is_snowy: bool = False
    is_foggy: bool = False
    is_night: bool = False
    cones: int = 0
    has_lamps: bool = False


class ShaderKinds:
    """Draws nodes with the programs for the conditions of the moment.

    Nodes have their kind as a tag, and each camera knows the program for each tag: so nodes may
    come and go, and nothing has to be done to them when the weather changes.

    Args:
        root: of the scene; what has no shader_kind of its own is matt.
        shadow_bias: see `world_shader`.
        has_even_haze: whether haze hardly differs within a triangle of a tile.
        softness: see `Features`.
    """

    def __init__(
        self,
        root: core.NodePath,
        *,
        shadow_bias: float,
        has_even_haze: bool = False,
        softness: float = 0.0,
    ) -> None:
        self._root = root
        self._has_even_haze = has_even_haze
        self._shadow_bias, self._softness = shadow_bias, softness
        self._shaders: dict[Features, core.Shader] = {}
        self._conditions: Conditions | None = None
        self._states: dict[ShaderKind, core.RenderState] = {}
        self.choose(Conditions())

    def choose(self, conditions: Conditions) -> None:
        """Takes the programs for these conditions."""
        if self._conditions == conditions:
            return
        self._conditions = conditions
        self._root.setShader(self._shader(ShaderKind.MATT, conditions))
        for shader_kind in ShaderKind:
            state = core.NodePath("shader_kind")
            state.setShader(self._shader(shader_kind, conditions))
            take_turn(state, _TURNS.get(shader_kind, RenderBin.REST))
            self._states[shader_kind] = state.getState()

    def equip(self, camera: core.Camera) -> None:
        """Tells a camera the programs of now; before each picture, as they may have changed."""
        camera.setTagStateKey(_TAG)
        for shader_kind, state in self._states.items():
            camera.setTagState(shader_kind.name, state)

    def _shader(self, shader_kind: ShaderKind, now: Conditions) -> core.Shader:
        features = Features(
            is_plain=shader_kind is ShaderKind.PLAIN,
            is_glossy=shader_kind in (ShaderKind.GLOSSY, ShaderKind.WALL),
            is_wet=now.is_wet and shader_kind in WETTED,
            snow=_SNOW.get(shader_kind, 0.0) if now.is_snowy else 0.0,
            has_windows=now.is_night and shader_kind is ShaderKind.WALL,
            is_foggy=now.is_foggy,
            cones=now.cones if shader_kind is not ShaderKind.PLAIN else 0,
            has_lamps=now.has_lamps and shader_kind not in _LAMPLESS,
            is_in_tunnel=shader_kind is ShaderKind.TUNNEL,
            shadow_softness=self._softness,
            is_meadow=shader_kind in (ShaderKind.MEADOW, ShaderKind.VAST),
            has_even_haze=self._has_even_haze and shader_kind is not ShaderKind.VAST,
        )
        if features not in self._shaders:
            sources = world_shader(features, shadow_bias=self._shadow_bias)
            self._shaders[features] = core.Shader.make(core.Shader.SLGLSL, *sources)
        return self._shaders[features]


def mark(node: core.NodePath, shader_kind: ShaderKind) -> None:
    """Gives `node` and all below it their own shader_kind."""
    node.setTag(_TAG, shader_kind.name)
