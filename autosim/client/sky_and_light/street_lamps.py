"""Street lamps that shine when it is dark: their glow, and their light on all that is near."""

from dataclasses import replace

import numpy as np

from autosim.arrays import Floats
from autosim.client.panda.geometry import make_geom
from autosim.client.panda.masks import LABEL_MASK, SHADOW_MASK
from autosim.client.panda.panda_imports import core
from autosim.client.sky_and_light.daylight import Daylight
from autosim.client.sky_and_light.lamp_map import (
    AROUND,
    MOST_LIGHT,
    SQUARE,
    LampHeads,
    LampMap,
    square_of,
)
from autosim.client.sky_and_light.robot_lamps import draw_as_glow, glow_corners
from autosim.client.sky_and_light.streaks import Streaks, heights_as_labels
from autosim.world.compiled.compiled_world import Props

_COLOUR = np.array([1.0, 0.80, 0.52])
"""Colour (sRGB, 0..1) of the light of street lamps: warm, between sodium and white diodes."""

_LIGHT = 2.6
"""Light straight below a lamp (squares of sRGB, without unit), of which `shaders` takes the
highlights back: a camera exposes by night for what lamps light, so that dry asphalt, which reflects
a seventh, is as bright there as by day."""

_DUSK, _DARK = 0.35, 0.75
"""Darkness (`Daylight.darkness`, without unit) at which lamps switch on, and from which they have
full brightness: chosen by eye, soon after sunset."""

_GLOW_RADIUS = 0.55
"""Radius [m] of the glow around a lamp: chosen by eye."""

_GLOW_LIGHT = 0.85
"""Light of the glow (without unit), as a factor of that of other lamps."""


class StreetLamps:
    """All street lamps of a world; a renderer must have shaders for them.

    Args:
        root: the scene.
        props: of the world, with its lamps.
    """

    def __init__(self, root: core.NodePath, props: Props) -> None:
        self._root = root
        self._heads = LampHeads.of(props)
        self._map = LampMap(self._heads)
        self._node = root.attachNewNode("street lamps")
        self._node.hide(core.BitMask32(SHADOW_MASK | LABEL_MASK))
        self._node.setDepthWrite(False)
        draw_as_glow(self._node)
        # Unlike a beam, it is seen from all sides.
        self._node.setShaderInput("least_facing", 0.8)
        self._streaks = Streaks(root, least_facing=0.8)
        self._squares: dict[tuple[int, int], list[core.NodePath]] = {}
        self._strength = 0.0
        root.setShaderInput("lamp_map", self._map.texture)

    @property
    def are_lit(self) -> bool:
        """Whether any of them shines."""
        return self._strength > 0.0 and len(self._heads.heights) > 0

    def show(self, daylight: Daylight) -> None:
        """Sets their brightness for that light."""
        share = float(np.clip((daylight.darkness - _DUSK) / (_DARK - _DUSK), 0.0, 1.0))
        self._strength = share
        if not self.are_lit:
            self._node.stash()
            self._streaks.node.stash()
            return
        self._streaks.show(daylight, light=_GLOW_LIGHT)
        self._node.unstash()
        self._node.setShaderInput("strength", _GLOW_LIGHT * share)
        self._node.setShaderInput("is_foggy", 1.0 if daylight.fog else 0.0)
        red, green, blue = (MOST_LIGHT * _LIGHT * share * _COLOUR**2).tolist()
        light = core.LVecBase4(red, green, blue, self._map.rise)
        self._root.setShaderInput("lamp_light", light)

    def follow(self, eye: Floats) -> None:
        """Fits them to a camera at `eye` (3,) [m] that is drawn next."""
        if self.are_lit and self._map.follow(eye):
            self._root.setShaderInput("lamp_frame", core.LVecBase4(*self._map.frame))
            self._choose_glows(square_of(eye))

    def _choose_glows(self, middle: tuple[int, int]) -> None:
        """Draws the glows of the lamps in the squares of the map."""
        spread = range(-AROUND, AROUND + 1)
        wanted = {(middle[0] + x, middle[1] + y) for x in spread for y in spread}
        for number in self._squares.keys() - wanted:
            for node in self._squares.pop(number):
                node.removeNode()
        for number in sorted(wanted - self._squares.keys()):
            glows = self._glows(number)
            parents = (self._node, self._streaks.node)
            self._squares[number] = [parent.attachNewNode(glows) for parent in parents]

    def _glows(self, number: tuple[int, int]) -> core.GeomNode:
        low = SQUARE * np.array(number, dtype=np.float64)
        heads = self._heads.within(low, low + SQUARE)
        places = heads.places
        geometry = core.GeomNode("glows")
        if len(places):
            down = np.tile([0.0, 0.0, -_GLOW_RADIUS], (len(places), 1))
            colours = np.tile(_COLOUR, (len(places), 1))
            corners = np.repeat(places[:, None], 4, axis=1)
            mesh = glow_corners(corners, down, colours, np.ones((1, 1)))
            mesh = replace(mesh, labels=heights_as_labels(heads.heights))
            geometry.addGeom(make_geom(mesh))
            # A streak is far from its lamp, so Panda3D must not judge by where that is.
            geometry.setBounds(core.OmniBoundingVolume())
            geometry.setFinal(True)
        return geometry
