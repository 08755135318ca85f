"""Which program draws which node: by what it is made of, and by the weather."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from autosim.client.panda import core
from autosim.client.shaders import Features, world_shader


class Finish(Enum):
    """What a node's surfaces do with light."""

    MATT = auto()
    GLOSSY = auto()
    ROAD = auto()
    """Matt while it is dry."""
    WALL = auto()
    """Glossy, with windows that are lit by night."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the weather, the day time and the robots ask of the programs."""

    is_wet: bool = False
    is_foggy: bool = False
    is_night: bool = False
    has_cones: bool = False


class Finishes:
    """Gives nodes the programs for the conditions of the moment.

    Args:
        root: of the scene; what has no finish of its own has that of the root, matt.
        shadow_bias: see `world_shader`.
    """

    def __init__(self, root: Any, *, shadow_bias: float) -> None:
        self._shadow_bias = shadow_bias
        self._shaders: dict[Features, Any] = {}
        self._nodes: list[tuple[Any, Finish]] = [(root, Finish.MATT)]
        self._conditions = Conditions()
        self._apply(*self._nodes[0])

    def add(self, node: Any, finish: Finish) -> None:
        """Gives `node` and all below it a finish of their own."""
        self._nodes.append((node, finish))
        self._apply(node, finish)

    def choose(self, conditions: Conditions) -> None:
        """Takes the programs for these conditions."""
        if self._conditions != conditions:
            self._conditions = conditions
            for node, finish in self._nodes:
                self._apply(node, finish)

    def _apply(self, node: Any, finish: Finish) -> None:
        now = self._conditions
        features = Features(
            is_glossy=finish in (Finish.GLOSSY, Finish.WALL),
            is_wet=now.is_wet and finish is Finish.ROAD,
            has_windows=now.is_night and finish is Finish.WALL,
            is_foggy=now.is_foggy,
            has_cones=now.has_cones,
        )
        if features not in self._shaders:
            sources = world_shader(features, shadow_bias=self._shadow_bias)
            self._shaders[features] = core.Shader.make(core.Shader.SLGLSL, *sources)
        node.setShader(self._shaders[features])
