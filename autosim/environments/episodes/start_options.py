"""Starts of episodes as `reset(options=…)` chooses them."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import SupportsFloat, SupportsIndex

import numpy as np

from autosim.arrays import Floats
from autosim.environments.tasks import Start, start_on
from autosim.tracks.lane_paths import SPACING, PathArrays

ON_PATH = ("path", "station", "offset", "turn")
"""Options that choose a start on a path: its number, and distance along it [m], to its left [m],
and angle to its left [rad]."""

IN_WORLD = ("position", "yaw")
"""Options that choose a start in W: x, y [m] and the heading [rad]."""


GOAL = "goal"
"""Option that chooses the goal in W: x, y [m] and perhaps the heading [rad]."""


def chosen_goal(given: object) -> tuple[float, ...]:
    """The goal of an option: x, y [m], and the yaw [rad] where it is given.

    Raises:
        ValueError: it is not two or three numbers.
    """
    with suppress(TypeError, ValueError):
        goal = np.asarray(given, dtype=np.float64)
        if goal.shape in ((2,), (3,)) and np.isfinite(goal).all():
            return tuple(goal.tolist())
    raise ValueError(f"goal: expected x and y [m], or x, y and yaw [rad], not {given!r}")


def check_options(options: Mapping[str, object], known: Collection[str]) -> None:
    """Refuses options that an environment does not have.

    Raises:
        ValueError: an option is unknown.
    """
    unknown = sorted(str(each) for each in options if each not in known)
    if unknown:
        raise ValueError(
            f"reset() has no option '{unknown[0]}' (options: {', '.join(sorted(known))})"
        )


def chosen_start(start: Start, paths: PathArrays, options: Mapping[str, object] | None) -> Start:
    """The start that options choose; what they leave open is as in `start`.

    Args:
        start: as the task has drawn it.
        paths: those of the task.
        options: `path`, `station` [m], `offset` [m] and `turn` [rad] choose a place on a path;
            `position` (x, y) [m] and `yaw` [rad] one in W, on the path that is nearest there.

    Raises:
        ValueError: an option is unknown, is not a number, or lies outside the paths.
    """
    if not options:
        return start
    check_options(options, (*ON_PATH, *IN_WORLD))
    if any(each in options for each in IN_WORLD):
        if any(each in options for each in ON_PATH):
            raise ValueError("options choose a start either on a path or by position, not by both")
        return _in_world(start, paths, options)
    path = start.path
    if "path" in options:
        path = int(_number(options, "path"))
        if not 0 <= path < len(paths.starts) - 1:
            raise ValueError(f"path={path} does not exist: there are {len(paths.starts) - 1} paths")
    first, last = int(paths.starts[path]), int(paths.starts[path + 1]) - 1
    station = _number(options, "station") if "station" in options else 0.0
    length = (last - first) * SPACING
    if not 0.0 <= station <= length:
        raise ValueError(
            f"station={station:g} lies outside path {path}, which is {length:g} m long"
        )
    offset, turn = (_number(options, key) if key in options else 0.0 for key in ("offset", "turn"))
    chosen = start_on(paths, path, first + round(station / SPACING), offset=offset, turn=turn)
    return chosen._replace(place=_of_height(chosen, start), goal=_goal(chosen, start))


def _in_world(start: Start, paths: PathArrays, options: Mapping[str, object]) -> Start:
    """The start at a position in W, on the path that is nearest there."""
    place = start.place.copy()
    if "position" in options:
        given = np.asarray(options["position"], dtype=np.float64)
        if given.shape != (2,) or not np.isfinite(given).all():
            raise ValueError(f"position: expected x and y [m], not {options['position']!r}")
        place[:2] = given
    row = int(np.argmin(((paths.points[:, :2] - place[:2]) ** 2).sum(axis=1)))
    path = int(np.searchsorted(paths.starts, row, side="right")) - 1
    yaw = _number(options, "yaw") if "yaw" in options else float(paths.headings[row])
    found = start_on(paths, path, row)
    place[2] = _of_height(found, start)[2]
    return found._replace(place=place, yaw=yaw, goal=_goal(found, start))


def _of_height(found: Start, start: Start) -> Floats:
    """The chosen place, at the height of the ground there where the task knows no heights."""
    place = found.place.copy()
    if np.isnan(start.place[2]):
        place[2] = np.nan
    return place


def _goal(found: Start, start: Start) -> tuple[float, float, float]:
    """The end of the path, or the task's own goal."""
    return start.goal if np.isnan(start.place[2]) else found.goal


def _number(options: Mapping[str, object], key: str) -> float:
    given, value = options[key], np.nan
    if isinstance(given, str | SupportsFloat | SupportsIndex):
        with suppress(TypeError, ValueError):
            value = float(given)
    if not np.isfinite(value):
        raise ValueError(f"{key}: expected a number, not {given!r}")
    return value
