"""Which program draws which node: by what it is made of, and by the weather."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from autosim.client.materials.shaders import Features, world_shader
from autosim.client.panda.panda import core
from autosim.client.panda.render_bins import Turn, take_turn

_TAG = "sheen"


class Sheen(Enum):
    """What a node's surfaces do with light."""

    MATT = auto()
    PLAIN = auto()
    """Matt in one colour, and beyond all shadows: what is drawn from afar."""
    GLOSSY = auto()
    ROAD = auto()
    """Matt while it is dry."""
    WALL = auto()
    """Glossy, with windows that are lit by night."""
    VAST = auto()
    """Matt, in triangles so large that haze differs within them."""
    TUNNEL = auto()
    """Matt, always dry, and lit by lamps where there is little daylight."""


_TURNS = {Sheen.WALL: Turn.WALLS, Sheen.ROAD: Turn.ROADS, Sheen.PLAIN: Turn.AFAR}


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the weather, the day time and the robots ask of the programs."""

    is_wet: bool = False
    is_foggy: bool = False
    is_night: bool = False
    has_cones: bool = False


class Sheens:
    """Draws nodes with the programs for the conditions of the moment.

    Nodes have their sheen as a tag, and each camera knows the program for each tag: so nodes may
    come and go, and nothing has to be done to them when the weather changes.

    Args:
        root: of the scene; what has no sheen of its own is matt.
        shadow_bias: see `world_shader`.
        has_even_haze: whether haze hardly differs within a triangle of a tile.
    """

    def __init__(self, root: Any, *, shadow_bias: float, has_even_haze: bool = False) -> None:
        self._root = root
        self._has_even_haze = has_even_haze
        self._shadow_bias = shadow_bias
        self._shaders: dict[Features, Any] = {}
        self._conditions: Conditions | None = None
        self._states: dict[Sheen, Any] = {}
        self.choose(Conditions())

    def choose(self, conditions: Conditions) -> None:
        """Takes the programs for these conditions."""
        if self._conditions == conditions:
            return
        self._conditions = conditions
        self._root.setShader(self._shader(Sheen.MATT, conditions))
        for sheen in Sheen:
            state = core.NodePath("sheen")
            state.setShader(self._shader(sheen, conditions))
            take_turn(state, _TURNS.get(sheen, Turn.REST))
            self._states[sheen] = state.getState()

    def equip(self, camera: Any) -> None:
        """Tells a camera the programs of now; before each picture, as they may have changed."""
        camera.setTagStateKey(_TAG)
        for sheen, state in self._states.items():
            camera.setTagState(sheen.name, state)

    def _shader(self, sheen: Sheen, now: Conditions) -> Any:
        features = Features(
            is_plain=sheen is Sheen.PLAIN,
            is_glossy=sheen in (Sheen.GLOSSY, Sheen.WALL),
            is_wet=now.is_wet and sheen is Sheen.ROAD,
            has_windows=now.is_night and sheen is Sheen.WALL,
            is_foggy=now.is_foggy,
            has_cones=now.has_cones,
            is_in_tunnel=sheen is Sheen.TUNNEL,
            has_even_haze=self._has_even_haze and sheen is not Sheen.VAST,
        )
        if features not in self._shaders:
            sources = world_shader(features, shadow_bias=self._shadow_bias)
            self._shaders[features] = core.Shader.make(core.Shader.SLGLSL, *sources)
        return self._shaders[features]


def mark(node: Any, sheen: Sheen) -> None:
    """Gives `node` and all below it a sheen of their own."""
    node.setTag(_TAG, sheen.name)
