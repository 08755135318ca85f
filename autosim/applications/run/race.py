"""Results of a drive between cones: laps, hit cones, and time off the track."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.config.descriptions import PlacedObject, WorldDescription
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.tracks.cone_track import Cone, ConeTrack, is_cone, track_between
from autosim.tracks.laps import lap_seconds
from autosim.tracks.nearest_points import nearest_points

_MOVED = 0.15
"""Distance [m] from its place at which a cone is out of the box that is painted around its foot."""

_UPRIGHT = 0.9
"""Cosine of the tilt, a ratio, below which a cone falls or lies: it stands up again from less."""


@dataclass(frozen=True, slots=True)
class Race:
    """Result of a drive on a track of cones.

    laps: number of whole laps; lap_seconds: duration of each [s]; cones_hit: number of cones that
    lie or are displaced at the end; off_track_seconds: time while all wheels were outside the
    limits [s]. Both count as in the rules of Formula Student.
    """

    laps: int
    lap_seconds: tuple[float, ...]
    cones_hit: int
    off_track_seconds: float


def judge(
    world: WorldDescription, state: State, *, wheels: Floats, middle: Floats, interval: float
) -> Race | None:
    """The result of a drive; None if the world has no track of cones.

    Args:
        world: with its cones.
        state: at the end.
        wheels: (n, w, 2) positions of the wheels [m] in W, sampled in time.
        middle: (n, 2) positions of the robot [m] in W.
        interval: between two samples [s].
    """
    cones = [thing for thing in world.objects if is_cone(thing.name)]
    track = track_between(Cone(cone.name, *cone.position[:2]) for cone in cones)
    if track is None:
        return None
    distances = nearest_points(track.centre, middle).distance
    seconds = lap_seconds(distances, length=track.centre.length, interval=interval)
    return Race(
        laps=len(seconds),
        lap_seconds=seconds,
        cones_hit=sum(_is_hit(cone, state) for cone in cones),
        off_track_seconds=float(interval * np.count_nonzero(is_off_track(track, wheels))),
    )


def is_off_track(track: ConeTrack, wheels: Floats) -> Booleans:
    """Whether all wheels were outside the limits: (n,) of `wheels` (n, w, 2) [m] in W."""
    place = nearest_points(track.centre, wheels.reshape(-1, 2))
    room = track.room(place.distance, place.offset).reshape(wheels.shape[:2])
    return np.asarray((room < 0.0).all(axis=1))


def _is_hit(cone: PlacedObject, state: State) -> bool:
    node = state.tree.find(cone.name)
    if node is None:
        return True  # it was removed
    first = node.field_offset("position") // WORD
    x, y, _, qx, qy, *_ = state.floats[first : first + 7].tolist()
    moved = portable.hypot(x - cone.position[0], y - cone.position[1])
    return bool(moved > _MOVED or 1.0 - 2.0 * (qx * qx + qy * qy) < _UPRIGHT)
