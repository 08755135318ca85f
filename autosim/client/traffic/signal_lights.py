"""The signals of a world with traffic as they are seen: posts, and the lights that are lit."""

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.material_kinds import Material
from autosim.client.materials.material_states import Materials
from autosim.client.panda.geometry import rows_of
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.panda.panda_nodes import change_mesh, changing_node
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.robot_lamps import (
    GLOW_SIZE,
    across,
    draw_as_glass,
    draw_as_glow,
    glow_corners,
)
from autosim.client.traffic.signal_posts import post_nodes
from autosim.client.traffic.signal_shapes import (
    BEFORE,
    HEIGHT,
    LENS_RADIUS,
    LENSES,
    PEOPLE_HEIGHT,
    PEOPLE_LENSES,
)
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.traffic.signals.signal_heads import SignalHeads, make_signal_heads
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import MOST_SIGNALS, NAME, traffic_arrays_of
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.lane_rules import SignalState

_FAR = 300.0
"""Distance [m] up to which lights are drawn: farther away they are hardly seen."""

_LEAST_SIZE, _MOST_SIZE = 0.0016, 0.22
"""Least radius of a light, as a share of its distance, and the radius [m] up to which that holds: a
bright light is seen from farther away than what it shines from."""

_MOVED = 5.0
"""Distance [m] that an eye moves until the sizes of lights are adapted to it: an imperceptible
share of their distance."""

_BLINK_SECONDS = 1.0
"""Period [s] of flashing amber: 60 a minute (EN 50556)."""

_COLOURS = np.array([(1.0, 0.13, 0.08), (1.0, 0.66, 0.10), (0.16, 1.0, 0.52)])
"""Colours (sRGB, 0..1, without unit) of red, amber and green light (EN 12368), as they look."""

_GLOW = 0.45
"""Share (without unit) of the light of signals in glows of lamps as wide: they do not dazzle."""


class SignalLights:
    """Drawing of signals; nothing in worlds without traffic, or without signals.

    Args:
        root: the scene.
        tree: the tree of the states that `update` takes.
        compiled: the place.
        materials: render states.
        has_shaders: whether the renderer can draw glows.
    """

    def __init__(
        self,
        root: core.NodePath,
        *,
        tree: SimulationTree,
        compiled: CompiledWorld,
        materials: Materials,
        has_shaders: bool,
    ) -> None:
        self._heads: SignalHeads | None = None
        if tree.find(NAME) is None:
            return
        heads = make_signal_heads(make_plan(compiled, most=MOST_SIGNALS), compiled)
        if not len(heads.groups):
            return
        self._heads, self._lenses = heads, _lenses(heads)
        self._lit = np.zeros((len(heads.groups), 3), dtype=np.bool_)
        self._eye = np.full(3, np.inf)
        node = root.attachNewNode("signals")
        for post in post_nodes(heads, materials.state(Material())):
            post.reparentTo(node)
        self._glass = _changing(node, "signal glass")
        draw_as_glass(self._glass)
        self._glow: core.NodePath | None = None
        if has_shaders:
            self._glow = _changing(node, "signal glow")
            draw_as_glow(self._glow)

    def update(self, state: State) -> None:
        """Takes over what all signals show in `state`."""
        arrays = traffic_arrays_of(state)
        if self._heads is None or arrays is None:
            return
        is_on = state.time % _BLINK_SECONDS < 0.5 * _BLINK_SECONDS
        lit = _lit(arrays.signals[self._heads.groups], is_on=is_on)
        if (lit != self._lit).any():
            self._lit, self._eye = lit, np.full(3, np.inf)

    def look(self, eye: Floats) -> None:
        """Fits the lights to a camera at `eye` (3,) [m] that is drawn next."""
        if self._heads is None or np.abs(eye - self._eye).max() < _MOVED:
            return
        self._eye = np.array(eye, dtype=np.float64)
        gaps = np.linalg.norm(self._heads.feet - eye, axis=1)
        head, lens = np.nonzero(self._lit & (gaps < _FAR)[:, None])
        self._write(head, lens, gaps[head])

    def show(self, daylight: Daylight) -> None:
        """Fits glows to a day time."""
        if self._heads is not None and self._glow is not None:
            strength = 0.25 + 0.75 * daylight.darkness
            self._glow.setShaderInput("strength", _GLOW * strength)
            self._glow.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)

    def _write(self, head: Integers, lens: Integers, gaps: Floats) -> None:
        assert self._heads is not None
        yaws = self._heads.yaws[head]
        away = np.column_stack([np.cos(yaws), np.sin(yaws), np.zeros(len(yaws))])
        middles = self._lenses[head, lens]
        radii = np.maximum(LENS_RADIUS, np.minimum(_LEAST_SIZE * gaps, _MOST_SIZE))
        side, up = across(away)
        corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
        spread = corners[:, :1] * side[:, None] + corners[:, 1:] * up[:, None]
        colours, ones = _COLOURS[lens], np.ones((1, 1))
        quads = middles[:, None] + radii[:, None, None] * spread
        mesh = glow_corners(quads, away, 0.8 * colours + 0.2, ones)
        _write(self._glass, mesh)
        if self._glow is not None:
            reach = GLOW_SIZE * radii[:, None] * away
            mesh = glow_corners(np.repeat(middles[:, None], 4, axis=1), reach, colours, ones)
            _write(self._glow, mesh)


def _lenses(heads: SignalHeads) -> Floats:
    """Positions (h, 3, 3) [m] of the lit lenses of each head: red, amber, green."""
    heights = np.where(
        heads.is_people[:, None],
        PEOPLE_HEIGHT + np.array(PEOPLE_LENSES),
        HEIGHT + np.array(LENSES),
    )
    away = np.column_stack([np.cos(heads.yaws), np.sin(heads.yaws), np.zeros(len(heads.yaws))])
    places = (heads.feet + BEFORE * away)[:, None] + np.zeros((1, 3, 1))
    places[:, :, 2] += heights
    return np.asarray(places)


def _lit(shown: Integers, *, is_on: bool) -> Booleans:
    """Lenses (h, 3) that are lit where signals show `shown` (h,): red, amber, green."""
    is_flashing = (shown == SignalState.FLASHING) & is_on
    return np.column_stack(
        [
            (shown == SignalState.RED) | (shown == SignalState.RED_AMBER),
            (shown == SignalState.AMBER) | (shown == SignalState.RED_AMBER) | is_flashing,
            shown == SignalState.GREEN,
        ]
    )


def _changing(root: core.NodePath, name: str) -> core.NodePath:
    node = changing_node(root, name)
    node.setLightOff(1)
    node.setMaterialOff(1)
    node.setDepthWrite(False)
    node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
    return node


def _write(node: core.NodePath, mesh: DrawMesh) -> None:
    corners = np.ascontiguousarray(mesh.triangles, dtype=np.uint32).ravel()
    change_mesh(node, rows_of(mesh), mesh.all_labels, corners)
