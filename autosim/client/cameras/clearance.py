"""Keeps a camera that follows something out of houses and of the ground."""

import numpy as np

from autosim.arrays import Floats
from autosim.rays.ray_scene import RayScene

MARGIN = 0.4
"""Distance [m] between a camera and what is behind it: what is nearer than this would be cut open
by the near plane in the corners of a picture."""

_LIFTS = np.radians([0.0, 12.0, 24.0, 36.0, 48.0, 60.0, 72.0, 84.0])
"""Angles [rad] by which the view is made steeper, in the order in which they are tried."""

_STEEPEST = np.radians(88.0)
"""Largest angle [rad] of a view that was made steeper: straight down it would have no heading."""


class Clearance:
    """Finds a free place for a camera; as long as it has no scene, every place is free."""

    def __init__(self, scene: RayScene | None = None) -> None:
        self._scene = scene

    @property
    def has_scene(self) -> bool:
        """Whether it knows what is in the way."""
        return self._scene is not None

    def take(self, scene: RayScene) -> None:
        """Avoids what is in this scene from now on."""
        self._scene = scene

    def first_hit(self, origin: Floats, end: Floats) -> Floats | None:
        """The first place (3,) of the scene on the way from `origin` to `end`, (3,) [m] in W."""
        if self._scene is None:
            return None
        (share,), _, _ = self._scene.cast(origin[None], end[None])
        hit: Floats = origin + float(share) * (end - origin)
        return hit if share < 1.0 else None

    def hides(self, origin: Floats, place: Floats) -> bool:
        """Whether something of the scene hides a place (3,) [m] from `origin` (3,)."""
        hit = self.first_hit(origin, place)
        return hit is not None and float(np.linalg.norm(place - hit)) > MARGIN

    def place(self, target: Floats, wanted: Floats, *, nearest: float) -> Floats:
        """A place (3,) [m] in W from which the target can be seen.

        It is the wanted one, or nearer to the target on the same line; where that is too near, it
        is on a steeper line, the least steep one that has room.

        Args:
            target: (3,) [m] in W.
            wanted: (3,) [m] in W.
            nearest: least distance [m] from the target.
        """
        if self._scene is None:
            return wanted
        away = wanted - target
        distance = float(np.linalg.norm(away))
        if distance <= nearest:
            return wanted
        ways = _lifted(away / distance)
        origins = np.repeat(target[None], len(ways), axis=0)
        shares, _, _ = self._scene.cast(origins, origins + (distance + MARGIN) * ways)
        free = np.minimum(shares * (distance + MARGIN) - MARGIN, distance)
        enough = np.flatnonzero(free >= nearest)
        chosen = int(enough[0]) if len(enough) else int(np.argmax(free))
        place: Floats = target + max(float(free[chosen]), 0.0) * ways[chosen]
        return place


def _lifted(way: Floats) -> Floats:
    """A direction (3,) and steeper ones (n, 3), of length 1."""
    level = float(np.hypot(way[0], way[1]))
    pitch, yaw = np.arctan2(way[2], level), np.arctan2(way[1], way[0])
    pitches = np.minimum(pitch + _LIFTS, max(pitch, _STEEPEST))
    return np.stack(
        [np.cos(pitches) * np.cos(yaw), np.cos(pitches) * np.sin(yaw), np.sin(pitches)], axis=1
    )
